"""Mesh files: where they are found, what they hold, and what is refused."""

import json
import struct
import sys

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import ArmFileError, MissingDataError, ModelWarning
from armtwin.model.appearance.appearance import appearance
from armtwin.model.formats.meshes import content_checks, read_mesh
from armtwin.model.formats.meshes.content_checks import check_content
from armtwin.model.formats.meshes.glb import glb_bytes
from armtwin.model.formats.meshes.locate import locate
from armtwin.model.formats.meshes.mjcf_assets import stl_bytes
from armtwin.model.formats.meshes.read_mesh import mesh_parts
from armtwin.model.formats.meshes.solids import solid_parts
from armtwin.model.geometry import (
    Box,
    CapsuleSolid,
    Cylinder,
    Ellipsoid,
    LinkShape,
    Material,
    Mesh,
    Sphere,
)

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
STL = stl_bytes(TETRAHEDRON, FACES)
RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong><diffuse>
<color>1 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="s">
<float_array id="a" count="9">0 0 0 1000 0 0 0 2000 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="1" material="x"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p>
</triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><translate>0 0 500</translate>
<instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="x" target="#m"/></technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""
OBJ = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"


def volume(parts):
    """Return the volume that closed surfaces enclose."""
    corners = np.concatenate([part.vertices[part.faces] for part in parts])
    return np.linalg.det(corners).sum() / 6


def test_stl_holds_its_triangles(tmp_path):
    """Triangles and scale come back when a binary STL file is read."""
    (tmp_path / "a.stl").write_bytes(STL)
    (part,) = mesh_parts(Mesh("a.stl", tmp_path / "a.stl", scale=(2.0, 1.0, 1.0)))
    assert part.colour is None
    assert np.array_equal(part.vertices.max(axis=0), [2, 2, 3])
    assert volume([part]) == pytest.approx(2.0)


def test_mirrored_mesh_keeps_its_outside(tmp_path):
    """The enclosed volume stays positive when a scale mirrors a mesh."""
    (tmp_path / "a.stl").write_bytes(STL)
    assert volume(mesh_parts(Mesh("a", tmp_path / "a.stl", scale=(-1.0, 1.0, 1.0)))) > 0


def test_collada_unit_pose_and_colour():
    """Metres, the node's pose and the material's colour come back when a Collada file is read.

    Its up axis changes nothing, as in ROS.
    """
    (part,) = mesh_parts(Mesh("a.dae", data=DAE.encode()))
    assert part.colour == RED
    assert np.allclose(part.vertices.max(axis=0), [1, 2, 0.5])


def test_texture_becomes_its_mean_colour(tmp_path):
    """The colour is the mean of the pixels when a material has a texture."""
    from PIL import Image

    Image.fromarray(np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8)).save(tmp_path / "a.png")
    (tmp_path / "a.mtl").write_text("newmtl m\nKd 1 1 1\nmap_Kd a.png\n")
    (tmp_path / "a.obj").write_text(OBJ.replace("f 1 2 3", "vt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3"))
    (part,) = mesh_parts(Mesh("a.obj", tmp_path / "a.obj"))
    assert part.colour == pytest.approx((0.5, 0, 0.5, 1), abs=0.01)


def test_glb_of_shapes_reads_back():
    """Solids, places and colours come back when a GLB file that we wrote is read."""
    shift = ((1.0, 0, 0, 0.5), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0))
    shapes = [
        LinkShape(0, Box((1.0, 1.0, 1.0)), material=Material("", RED)),
        LinkShape(1, Box((2.0, 1.0, 1.0)), shift, material=Material("", BLUE)),
    ]
    parts = mesh_parts(Mesh("a.glb", data=glb_bytes(shapes, 1)))
    found = {part.colour: part for part in parts}
    assert found[RED].vertices.max(axis=0) == pytest.approx([0.5, 0.5, 0.5])
    assert found[BLUE].vertices.max(axis=0) == pytest.approx([1.5, 0.5, 0.5])
    assert volume(parts) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("solid", "size"),
    [
        (Box((1.0, 2.0, 3.0)), 6.0),
        (Cylinder(0.5, 2.0), np.pi / 2),
        (CapsuleSolid(0.5, 2.0), np.pi / 2 + np.pi / 6),
        (Sphere(1.0), 4 * np.pi / 3),
        (Ellipsoid((0.5, 1.0, 2.0)), 4 * np.pi / 3),
    ],
)
def test_solids_enclose_their_volume(solid, size):
    """Triangles enclose the solid's volume to 2 % when it is turned into a mesh."""
    assert volume(solid_parts(solid)) == pytest.approx(size, rel=0.02)


def glb(tree):
    """Return a GLB file of a JSON part alone."""
    text = json.dumps(tree).encode()
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


def bomb(depth):
    """Return a Collada file whose nodes double ``depth`` times."""
    nodes = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>'
        for k in range(depth)
    )
    last = f'<node id="n{depth}"><instance_geometry url="#g"/></node>'
    return f"<COLLADA><library_nodes>{nodes}{last}</library_nodes></COLLADA>".encode()


LOOP = b'<COLLADA><node id="a"><instance_node url="#a"/></node></COLLADA>'
HUGE = {"accessors": [{"count": 10**12, "bufferView": 0}]}
EMPTY = {"accessors": [{"count": 3}]}
SHARED = {"nodes": [{"children": [1, 1]}, {}]}
ENTITY = (
    b'<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z SYSTEM "file:///etc/passwd">]><COLLADA>&z;</COLLADA>'
)
HOSTILE = {
    "states more triangles than it has": (".stl", STL[:80] + b"\xff\xff\xff\xff" + STL[84:], "cut"),
    "cut off": (".stl", STL[:-10], "cut off"),
    "text as STL": (".stl", b"root:x:0:0", "neither binary STL"),
    "array of 1e12 values": (".glb", glb(HUGE), "too many"),
    "array without data": (".glb", glb(EMPTY), "without data"),
    "node twice": (".glb", glb(SHARED), "no tree"),
    "other file in GLB": (".glb", glb({"buffers": [{"uri": "/etc/passwd"}]}), "other files"),
    "header longer than file": (".glb", glb({})[:-2], "holds what its header states"),
    "no JSON": (".glb", glb({}).replace(b"{}", b"{]"), "cannot be read"),
    "2^40 parts": (".dae", bomb(40), "stands for 1099511627776 parts"),
    "node in itself": (".dae", LOOP, "within itself"),
    "entities": (".dae", ENTITY, "entities"),
    "not XML": (".dae", b"PK\x03\x04", "not valid Collada"),
    "zip archive": (".zip", b"PK\x03\x04", "formats read are"),
    "zero bytes in text": (".obj", b"v 0 0 0\0", "zero bytes"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_mesh_is_refused(name):
    """An error says why when a mesh file is made to do harm."""
    ending, data, reason = HOSTILE[name]
    with pytest.raises(ArmFileError, match=reason):
        check_content(data, ending, "it")
    if ending != ".zip":
        with pytest.raises(ArmFileError):
            mesh_parts(Mesh(f"it{ending}", data=data))


def test_large_mesh_is_refused(tmp_path, monkeypatch):
    """An error names the limit when a file or its triangles are too many."""
    (tmp_path / "a.stl").write_bytes(STL)
    monkeypatch.setattr(content_checks, "MAX_TRIANGLES", 3)
    with pytest.raises(ArmFileError, match="4 triangles; at most 3"):
        mesh_parts(Mesh("a.stl", data=STL))
    monkeypatch.setattr(read_mesh, "MAX_BYTES", 100)
    with pytest.raises(ArmFileError, match="284 bytes; at most"):
        mesh_parts(Mesh("a.stl", tmp_path / "a.stl"))


def test_mesh_with_nothing_in_it():
    """An error says so when a mesh has no triangles."""
    with pytest.raises(ArmFileError, match="no triangles|cannot be read"):
        mesh_parts(Mesh("a.obj", data=b"v 0 0 0\n"))


def robot(reference):
    """Return URDF text of an arm with one mesh."""
    return (
        '<robot name="r"><link name="a"><visual><geometry>'
        f'<mesh filename="{reference}"/></geometry></visual></link><link name="b"/>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )


@pytest.fixture
def package(tmp_path):
    """A ROS package ``bot`` with an arm file and a mesh."""
    (tmp_path / "bot" / "urdf").mkdir(parents=True)
    (tmp_path / "bot" / "meshes").mkdir()
    (tmp_path / "bot" / "meshes" / "a b.stl").write_bytes(STL)
    return tmp_path / "bot"


@pytest.mark.parametrize(
    "reference",
    [
        "../meshes/a b.stl",
        "package://bot/meshes/a%20b.stl",
        "model://bot/meshes/a b.stl",
        "package://renamed/meshes/a b.stl",
        "file://{}/meshes/a b.stl",
        "{}/meshes/a b.stl",
        "..\\meshes\\a b.stl",
    ],
)
def test_references_are_resolved(package, reference):
    """The same file is found when a mesh is named in any of the usual ways."""
    found = locate(reference.format(package), package / "urdf" / "r.urdf")
    assert found == (package / "meshes" / "a b.stl").resolve()


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ROS_PACKAGE_PATH", "{0}"), ("ROS_PACKAGE_PATH", "{0}/bot"), ("AMENT_PREFIX_PATH", "{0}/i")],
)
def test_packages_are_found_by_environment(package, tmp_path, monkeypatch, variable, value):
    """A package elsewhere is found when ROS's variables name its folder."""
    (tmp_path / "i" / "share").mkdir(parents=True)
    (tmp_path / "i" / "share" / "bot").symlink_to(package)
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    arm_file = elsewhere / "r.urdf"
    assert locate("package://lost/meshes/a b.stl", arm_file) is None
    monkeypatch.setenv(variable, value.format(tmp_path))
    assert locate("package://bot/meshes/a b.stl", arm_file) is not None


def test_missing_mesh_is_a_warning_that_names_it(tmp_path):
    """The arm loads with a warning and keeps the reference when a mesh file is missing."""
    (tmp_path / "r.urdf").write_text(robot("package://nowhere/x.stl"))
    with pytest.warns(ModelWarning, match="package://nowhere/x.stl"):
        arm = at.load(tmp_path / "r.urdf")
    assert arm.shapes[0].solid == Mesh("package://nowhere/x.stl")
    at.export(arm, tmp_path / "again.urdf")
    assert "package://nowhere/x.stl" in (tmp_path / "again.urdf").read_text()


@pytest.mark.parametrize(
    "reference",
    ["../../etc/passwd", "../secret.stl", "/etc/passwd", "file:///etc/passwd", "link/secret.stl"],
)
def test_uploads_cannot_reach_other_files(tmp_path, reference):
    """An error is raised when a mesh of a file of unknown origin lies outside its folder."""
    (tmp_path / "secret.stl").write_bytes(STL)
    (tmp_path / "up").mkdir()
    (tmp_path / "up" / "link").symlink_to(tmp_path)
    path = tmp_path / "up" / "r.urdf"
    path.write_text(robot(reference))
    with pytest.raises(ArmFileError, match="outside the folder of the arm file"):
        at.load(path, confined=True)


def test_uploads_find_no_packages_around_them(tmp_path):
    """Folders above the file and ROS's variables do not count when its origin is unknown."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "a.stl").write_bytes(STL)
    (tmp_path / "r.urdf").write_text(robot("package://bot/a.stl"))
    assert at.load(tmp_path / "r.urdf").shapes[0].solid.file is not None
    with pytest.warns(ModelWarning, match="not found"):
        arm = at.load(tmp_path / "r.urdf", confined=True)
    assert arm.shapes[0].solid.missing


def test_files_of_other_kinds_are_no_meshes(tmp_path):
    """A file is not taken up when its ending is none of a mesh."""
    (tmp_path / "passwd").write_text("root")
    (tmp_path / "r.urdf").write_text(robot("passwd"))
    with pytest.warns(ModelWarning, match="not found"):
        assert at.load(tmp_path / "r.urdf").shapes[0].solid.missing


def test_shape_of_no_size_is_left_out(tmp_path):
    """The arm loads with a warning when a file has a box without a size."""
    text = robot("x").replace('<mesh filename="x"/>', '<box size="0 0 0"/>')
    (tmp_path / "r.urdf").write_text(text)
    with pytest.warns(ModelWarning, match="line 1: <visual>: has no solid of a size above 0"):
        assert at.load(tmp_path / "r.urdf").shapes == ()


@pytest.mark.parametrize("reference", ["x" * 5000, "a\0b.stl", "loop/x.stl", "", "http://a/b.stl"])
def test_odd_references_are_not_found(tmp_path, reference):
    """Nothing is found, and nothing fails, when a reference can name no file."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert locate(reference, tmp_path / "r.urdf") is None


def test_trimesh_missing_is_said(monkeypatch):
    """An error names the extra, and solids are drawn instead, when trimesh is not installed."""
    monkeypatch.setitem(sys.modules, "trimesh", None)
    assert all(shape.name.startswith("armtwin_") for shape in appearance(at.load("ur5")))
    meshed = at.load("ur5e").with_(shapes=(LinkShape(0, Mesh("a.stl", data=STL)),))
    with pytest.warns(ModelWarning, match=r"armtwin\[meshes\]"):
        assert all(shape.name.startswith("armtwin_") for shape in appearance(meshed))
    with pytest.raises(MissingDataError, match=r"armtwin\[meshes\]"):
        mesh_parts(Mesh("another.stl", data=STL))
