"""The motion that a controller executes, and what forbids it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armtwin.errors import ArmTwinError
from armtwin.model.arm import Arm
from armtwin.robots.ur_controller.motion.compliance import Overlay, ReturnOverlay
from armtwin.robots.ur_controller.motion.joint_moves import Brake, Move, Reference
from armtwin.spatial import Array

PROGRAM_STOP = 4.0
"""Deceleration at a program's end [rad/s2]."""
NO_SPEED = 1e-6
"""Below this a joint is at rest at the end of a move; rounding leaves such speeds [rad/s]."""

ROUNDING, FASTER = 1e-9, 1.05
"""Tolerance of a reference beyond a joint's limits [rad] and above its top speed."""


class MotionExecution:
    """Moves the reference, cycle by cycle.

    Args:
        arm: the arm, for its joint limits.
        top: highest joint speeds (dof,) [rad/s].
        reference: what the joints shall do; changed in place.

    Attributes:
        move: what is being done; None at rest.
        compliance: force mode or freedrive, which changes the planned motion; None without.
    """

    def __init__(self, arm: Arm, top: Array, reference: Reference) -> None:
        self.reference = reference
        self._least, self._most = arm.lower - ROUNDING, arm.upper + ROUNDING
        self._fastest = FASTER * top
        self.move: Move | None = None
        self.compliance: Overlay | None = None

    def end_compliance(self) -> None:
        """Leave force mode or freedrive: a current motion continues, else the arm stays."""
        if self.compliance is None:
            return
        if self.move is not None:
            self.compliance = ReturnOverlay(self.compliance.planned, self.reference)
        else:
            self.brake()

    def brake(self, deceleration: float = PROGRAM_STOP) -> None:
        """Bring a moving arm to rest; force mode or freedrive ends."""
        if self.move is not None or self.compliance is not None:
            self.move = Brake(deceleration)
        self.compliance = None

    def halt(self) -> None:
        """Stand still at once."""
        self.reference.rest()
        self.move = self.compliance = None

    def advance(self, dt: float, scale: float) -> str:
        """Move the reference on by a cycle; return why it may not, or nothing.

        Args:
            dt: length of the cycle [s].
            scale: share of the programmed speed.
        """
        if self.move is None and self.compliance is None:
            return ""
        reference = self.reference if self.compliance is None else self.compliance.planned
        before = (reference.q, reference.qd, reference.qdd)
        try:
            if self.move is not None and self.move.step(reference, dt, scale):
                self._end_move(reference)
            self.reference.scale = reference.scale = scale or reference.scale
            if self.compliance is not None:
                self.compliance.step(self.reference, dt)
                self.compliance = None if self.compliance.over else self.compliance
            trouble = self._trouble()
        except ArmTwinError as error:
            trouble = str(error)
        if trouble:
            reference.q, reference.qd, reference.qdd = before
            self.reference.command = None
        return trouble

    def _end_move(self, reference: Reference) -> None:
        """End a move: an arm that still has speed, as after a timed speedj, brakes."""
        if np.abs(reference.qd).max() > NO_SPEED:
            self.move = Brake(PROGRAM_STOP)
        else:
            reference.rest()
            self.move = None

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


class StopThenMove(Move):
    """Stops the arm, then starts a move from there."""

    def __init__(self, deceleration: float, make: Callable[[Reference], Move]) -> None:
        self._brake, self._make = Brake(deceleration), make
        self._move: Move | None = None

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Brake, then move.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        if self._move is None:
            if reference.qd.any():
                self._brake.step(reference, dt, scale)
                return False
            self._move = self._make(reference)
        return self._move.step(reference, dt, scale)
