"""Trajectories of external control: points that a program on the robot reads and moves to."""

import numpy as np
import pytest
from external_control import CANCELED, FAILURE, SUCCESS, ZEROS, Action, Mode, Point, controlled
from scipy.interpolate import BPoly

STEP = np.array([0.2, 0.1, -0.1, 0.1, 0.05, -0.1])
REST = np.zeros(6)
TIMER = "output_double_register_1"


@pytest.fixture
def robot():
    """Return a robot with a kinematic body."""
    with controlled() as made:
        yield made


def point(robot, kind, *blocks, **times):
    """Return a trajectory point for ``forward``."""
    return robot.pc.point, (kind, *blocks), times


def spline(robot, *arguments):
    """Return a spline point for ``forward``."""
    return robot.pc.spline, arguments, {}


@pytest.mark.parametrize(("version", "atol"), [("5.25.1", 1e-3), ("3.15.8", 4e-3)])
@pytest.mark.parametrize("quintic", [False, True])
def test_splines(quintic, version, atol):
    """Every position lies on the spline through the points, and its speed is continuous."""
    with controlled(version=version) as robot:
        start, dt = robot.q, robot.controller.dt
        speed, change = 0.3 * STEP, (0.5 * STEP if quintic else None)
        last = REST if quintic else None
        knots = [[start, REST], [start + STEP, speed], [start, REST]]
        if quintic:
            knots = [[*knot, a] for knot, a in zip(knots, (REST, change, REST), strict=True)]
        curve, seen = BPoly.from_derivatives([0, 0.7, 1.5], knots), []
        result, took = robot.forward(
            spline(robot, start + STEP, speed, 0.7, change),
            spline(robot, start, REST, 0.8, last),
            each=lambda: seen.append(robot.q),
        )
        moved = next(k for k, q in enumerate(seen) if np.any(q != start))
        times = dt * np.arange(1, len(seen) - moved)
        times = times[times < 1.5]
        assert result == SUCCESS
        assert took == pytest.approx(1.5, abs=4 * dt)
        found = np.array(seen[moved : moved + len(times)])
        assert np.abs(found - curve(times)).max() < atol
        assert np.abs(np.diff(found, axis=0)).max() < 1.05 * dt * np.abs(curve(times, 1)).max()


def test_splines_at_a_quarter_of_the_speed(robot):
    """A spline leads along the same positions, four times as slowly, at a speed slider of 25 %."""
    start, seen = robot.q, []
    robot.controller.registers["target_speed_fraction"] = 0.25
    robot.cycle(250, lambda: robot.pc.write(ZEROS, Mode.IDLE))
    assert robot.controller.registers["speed_scaling"] == 0.25
    result, took = robot.forward(
        spline(robot, start + STEP, 0.3 * STEP, 0.4),
        spline(robot, start, REST, 0.5),
        each=lambda: seen.append((robot.controller.registers.number(TIMER), robot.q)),
    )
    assert result == SUCCESS
    assert took == pytest.approx(4 * 0.9, abs=0.05)
    assert robot.q == pytest.approx(start, abs=1e-3)
    knots = [[start, REST], [start + STEP, 0.3 * STEP]]
    curve = BPoly.from_derivatives([0, 0.4], knots)
    first = [(time, q) for time, q in seen[: round(1.5 / 0.002)] if time > 0]
    assert len(first) > 500
    for time, q in first:
        assert q == pytest.approx(curve(time), abs=3e-3)


def test_moves(robot):
    """Joint moves, lines, circles and optimised moves lead to their ends with success."""
    start, home = robot.q, robot.pose
    up, aside = home + [0, 0, 0.05, 0, 0, 0], home + [0, 0.05, 0.05, 0, 0, 0]
    rates = (0.25, 1.2)
    highest = []
    result, _ = robot.forward(
        point(robot, Point.MOVEJ, start + STEP),
        point(robot, Point.MOVEJ, start, seconds=0.5),
        point(robot, Point.MOVEL, up, ZEROS, rates, blend=0.02),
        point(robot, Point.MOVEL, aside, ZEROS, rates),
        point(robot, Point.MOVEL, home, ZEROS, rates),
        point(robot, Point.MOVEC, home + [0, 0.1, 0, 0, 0, 0], aside, rates),
        point(robot, Point.OPTIMOVEL, home, ZEROS, (0.5, 0.5)),
        point(robot, Point.OPTIMOVEJ, start + STEP, ZEROS, (0.5, 0.5)),
        each=lambda: highest.append(robot.pose[:3]),
    )
    assert result == SUCCESS
    assert robot.q == pytest.approx(start + STEP, abs=1e-6)
    distance = np.linalg.norm(np.array(highest) - aside[:3], axis=1)
    assert distance.min() < 1e-3


def test_blending_saves_time(robot):
    """Two moves take less time when the corner between them is rounded."""
    start, times = robot.q, []
    for blend in (0.0, 0.05):
        result, took = robot.forward(
            point(robot, Point.MOVEJ, start + STEP, blend=blend), point(robot, Point.MOVEJ, start)
        )
        assert result == SUCCESS
        times.append(took)
    assert times[1] < times[0] - 0.05


@pytest.mark.parametrize("kind", [Point.MOVEJ, Point.MOVEL])
def test_a_time_that_is_too_short(robot, kind):
    """A move takes longer, within the joints' speeds, when its time is too short."""
    goal = robot.q + 10 * STEP * [1, 0, 0, 0, 0, 0]
    if kind == Point.MOVEL:
        goal = robot.pose + [0, 0.2, 0.1, 0, 0, 0]
    fastest = []
    result, took = robot.forward(
        point(robot, kind, goal, seconds=0.05), each=lambda: fastest.append(robot.qd)
    )
    assert result == SUCCESS
    assert took > 0.2
    assert (np.abs(fastest) <= 1.0001 * robot.controller.top).all()
    assert (robot.q if kind == Point.MOVEJ else robot.pose) == pytest.approx(goal, abs=1e-5)


def test_impossible_spline_points(robot):
    """The trajectory is cancelled and the arm stays when a point has no or too little time."""
    start = robot.q
    for seconds in (0.0, 0.01):
        result, _ = robot.forward(spline(robot, start + 0.5, REST, seconds))
        assert result == CANCELED
    assert (robot.q == start).all()
    assert robot.running


def test_missing_points(robot):
    """The trajectory fails after half a second when an announced point does not come."""
    robot.pc.trajectory(Action.START, 2)
    took = robot.until(robot.pc.results, 2.0, robot.hold)
    assert robot.pc.results() == [FAILURE]
    assert took == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("how", ["cancel", "other mode"])
def test_cancelled_trajectory(robot, how):
    """The arm brakes and points left are thrown away when a trajectory is given up."""
    start = robot.q
    robot.pc.trajectory(Action.START, 3)
    for goal in (start + STEP, start, start + STEP):
        robot.pc.point(Point.MOVEJ, goal, seconds=1.0)
    robot.cycle(250, robot.hold)
    assert robot.qd.any()
    if how == "cancel":
        robot.pc.trajectory(Action.CANCEL)
        each = robot.hold
    else:
        each = lambda: robot.pc.write(ZEROS, Mode.IDLE)  # noqa: E731
    robot.until(robot.pc.results, 2.0, each)
    assert robot.pc.results() == [CANCELED]
    robot.cycle(10, each)
    assert not robot.qd.any()
    assert robot.forward(point(robot, Point.MOVEJ, start))[0] == SUCCESS
    assert robot.q == pytest.approx(start, abs=1e-6)


def stream(robot, count, seconds=0.02):
    """Open a stream and send points between two places; return the last one's joints."""
    start = robot.q
    robot.pc.trajectory(Action.START_STREAM, -1)
    goals = [start + STEP / 50 if k % 2 == 0 else start for k in range(count)]
    for goal in goals:
        robot.pc.spline(goal, REST, seconds, REST)
    return goals[-1]


def test_stream_that_is_ended(robot):
    """All points are moved to when their number comes at the end of a stream, also twice."""
    goal = stream(robot, 21)
    robot.pc.trajectory(Action.END_STREAM, 21)
    robot.pc.trajectory(Action.END_STREAM, 21)
    took = robot.until(robot.pc.results, 2.0, robot.hold)
    assert robot.pc.results() == [SUCCESS]
    assert took == pytest.approx(21 * 0.02, abs=0.03)
    assert robot.q == pytest.approx(goal, abs=1e-3)


@pytest.mark.parametrize("announced", [None, 9])
def test_stream_that_runs_dry(robot, announced):
    """A stream fails when points do not come, whether its end was announced or not."""
    stream(robot, 5)
    robot.cycle(10, robot.hold)
    if announced:
        robot.pc.trajectory(Action.END_STREAM, announced)
    robot.until(robot.pc.results, 2.0, robot.hold)
    assert robot.pc.results() == [FAILURE]
    assert not robot.qd.any()
    assert robot.running


def test_stream_that_is_cancelled(robot):
    """The arm stops and points left are thrown away when a stream is cancelled."""
    stream(robot, 50)
    robot.cycle(100, robot.hold)
    robot.pc.trajectory(Action.CANCEL, 50)
    robot.until(robot.pc.results, 2.0, robot.hold)
    assert robot.pc.results() == [CANCELED]
    assert robot.forward(point(robot, Point.MOVEJ, robot.q + STEP))[0] == SUCCESS


def test_stray_end_of_a_stream(robot):
    """A finite trajectory goes on when the end of a stream comes in between."""
    start, stray = robot.q, [False]

    def end_once():
        if not stray[0]:
            stray[0] = True
            robot.pc.trajectory(Action.END_STREAM, 0)

    points = [spline(robot, q, REST, 0.2) for q in (start + STEP, start - STEP, start)]
    result, took = robot.forward(*points, each=end_once)
    assert result == SUCCESS
    assert took == pytest.approx(0.6, abs=0.03)
