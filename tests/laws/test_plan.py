"""Laws of motions: they keep their path, their limits and their branch, and differentiate right."""

import numpy as np
import pytest

import armtwin as at
from armtwin.kinematics.forward import fk
from armtwin.motion.paths import Circle, Line, tool_rotation
from armtwin.motion.timing import quintic, ramped, trapezoid, trapezoid_duration
from armtwin.motion.waypoints import Quintic, Waypoints
from armtwin.spatial import from_parts

ARM = at.load("ur10e")
A, B, C = [0, -1.5, 1.5, -1.5, -1.5, 0], [1, -1, 1, -1.5, -1.5, 0.2], [0.5, -1.2, 1.4, -1, -1.5, 1]


def assert_derivatives(motion, tolerance=2e-3):
    """Check speeds and accelerations against differences of what they derive from."""
    h = motion.step
    middle = (motion.q[2:] - motion.q[:-2]) / (2 * h)
    np.testing.assert_allclose(motion.qd[1:-1], middle, rtol=0, atol=tolerance)
    middle = (motion.qd[2:] - motion.qd[:-2]) / (2 * h)
    np.testing.assert_allclose(motion.qdd[1:-1], middle, rtol=0, atol=20 * tolerance)


@pytest.mark.parametrize(
    ("normal", "tool"),
    [((0, 0, 1), (0, 0, -1)), ((1, 0, 0), (1, 0, 0)), ((0.3, -1, 0.5), (0.6, 0.2, -1))],
)
def test_circle_in_any_plane(normal, tool):
    """Radius, plane and tool direction are kept when a circle lies in any plane."""
    centre = np.array([0.7, -0.1, 0.45])
    path = Circle(radius=0.15, period=3, centre=centre, normal=normal, tool=tool)
    motion = path.motion(ARM)
    T = fk(ARM, motion.q)
    away = T[:, :3, 3] - centre
    np.testing.assert_allclose(np.linalg.norm(away, axis=1), 0.15, rtol=0, atol=1e-9)
    np.testing.assert_allclose(away @ np.array(normal), 0, rtol=0, atol=1e-9)
    along = np.array(tool) / np.linalg.norm(tool)
    np.testing.assert_allclose(T[:, :3, 2], np.tile(along, (len(T), 1)), rtol=0, atol=1e-9)
    assert_derivatives(motion)


def test_document_circle():
    """The tool goes round XY at constant height, pointing down, when nothing else is asked for."""
    motion = Circle(radius=0.2, period=4, seconds=12).motion(ARM)
    T = fk(ARM, motion.q)
    assert motion.duration == pytest.approx(12)
    assert np.ptp(T[:, 2, 3]) < 1e-9
    np.testing.assert_allclose(T[:, :3, 2], np.tile([0, 0, -1], (len(T), 1)), rtol=0, atol=1e-9)
    angle = np.unwrap(np.arctan2(*(T[:, :2, 3] - T[:, :2, 3].mean(axis=0)).T[::-1]))
    full = (motion.time > 1) & (motion.time < 11)
    speed = np.gradient(angle, motion.step)[full]
    np.testing.assert_allclose(speed, 2 * np.pi / 4, rtol=0, atol=0.02)


def test_motion_starts_and_ends_at_rest_unless_asked():
    """Speeds are zero at both ends with a ramp and full without one when a circle is planned."""
    soft, hard = Circle(ramp=0.5).motion(ARM), Circle(ramp=0).motion(ARM)
    assert np.abs(soft.qd[[0, -1]]).max() < 1e-12
    assert np.abs(hard.qd[0]).max() > 0.1


def test_line_is_straight_and_turns_evenly():
    """Positions stay on the line, and the end is met, when the tool moves between poses."""
    start = at.pose((0.5, -0.3, 0.4), (np.pi, 0, 0))
    end = at.pose((0.7, 0.3, 0.6), (np.pi, 0.3, 0.5))
    motion = Line(start, end, seconds=2).motion(ARM)
    T = fk(ARM, motion.q)
    way = end[:3, 3] - start[:3, 3]
    share = (T[:, :3, 3] - start[:3, 3]) @ way / (way @ way)
    off = T[:, :3, 3] - start[:3, 3] - np.outer(share, way)
    assert np.abs(off).max() < 1e-9
    np.testing.assert_allclose(T[-1], end, rtol=0, atol=1e-9)
    assert_derivatives(motion)


def test_same_branch_all_along():
    """No joint jumps and the seed's branch is kept when a circle is followed from a seed."""
    for seed in at.ik(ARM, fk(ARM, Circle().motion(ARM).q[0])).q:
        motion = Circle().motion(ARM, seed=seed)
        assert np.abs(np.diff(motion.q, axis=0)).max() < 0.02
        turned = np.abs(motion.q[0] - seed + np.pi) % (2 * np.pi) - np.pi
        assert np.abs(turned).max() < 1e-6


def test_trapezoids_are_synchronised():
    """All joints start and stop together within vmax and amax when waypoints are followed."""
    vmax, amax = 0.8, 1.5
    motion = Waypoints([A, B, C], vmax, amax).motion(ARM)
    assert np.abs(motion.qd).max() <= vmax + 1e-9
    assert np.abs(motion.qdd).max() <= amax + 1e-9
    assert np.abs(motion.qd).max() > 0.99 * vmax
    moving = np.abs(motion.qd) > 1e-9
    first = moving[: len(motion) // 3]
    busy = first.any(axis=1)
    joints = np.abs(np.array(B) - np.array(A)) > 0
    assert (first[busy][:, joints]).all()
    np.testing.assert_allclose(motion.q[[0, -1]], [A, C], rtol=0, atol=1e-9)


def test_each_leg_is_straight_in_joint_space():
    """Joints keep their proportions when a trapezoid leads from one waypoint to the next."""
    motion = Waypoints([A, B], 1.0, 2.0).motion(ARM)
    way = np.array(B) - np.array(A)
    share = (motion.q - A) @ way / (way @ way)
    np.testing.assert_allclose(motion.q, A + np.outer(share, way), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("speed", "acceleration"), [(0.7, 2.0), (5.0, 2.0)])
def test_trapezoid_profile(speed, acceleration):
    """The way is 1 and the time is the least when a trapezoid or a triangle is driven."""
    lasting = trapezoid_duration(speed, acceleration)
    time = np.linspace(0, lasting, 20001)
    profile = trapezoid(time, speed, acceleration)
    assert profile.s[-1] == pytest.approx(1, abs=1e-12)
    assert profile.ds.max() <= min(speed, np.sqrt(acceleration)) + 1e-12
    np.testing.assert_allclose(np.gradient(profile.s, time), profile.ds, rtol=0, atol=1e-3)


def test_quintic_meets_its_states():
    """Positions, speeds and accelerations are met when quintics lead through waypoints."""
    speeds = [[0] * 6, [0.1, -0.2, 0.3, 0, 0.1, 0.2], [0] * 6]
    motion = Quintic([A, B, C], seconds=[2.0, 1.5], speeds=speeds).motion(ARM)
    at_b = int(round(2.0 / motion.step))
    np.testing.assert_allclose(motion.q[[0, at_b, -1]], [A, B, C], rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.qd[[0, at_b, -1]], speeds, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.qdd[[0, -1]], 0, rtol=0, atol=1e-9)
    assert_derivatives(motion, 1e-3)


def test_profiles_differentiate():
    """Rates are the derivatives of progress when soft profiles are evaluated."""
    time = np.linspace(0, 6, 60001)
    for profile in (quintic(time, 6.0), ramped(time, 6.0, 1.3, 0.8)):
        np.testing.assert_allclose(np.gradient(profile.s, time), profile.ds, rtol=0, atol=1e-4)
        np.testing.assert_allclose(np.gradient(profile.ds, time), profile.dds, rtol=0, atol=1e-3)


def test_arm_of_five_joints_follows_the_position():
    """The position is met exactly when an arm with too few joints for the pose follows a line."""
    arm = at.load("desktop5")
    q = np.array([0.2, 0.3, -0.4, 0.3, 0.1])
    T = fk(arm, q)
    end = T[:3, 3] + [0.02, 0.02, 0.0]
    motion = Line(T, from_parts(T[:3, :3], end), 1.0).motion(arm, 100, seed=q)
    np.testing.assert_allclose(fk(arm, motion.q)[-1, :3, 3], end, rtol=0, atol=1e-7)


def test_tool_rotation_points_where_asked():
    """The z axis is the direction and the turn is about it when a tool frame is made."""
    z = np.array([0.2, -0.5, 0.8])
    R, turned = tool_rotation(z), tool_rotation(z, 0.7)
    np.testing.assert_allclose(R[:, 2], z / np.linalg.norm(z), rtol=0, atol=1e-15)
    assert (R.T @ turned)[0, 0] == pytest.approx(np.cos(0.7))
