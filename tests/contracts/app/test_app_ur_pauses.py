"""A network that pauses between the app and a UR controller, in simulated time."""

import numpy as np
import pytest
from paused_link import ARM, Pause, PausedLink
from waiting import ManualClock

import armtwin as at
from armtwin.motion.motion import Motion
from armtwin.robots.jog import LINEAR, JogStep, straight_step
from armtwin.robots.motion_generator import JERK_TIME
from armtwin.robots.ur.feed import SILENCE
from armtwin.robots.ur.speed_control.followed_motion import FollowedMotion
from armtwin.robots.ur.speed_control.safe_speed import BRAKING, COMMAND_TIME, STALE, is_safe
from armtwin.robots.ur.speed_control.speed_commands import (
    ACCELERATION,
    PERIOD,
    SpeedCommands,
    stop_line,
)
from armtwin.robots.ur_controller.build import FAST, START

MAX_EXCESS = np.radians(0.1)
BEGINS = np.arange(0.2, 1.6, 0.1)
WAYS = {
    "both": (True, True, BEGINS),
    "commands": (True, False, BEGINS[::2]),
    "samples": (False, True, BEGINS[1::2]),
}
"""Whether commands and samples are held up, and when [s]; one direction alone at every other."""
GOAL = np.array(START) + [0.6, 0.0, -0.3, 0.0, 0.1, 0.0]


def once(goal, share):
    """Return a wish for one move."""
    waiting = [goal]

    def wish(lead, now):
        if waiting:
            lead.move(waiting.pop(), share)

    return wish


def dragged(lead, now):
    """Follow a slider that is dragged by 0.6 rad within 1.2 s and then held."""
    share = min(now / 1.2, 1.0)
    lead.follow(np.array(START) + share * (GOAL - START), 0.7, 0.3)


def jogged(lead, now):
    """Follow a goal that runs ahead of a jogged joint, and let go of the button after 1 s."""
    if now < 1.0:
        lead.follow(np.array(START) + [0.25 * now + 0.01, 0, 0, 0, 0, 0], 1.0, 0.3)


def excess(path, goal):
    """Return by how much a path (n, 6) went beyond a goal (6,) as seen from its start [rad]."""
    way = np.sign(goal - path[0])
    return float(np.where(way == 0, np.abs(path - goal), way * (path - goal)).max())


@pytest.mark.parametrize("directions", WAYS)
@pytest.mark.parametrize("length", [0.3, 1.0])
def test_no_pause_carries_a_move_past_its_goal(directions, length):
    """The arm stays within 0.1 degree of its goal when the network pauses at any moment."""
    commands, samples, begins = WAYS[directions]
    for begin in begins:
        pause = Pause(begin, length, commands, samples)
        link = PausedLink(SpeedCommands, once(GOAL, 1.0), pause)
        assert excess(link.run(begin + length + 0.5), GOAL) < MAX_EXCESS, pause


@pytest.mark.parametrize("wish", [dragged, jogged])
@pytest.mark.parametrize("directions", WAYS)
def test_no_pause_carries_a_following_arm_past_its_goal(wish, directions):
    """The arm stays within 0.1 degree of the furthest goal when a slider or a jog is followed."""
    commands, samples, begins = WAYS[directions]
    furthest = GOAL if wish is dragged else np.array(START) + [0.26, 0, 0, 0, 0, 0]
    for begin in begins:
        pause = Pause(begin, 0.4, commands, samples)
        path = PausedLink(SpeedCommands, wish, pause).run(begin + 0.9)
        assert excess(path, furthest) < MAX_EXCESS, pause


def along(turn):
    """Return a wish for a motion of 2 s whose second joint nearly rests at its end, and its goal.

    Args:
        turn: power of the way left by which the second joint approaches its end.
    """
    time = np.linspace(0, 2, 201)
    s = (time / 2) ** 3 * (10 - 15 * (time / 2) + 6 * (time / 2) ** 2)
    q = np.tile(START, (len(time), 1)) + np.outer(s, [0.8, 0, 0, 0, 0, 0])
    q[:, 1] += 0.5 * (1 - (1 - s) ** turn)
    qd = np.gradient(q, time, axis=0)
    waiting = [FollowedMotion(Motion(time, q, qd, np.gradient(qd, time, axis=0)))]

    def wish(lead, now):
        if waiting:
            path = waiting.pop()
            lead.move_along(path.goal, path.speeds)

    return wish, q[-1]


@pytest.mark.parametrize("turn", [2, 3])
@pytest.mark.parametrize("directions", WAYS)
def test_no_pause_carries_a_joint_past_the_end_of_a_motion(turn, directions):
    """Every joint stays within 0.1 degree of its end when it rests there before the others do."""
    commands, samples, _ = WAYS[directions]
    for begin in np.arange(0.8, 3.0, 0.2):
        for length in (0.15, 0.3):
            wish, goal = along(turn)
            pause = Pause(begin, length, commands, samples)
            path = PausedLink(SpeedCommands, wish, pause).run(begin + length + 0.8)
            assert excess(path, goal) < MAX_EXCESS, pause


@pytest.mark.parametrize("share", [0.1, 0.3, 1.0])
def test_a_move_arrives_without_pauses(share):
    """The arm is at its goal, in reasonable time, when the network does not pause."""
    link = PausedLink(SpeedCommands, once(GOAL, share))
    path = link.run(0.6 / (share * np.pi) + 2.5)
    np.testing.assert_allclose(path[-1], GOAL, atol=1e-6)
    assert link.lead.goal is None


def test_a_silent_app_lets_the_arm_stop():
    """The arm brakes when the last command has run out, however far its goal is."""
    far = np.array(START) + [2.0, 0, 0, 0, 0, 0]
    path = PausedLink(SpeedCommands, once(far, 0.3), Pause(0.8, 10.0)).run(3.0)
    speed = np.abs(np.diff(path[:, 0])) / 0.002
    braking = 0.3 * np.pi / 4
    assert speed[400:500].max() == pytest.approx(0.3 * np.pi, rel=0.01)
    assert speed[round((0.8 + COMMAND_TIME + braking + 0.01) / 0.002) :].max() < 1e-9


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_nothing_held_back_moves_an_arm_that_is_lost(share):
    """The arm stands from the end of its last command on when a network comes back after a loss."""
    for begin in BEGINS[::2]:
        move = once(np.array(START) + [2.0, 0, 0, 0, 0, 0], share)

        def wish(lead, now, begin=begin, move=move):
            move(lead, now)
            if now > begin + SILENCE:
                lead.drop()  # as UrRobot does when the robot is lost

        path = PausedLink(SpeedCommands, wish, Pause(begin, 2.0)).run(begin + 3.0)
        braked = begin + STALE + COMMAND_TIME + share * np.pi / 4 + 0.01
        assert np.ptp(path[round(braked / FAST) :], axis=0).max() < 1e-9, begin


def test_a_stop_follows_the_last_command_once():
    """One stop is sent behind a command that ran out, and a fresh sample moves the arm again."""
    clock = ManualClock()
    lead = SpeedCommands(np.full(6, 3.0), clock)
    lead.move(GOAL, 1.0)

    def step(now, age):
        clock.now = now
        return lead.step(np.array(START), np.zeros(6), age)

    assert step(0.0, 0.01).startswith("speedj(")
    assert step(0.2, 0.2) is None
    assert step(COMMAND_TIME, COMMAND_TIME) == stop_line()
    assert step(0.4, 0.4) is None
    assert step(0.5, 0.01).startswith("speedj(")


def test_old_samples_move_nothing():
    """Nothing is sent when the newest sample is too old to compute a speed from."""
    lead = SpeedCommands(np.full(6, 3.0))
    lead.move(GOAL, 1.0)
    assert lead.step(np.array(START), np.zeros(6), 0.2) is None
    assert lead.step(np.array(START), np.zeros(6), 0.01).startswith("speedj(")


def test_an_arm_near_its_goal_but_fast_is_slowed_first():
    """No movej, which brakes gently, is sent when the arm still rushes past its goal."""
    lead = SpeedCommands(np.full(6, 3.0))
    lead.move(np.array(START), 1.0)
    assert lead.step(np.array(START) + 1e-3, np.full(6, 1.0), 0.0).startswith("speedj(")
    assert lead.step(np.array(START) + 1e-3, np.full(6, 0.01), 0.0).startswith("movej(")


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_speeds_keep_their_limits(share):
    """Commanded speeds rise within acceleration and jerk, and keep top and pause limits."""
    lead, joints, h = SpeedCommands(np.full(6, 3.0)), np.array(START), PERIOD
    lead.move(GOAL, share)
    sent = [np.zeros(6)]
    while (line := lead.step(joints, sent[-1], 0.0)).startswith("speedj("):
        sent.append(np.array([float(word) for word in line[8 : line.index("]")].split(",")]))
        joints = joints + h * sent[-1]
        distance = np.abs(GOAL - joints).max() + h * np.abs(sent[-1]).max()
        assert is_safe(np.abs(sent[-1]).max() - 1e-6, distance)
        assert excess(np.array([START, joints]), GOAL) < 1e-9
    speed = np.abs(np.array(sent)).max(axis=1)
    rise = np.diff(speed) / h
    assert speed.max() <= share * 3.0 + 1e-6
    assert share == 1.0 or speed.max() == pytest.approx(share * 3.0, abs=1e-6)
    assert ACCELERATION - 0.1 < rise.max() <= ACCELERATION + 1e-3
    assert np.diff(rise, prepend=0.0).max() <= ACCELERATION / JERK_TIME * h + 1e-3
    assert -BRAKING - 1e-3 <= rise.min() < 0


def test_a_goal_behind_the_arm_is_turned_to_from_rest():
    """No speed towards the new goal is carried over when it lies in the other direction."""
    lead = SpeedCommands(np.full(6, 3.0))
    lead.move(GOAL, 1.0)
    for _ in range(20):
        lead.step(np.array(START), np.full(6, 0.0), 0.0)
    lead.move(2 * np.array(START) - GOAL, 1.0)
    first = lead.step(np.array(START), np.zeros(6), 0.0)
    assert abs(float(first[8 : first.index(",")])) <= ACCELERATION * PERIOD + 1e-6


@pytest.mark.parametrize("share, near", [(0.3, 1e-3), (1.0, 4e-3)])
def test_a_jogged_tool_keeps_near_its_line(share, near):
    """The tool stays within 1 mm of its line, 4 mm at full speed, when a UR arm is jogged up."""
    T, q = at.fk(ARM, np.array(START)), np.array(START)

    def jogged_up(lead, now):
        nonlocal T, q
        if now < 1.2 and round(now / PERIOD) % 3 == 0:
            T, q = straight_step(ARM, JogStep(2, share * LINEAR, 3 * PERIOD, "base"), T, q)
        if now < 1.2:
            lead.follow(q, 1.0, 0.3)

    path = PausedLink(SpeedCommands, jogged_up).run(2.4)
    shift = at.fk(ARM, path)[:, :3, 3] - at.fk(ARM, np.array(START))[:3, 3]
    assert shift[-1, 2] > 0.05
    assert np.linalg.norm(shift[:, :2], axis=1).max() < near
