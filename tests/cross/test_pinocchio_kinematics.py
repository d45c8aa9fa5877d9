"""Pinocchio on the exported URDF agrees with armtwin on the arm."""

import numpy as np
import pinocchio as pin
import pytest
from catalogue_arms import REPRESENTATIVE
from synthetic_arms import random_arm

import armtwin as at
from armtwin.equations.kinematics.tool_pose import pose_and_jacobian
from armtwin.model.formats.urdf_reader import read_urdf
from armtwin.model.formats.urdf_writer import write_urdf

pytestmark = pytest.mark.usefixtures("numpy_target")

CONVENTIONS = ("standard-dh", "modified-dh", "screws")


class Engine:
    """Pinocchio's model of a URDF text, asked for the frame ``tool``."""

    def __init__(self, text, tip="tool"):
        """Build the model."""
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(tip)

    def pose_and_jacobian(self, q):
        """Return T_base_tool (4, 4) and the geometric Jacobian (6, dof), linear rows first."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacement(self.model, self.data, self.tip)
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.getFrameJacobian(self.model, self.data, self.tip, frame)
        return self.data.oMf[self.tip].homogeneous, J

    def mass_matrix(self, q):
        """Return M(q) (dof, dof) of the links alone."""
        M = pin.crba(self.model, self.data, q)
        return np.triu(M) + np.triu(M, 1).T

    def gravity_torque(self, q, gravity):
        """Return g(q) (dof,) for free fall ``gravity`` in base."""
        self.model.gravity.linear = np.array(gravity)
        return pin.computeGeneralizedGravity(self.model, self.data, q).copy()


@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_pose_and_jacobian_of_the_catalogue(name):
    """Equal to 1e-12 when 1,000 random configurations of a catalogue arm are compared."""
    arm = at.load(name)
    engine = Engine(write_urdf(arm))
    states = np.random.default_rng(1).uniform(arm.lower, arm.upper, (1000, arm.dof))
    poses, jacobians = at.fk(arm, states), at.jacobian(arm, states)
    for q, T, J in zip(states, poses, jacobians, strict=True):
        T_pin, J_pin = engine.pose_and_jacobian(q)
        assert np.abs(T - T_pin).max() < 1e-12
        assert np.abs(J - J_pin).max() < 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_pose_and_jacobian_of_random_arms(seed):
    """Equal to 1e-12 when joints slide, turn backwards, have offsets, or rows are fixed."""
    arm = random_arm(seed)
    run = pose_and_jacobian(arm).function()
    engine = Engine(write_urdf(arm))
    for q in np.random.default_rng(seed).uniform(-3.0, 2.5, (20, arm.dof)):
        T, J = (np.array(x) for x in run(q))
        T_pin, J_pin = engine.pose_and_jacobian(q)
        assert np.abs(T.reshape(4, 4) - T_pin).max() < 1e-12
        assert np.abs(J.reshape(6, -1) - J_pin).max() < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_dynamics_do_not_depend_on_the_convention(seed):
    """Pinocchio's mass matrix and gravity torque stay when the arm is converted or read back."""
    arm = random_arm(seed)
    states = np.random.default_rng(seed).uniform(-3.0, 2.5, (5, arm.dof))
    first = Engine(write_urdf(arm))
    M = [first.mass_matrix(q) for q in states]
    g = [first.gravity_torque(q, arm.gravity) for q in states]
    for convention in CONVENTIONS:
        other = Engine(write_urdf(at.convert(arm, convention)))
        for q, M_q, g_q in zip(states, M, g, strict=True):
            assert np.abs(other.mass_matrix(q) - M_q).max() < 1e-12 * np.abs(M_q).max()
            g_new = other.gravity_torque(q, arm.gravity)
            assert np.abs(g_new - g_q).max() < 1e-12 * np.abs(g_q).max()


def test_limits_and_friction_arrive():
    """Pinocchio has the arm's limits and joint-side friction when it reads the URDF."""
    arm = random_arm(4)
    model = pin.buildModelFromXML(write_urdf(arm))
    assert list(model.names)[1:] == [joint.name for joint in arm.driven]
    assert np.array_equal(model.lowerPositionLimit, arm.lower)
    assert np.array_equal(model.upperPositionLimit, arm.upper)
    assert np.array_equal(model.velocityLimit, [j.limits.speed for j in arm.driven])
    assert np.array_equal(model.effortLimit, [j.limits.effort for j in arm.driven])
    for k, joint in enumerate(arm.driven):
        gear = joint.drive.gear if joint.drive.friction.side == "motor" else 1.0
        numbers = dict(joint.drive.friction.parameters)
        assert model.damping[k] == pytest.approx(numbers["viscous"] * gear**2, rel=1e-15)
        assert model.friction[k] == pytest.approx(numbers["coulomb"] * gear, rel=1e-15)


GENERAL = """<robot name="general">
  <link name="world"/>
  <joint name="stand" type="fixed">
    <parent link="world"/><child link="foot"/><origin xyz="0.1 0.2 0.3" rpy="0.4 -0.2 1.0"/>
  </joint>
  <link name="foot"><inertial><mass value="9"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slew" type="revolute">
    <parent link="foot"/><child link="body"/><origin xyz="0 0.1 0.2" rpy="1.2 0.3 -2"/>
    <axis xyz="1 2 -2"/><limit lower="-2" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="1.5"/>
  </joint>
  <link name="body"><inertial><origin xyz="0.1 -0.2 0.05" rpy="0.3 1.1 -0.7"/><mass value="3"/>
    <inertia ixx="0.05" iyy="0.06" izz="0.07" ixy="0.01" ixz="-0.002" iyz="0.003"/></inertial>
  </link>
  <joint name="bracket" type="fixed">
    <parent link="body"/><child link="plate"/><origin xyz="0.2 0 0.1" rpy="-1 0.5 0.25"/>
  </joint>
  <link name="plate"><inertial><origin xyz="0 0.03 0" rpy="0 0 0.4"/><mass value="1.5"/>
    <inertia ixx="0.02" iyy="0.01" izz="0.015" ixy="0" ixz="0" iyz="0.001"/></inertial></link>
  <joint name="reach" type="prismatic">
    <parent link="plate"/><child link="rod"/><origin xyz="-0.1 0.1 0" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="0.4" effort="20" velocity="1"/>
  </joint>
  <link name="rod"><inertial><mass value="0.5"/>
    <inertia ixx="0.002" iyy="0.001" izz="0.0015" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="last" type="revolute">
    <parent link="rod"/><child link="hand"/><origin xyz="0 -0.3 0"/>
    <limit lower="-3" upper="3" effort="5" velocity="2"/>
  </joint>
  <link name="hand"><inertial><origin xyz="0 0 0.05"/><mass value="0.25"/>
    <inertia ixx="0.0004" iyy="0.0005" izz="0.0003" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="flange" type="fixed">
    <parent link="hand"/><child link="tip"/><origin xyz="0 0 0.1" rpy="0 1.5 0"/>
  </joint>
  <link name="tip"/>
</robot>
"""


def test_general_urdf_is_read_as_pinocchio_reads_it(tmp_path):
    """Same poses, Jacobians, mass matrix and gravity when a URDF of any axes is read."""
    file = tmp_path / "general.urdf"
    file.write_text(GENERAL)
    arm = at.load(file)
    theirs, again = Engine(GENERAL, "tip"), Engine(write_urdf(arm))
    for q in np.random.default_rng(2).uniform(arm.lower, arm.upper, (50, 3)):
        T, J = theirs.pose_and_jacobian(q)
        assert np.abs(at.fk(arm, q) - T).max() < 1e-12
        assert np.abs(at.jacobian(arm, q) - J).max() < 1e-12
        assert np.abs(again.mass_matrix(q) - theirs.mass_matrix(q)).max() < 1e-12
        down = (0.0, 0.0, -9.81)
        difference = again.gravity_torque(q, down) - theirs.gravity_torque(q, down)
        assert np.abs(difference).max() < 1e-12


@pytest.mark.filterwarnings("ignore:.*the format has no place for")
@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_urdf_reads_back(name, tmp_path):
    """Same poses to 1e-12, limits and mass matrix when an exported URDF is read back."""
    arm = at.load(name)
    back = read_urdf(at.export(arm, tmp_path / "arm.urdf"))
    states = np.random.default_rng(3).uniform(arm.lower, arm.upper, (50, arm.dof))
    assert np.abs(at.fk(back, states) - at.fk(arm, states)).max() < 1e-12
    assert back.name == arm.name
    assert [joint.name for joint in back.joints] == [joint.name for joint in arm.driven]
    for old, new in zip(arm.driven, back.joints, strict=True):
        for number in ("lower", "upper", "speed", "effort"):
            assert getattr(new.limits, number) == getattr(old.limits, number)
    if arm.joints[0].link.mass is not None:
        ours, theirs = Engine(write_urdf(back)), Engine(write_urdf(arm))
        for q in states[:5]:
            assert np.abs(ours.mass_matrix(q) - theirs.mass_matrix(q)).max() < 1e-12
