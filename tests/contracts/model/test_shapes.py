"""Shapes, materials and link names survive every arm file, and change no number of the arm."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import ArmFileError, InputError, ModelWarning, OutputExistsError
from armtwin.model.appearance.generated import generated_shapes
from armtwin.model.formats.meshes.mjcf_assets import stl_bytes
from armtwin.model.formats.meshes.read_mesh import mesh_parts
from armtwin.model.formats.meshes.solids import solid_parts
from armtwin.model.geometry import Box, CapsuleSolid, Cylinder, Ellipsoid, Sphere
from armtwin.model.link import frames_at
from armtwin.model.matrix import as_matrix
from armtwin.spatial import pose

pytestmark = pytest.mark.usefixtures("numpy_target")

SOLIDS = [
    Box((0.1, 0.2, 0.3)),
    Cylinder(0.05, 0.3),
    Sphere(0.04),
    CapsuleSolid(0.03, 0.2),
    Ellipsoid((0.1, 0.05, 0.02)),
]
NAMES = ("foot", "turret", "boom", "stick", "roll", "pitch", "yaw", "gripper")


def planted(folder, seed=1, solids=SOLIDS):
    """Return a UR5e with link names and random shapes: 8 meshes and some primitives."""
    rng = np.random.default_rng(seed)
    shapes = []
    for number in range(8 + len(solids)):
        if number < 8:
            vertices = rng.uniform(-0.1, 0.1, (12, 3)).astype(np.float32)
            faces = np.array([rng.permutation(12)[:3] for _ in range(10)])
            file = folder / f"part {number % 5}" / "body.stl"
            file.parent.mkdir(exist_ok=True)
            if not file.exists():
                file.write_bytes(stl_bytes(vertices, faces))
            solid = at.Mesh("body.stl", file, scale=tuple(rng.uniform(0.5, 2, 3).tolist()))
        else:
            solid = solids[number - 8]
        T = pose(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
        colour = tuple(rng.uniform(0, 1, 4).round(3).tolist())
        material = None if number == 3 else at.Material(f"paint {number}", colour)
        use = "collision" if number % 3 == 2 else "visual"
        material = None if use == "collision" else material
        shapes.append(at.LinkShape(number % 7, solid, as_matrix(T), use, material))
    return at.load("ur5e").with_(shapes=tuple(shapes), link_names=NAMES)


def names_in(folder):
    """Return the names of the files in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def corners(arm, q):
    """Return the corners in base of every shape at ``q``, by use and colour, sorted."""
    frames = [np.array(arm.base), *frames_at(arm, q).links]
    found = []
    for shape in arm.shapes:
        T = frames[shape.link] @ shape.pose
        colour = shape.material.colour if shape.material else None
        for part in solid_parts(shape.solid):
            points = part.vertices[part.faces].reshape(-1, 3) @ T[:3, :3].T + T[:3, 3]
            found.append((shape.use, colour, points))
    return sorted(found, key=lambda entry: (entry[0], entry[1] or (), entry[2][0].tolist()))


@pytest.mark.parametrize("ending", ["toml", "urdf", "xml"])
def test_every_shape_and_material_comes_back(tmp_path, ending):
    """Every triangle, colour and use is at its place when an arm is written and read."""
    solids = SOLIDS if ending != "urdf" else SOLIDS[:3]
    arm = planted(tmp_path, solids=solids)
    file = tmp_path / f"arm.{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        at.export(arm, file)
    q = np.array([0.3, -1.0, 0.7, 0.2, -0.5, 1.1])
    before = corners(arm, q)
    for folder in tmp_path.glob("part*"):
        folder.rename(folder.with_name(f"gone {folder.name}"))
    again = at.load(file)
    after = corners(again, q)
    assert [entry[:2] for entry in after] == [entry[:2] for entry in before]
    for (_, _, here), (_, _, there) in zip(before, after, strict=True):
        assert np.abs(here - there).max() < 1e-7
    names = [shape.material.name for shape in arm.shapes if shape.material]
    assert sorted(s.material.name for s in again.shapes if s.material) == sorted(names)
    if ending != "xml":
        assert again.link_names == NAMES
    assert again.link_names[1:-1] == NAMES[1:-1]


def test_toml_keeps_shapes_to_the_last_bit(tmp_path):
    """Poses, sizes and scales are equal when an arm file is written and read."""
    arm = planted(tmp_path)
    again = at.load(at.export(arm, tmp_path / "arm.toml"))
    plain = [
        [
            dataclasses.replace(
                shape,
                solid=dataclasses.replace(shape.solid, name="", file=None)
                if isinstance(shape.solid, at.Mesh)
                else shape.solid,
            )
            for shape in one.shapes
        ]
        for one in (arm, again)
    ]
    assert plain[0] == plain[1]


def test_shapes_change_no_number(tmp_path):
    """Fingerprint, masses and torques are those of the bare arm when it has shapes."""
    bare, arm = at.load("ur5e"), planted(tmp_path)
    assert arm.fingerprint == bare.fingerprint
    assert hash(arm) == hash(dataclasses.replace(bare, link_names=NAMES))
    assert arm != bare.with_(link_names=NAMES)
    assert pickle.loads(pickle.dumps(arm)) == arm
    again = at.load(at.export(arm, tmp_path / "arm.toml"))
    q = np.full(6, 0.4)
    assert np.array_equal(at.inverse_dynamics(again, q, q, q), at.inverse_dynamics(bare, q, q, q))


def test_what_a_format_cannot_hold_is_named(tmp_path):
    """A warning names solids, textures and names when a format has no place for them."""
    arm = planted(tmp_path)
    with pytest.warns(ModelWarning, match="ellipsoids, capsules as one solid"):
        at.export(arm, tmp_path / "arm.urdf")
    with pytest.warns(ModelWarning, match="names of the base and the tool"):
        at.export(arm, tmp_path / "arm.xml")


@pytest.mark.parametrize("convention", ["screws", "modified-dh"])
def test_shapes_follow_a_conversion(tmp_path, convention):
    """Every triangle stays at its place when the convention changes."""
    arm = planted(tmp_path)
    q = np.array([0.3, -1.0, 0.7, 0.2, -0.5, 1.1])
    for here, there in zip(corners(arm, q), corners(at.convert(arm, convention), q), strict=True):
        assert np.abs(here[2] - there[2]).max() < 1e-12


def test_files_are_written_whole_or_not_at_all(tmp_path):
    """Nothing is left and the old files stay when writing fails, or would overwrite."""
    arm = planted(tmp_path)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "arm_toml_meshes").mkdir()
    (folder / "arm_toml_meshes" / "old").write_text("old")
    with pytest.raises(OutputExistsError, match="arm_toml_meshes exists"):
        at.export(arm, folder / "arm.toml")
    assert names_in(folder) == ["arm_toml_meshes"]
    at.export(arm, folder / "arm.toml", force=True)
    assert not (folder / "arm_toml_meshes" / "old").exists()
    assert names_in(folder) == ["arm.toml", "arm_toml_meshes"]
    broken = arm.with_(shapes=(at.LinkShape(0, at.Mesh("a.stl", tmp_path / "lost.stl")),))
    before = (folder / "arm.toml").read_bytes()
    with pytest.raises(ArmFileError, match="lost.stl: cannot be read"):
        at.export(broken, folder / "arm.toml", force=True)
    assert (folder / "arm.toml").read_bytes() == before
    assert names_in(folder) == ["arm.toml", "arm_toml_meshes"]


def test_export_over_itself_keeps_the_meshes(tmp_path):
    """Meshes are still there when an arm is written to the file that it was read from."""
    file = at.export(planted(tmp_path), tmp_path / "arm.toml")
    again = at.load(at.export(at.load(file), file, force=True))
    assert len(again.shapes) == 13
    assert all(mesh_parts(s.solid) for s in again.shapes if isinstance(s.solid, at.Mesh))


def test_mesh_in_memory_is_kept(tmp_path):
    """Inline vertices of MJCF come back when the arm is written as TOML and as URDF."""
    text = """<mujoco><asset><mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
      <material name="red" rgba="1 0 0 1"/></asset><worldbody><body name="b"><joint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="mesh" mesh="m" material="red" pos="0 0 2" group="1"/></body>
      </worldbody></mujoco>"""
    (tmp_path / "a.xml").write_text(text)
    arm = at.load(tmp_path / "a.xml")
    assert [(s.use, s.link) for s in arm.shapes] == [("visual", 1), ("collision", 1)]
    for ending in ("toml", "urdf"):
        again = at.load(at.export(arm, tmp_path / f"b_{ending}.{ending}"))
        for shape in again.shapes:
            (part,) = mesh_parts(shape.solid)
            assert np.array_equal(part.vertices.max(axis=0), [1, 1, 1])
        assert again.shapes[0].material.colour == (1, 0, 0, 1)


WRONG = {
    "link": (dict(link=9), "link 9 is none of 0"),
    "size": (dict(solid=Sphere(-1.0)), "impossible size"),
    "scale": (dict(solid=at.Mesh("a.stl", scale=(0.0, 1.0, 1.0))), "impossible size"),
    "colour": (dict(material=at.Material("", (2.0, 0.0, 0.0, 1.0))), "between 0 and 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_impossible_shapes_are_refused(name):
    """An error says what is wrong when a shape makes no sense."""
    from armtwin.model.checks import check_arm

    changes, reason = WRONG[name]
    shape = dataclasses.replace(at.LinkShape(0, Sphere(0.1)), **changes)
    with pytest.raises(InputError, match=reason):
        check_arm(at.load("ur5e").with_(shapes=(shape,)))


def test_toml_shape_names_its_line(tmp_path):
    """An error names line and field when a shape's table is wrong."""
    text = at.export("ur5e", tmp_path / "a.toml").read_text()
    (tmp_path / "b.toml").write_text(text + '\n[[shapes]]\nlink = 1\nsolid = "cylinder"\n')
    with pytest.raises(ArmFileError, match=r"line \d+: shapes.1: .*a cylinder needs radius and le"):
        at.load(tmp_path / "b.toml")


@pytest.mark.parametrize("name", at.arm_names())
def test_generated_shapes_are_not_read_back(tmp_path, name):
    """An arm without shapes has none again when it is written as URDF and MJCF and read."""
    assert generated_shapes(at.load(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        for ending in ("urdf", "xml"):
            assert at.load(at.export(name, tmp_path / f"a.{ending}")).shapes == ()


@pytest.mark.parametrize("name", at.arm_names())
def test_generated_shapes_do_not_depend_on_the_convention(name):
    """Solids are at the same place when an arm is given by DH rows or by screws.

    Base and first link aside: they begin at frame 0, which a conversion may move.
    """
    arm = at.load(name)
    other = at.convert(arm, "screws" if arm.convention != "screws" else "modified-dh")
    q = np.linspace(-0.5, 0.8, arm.dof)
    ours, theirs = (
        one.with_(shapes=tuple(s for s in generated_shapes(one) if s.link > 1))
        for one in (arm, other)
    )
    for here, there in zip(corners(ours, q), corners(theirs, q), strict=True):
        assert np.abs(here[2].mean(axis=0) - there[2].mean(axis=0)).max() < 1e-6
