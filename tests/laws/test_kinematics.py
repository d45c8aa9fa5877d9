"""Laws that hold for every arm of the catalogue at every configuration."""

import numpy as np
import pytest
from catalogue_arms import REPRESENTATIVE
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import armtwin as at

pytestmark = pytest.mark.usefixtures("numpy_target")

ARMS = REPRESENTATIVE
LAW = settings(max_examples=15, deadline=None, derandomize=True)
ANGLE = st.floats(-np.pi, np.pi)


@st.composite
def arm_and_joints(draw):
    """Draw an arm of the catalogue and a configuration within its limits."""
    arm = at.load(draw(st.sampled_from(ARMS)))
    share = [draw(st.floats(0, 1)) for _ in range(arm.dof)]
    lower, upper = np.maximum(arm.lower, -2 * np.pi), np.minimum(arm.upper, 2 * np.pi)
    return arm, lower + np.array(share) * (upper - lower)


def joints_of(arm, seed):
    """Return a random configuration of an arm."""
    lower, upper = np.maximum(arm.lower, -2 * np.pi), np.minimum(arm.upper, 2 * np.pi)
    return np.random.default_rng(seed).uniform(lower, upper)


def difference_twist(arm, q, step=1e-6):
    """Return the Jacobian by central differences of poses, linear rows first, base axes."""
    columns = []
    for k in range(arm.dof):
        shift = step * np.eye(arm.dof)[k]
        ahead, behind = (at.fk(arm, q + s, ignore_limits=True) for s in (shift, -shift))
        linear = (ahead[:3, 3] - behind[:3, 3]) / (2 * step)
        turn = Rotation.from_matrix(ahead[:3, :3] @ behind[:3, :3].T).as_rotvec() / (2 * step)
        columns.append(np.r_[linear, turn])
    return np.array(columns).T


@pytest.mark.parametrize("name", ARMS)
@given(seed=st.integers(0, 2**32 - 1))
@LAW
def test_jacobian_is_the_difference_of_poses(name, seed):
    """The Jacobian equals central differences when any arm stands anywhere."""
    arm = at.load(name)
    q = joints_of(arm, seed)
    np.testing.assert_allclose(at.jacobian(arm, q), difference_twist(arm, q), atol=2e-9)


@given(arm_and_joints())
@LAW
def test_body_jacobian_is_the_turned_jacobian(case):
    """J_body = diag(R^T, R^T) J when R is the tool's orientation."""
    arm, q = case
    R_t = at.fk(arm, q)[:3, :3].T
    turned = np.kron(np.eye(2), R_t) @ at.jacobian(arm, q)
    np.testing.assert_allclose(at.body_jacobian(arm, q), turned, atol=1e-13)


@given(arm_and_joints())
@LAW
def test_poses_are_rigid(case):
    """R^T R = I, det R = 1 and the last row is 0 0 0 1 when any arm stands anywhere."""
    arm, q = case
    T = at.fk(arm, q)
    np.testing.assert_allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-14)
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_array_equal(T[3], [0, 0, 0, 1])


@pytest.mark.parametrize("name", ARMS)
def test_batch_is_a_loop_of_singles(name):
    """A batch equals its single calls to 1e-14 when shapes are (n,), (n, m) or empty."""
    arm = at.load(name)
    rng = np.random.default_rng(2)
    q = rng.uniform(np.maximum(arm.lower, -6), np.minimum(arm.upper, 6), (5, 7, arm.dof))
    for function in (at.fk, at.jacobian, at.body_jacobian, at.link_poses):
        batch = function(arm, q)
        singles = np.array([[function(arm, one) for one in row] for row in q])
        np.testing.assert_allclose(batch, singles, atol=1e-14, rtol=0)
        assert function(arm, q[:0]).shape == (0, 7, *batch.shape[2:])
    where, one = at.tool_coordinates(arm, q), at.tool_coordinates(arm, q[2, 3])
    for part in ("position", "rpy", "quaternion"):
        np.testing.assert_allclose(getattr(where, part)[2, 3], getattr(one, part), atol=1e-14)


@pytest.mark.parametrize("name", ARMS)
def test_last_link_carries_the_tool(name):
    """The tool moves rigidly with the last link when the joints move."""
    arm = at.load(name)
    between = []
    for seed in (1, 2):
        q = joints_of(arm, seed)
        between.append(np.linalg.inv(at.link_poses(arm, q)[-1]) @ at.fk(arm, q))
    np.testing.assert_allclose(between[0], between[1], atol=1e-13)


@given(ANGLE, ANGLE, ANGLE)
@LAW
def test_rpy_and_quaternion_give_the_rotation_back(roll, pitch, yaw):
    """Both forms rebuild the rotation when any rotation is taken apart."""
    T = at.pose((0.1, 0.2, 0.3), (roll, pitch, yaw))
    where = at.pose_coordinates(T)
    np.testing.assert_allclose(at.pose(where.position, where.rpy), T, atol=2e-9)
    np.testing.assert_allclose(
        Rotation.from_quat(where.quaternion).as_matrix(), T[:3, :3], atol=1e-14
    )
    assert where.quaternion[3] >= 0
    assert np.linalg.norm(where.quaternion) == pytest.approx(1.0, abs=1e-15)


@given(ANGLE, st.floats(-1.57, 1.57), ANGLE)
@LAW
def test_rpy_round_trip_away_from_gimbal_lock(roll, pitch, yaw):
    """Roll, pitch and yaw come back themselves when |pitch| < 90 degrees."""
    rpy = at.pose_coordinates(at.pose((0, 0, 0), (roll, pitch, yaw))).rpy
    gap = (rpy - [roll, pitch, yaw] + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(gap, 0, atol=1e-11)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
@pytest.mark.parametrize("roll", [-2.0, 0.0, 0.7])
@pytest.mark.parametrize("yaw", [-1.0, 0.0, 2.5])
def test_gimbal_lock_sets_roll_to_zero(roll, pitch, yaw):
    """Roll is 0 and yaw takes the whole turn when pitch is +-90 degrees."""
    T = at.pose((0, 0, 0), (roll, pitch, yaw))
    rpy = at.pose_coordinates(T).rpy
    assert rpy[0] == 0
    assert rpy[1] == pytest.approx(pitch, abs=1e-12)
    np.testing.assert_allclose(at.pose((0, 0, 0), rpy), T, atol=1e-12)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8), (0, -0.6, 0.8)])
def test_quaternion_of_a_half_turn(axis):
    """The quaternion loses no digits when the rotation is a half turn."""
    R = Rotation.from_rotvec(np.pi * np.array(axis)).as_matrix()
    T = np.eye(4)
    T[:3, :3] = R
    quaternion = at.pose_coordinates(T).quaternion
    np.testing.assert_allclose(np.abs(quaternion[:3]), np.abs(axis), atol=1e-15)
    np.testing.assert_allclose(Rotation.from_quat(quaternion).as_matrix(), R, atol=1e-15)


def test_manipulability_vanishes_at_a_singularity():
    """Manipulability is 0 at q5 = 0 of a UR arm and not 0 when the wrist is bent."""
    arm = at.load("ur10e")
    assert at.manipulability(arm, [0.3, -1.0, 1.2, 0.4, 0.0, 0.5]) < 1e-15
    assert at.manipulability(arm, [0.3, -1.0, 1.2, 0.4, 1.0, 0.5]) > 1e-3
