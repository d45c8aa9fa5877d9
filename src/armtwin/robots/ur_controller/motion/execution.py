"""The motion that a controller executes, and what forbids it."""

from __future__ import annotations

import numpy as np

from armtwin.errors import ArmTwinError
from armtwin.model.arm import Arm
from armtwin.robots.ur_controller.motion.joint_moves import Brake, Move, Reference
from armtwin.spatial import Array

PROGRAM_STOP = 4.0
"""Deceleration at a program's end [rad/s2]."""
NO_SPEED = 1e-6
"""Below this a joint is at rest at the end of a move; rounding leaves such speeds [rad/s]."""

ROUNDING, FASTER = 1e-9, 1.05
"""How far beyond a joint's limits [rad] and above its top speed a reference may be."""


class MotionExecution:
    """Moves the reference, cycle by cycle.

    Args:
        arm: the arm, for its joint limits.
        top: highest joint speeds (dof,) [rad/s].
        reference: what the joints shall do; changed in place.

    Attributes:
        move: what is being done; None at rest.
    """

    def __init__(self, arm: Arm, top: Array, reference: Reference) -> None:
        self.reference = reference
        self._least, self._most = arm.lower - ROUNDING, arm.upper + ROUNDING
        self._fastest = FASTER * top
        self.move: Move | None = None

    def brake(self, deceleration: float = PROGRAM_STOP) -> None:
        """Bring a moving arm to rest."""
        if self.move is not None:
            self.move = Brake(deceleration)

    def halt(self) -> None:
        """Stand still at once."""
        self.reference.rest()
        self.move = None

    def advance(self, dt: float, scale: float) -> str:
        """Move the reference on by a cycle; return why it may not, or nothing.

        Args:
            dt: length of the cycle [s].
            scale: share of the programmed speed.
        """
        if self.move is None:
            return ""
        reference = self.reference
        before = (reference.q, reference.qd, reference.qdd)
        try:
            if self.move.step(reference, dt, scale):
                self._end_move()
            trouble = self._trouble()
        except ArmTwinError as error:
            trouble = str(error)
        if trouble:
            reference.q, reference.qd, reference.qdd = before
        return trouble

    def _end_move(self) -> None:
        """End a move: an arm that still has speed, as after a timed speedj, brakes."""
        if np.abs(self.reference.qd).max() > NO_SPEED:
            self.move = Brake(PROGRAM_STOP)
        else:
            self.halt()

    def _trouble(self) -> str:
        """Return what forbids the reference, or nothing."""
        q, speed = self.reference.q, np.abs(self.reference.qd)
        if ((q >= self._least) & (q <= self._most) & (speed <= self._fastest)).all():
            return ""
        if not np.isfinite(q).all() or not np.isfinite(speed).all():
            return "the commanded position is not a number"
        beyond = np.flatnonzero((q < self._least) | (q > self._most))
        if beyond.size:
            return f"joint {beyond[0] + 1} at its limit, {q[beyond[0]]:.3f} rad"
        fast = int(np.flatnonzero(speed > self._fastest)[0])
        return f"joint {fast + 1} too fast, {self.reference.qd[fast]:.2f} rad/s"
