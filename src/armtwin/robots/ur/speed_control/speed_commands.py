r"""Leading a UR controller to a goal by joint speeds that end by themselves.

The controller gets a speed that it keeps for a limited time, again and again. If this
program, the page or the network fails, the arm stops within that time.

``safe_speed`` bounds the speeds, so that a network that pauses does not carry the arm past its
goal. Speeds rise within ``ACCELERATION`` and a jerk limit (ruckig). The final approach is a
``movej`` to the goal itself, which cannot pass it whenever it arrives.

When the last command has run out and no newer sample has come, a stop follows on the same
connection: commands that a network holds back reach the controller together with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armtwin.model.arm import Arm
from armtwin.robots.motion_generator import SpeedProfile
from armtwin.robots.ur.speed_control.safe_speed import COMMAND_TIME, STALE, lasting, safe_speed
from armtwin.spatial import Array

PERIOD = 0.02
"""Time between two commands [s]."""
ACCELERATION = 2.5
"""Of the fastest joint [rad/s2]."""
ARRIVING = 1e-2
"""Distance that is left to a ``movej`` of the controller's own [rad]; it takes 0.2 s."""
CLOSE = 2e-3
"""The same for a goal that moves [rad]; joints closer than this rest during the approach."""
ARRIVED = 2e-4
"""An arm at rest that is this close has arrived [rad]."""
ARRIVAL_ACCELERATION, ARRIVAL_SPEED = 1.0, 0.1
"""Of the last ``movej`` [rad/s2], [rad/s]."""
RESTING = 2e-3
"""Joint speed below which the arm is at rest [rad/s]."""
STOP = 4.0
"""Deceleration of a stop [rad/s2]."""
DEFAULT_SPEED = 1.0
"""Top speed of a joint whose file gives none [rad/s]."""

_RISE = SpeedProfile(ACCELERATION)


@dataclass
class Goal:
    """Goal of the arm.

    Attributes:
        q: joints (dof,) [rad].
        share: of the top speeds.
        until: when to stop unless called again [s, the lead's clock]; None for a whole move.
        settled: whether the goal stands still; false while a slider drags it.
        arriving: whether the controller makes the final approach by itself.
        speeds: joint speeds (dof,) along a path, and how far the fastest joint may go on with them
            [rad], from the joints of a sample (dof,); None for a straight line in joint space.
    """

    q: Array
    share: float
    until: float | None = None
    settled: bool = True
    arriving: bool = False
    speeds: Callable[[Array], tuple[Array, float]] | None = None


class SpeedCommands:
    """Decides, period by period, what to send to the controller.

    Args:
        top: top speeds of the joints (dof,) [rad/s].
        clock: current time [s].

    Attributes:
        goal: where the arm is led; None when it is left alone.
    """

    def __init__(self, top: Array, clock: Callable[[], float] = time.monotonic) -> None:
        self.goal: Goal | None = None
        self._top, self._clock = top, clock
        self._sent, self._acceleration = np.zeros_like(top), 0.0
        self._runs_out: float | None = None

    def move(self, q: Array, share: float) -> None:
        """Lead the arm to ``q`` (dof,) [rad] at a share of the top speeds."""
        self.goal = Goal(q, share)

    def move_along(self, q: Array, speeds: Callable[[Array], tuple[Array, float]]) -> None:
        """Lead the arm to ``q`` (dof,) [rad] with speeds as in ``Goal``."""
        self.goal = Goal(q, 1.0, speeds=speeds)

    def follow(self, q: Array, share: float, seconds: float) -> None:
        """Lead the arm to a goal for a while; the next call may bring another.

        Args:
            q: goal (dof,) [rad].
            share: of the top speeds.
            seconds: time after which the arm is stopped unless this is called again [s].
        """
        before = self.goal
        same = before is not None and np.array_equal(before.q, q)
        goal = Goal(q, share, self._clock() + seconds, settled=same)
        goal.arriving = before is not None and same and before.arriving
        self.goal = goal

    def drop(self) -> None:
        """Forget the goal."""
        self.goal = self._runs_out = None

    @property
    def sent(self) -> Array:
        """Speeds of the newest command (dof,) [rad/s]; zero where it was another one."""
        return self._sent

    def step(self, q: Array, qd: Array, age: float) -> str | None:
        """Return the script line to send now; None if there is nothing to send.

        Args:
            q: joints of the newest sample (dof,) [rad].
            qd: their speeds (dof,) [rad/s].
            age: how long ago the controller took that sample [s].
        """
        line = self._line(q, qd, age)
        if line is None or not line.startswith("speedj"):
            self._sent, self._acceleration = np.zeros_like(q), 0.0
        if line is not None:
            moves = not line.startswith("stopj")
            self._runs_out = self._clock() + COMMAND_TIME if moves else None
        return line

    def _line(self, q: Array, qd: Array, age: float) -> str | None:
        goal = self.goal
        if goal is None:
            return None
        if goal.until is not None and self._clock() > goal.until:
            self.drop()
            return stop_line()
        if age > STALE:
            return self._stop_behind(goal)
        error = goal.q - q
        distance, speed = float(np.abs(error).max()), float(np.abs(qd).max())
        if distance > (ARRIVING if goal.settled else CLOSE) or speed > ARRIVAL_SPEED:
            goal.arriving = False
            if goal.speeds is not None:
                wanted, distance = goal.speeds(q)
                self._sent = wanted
            else:
                wanted = self._speeds(error, qd, goal.share * self._top)
            return speed_line(wanted, lasting(float(np.abs(wanted).max()), distance))
        if not goal.arriving:
            goal.arriving = True
            return arrival_line(goal.q)
        if speed < RESTING and distance < ARRIVED and goal.until is None:
            self.drop()
        return None

    def _stop_behind(self, goal: Goal) -> str | None:
        """Return a stop, once, when the last motion has run out and no new sample has come."""
        if self._runs_out is None or self._clock() < self._runs_out:
            return None
        goal.arriving = False
        return stop_line()

    def _speeds(self, error: Array, qd: Array, top: Array) -> Array:
        """Return joint speeds (dof,) [rad/s] straight to a goal, none above ``top``.

        The speed along the line starts from the one sent before, or from the measured one where
        the arm has not followed, and rises within the limits. Joints closer than
        ``CLOSE`` rest, so that they do not oscillate.

        Args:
            error: goal minus measured joints (dof,) [rad].
            qd: measured speeds (dof,) [rad/s].
            top: largest speeds (dof,) [rad/s].
        """
        error = np.where(np.abs(error) < CLOSE, 0.0, error)
        distance = float(np.abs(error).max())
        if distance == 0.0:
            self._sent, self._acceleration = np.zeros_like(error), 0.0
            return self._sent
        line = error / distance
        with np.errstate(divide="ignore"):
            most = float((top / np.abs(line)).min())
        followed = _along(line, qd) + ACCELERATION * (STALE + 2 * PERIOD)
        before = max(min(_along(line, self._sent), followed), 0.0)
        risen, acceleration = _RISE.after((before, self._acceleration), most, PERIOD)
        speed = safe_speed(distance, min(risen, most))
        self._acceleration = acceleration if speed == risen else 0.0
        self._sent = speed * line
        return self._sent


def top_speeds(arm: Arm) -> Array:
    """Return the top speeds of an arm's joints (dof,) [rad/s]."""
    given = [joint.limits.speed for joint in arm.driven]
    return np.array([DEFAULT_SPEED if speed is None else speed for speed in given])


def _along(line: Array, qd: Array) -> float:
    """Return the speed along a line whose largest component is 1."""
    return float(line @ qd / (line @ line))


def speed_line(qd: Array, seconds: float = COMMAND_TIME) -> str:
    """Return the script line that makes the joints move at ``qd`` (dof,) [rad/s] for a moment."""
    return f"speedj({_list(qd)}, {ACCELERATION:g}, {seconds:.4g})"


def arrival_line(q: Array) -> str:
    """Return the script line for the final approach."""
    return f"movej({_list(q)}, a={ARRIVAL_ACCELERATION:g}, v={ARRIVAL_SPEED:g})"


def stop_line() -> str:
    """Return the script line that stops the joints."""
    return f"stopj({STOP:g})"


def _list(values: Array) -> str:
    return "[" + ", ".join(f"{value:.7f}" for value in values) + "]"
