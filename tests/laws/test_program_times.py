"""Times of a program are those of the planners that move the robots."""

import asyncio

import numpy as np
import pytest
from paused_link import ARM as UR5E
from paused_link import PausedLink
from waiting import ManualClock

import armtwin as at
from armtwin.motion.programs.linear_moves import linear_move
from armtwin.motion.programs.program import Position, TaughtProgram
from armtwin.robots.programs.program_timing import LegClock, move_seconds, program_times
from armtwin.robots.simulated_arm import SimulatedArm
from armtwin.robots.ur.speed_control.speed_commands import SpeedCommands
from armtwin.robots.ur_controller.build import START

A = np.array([0.0, -1.5, 1.5, -1.5, -1.5, 0.0])
STEP = 0.002


@pytest.mark.parametrize("name", ["ur10e", "panda"])
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_simulated_arm_arrives_as_planned(name, share):
    """A simulated arm comes to rest at the planned time when it moves."""
    arm, clock = at.load(name), ManualClock()
    robot = SimulatedArm(arm, clock=clock)
    begin = robot.state().q
    goal = np.clip(begin + 0.3, arm.lower, arm.upper)
    planned = move_seconds(arm, "simulated", begin, goal, share)
    asyncio.run(robot.move(goal, share))
    clock.now = planned - STEP
    assert robot.state().moving
    clock.now = planned + STEP
    assert not robot.state().moving
    np.testing.assert_allclose(robot.state().q, goal, atol=1e-9)


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_led_controller_arrives_as_planned(share):
    """A UR controller behind a network arrives at nearly the planned time when speeds lead it."""
    begin, goal = np.array(START), np.array(START) + [0.6, -0.2, 0.1, 0.0, 0.3, 0.0]
    planned = move_seconds(UR5E, "virtual", begin, goal, share)

    def once(lead, now):
        if now < 0.01:
            lead.move(goal, share)

    path = PausedLink(SpeedCommands, once).run(planned + 0.5)
    away = np.abs(path - goal).max(axis=1) > 1e-4
    arrived = STEP * (1 + np.flatnonzero(away)[-1])
    # Later by the network, by the controller's way to a speed, and by at most a period per step.
    assert planned - 0.02 < arrived < planned + 0.2


def taught(dwell=0.5):
    """Return a program of three positions."""
    rows = [Position(name=f"p{k}", q=tuple(A + 0.1 * k), speed=0.5, dwell=dwell) for k in range(3)]
    return TaughtProgram(name="three", arm="ur10e", positions=tuple(rows))


def test_positions_follow_each_other():
    """Each move begins when the rest before it ends, and lasts as the planner says."""
    arm, begin = at.load("ur10e"), A - 0.4
    times = program_times(taught(), arm, "simulated", {0: (begin.tolist(), 0.0, False)})
    starts = [begin, A, A + 0.1]
    clock = 0.0
    for k, row in enumerate(times):
        assert (row.name, row.start) == (f"p{k}", pytest.approx(clock))
        lasts = move_seconds(arm, "simulated", starts[k], A + 0.1 * k, 0.5)
        assert row.arrival == pytest.approx(clock + lasts)
        clock = row.end
        assert row.end == pytest.approx(row.arrival + 0.5)


@pytest.mark.parametrize("kind", ["simulated", "virtual"])
def test_lines_last_as_planned(kind):
    """A linear move lasts as its line does, and a joint motion where a run begins elsewhere."""
    arm, program = at.load("ur10e"), taught(dwell=0.0)
    lines = [row.model_copy(update={"motion": "linear"}) for row in program.positions]
    program = program.model_copy(update={"positions": tuple(lines)})
    first, second, _ = program_times(program, arm, kind, {0: (A.tolist(), 0.0, False)})
    assert (first.start, first.arrival) == (0.0, 0.0)
    lasts = linear_move(arm, A, A + 0.1, 0.5).duration(arm)
    slower = 0.0 if kind == "simulated" else 1.0  # the link's rule slows the way to the goal down
    assert lasts - 0.1 * slower <= second.arrival <= lasts + slower + 1e-9
    elsewhere = program_times(program, arm, kind, {1: ((A + 0.05).tolist(), 0.0, False)})[1]
    joint = move_seconds(arm, kind, A + 0.05, A + 0.1, 0.5)
    assert elsewhere.arrival - elsewhere.start == pytest.approx(joint)


def test_times_of_a_servo_board_are_not_known():
    """No time after the first start is given when the robot times its moves itself."""
    first, *others = program_times(taught(), at.load("ur10e"), "servo", {})
    assert (first.start, first.arrival, first.end) == (0.0, None, None)
    assert all(row.start is row.arrival is row.end is None for row in others)


def test_clock_of_a_run():
    """Time goes on where it was after a pause, and a later round begins at the last position."""
    legs = LegClock()
    legs.start(0, A, resumed=False)
    legs.set_out(0, 0, 10.0)
    assert legs.at(10.5) == pytest.approx(0.5)
    legs.set_out(1, 0, 12.0)
    legs.end(12.8)
    assert legs.at(99.0) == pytest.approx(0.8)  # paused
    legs.start(1, A + 0.05, resumed=True)
    legs.set_out(1, 0, 100.0)
    assert legs.at(100.1) == pytest.approx(0.9)
    second = ((A + 0.05).tolist(), pytest.approx(0.8), False)
    assert legs.starts == {0: (A.tolist(), 0.0, False), 1: second}
    plan = legs.number
    legs.set_out(0, 1, 103.0)
    assert (legs.starts, legs.number, legs.at(103.2)) == ({}, plan + 1, pytest.approx(0.2))
