"""URDF files as packages ship them: armtwin reads the arm that Pinocchio reads."""

import warnings
from importlib import metadata

import numpy as np
import pinocchio as pin
import pytest

import armtwin as at
from armtwin.errors import ArmFileError, MissingDataError, ModelWarning

pytestmark = pytest.mark.usefixtures("numpy_target")

ROBOTS, LABS = "example-robot-data", "rtb-data"
ARMS = {
    "panda": (ROBOTS, "panda.urdf", "panda_hand_tcp", None, 7),
    "panda-finger": (ROBOTS, "panda.urdf", "panda_rightfinger", None, 8),
    "panda-shoulder": (ROBOTS, "panda.urdf", "panda_hand", "panda_link2", 5),
    "baxter-left": (ROBOTS, "baxter.urdf", "left_gripper", None, 7),
    "baxter-right": (ROBOTS, "baxter.urdf", "right_gripper", "right_arm_mount", 7),
    "so101": (ROBOTS, "so101.urdf", "gripper_frame_link", None, 5),
    "kinova": (ROBOTS, "kinova.urdf", "j2s6s200_end_effector", None, 6),
    "ur5": (ROBOTS, "ur5_robot.urdf", None, None, 6),
    "ur5-base": (ROBOTS, "ur5_gripper.urdf", "ee_link", "base", 6),
    "xarm7": (ROBOTS, "xarm7.urdf", None, None, 7),
    "tiago": (ROBOTS, "tiago_dual.urdf", "hand_right_grasping_frame", "torso_lift_link", 7),
    "talos": (ROBOTS, "talos_left_arm.urdf", "wrist_left_ft_tool_link", None, 6),
    "iiwa": (LABS, "lbr_iiwa_14_r820.urdf", None, None, 7),
    "irb140": (LABS, "irb140.urdf", None, None, 6),
    "kr16": (LABS, "kr16_2.urdf", None, None, 6),
}  # package, file, tip, base, joints
TIPS = {"xarm7": "link_eef"}
"""The tip that is taken where none is given: ``tool0``, or the only one."""


def shipped(package, file):
    """Return the path of a file that an installed package brings along."""
    found = metadata.distribution(package)
    return next(found.locate_file(path) for path in found.files or () if path.name == file)


def read(package, file, **choice):
    """Return a shipped arm; its warnings are the subject of other tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return at.load(shipped(package, file), **choice)


class Engine:
    """Pinocchio's model of a file, every joint but the arm's locked at zero."""

    def __init__(self, path, arm):
        """Build the whole model and reduce it."""
        whole = pin.buildModelFromUrdf(str(path))
        kept = [joint.name for joint in arm.driven]
        locked = [n for n, name in enumerate(whole.names) if n and name not in kept]
        self.model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
        self.data = self.model.createData()
        assert list(self.model.names)[1:] == kept

    def pose(self, q, tip, base):
        """Return the pose (4, 4) of one link in another."""
        pin.framesForwardKinematics(self.model, self.data, self.state(q))
        frames = [self.data.oMf[self.model.getFrameId(name)] for name in (base, tip)]
        return (frames[0].inverse() * frames[1]).homogeneous

    def torque(self, q, qd, qdd):
        """Return the joint torques (dof,)."""
        return pin.rnea(self.model, self.data, self.state(q), qd, qdd).copy()

    def state(self, q):
        """Return joint positions as Pinocchio stores them: unlimited joints as cosine and sine."""
        return pin.integrate(self.model, pin.neutral(self.model), q)


def states(arm, count):
    """Return random positions, speeds and accelerations (count, dof) within the limits."""
    rng = np.random.default_rng(7)
    lower, upper = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    q = rng.uniform(lower, upper, (count, arm.dof))
    return q, rng.uniform(-2, 2, q.shape), rng.uniform(-5, 5, q.shape)


@pytest.mark.parametrize("name", ARMS)
def test_tip_and_torque_of_shipped_arms(name):
    """Same tip pose to 1e-12 and torque to 1e-12 of its size when a shipped file is read."""
    package, file, tip, base, joints = ARMS[name]
    arm, path = read(package, file, tip=tip, base=base), shipped(package, file)
    assert arm.dof == joints
    root, end = dict(arm.sources)["chain"].split(" to ")
    assert end == (tip or TIPS.get(name, "tool0"))
    theirs, (q, qd, qdd) = Engine(path, arm), states(arm, 20)
    for T, at_q in zip(at.fk(arm, q), q, strict=True):
        assert np.abs(T - theirs.pose(at_q, end, root)).max() < 1e-12
    if any(joint.link.mass is None for joint in arm.driven):
        with pytest.raises(MissingDataError, match="lacks numbers that dynamics needs"):
            at.inverse_dynamics(arm, q, qd, qdd)
        return
    tau = np.array([theirs.torque(*state) for state in zip(q, qd, qdd, strict=True)])
    assert np.abs(at.inverse_dynamics(arm, q, qd, qdd) - tau).max() < 1e-12 * np.abs(tau).max()


LIKELIEST = {
    "panda": "panda_hand_tcp",
    "so101": "gripper_frame_link",
    "kinova": "j2s6s200_end_effector",
    "baxter-left": "left_gripper",
    "tiago": "hand_left_tool_link",
}


@pytest.mark.parametrize("name", LIKELIEST)
def test_error_lists_tips_that_load(name):
    """The first tip is the tool's, and every listed one loads, when a file branches."""
    package, file, *_ = ARMS[name]
    with pytest.raises(ArmFileError, match="likeliest first") as raised:
        read(package, file)
    listed = str(raised.value).split("likeliest first: ")[1].split("; as in")[0]
    assert listed.startswith(f"{LIKELIEST[name]} (")
    for entry in listed.removesuffix(", and more").split(", "):
        link, joints = entry.rstrip(")").split(" (")
        assert read(package, file, tip=link).dof == int(joints.split()[0])


@pytest.mark.parametrize("name", ["panda", "baxter-left", "kinova", "so101"])
def test_friction_of_shipped_arms(name):
    """Damping and dry friction are those that Pinocchio reads when ``<dynamics>`` gives them."""
    package, file, tip, *_ = ARMS[name]
    arm = read(package, file, tip=tip)
    model = Engine(shipped(package, file), arm).model
    for k, joint in enumerate(arm.driven):
        friction = dict(joint.drive.friction.parameters) if joint.drive else {}
        assert friction.get("viscous", 0.0) == model.damping[k]
        assert friction.get("coulomb", 0.0) == model.friction[k]


def test_what_the_panda_loses_is_named():
    """Fingers that are held, and elements that are not read, are named when a Panda is read."""
    path = shipped(ROBOTS, "panda.urdf")
    with pytest.warns(ModelWarning, match="held at zero.*: panda_finger_joint1, panda_finger_jo"):
        arm = at.load(path, tip="panda_hand_tcp")
    assert dict(arm.sources)["not read"] == "7 <safety_controller>"
