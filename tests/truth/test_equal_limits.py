"""Motions of least energy within the limits and in the time of the trapezoid."""

import dataclasses

import numpy as np
import pytest
from energy_arms import ARM, AROUND, wheel

import armtwin as at
from armtwin.dynamics.regeneration import RULES
from armtwin.energy.ledger import ledger
from armtwin.energy.optimize import no_worse
from armtwin.errors import PlanError
from armtwin.motion.limits import MotionLimits
from armtwin.motion.optimal.leg_times import Trapezoid, least_energy
from armtwin.motion.optimal.solve import Task
from armtwin.motion.optimal.straight import CHEAPER, TOO_SHORT, straight
from armtwin.motion.waypoints import Waypoints

START, END = np.array([0.0, -1.5, 1.0, -0.5, 1.0, 0.0]), np.array([1.2, -0.9, 0.6, -1.1, 0.0, 1.0])
LINE = np.array([START, (START + END) / 2, END])
PLAIN = Trapezoid(2.0, 5.0)
MOVE = np.array([START, [1.5, -1.0, 0.5, -1.0, -1.0, 1.0]])
CYCLE = np.array([*MOVE, [0.5, -1.8, 0.8, 0.0, 0.5, -1.0], START])
EQUAL = MotionLimits(3.0, 6.0)
TASK = Task(ARM, MotionLimits(2.0, 5.0), RULES["ideal"], None)


def motors(motion):
    """Return what the motors of a motion take [J]."""
    return ledger(ARM, motion, rule="ideal").motors


def assert_kept(motion, speed=2.0, acceleration=5.0):
    """Assert that speed and acceleration keep to the limits of the trapezoid."""
    assert np.abs(motion.qd).max() <= speed * (1 + 1e-6)
    assert np.abs(motion.qdd).max() <= acceleration * (1 + 1e-6)


def test_joints_with_time_to_spare_are_optimised():
    """Only the joint that the trapezoid takes to its limits keeps to it when nothing is wider.

    A jerk limit, which the trapezoid breaks, is refused.
    """
    best = at.optimize(ARM, MOVE, limits=EQUAL, around=AROUND)
    plain = Waypoints(MOVE, 3.0, 6.0).motion(ARM)
    np.testing.assert_allclose(best.motion.time, plain.time, atol=1e-12)
    np.testing.assert_allclose(best.motion.q[:, 4], plain.q[:, 4], atol=1e-12)
    np.testing.assert_allclose(best.motion.q[[0, -1]], MOVE, atol=1e-9)
    assert_kept(best.motion, 3.0, 6.0)
    assert best.saving > 0.03
    assert any("joint 5 keeps to trapezoids" in note for note in best.motion.notes)
    assert at.optimize(ARM, MOVE, slower=1.1, limits=EQUAL, around=AROUND).saving > 0.08
    with pytest.raises(PlanError, match="too short"):
        at.optimize(ARM, MOVE, limits=MotionLimits(3.0, 6.0, 100.0), around=AROUND)


def test_optimised_speeds_belong_to_the_positions():
    """Speeds are the derivatives of positions when one joint keeps to its trapezoid."""
    motion = least_energy(Task(ARM, EQUAL, RULES["ideal"], None), MOVE).motion
    middle = (motion.q[2:] - motion.q[:-2]) / (2 * motion.step)
    np.testing.assert_allclose(middle, motion.qd[1:-1], atol=6.0 * motion.step)


def test_a_single_joint_keeps_to_its_trapezoid():
    """The trapezoid comes back, and no search is claimed, when no joint has time to spare."""
    task = Task(wheel(friction=0.01), EQUAL, RULES["ideal"])
    best = least_energy(task, [[0.0], [2.0]])
    np.testing.assert_allclose(best.motion.qdd[1], 6.0)
    assert best.iterations == 0
    assert best.motion.notes[0] == TOO_SHORT


def test_the_trapezoid_is_the_answer_where_it_costs_less():
    """The trapezoid with its reason when the optimiser's motion costs more."""
    task = Task(ARM, EQUAL, RULES["ideal"], None)
    plain = straight(task, MOVE, 1.5, 3.0, 6.0)
    dear = dataclasses.replace(
        plain, motion=dataclasses.replace(plain.motion, qd=2 * plain.motion.qd)
    )
    assert no_worse(task, MOVE, dear).motion.notes[0] == CHEAPER
    assert no_worse(task, MOVE, plain) is plain


def test_stops_at_equal_limits():
    """Every leg is cheaper and keeps its time when the arm stops at points at equal limits."""
    task = Task(ARM, EQUAL, RULES["ideal"], None)
    usual = Waypoints(CYCLE, 3.0, 6.0).motion(ARM)
    best = least_energy(task, CYCLE)
    assert best.motion.duration == usual.duration
    assert_kept(best.motion, 3.0, 6.0)
    ends = np.cumsum(best.seconds)
    for end, point in zip(ends, CYCLE[1:], strict=True):
        row = int(np.abs(best.motion.time - end).argmin())
        np.testing.assert_allclose(best.motion.q[row], point, atol=1e-4)
    assert motors(best.motion) < 0.98 * motors(usual)
    assert best.promised == pytest.approx(motors(best.motion), rel=0.05)
    with pytest.raises(PlanError, match="too short"):
        least_energy(task, CYCLE, slower=0.95)


def test_passing_points_at_equal_limits():
    """No dearer than the straight optimum when three points on its line are passed in its time."""
    passing = least_energy(TASK, LINE, through=True, trapezoid=PLAIN)
    seconds = float(PLAIN.seconds(LINE).sum())
    assert passing.seconds.sum() == pytest.approx(seconds)
    assert_kept(passing.motion)
    direct = least_energy(TASK, LINE[::2], seconds)
    assert motors(passing.motion) < 1.01 * motors(direct.motion)


def test_passing_points_faster_than_stopping():
    """A motion within the limits when the time is too short to stop at every point."""
    best = least_energy(TASK, LINE, 1.2, through=True, trapezoid=PLAIN)
    assert best.seconds.sum() == pytest.approx(1.2)
    assert_kept(best.motion)
    with pytest.raises(PlanError, match=r"no motion in 0\.800 s"):
        least_energy(TASK, LINE, 0.8, through=True, trapezoid=PLAIN)
