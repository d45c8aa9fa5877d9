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
        self._arm, self._top, self.reference = arm, top, reference
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
        q, qd, arm = self.reference.q, self.reference.qd, self._arm
        if not np.isfinite(q).all() or not np.isfinite(qd).all():
            return "the commanded position is not a number"
        beyond = np.flatnonzero((q < arm.lower - 1e-9) | (q > arm.upper + 1e-9))
        if beyond.size:
            return f"joint {beyond[0] + 1} at its limit, {q[beyond[0]]:.3f} rad"
        fast = np.flatnonzero(np.abs(qd) > 1.05 * self._top)
        if fast.size:
            return f"joint {fast[0] + 1} too fast, {qd[fast[0]]:.2f} rad/s"
        return ""
