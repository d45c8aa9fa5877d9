"""Detection of unstable runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armtwin.model.arm import Arm
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.simulation.log import SimulationLog

FASTEST, OVERSPEED = 20.0, 3.0
"""Speed beyond which a joint runs away: [rad/s] where the arm file has no limit, else as a multiple
of it."""
RACING = 1e3
"""Speed beyond which no push can be the reason [rad/s]."""
AFTER = 1.0
"""Time after a push in which a joint may exceed the speed of its own drive [s]."""
CHATTER_ROWS, CHATTER_SHARE = 50, 0.4
"""Rows over which torque commands are watched (0.1 s at 500 Hz), and the share of changed signs at
the torque limits that is chatter; a command that flips in every row has 1."""


class StabilityWatch:
    """Detect joints that race, and torques that jump from one limit to the other.

    Args:
        arm: the arm.
        effort: largest torques (dof,) [Nm].
        falling: the controller lets the arm fall, so that any speed below ``RACING`` is accepted.
    """

    def __init__(self, arm: Arm, effort: Array, *, falling: bool = False) -> None:
        self._arm, self._effort, self._last_contact = arm, effort, -np.inf
        self._falling = falling
        speeds = [joint.limits.speed for joint in arm.driven]
        self._fastest = np.array([FASTEST if v is None else OVERSPEED * v for v in speeds])

    def trouble(self, row: int, log: SimulationLog) -> str | None:
        """Return the instability at a row, with time and state; None where the run is stable."""
        time = float(log.motion.time[row])
        if log.external[row].any():
            self._last_contact = time
        pushed = self._falling or time - self._last_contact < AFTER
        fastest = np.full_like(self._fastest, RACING) if pushed else self._fastest
        if not (np.abs(log.true_qd[row]) <= fastest).all():
            return self._text(row, log, "runs away")
        if row and row % CHATTER_ROWS == 0:
            last = log.command[row - CHATTER_ROWS : row]
            full = np.abs(last) >= self._effort
            flips = (np.diff(np.sign(last), axis=0) != 0) & full[1:]
            if (flips.mean(axis=0) > CHATTER_SHARE).any():
                return self._text(row, log, "chatters between its torque limits")
        return None

    def _text(self, row: int, log: SimulationLog, what: str) -> str:
        return (
            f"arm {self._arm.name!r} {what} at t = {log.motion.time[row]:.3f} s: "
            f"q = {_numbers(log.true_q[row])} rad, qd = {_numbers(log.true_qd[row])} rad/s; "
            "lower the gains, shorten the delays or raise the control rate"
        )


def _numbers(values: Array) -> str:
    return "(" + ", ".join(f"{value:.3g}" for value in values) + ")"
