"""A lag of the pose is distinguished from errors of the geometry that look like one."""

import numpy as np
import pytest
from measured_runs import changed, motion, run_of

import armtwin as at
from armtwin.recording.recording import Recording
from armtwin.validation.lags.pose_lag import estimate_pose_lag
from armtwin.validation.recorded_poses import recorded_poses

STEP = 0.008
DEGREES = (3.0, -1.0, 5.0, -3.0, 2.0, 4.0)
"""Offsets planted one joint at a time, largest where the lag was misread most."""


def lag_of(arm, run):
    """Return the lag that is read from a recording."""
    return estimate_pose_lag(arm, run.time, recorded_poses(run))


def point_to_point(time, dof, seed=4):
    """Return moves between random postures with rests, each joint on its own curve of speed."""
    rng = np.random.default_rng(seed)
    stops = rng.uniform(-1.2, 1.2, (8, dof))
    phase = np.clip(time[:, None] / 1.6 - np.linspace(0, 0.2, dof), 0, 6.999)
    part = np.clip((phase % 1) / 0.8, 0, 1)
    smooth = part**3 * (10 - 15 * part + 6 * part**2)
    first = phase.astype(int)
    joint = np.arange(dof)
    return stops[first, joint] + smooth * (stops[first + 1, joint] - stops[first, joint])


@pytest.mark.parametrize(
    ("name", "lag"), [("ur10e", 0.0), ("ur10e", 0.4), ("ur3e", 0.0), ("ur3e", -1.7),
                      ("desktop5", 0.0), ("desktop5", 6.25)],
)  # fmt: skip
def test_joint_offset_is_not_read_as_a_lag(name, lag):
    """The lag is found within 0.05 samples when one joint stands up to 5 degrees off."""
    arm = at.load(name)
    for joint in range(arm.dof):
        offset = np.deg2rad(DEGREES[joint]) * np.eye(arm.dof)[joint]
        found = lag_of(arm, run_of(arm, lag=lag, offset=offset, noise=1e-5, rows=700, seed=joint))
        assert found.samples == pytest.approx(lag, abs=0.05)
        assert found.is_significant == (lag != 0)


def test_validate_reads_no_lag_from_an_offset():
    """No lag is reported as a cause when one joint is 3 degrees off and nothing is late."""
    arm = at.load("ur10e")
    time = STEP * np.arange(600.0)
    q = point_to_point(time, 6)
    seen = at.fk(arm, q + np.deg2rad([0, 3.0, 0, 0, 0, 0]))[:, :3, 3]
    run = Recording.of(time, {"q": q, "position": seen})
    check = at.validate(arm, run, limits=("lag=0.1",))
    assert abs(check.lag.samples) < 0.02
    assert next(judged for judged in check.limits if judged.signal == "lag").kept
    assert check.causes[0].joint == 2
    assert all(cause.kind != "lag" for cause in check.causes)


@pytest.mark.parametrize("lag", [0.0, 0.7])
def test_moves_from_point_to_point(lag):
    """The lag is found when the arm rests between moves and every joint is off."""
    arm = at.load("ur5e")
    time = STEP * np.arange(1200.0)
    stands = point_to_point(time - lag * STEP, 6) + np.deg2rad([2, -3, 4, 1, -5, 3])
    seen = at.tool_coordinates(arm, stands)
    groups = {"q": point_to_point(time, 6), "position": seen.position}
    for more in ({}, {"quaternion": seen.quaternion}):
        found = lag_of(arm, Recording.of(time, {**groups, **more}))
        assert found.samples == pytest.approx(lag, abs=0.05)


def test_whole_geometry_and_frames_may_be_off():
    """The lag is found when lengths, twists, base and tool are other than the twin's."""
    arm = at.load("ur5e")
    frames = {"base": at.pose((1, 2, 0.5), (0.1, 0, 2)), "tool": at.pose((0.02, 0, 0.12))}
    truth = changed(arm, length=1e-3, angle=5e-3, **frames)
    time = STEP * np.arange(900.0)
    seen = at.tool_coordinates(truth, motion(time - 0.3 * STEP))
    sides = {"position": seen.position, "quaternion": seen.quaternion}
    found = lag_of(arm, Recording.of(time, {"q": motion(time), **sides}))
    assert found.samples == pytest.approx(0.3, abs=0.02)


def from_tool_down(lag, offset=0.0, seed=0):
    """Return a recording that starts at rest with the tool pointing down, where w is about 0.

    Args:
        lag: of the poses [samples].
        offset: of joint 3 [rad].
        seed: of the posture, the motion and the noise, 2e-5 rad.
    """
    rng = np.random.default_rng(seed)
    time = STEP * np.arange(1500.0)
    start = np.deg2rad([rng.uniform(-90, 90), -90, 90, -90, -90, rng.uniform(-90, 90)])
    size, speed = rng.uniform(0.2, 0.5, 6), rng.uniform(0.6, 2, 6)

    def noisy(time):
        q = start + size * (1 - np.cos(speed * np.maximum(time, 0)[:, None]))
        return q + rng.normal(0, 2e-5, q.shape)

    q = noisy(time)
    seen = at.tool_coordinates("ur5e", noisy(time - lag * STEP) + offset * np.eye(6)[2])
    sides = {"position": seen.position, "quaternion": seen.quaternion}
    return Recording.of(time, {"q": q, **sides})


@pytest.mark.parametrize(("lag", "offset", "seed"), [(0, 0, 0), (1, 0, 4), (2, 0, 5), (1, 3, 10)])
def test_start_with_the_tool_pointing_down(lag, offset, seed):
    """The lag is found when noise gives both sides' first quaternions opposite signs."""
    run = from_tool_down(lag, np.deg2rad(offset), seed)
    q, recorded = run.q, run.group("quaternion")
    first = at.tool_coordinates("ur5e", q[:1]).quaternion[0]
    assert first @ recorded[0] < -0.99, "the case needs opposite signs"
    assert lag_of(at.load("ur5e"), run).samples == pytest.approx(lag, abs=0.1)


def test_lag_of_half_a_period_of_a_turning_tool():
    """The lag is found when the poses, 2 s late, are turned away from the unshifted joints'."""
    arm, time = at.load("ur5e"), 0.02 * np.arange(900.0)

    def q(time):
        q = np.tile([0.3, -1.2, 1.1, -0.8, -1.3, 0.0], (time.size, 1))
        q[:, 0] += 0.2 * np.sin(0.7 * time)
        q[:, 5] = np.pi * np.sin(np.pi / 2 * time)
        return q

    seen = at.tool_coordinates(arm, q(time - 1.96), ignore_limits=True)
    run = Recording.of(time, {"q": q(time), "quaternion": seen.quaternion})
    assert lag_of(arm, run).samples == pytest.approx(98.0, abs=0.05)


def test_position_on_the_axis_of_the_only_moving_joint():
    """No lag is claimed when the joint that moves leaves the recorded position where it is."""
    arm, time = at.load("fr3"), STEP * np.arange(500.0)
    q = np.tile([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3], (time.size, 1))
    q[:, 6] += 0.5 * np.sin(2 * time)
    assert lag_of(arm, Recording.of(time, {"q": q, "position": at.fk(arm, q)[:, :3, 3]})) is None


def test_constant_speed_leaves_the_lag_open():
    """The interval is wide when all joints turn at constant speed, as then an offset is a lag."""
    arm = at.load("ur5e")
    time = STEP * np.arange(300.0)
    speed = np.array([0.3, -0.2, 0.25, 0.1, -0.3, 0.2])
    offset = np.deg2rad(2.0) * speed / 0.3
    q = -0.5 + time[:, None] * speed
    seen = at.tool_coordinates(arm, q + offset)
    found = lag_of(arm, Recording.of(time, {"q": q, "position": seen.position}))
    assert found is None or not found.is_significant


def test_poses_of_another_arm_tell_no_lag():
    """No lag is claimed when no geometry near the twin's explains the poses."""
    time = STEP * np.arange(500.0)
    other = at.tool_coordinates(at.load("ur10e"), motion(time, seed=8)).position
    run = Recording.of(time, {"q": motion(time), "position": other})
    assert lag_of(at.load("ur10e"), run) is None
