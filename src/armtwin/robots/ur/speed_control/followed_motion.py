r"""Leading a UR controller along a motion of the joints by speeds that end by themselves.

``SpeedCommands`` sends the speeds and keeps its rule: whatever the network does, the arm is not
carried past its goal. The motion's own time passes more slowly where that rule, the acceleration of
the commands or an arm that lags require it. With the motion's time ``t`` at the rate ``r``,

.. math:: \dot q = r \, \dot q_m(t + r d) + K \, (q_m(t) - q)

where ``d`` is the delay of a command and ``q`` the newest sample. After a pause of the network, in
which the arm went on for a moment, the motion continues at the point that is nearest to the arm.

All joints keep the direction of their motion, so the rule holds for each joint whose motion ends at
its farthest point: one that nearly rests at its end while others move fast would else be carried
past it. A joint that passes its end anyway, and returns, is not bounded.
"""

from __future__ import annotations

import numpy as np

from armtwin.motion.motion import Motion
from armtwin.robots.ur.speed_control.safe_speed import BRAKING, safe_speed
from armtwin.robots.ur.speed_control.speed_commands import PERIOD
from armtwin.spatial import Array

DELAY = PERIOD / 2
"""d: mean age of a command while it acts [s]."""
GAIN = 4.0
"""K: rate at which the arm returns to the path [1/s]; stable with a delay of 0.1 s."""
LAG = 0.05
"""The motion waits for an arm that lags by more than this [rad]."""
PASSING = 1.7e-3
"""How far a pause may carry a joint beyond its end [rad]: below 0.1 degrees. With less, all joints
wait longer for one that approaches its end."""
ROUNDING = 1e-6
"""A joint that passes its end by less has its farthest point there [rad]."""
AHEAD = 0.6
"""How much of the motion the arm may have passed during a pause [s]: two command times."""


class FollowedMotion:
    """Progress of a UR controller along a motion.

    Args:
        motion: of six joints, from rest to rest.

    Attributes:
        goal: joints at the end (6,) [rad].
        time: how much of the motion is done [s].
    """

    def __init__(self, motion: Motion) -> None:
        self.goal, self.time = motion.q[-1].copy(), 0.0
        self._motion = motion
        beyond = motion.q[::-1] - self.goal
        self._above = np.maximum.accumulate(beyond)[::-1] > ROUNDING
        self._below = np.minimum.accumulate(beyond)[::-1] < -ROUNDING
        hardest = float(np.abs(motion.qdd).max())
        self._most = min(1.0, float(np.sqrt(BRAKING / max(hardest, 1e-9))))

    def speeds(self, q: Array) -> tuple[Array, float]:
        """Return what to command for the next period, and go on by one period.

        Args:
            q: joints of the newest sample (6,) [rad].

        Returns:
            Joint speeds (6,) [rad/s], and how far the fastest joint may go on with them [rad].
        """
        self._catch_up(q)
        error = self._motion.at(self.time)[0] - q
        rate = 0.0 if float(np.abs(error).max()) > LAG else self._most
        speeds = rate * self._motion.at(self.time + rate * DELAY)[1] + GAIN * error
        fastest, left = float(np.abs(speeds).max()), self._left(q, speeds)
        share = safe_speed(left, fastest) / fastest if fastest > 0 else 1.0
        self.time = min(self.time + share * rate * PERIOD, self._motion.duration)
        return np.asarray(share * speeds), left

    def _left(self, q: Array, speeds: Array) -> float:
        """Return how far the fastest joint may go on until the first joint is at its end [rad].

        Args:
            q: joints of the newest sample (6,) [rad].
            speeds: joint speeds (6,) [rad/s].
        """
        way, size = self.goal - q, np.abs(speeds)
        returns = np.where(speeds > 0, self._above[self._row], self._below[self._row])
        ends = ~returns & (size > 0)
        room = np.maximum(np.sign(speeds) * way, 0.0) + PASSING
        farthest = float(np.abs(way).max())
        return min([farthest, *(size.max() * room[ends] / size[ends])])

    @property
    def _row(self) -> int:
        """Row of the motion at the present time."""
        return min(int(self.time / self._motion.step), len(self._motion) - 1)

    def _catch_up(self, q: Array) -> None:
        """Go on to the sample of the motion that is nearest to the arm, if that is ahead."""
        motion, row = self._motion, self._row
        ahead = motion.q[row : row + 2 + int(AHEAD / motion.step)]
        nearest = row + int(np.linalg.norm(ahead - q, axis=1).argmin())
        self.time = min(max(self.time, nearest * motion.step), motion.duration)
