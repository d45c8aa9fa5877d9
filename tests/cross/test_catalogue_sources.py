"""The catalogue's arms are those of independent packages: poses, masses and torques."""

import ast
from importlib import metadata

import numpy as np
import pinocchio as pin
import pytest
from moving_arms import rotors
from scipy.spatial.transform import Rotation

import armtwin as at

pytestmark = pytest.mark.usefixtures("numpy_target")

ROUNDED = 3e-5
"""Files that write right angles as 1.5708 or 3.1416 differ by this at the end of a 1 m arm."""
TURNED = np.diag([-1.0, -1.0, 1.0, 1.0])
"""ROS's base_link of a UR arm, seen from the controller's base frame."""

SHIPPED = {
    "panda": ("example-robot-data", "panda.urdf", "panda_link0", "panda_link8", 1e-12),
    "xarm7": ("example-robot-data", "xarm7.urdf", "link_base", "link_eef", ROUNDED),
    "so101": ("example-robot-data", "so101.urdf", "base_link", "gripper_frame_link", ROUNDED),
    "kr16": ("rtb-data", "kr16_2.urdf", "base_link", "tool0", 1e-9),
    "iiwa14": ("rtb-data", "lbr_iiwa_14_r820.urdf", "base_link", "tool0", 1e-3),
}  # package, file, base, tip, largest difference; the iiwa's file has axes 0.44 mm off the centre
SOLVERS = {
    "panda": ("franka/panda", 1e-12),
    "fr3": ("franka/fr3", 1e-12),
    "iiwa7": ("kuka/iiwa7", 1e-12),
    "iiwa14": ("kuka/iiwa14", 1e-12),
    "gen3": ("kinova/gen3", ROUNDED),
    "xarm6": ("ufactory/xarm6", ROUNDED),
    "xarm7": ("ufactory/xarm7", ROUNDED),
    "ur20": ("universal_robots/ur20", 1e-9),
    "ur30": ("universal_robots/ur30", 1e-9),
}  # module of ssik's prebuilt solvers, largest difference


def states(arm, count=30):
    """Return random joint positions (count, dof) within the limits."""
    return np.random.default_rng(5).uniform(arm.lower, arm.upper, (count, arm.dof))


class Shipped:
    """Pinocchio's model of a URDF that a package brings along; joints beyond the arm's at zero."""

    def __init__(self, name):
        """Read the file and lock what the arm has not."""
        package, file, self.base, self.tip, self.difference = SHIPPED[name]
        found = metadata.distribution(package)
        path = next(found.locate_file(path) for path in found.files if path.name == file)
        whole, dof = pin.buildModelFromUrdf(str(path)), at.load(name).dof
        frame = whole.frames[whole.getFrameId(self.tip)]
        chain = list(whole.supports[frame.parentJoint])[1:]
        assert len(chain) == dof
        locked = [k for k in range(1, whole.njoints) if k not in chain]
        self.model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
        self.data = self.model.createData()

    def pose(self, q):
        """Return the tip's pose in the base link (4, 4)."""
        pin.framesForwardKinematics(self.model, self.data, q)
        base, tip = (self.data.oMf[self.model.getFrameId(name)] for name in (self.base, self.tip))
        return (base.inverse() * tip).homogeneous


@pytest.mark.parametrize("name", SHIPPED)
def test_poses_of_shipped_files(name):
    """Same tool pose, to the rounding of the file, when a package ships the arm's URDF."""
    arm, theirs = at.load(name), Shipped(name)
    for q, T in zip(states(arm), at.fk(arm, states(arm)), strict=True):
        assert np.abs(T - theirs.pose(q)).max() < theirs.difference


class PrebuiltSolver:
    """The chain of one of ssik's generated solvers, read without importing ssik (it loads sympy).

    ``T = prod_k left_k . Rot(axis_k, q_k) . right_k``
    """

    def __init__(self, path):
        """Take the constants out of the module."""
        constants = {
            node.targets[0].id: ast.unparse(node.value)
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        self.axes, self.lefts, self.rights = (
            eval(constants[name], {"np": np})
            for name in ("_JOINT_AXES", "_JOINT_T_LEFTS", "_JOINT_T_RIGHTS")
        )

    def pose(self, q):
        """Return the pose of the last link in the first (4, 4)."""
        T = np.eye(4)
        for axis, left, right, angle in zip(self.axes, self.lefts, self.rights, q, strict=True):
            turn = np.eye(4)
            turn[:3, :3] = Rotation.from_rotvec(np.array(axis) * angle).as_matrix()
            T = T @ left @ turn @ right
        return T


@pytest.mark.parametrize("name", SOLVERS)
def test_poses_of_prebuilt_solvers(name):
    """Same tool pose, to the rounding of the source, when ssik has a solver for the arm."""
    module, difference = SOLVERS[name]
    try:
        found = metadata.distribution("ssik")
    except metadata.PackageNotFoundError:
        pytest.skip("the peer ssik is not installed")
    theirs = PrebuiltSolver(found.locate_file(f"ssik/prebuilt/{module}_ik.py"))
    arm, base = at.load(name), TURNED if name.startswith("ur") else np.eye(4)
    for q, T in zip(states(arm), at.fk(arm, states(arm)), strict=True):
        assert np.abs(base @ T - theirs.pose(q)).max() < difference


@pytest.mark.parametrize("name", ["panda", "xarm7", "so101"])
def test_torques_of_shipped_files(name):
    """Same masses and, to the rounding of the file, torques when a URDF has inertial data."""
    arm, theirs = at.load(name), Shipped(name)
    masses = [body.mass for body in theirs.model.inertias][1:]
    np.testing.assert_allclose(masses[:-1], [joint.link.mass for joint in arm.driven][:-1])
    rng, rigid = np.random.default_rng(6), with_the_arms_own(theirs, arm)
    for q in states(arm, 10):
        qd, qdd = rng.uniform(-1, 1, (2, arm.dof))
        tau = pin.rnea(rigid, rigid.createData(), q, qd, qdd)
        ours = at.inverse_dynamics(arm, q, qd, qdd)
        assert np.abs(ours - tau).max() < max(theirs.difference, 1e-12) * np.abs(tau).max()


def with_the_arms_own(theirs, arm):
    """Return the model with the arm's rotors; its own last link, where panda.urdf has a hand."""
    model = theirs.model.copy()
    model.armature = rotors(arm)
    if arm.name == "panda":
        link = arm.driven[-1].link
        xx, yy, zz, xy, xz, yz = link.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.inertias[7] = pin.Inertia(link.mass, np.array(link.com), tensor)
    return model


def test_irb140_stands_as_on_its_data_sheet():
    """The flange is at x = 515, z = 712 mm, its axis level, when an IRB 140 stands at zero."""
    T = at.fk("irb140", np.zeros(6))
    np.testing.assert_allclose(T[:3, 3], [0.515, 0, 0.712], atol=1e-12)
    np.testing.assert_allclose(T[:3, :3], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-12)


def test_irb140_joints_turn_as_on_the_robot():
    """Axes 2, 3 and 5 lower the flange, 1 turns it to the left, when they turn by +10 deg."""
    zero = at.fk("irb140", np.zeros(6))[:3, 3]
    for joint, entry, sign in ((0, 1, 1), (1, 2, -1), (2, 2, -1), (4, 2, -1)):
        q = np.zeros(6)
        q[joint] = np.radians(10)
        assert np.sign(at.fk("irb140", q)[:3, 3] - zero)[entry] == sign


WEIGHTS = {
    "panda": 17.8,
    "fr3": 17.8,
    "iiwa7": 23.9,
    "iiwa14": 29.9,
    "xarm6": 12.2,
    "xarm7": 13.7,
    "gen3": 8.2,
    "ur20": 64.0,
    "ur30": 63.5,
}  # of the whole arm with its base [kg], makers' data sheets


@pytest.mark.parametrize("name", WEIGHTS)
def test_links_weigh_less_than_the_arm(name):
    """The moving links weigh 70 to 100 % of the arm when its maker states the weight."""
    moving = sum(joint.link.mass for joint in at.load(name).driven)
    assert 0.7 * WEIGHTS[name] < moving < WEIGHTS[name]
