"""What a motion is refused for, before anything moves: with place, time, joint and limit."""

import dataclasses
import re

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import InputError, PlanError
from armtwin.motion.limits import needed_torque
from armtwin.motion.motion import Motion
from armtwin.motion.paths import Circle, Line
from armtwin.motion.waypoints import Quintic, Waypoints

ARM = at.load("ur10e")
A, B = [0, -1.5, 1.5, -1.5, -1.5, 0], [1, -1, 1, -1.5, -1.5, 0.2]


def limited(**limits):
    """Return the arm with other limits on joint 2."""
    joints = list(ARM.joints)
    joint = joints[1]
    joints[1] = dataclasses.replace(joint, limits=dataclasses.replace(joint.limits, **limits))
    return ARM.with_(joints=tuple(joints))


def test_path_out_of_reach_says_where_and_when():
    """Time, place and by how much are reported when a line leaves the workspace."""
    with pytest.raises(PlanError, match="leaves the workspace") as error:
        Line((0.5, -0.3, 0.3), (1.3, 0.5, 0.6)).motion(ARM)
    reported = re.search(r"t = ([\d.]+) s, tool at \(([\d.]+), ", str(error.value))
    assert reported is not None
    assert 0 < float(reported[1]) < 2
    assert 0.5 < float(reported[2]) < 1.3
    assert "too far" in str(error.value)


def test_start_out_of_reach():
    """The first moment is blamed when a circle begins beyond the arm."""
    with pytest.raises(PlanError, match=r"t = 0\.000 s"):
        Circle(radius=0.9).motion(ARM)


def test_singularity_says_where_when_and_which_joints():
    """The joints that work against each other are named when a path meets a wrist singularity."""
    q = np.array([0.3, -1.4, 1.8, -0.4, 0.0, 0.0])
    T = at.fk(ARM, q)
    start, end = T.copy(), T.copy()
    start[2, 3] -= 0.05
    end[2, 3] += 0.05
    with pytest.raises(PlanError, match="singularity") as error:
        Line(start, end, 8.0).motion(ARM, seed=q)
    assert re.search(r"at t = [\d.]+ s, tool at", str(error.value))
    assert "wrist_1_joint" in str(error.value)
    assert "wrist_3_joint" in str(error.value)


@pytest.mark.parametrize(
    ("limits", "quantity", "unit"),
    [
        ({"speed": 0.1}, "speed", "rad/s"),
        ({"acceleration": 0.1}, "acceleration", "rad/s2"),
        ({"effort": 20.0}, "effort", "Nm"),
    ],
)
def test_limits_are_checked_before_anything_moves(limits, quantity, unit):
    """Joint, value, limit and time are reported when a motion goes beyond a limit."""
    points = [[0, -1.4, 1.5, -1.5, -1.5, 0], [0, -1.5, 1.5, -1.5, -1.5, 0]]
    with pytest.raises(PlanError, match=rf"{quantity} of joint 2 .*{unit}.* at t = ") as error:
        Quintic(points, 1.0).motion(limited(**limits))
    assert "its limit is" in str(error.value)


def test_position_limit_on_the_way():
    """Joint, value, limits and time are reported when a circle needs a joint beyond its range."""
    free = Circle().motion(ARM)
    lower = float(np.quantile(free.q[:, 1], 0.3))
    arm = limited(lower=lower, upper=lower + 3.0)
    with pytest.raises(PlanError, match=r"position of joint 2 .* at t = .*its limit is"):
        Circle().motion(arm, seed=free.q[0])


def test_waypoint_beyond_a_limit():
    """The waypoint itself is refused when it lies beyond a joint limit."""
    with pytest.raises(at.ArmTwinError, match="joint 1"):
        Waypoints([A, [9, -1, 1, 0, 0, 0]]).motion(ARM)


def test_too_fast_a_circle():
    """The speed limit is blamed when a lap is too short."""
    with pytest.raises(PlanError, match="speed of joint"):
        Circle(radius=0.2, period=0.7).motion(ARM)


def test_open_limits_are_reported():
    """A note says what could not be checked when the arm file has no acceleration limit."""
    notes = Circle().motion(ARM).notes
    assert any("acceleration" in note for note in notes)
    bare = at.load("ur10e-report")
    assert any("masses" in note for note in Waypoints([A, B]).motion(bare).notes)


def test_needed_torque_holds_friction():
    """Friction is part of the torque when the arm has drives with friction."""
    from armtwin.simulation.typical_drives import with_real_drives

    motion = Waypoints([A, B]).motion(ARM)
    rubbed = with_real_drives(ARM, rotor=0.0)
    extra = needed_torque(rubbed, motion) - needed_torque(ARM, motion)
    moving = np.abs(motion.qd[:, 0]) > 0.2
    assert (np.abs(extra[moving, 0]) > 17).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Circle(radius=-0.1).motion(ARM),
        lambda: Circle(period=0).motion(ARM),
        lambda: Circle(seconds=float("nan")).motion(ARM),
        lambda: Circle(normal=(0, 0, 0)).motion(ARM),
        lambda: Circle(centre=(0, 1)).motion(ARM),
        lambda: Circle(ramp=9).motion(ARM),
        lambda: Circle().motion(ARM, rate=0),
        lambda: Circle().motion(ARM, seed=[0, 0]),
        lambda: Waypoints([A]).motion(ARM),
        lambda: Waypoints([A, A]).motion(ARM),
        lambda: Waypoints([A, B], vmax=0).motion(ARM),
        lambda: Waypoints([A, B], amax=[1, 2]).motion(ARM),
        lambda: Quintic([A, B], seconds=-1).motion(ARM),
        lambda: Quintic([A, B], speeds=[[0] * 6]).motion(ARM),
        lambda: Motion(np.arange(3.0), np.zeros((2, 6)), np.zeros((2, 6)), np.zeros((2, 6))),
        lambda: Motion(np.arange(2.0), np.full((2, 6), np.nan), np.zeros((2, 6)), np.zeros((2, 6))),
    ],
)
def test_bad_numbers(make):
    """An InputError says what is wrong when a path is given numbers that make no sense."""
    with pytest.raises(InputError):
        make()


def test_default_circle_of_a_small_arm_with_five_joints():
    """The default circle is small, closed and within the limits when an arm reaches 0.54 m."""
    arm = at.load("so101")
    motion = Circle(seconds=4.5).motion(arm, 100.0)
    assert "0.081 m" in motion.name
    assert ((motion.q >= arm.lower) & (motion.q <= arm.upper)).all()
    assert np.allclose(motion.q[0], motion.q[-1], atol=1e-9)
