"""MuJoCo on the exported MJCF agrees with armtwin and with Pinocchio on the exported URDF."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from catalogue_arms import REPRESENTATIVE
from synthetic_arms import random_arm

import armtwin as at
from armtwin.equations.kinematics.tool_pose import tool_pose
from armtwin.errors import ModelWarning
from armtwin.model.arm import Arm, Joint, Link
from armtwin.model.formats.mjcf_reader import read_mjcf
from armtwin.model.formats.mjcf_writer import write_mjcf
from armtwin.model.formats.urdf_writer import write_urdf

pytestmark = pytest.mark.usefixtures("numpy_target")


def compiled(text):
    """Return MuJoCo's model and data of an MJCF text."""
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def tool_of(model, data, q, site="tool"):
    """Return the pose (4, 4) of a site in the world."""
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = data.site(site).xmat.reshape(3, 3), data.site(site).xpos
    return T


def tool_poses(arm, states):
    """Return T_base_tool per state from the arm's own expression, without compiling it."""
    run = tool_pose(arm).function()
    return np.array([np.array(run(q)).reshape(4, 4) for q in states])


@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_site_pose_of_the_catalogue(name):
    """The site "tool" stands at T_base_tool to 1e-12 when MuJoCo runs a catalogue arm."""
    arm = at.load(name)
    model, data = compiled(write_mjcf(arm))
    states = np.random.default_rng(1).uniform(arm.lower, arm.upper, (200, arm.dof))
    for q, T in zip(states, at.fk(arm, states), strict=True):
        assert np.abs(tool_of(model, data, q) - T).max() < 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_random_arms_in_mujoco_and_back(seed, tmp_path):
    """Same tool pose to 1e-12 in MuJoCo and after reading the MJCF back when the arm is random."""
    arm = random_arm(seed)
    text = write_mjcf(arm)
    model, data = compiled(text)
    file = tmp_path / "arm.xml"
    file.write_text(text)
    back = at.load(file)
    states = np.random.default_rng(seed).uniform(-3, 2.5, (10, arm.dof))
    expected = tool_poses(arm, states)
    assert np.abs(tool_poses(back, states) - expected).max() < 1e-12
    for q, T in zip(states, expected, strict=True):
        assert np.abs(tool_of(model, data, q) - T).max() < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_mass_matrix_and_gravity(seed):
    """MuJoCo's mass matrix less the rotors and its gravity torque equal Pinocchio's to 1e-9."""
    arm = random_arm(seed)
    model, data = compiled(write_mjcf(arm))
    other = pin.buildModelFromXML(write_urdf(arm))
    other.gravity.linear = np.array(arm.gravity)
    scratch = other.createData()
    rotors = [
        j.drive.gear**2 * (j.drive.motor_inertia + j.drive.reducer_inertia) for j in arm.driven
    ]
    for q in np.random.default_rng(seed).uniform(-3, 2.5, (5, arm.dof)):
        data.qpos[:], data.qvel[:] = q, 0.0
        mujoco.mj_forward(model, data)
        M = np.zeros((arm.dof, arm.dof))
        mujoco.mj_fullM(model, data, M)
        M_pin = np.triu(pin.crba(other, scratch, q))
        M_pin = M_pin + np.triu(M_pin, 1).T
        assert np.abs(M - np.diag(rotors) - M_pin).max() < 1e-9
        g = pin.computeGeneralizedGravity(other, scratch, q)
        assert np.abs(data.qfrc_bias - g).max() < 1e-9


def test_names_limits_and_drives_arrive():
    """MuJoCo has the joints' names, limits, rotors, friction and motors when it reads the MJCF."""
    arm = random_arm(2)
    model, _ = compiled(write_mjcf(arm))
    assert model.nu == model.nv == arm.dof
    assert np.array_equal(model.opt.gravity, arm.gravity)
    for k, joint in enumerate(arm.driven):
        gear = joint.drive.gear if joint.drive.friction.side == "motor" else 1.0
        numbers = dict(joint.drive.friction.parameters)
        assert model.joint(k).name == model.actuator(k).name == joint.name
        assert tuple(model.joint(k).range) == (joint.limits.lower, joint.limits.upper)
        assert model.dof_armature[k] == pytest.approx(1.5e-4 * 100**2, rel=1e-14)
        assert model.dof_damping[k] == pytest.approx(numbers["viscous"] * gear**2, rel=1e-14)
        assert model.dof_frictionloss[k] == pytest.approx(numbers["coulomb"] * gear, rel=1e-14)
        assert tuple(model.actuator(k).ctrlrange) == (-70.0, 70.0)
    assert not model.geom_contype.any()
    assert not model.geom_conaffinity.any()


def test_arm_without_masses_loads_and_says_so():
    """Bodies weigh what their capsules weigh, and a comment says so, when no mass is known."""
    text = write_mjcf(at.load("desktop5"))
    model, _ = compiled(text)
    assert text.count("unknown: taken from the capsules at 1000 kg/m3") == 6
    assert model.body_mass[1] > 0.05


def test_fixed_row_without_mass_weighs_nothing():
    """A fixed row adds no capsule's mass when the arm's other masses are known."""
    joint = Joint("turn", a=0.3, link=Link(1.0, (0.1, 0, 0), (0.01, 0.01, 0.01, 0, 0, 0)))
    arm = Arm("held", "standard-dh", (joint, Joint("end", "fixed", d=0.2)))
    model, _ = compiled(write_mjcf(arm))
    assert model.body_mass.sum() == 1.0


def test_weightless_link_loads():
    """MuJoCo takes the file when a moving link weighs nothing."""
    nothing = Link(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    body = Link(1.0, (0.1, 0, 0), (0.01, 0.01, 0.01, 0, 0, 0))
    arm = Arm("light", "standard-dh", (Joint("one", link=nothing), Joint("two", a=0.2, link=body)))
    model, _ = compiled(write_mjcf(arm))
    assert model.nv == 2


def test_impossible_inertia_warns_and_loads():
    """A warning names the joint, and MuJoCo balances it, when an inertia is impossible."""
    odd = Link(1.0, (0, 0, 0), (0.01, 0.01, 0.09, 0, 0, 0))
    arm = Arm("odd", "standard-dh", (Joint("spin", a=0.2, link=odd),))
    with pytest.warns(ModelWarning, match="inertia of spin violates the triangle inequality"):
        text = write_mjcf(arm)
    assert compiled(text)[0].nv == 1


@pytest.mark.parametrize("name", ["ur5e", "desktop5", "ur3e-screws"])
def test_file_saved_by_mujoco_is_read(name, tmp_path):
    """Same poses, limits and masses when MuJoCo has rewritten the file in its own words."""
    arm = at.load(name)
    model, _ = compiled(write_mjcf(arm))
    file = tmp_path / "saved.xml"
    mujoco.mj_saveLastXML(str(file), model)
    back = at.load(file)
    states = np.random.default_rng(5).uniform(arm.lower, arm.upper, (20, arm.dof))
    # MuJoCo writes about six digits of each number
    assert np.abs(tool_poses(back, states) - tool_poses(arm, states)).max() < 2e-5
    assert np.allclose(back.lower, arm.lower, atol=1e-5)
    if arm.joints[0].link.mass is not None:
        masses = [joint.link.mass for joint in back.joints]
        assert np.allclose(masses, [joint.link.mass for joint in arm.joints], rtol=1e-5)


GENERAL = """<mujoco model="general">
  <compiler angle="{unit}" eulerseq="{sequence}"/>
  <option gravity="1 2 -3"/>
  <default>
    <joint axis="0 1 0" damping="0.5"/>
    <default class="slider"><joint type="slide" axis="1 1 0" armature="0.2"/></default>
  </default>
  <worldbody>
    <body name="foot" pos="0.1 0.2 0.3" euler="{euler}">
      <body name="one" pos="0 0 0.2" axisangle="1 2 3 {turn}">
        <joint name="a" pos="0.1 0 0.05" range="{low} {high}"/>
        <joint name="b" axis="1 0 -1" pos="0 0.1 0" ref="{turn}"/>
        <inertial pos="0.1 0 0.2" mass="2" diaginertia="0.02 0.03 0.04" quat="1 1 0 0"/>
        <body name="two" xyaxes="0 1 0 -1 0 1" pos="0.3 0 0" childclass="slider">
          <joint name="c" range="-0.2 0.3"/>
          <inertial pos="0 0 0" mass="1" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
          <body name="plate" pos="0 0 0.1" zaxis="1 0.5 -2">
            <inertial pos="0.02 0.03 0.04" mass="0.7" diaginertia="0.01 0.02 0.02"/>
            <body name="three" zaxis="0 0 -1" pos="0.1 0.1 0">
              <joint class="main" type="hinge" name="d" frictionloss="0.3"/>
              <inertial pos="0 0 0.1" mass="0.5" diaginertia="0.01 0.01 0.01"/>
              <site name="grip" pos="0 0.1 0.2" quat="0.5 0.5 -0.5 0.5"/>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
RADIANS = dict(unit="radian", euler="0.3 -0.5 1.2", turn="0.7", low="-2", high="2.5")
DEGREES = dict(unit="degree", euler="30 -50 120", turn="70", low="-120", high="150")


@pytest.mark.parametrize("numbers", [RADIANS, DEGREES], ids=["radian", "degree"])
@pytest.mark.parametrize("sequence", ["xyz", "XYZ", "zyx"])
def test_general_mjcf_is_read_as_mujoco_reads_it(numbers, sequence, tmp_path):
    """Same poses to 1e-12 and same mass matrix when units, defaults and orientations vary."""
    text = GENERAL.format(**numbers, sequence=sequence)
    file = tmp_path / "general.xml"
    file.write_text(text)
    arm = read_mjcf(file, tip="grip")
    assert [joint.name for joint in arm.joints] == ["a", "b", "c", "d"]
    assert arm.gravity == (1.0, 2.0, -3.0)
    assert [joint.limits.upper is None for joint in arm.joints] == [False, True, False, True]
    assert arm.joints[2].drive.motor_inertia == 0.2
    model, data = compiled(text)
    assert np.allclose(arm.upper[[0, 2]], model.jnt_range[[0, 2], 1], rtol=1e-15)
    again, scratch = compiled(write_mjcf(arm))
    for q in np.random.default_rng(4).uniform(-1.5, 1.5, (20, 4)):
        T = tool_of(model, data, q, "grip")
        assert np.abs(tool_poses(arm, [q])[0] - T).max() < 1e-12
        assert np.abs(tool_of(again, scratch, q) - T).max() < 1e-12
        matrices = []
        for m, d in ((model, data), (again, scratch)):
            d.qpos[:] = q
            mujoco.mj_forward(m, d)
            matrices.append(np.zeros((4, 4)))
            mujoco.mj_fullM(m, d, matrices[-1])
        assert np.abs(matrices[0] - matrices[1]).max() < 1e-9


@pytest.mark.filterwarnings("ignore:.*the format has no place for")
@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_mjcf_reads_back(name, tmp_path):
    """Same poses to 1e-12, limits, efforts and rotors when an exported MJCF is read back."""
    arm = at.load(name)
    back = at.load(at.export(arm, tmp_path / "arm.xml"))
    states = np.random.default_rng(3).uniform(arm.lower, arm.upper, (20, arm.dof))
    assert np.abs(tool_poses(back, states) - tool_poses(arm, states)).max() < 1e-12
    for old, new in zip(arm.driven, back.joints, strict=True):
        assert (new.name, new.kind) == (old.name, old.kind)
        assert (new.limits.lower, new.limits.upper) == (old.limits.lower, old.limits.upper)
        assert new.limits.effort == old.limits.effort
        assert new.link.mass == old.link.mass
    if name == "ur5e-energy":
        rotors = [joint.drive.motor_inertia for joint in back.joints]
        assert rotors[0] == pytest.approx((6.6119e-5 + 0.000107) * 100**2, rel=1e-15)


GRIPPER = """<mujoco model="gripper">
  <compiler angle="radian"/>
  <worldbody>
    <body name="arm" pos="0.1 0 0.4">
      <joint name="a" axis="0 1 0"/>
      <inertial pos="0.1 0 0" mass="2" diaginertia="0.02 0.02 0.02"/>
      <body name="hand" pos="0.3 0 0">
        <joint name="b" axis="1 0 1"/>
        <inertial pos="0 0 0.05" mass="1" diaginertia="0.01 0.01 0.01"/>
        <site name="grip" pos="0 0 0.1"/>
        <body name="left" pos="0 0.05 0.1">
          <joint name="l" type="slide" axis="0 1 0"/>
          <inertial pos="0 0 0.02" mass="0.3" diaginertia="0.001 0.001 0.001"/>
        </body>
        <body name="right" pos="0 -0.05 0.1" euler="0.3 0 0.2">
          <joint name="r" axis="1 0 0.5" pos="0.01 0.02 0.03" ref="0.1"/>
          <inertial pos="0 0.1 0.02" mass="0.4" diaginertia="0.001 0.002 0.002"/>
        </body>
      </body>
    </body>
    <body name="cube" pos="1 0 0"><freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
  </worldbody>
  <equality><joint joint1="r" joint2="l" polycoef="0.7 2 0 0 0"/></equality>
</mujoco>
"""


def test_coupled_finger_is_held_where_mujoco_holds_it(tmp_path):
    """Same mass matrix when a finger beside the chain is coupled with an offset, about any axis."""
    file = tmp_path / "gripper.xml"
    file.write_text(GRIPPER)
    with pytest.warns(ModelWarning, match="beside the chain to 'grip' are held"):
        arm = at.load(file, tip="grip")
    model, data = compiled(GRIPPER)
    finger = model.joint("r").qposadr[0]
    for q in np.random.default_rng(6).uniform(-2, 2, (10, 2)):
        data.qpos[:2], data.qpos[finger] = q, 0.1 + 0.7
        mujoco.mj_forward(model, data)
        row = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        assert np.abs(row).max() < 1e-12
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        assert np.abs(at.mass_matrix(arm, q) - M[:2, :2]).max() < 1e-12
        assert np.abs(at.fk(arm, q) - tool_of(model, data, data.qpos.copy(), "grip")).max() < 1e-12
