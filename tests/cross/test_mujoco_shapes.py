"""MuJoCo and Pinocchio put an arm's shapes where forward kinematics says; descriptions fit."""

import dataclasses
import warnings
from importlib import metadata

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import armtwin as at
from armtwin.errors import MissingDataError, ModelWarning
from armtwin.model.appearance.appearance import appearance
from armtwin.model.appearance.descriptions import DESCRIPTIONS, described_arm, link_offsets
from armtwin.model.arm import Link
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.mjcf_writer import write_mjcf
from armtwin.simulation.plant import build
from armtwin.spatial import from_parts

pytestmark = pytest.mark.usefixtures("numpy_target")

ARMS = {
    "xarm7": ("example-robot-data", "xarm7.urdf", None),
    "panda": ("example-robot-data", "panda.urdf", "panda_hand_tcp"),
}  # package, file, tip
KNOWN = [name for name in DESCRIPTIONS if name in at.arm_names()]


def shipped(name):
    """Return the path of a URDF file that an installed package brings along."""
    package, file, _ = ARMS[name]
    found = metadata.distribution(package)
    return next(found.locate_file(path) for path in found.files or () if path.name == file)


def read(name):
    """Return a shipped arm; its warnings are the subject of other tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return at.load(shipped(name), tip=ARMS[name][2])


def link_frames(arm, q):
    """Return the poses of frame 0 and of every link in base."""
    return [np.array(arm.base), *at.link_poses(arm, q, ignore_limits=True)]


def mesh_poses(model, data):
    """Return the poses of mesh files as MuJoCo has them: its own frames are centred."""
    found = []
    for geom in np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH):
        mesh = model.geom_dataid[geom]
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.mesh_quat[mesh])
        inside = from_parts(R.reshape(3, 3), model.mesh_pos[mesh])
        at_geom = from_parts(data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom])
        found.append(at_geom @ np.linalg.inv(inside))
    return found


def test_meshes_are_where_forward_kinematics_says():
    """geom_xpos is T_base_link T_link_mesh when MuJoCo places the meshes of a URDF arm."""
    arm = read("xarm7")
    shapes = [s for s in arm.shapes if s.use == "visual" and isinstance(s.solid, at.Mesh)]
    names = AssetNames("meshes")
    text = write_mjcf(arm, shapes=shapes, names=names)
    model = mujoco.MjModel.from_xml_string(text, assets=names.files)
    data = mujoco.MjData(model)
    q = np.random.default_rng(3).uniform(-0.8, 0.8, arm.dof)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    frames = link_frames(arm, q)
    found = mesh_poses(model, data)
    assert len(found) == len(shapes) > 5
    for T, shape in zip(found, shapes, strict=True):
        assert np.abs(T - frames[shape.link] @ shape.pose).max() < 2e-6


def test_meshes_are_where_pinocchio_puts_them():
    """Every mesh of the Panda is at Pinocchio's place when both read the same URDF."""
    path, arm = shipped("panda"), read("panda")
    model = pin.buildModelFromUrdf(str(path))
    root = next(folder for folder in path.parents if folder.name == "share")
    meshes = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.VISUAL, None, [str(root)])
    kept = [model.getJointId(joint.name) for joint in arm.driven]
    q = np.random.default_rng(4).uniform(-1, 1, arm.dof)
    whole = pin.neutral(model)
    whole[[model.joints[k].idx_q for k in kept]] = q
    data, places = model.createData(), meshes.createData()
    pin.forwardKinematics(model, data, whole)
    pin.updateGeometryPlacements(model, data, meshes, places)
    theirs = [(g.meshPath.rsplit("/", 1)[-1], M.homogeneous) for g, M in
              zip(meshes.geometryObjects, places.oMg, strict=True)]  # fmt: skip
    frames = link_frames(arm, q)
    ours = [(s.solid.file.name, frames[s.link] @ s.pose) for s in arm.shapes if s.use == "visual"]
    assert len(ours) == len(theirs) == 11
    for name, T in ours:
        assert any(name == other and np.abs(T - M).max() < 1e-12 for other, M in theirs), name


@pytest.mark.parametrize("name", KNOWN)
def test_descriptions_fit_the_catalogue(name):
    """Link frames of the installed description stay within 1 mm of ours when joints move."""
    arm, theirs = at.load(name), described_arm(name)
    assert theirs is not None and theirs.shapes
    start = link_offsets(theirs, arm, tolerance=1e-3)
    assert start is not None
    rng = np.random.default_rng(11)
    for q in rng.uniform(-2, 2, (5, arm.dof)):
        here, there = link_frames(arm, q), link_frames(theirs, q)
        rows = [0, *[n for n, j in enumerate(arm.joints, 1) if j.kind != "fixed"]]
        for row, T in zip(rows, there, strict=True):
            placed = here[row] @ start[rows.index(row)]
            assert np.abs(placed - T).max() < 1e-3
    shapes = at.with_meshes(name).shapes
    assert {s.link for s in shapes} == set(rows)
    assert appearance(arm) == tuple(s for s in shapes if s.use == "visual")


def test_another_arm_of_the_same_name_gets_no_meshes():
    """Solids are generated when an arm has a description's name but not its geometry."""
    other = at.load("ur5e").with_(name="ur5")
    assert at.with_meshes(other).shapes == ()
    assert all(s.name.startswith("armtwin_") for s in appearance(other))


def test_hulls_collide_where_meshes_are():
    """A post at the forearm touches its hull and no other when hulls are asked for."""
    arm = at.with_meshes("ur5")
    q = np.array([0.0, -0.6, 0.4, 0.3, 0.2, 0.1])
    T = at.link_poses(arm, q)[2]
    forearm = T[:3, 3] - T[:3, 0] * -0.2
    model = build(arm, 1e-3, [at.Post(forearm, radius=0.02, height=0.02)], hulls=True)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    bodies = {int(model.geom_bodyid[g]) for pair in data.contact.geom for g in pair} - {0}
    assert bodies == {3}
    plain = build(arm, 1e-3)
    assert np.array_equal(model.body_mass, plain.body_mass)
    assert np.array_equal(model.body_inertia, plain.body_inertia)


def test_hulls_need_collision_shapes():
    """An error says what to do when an arm has no collision shapes."""
    with pytest.raises(MissingDataError, match="'ur10e' has no collision shapes"):
        build(at.load("ur10e"), 1e-3, hulls=True)


def test_masses_do_not_depend_on_shapes():
    """MuJoCo's masses are the same when an arm without masses has meshes or has none."""
    arm = read("xarm7")
    arm = arm.with_(joints=tuple(dataclasses.replace(j, link=Link()) for j in arm.joints))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        names = AssetNames("meshes")
        text = write_mjcf(arm, shapes=arm.shapes, names=names)
    dressed = mujoco.MjModel.from_xml_string(text, assets=names.files)
    bare = mujoco.MjModel.from_xml_string(write_mjcf(arm))
    assert dressed.nmesh == 8 and bare.nmesh == 0
    assert np.array_equal(dressed.body_mass[1:], bare.body_mass[1:])
    assert np.array_equal(dressed.body_inertia[1:], bare.body_inertia[1:])
