"""Moving the tool by hand: small steps along or about one axis, through inverse kinematics."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import numpy as np

from armtwin.errors import PlanError
from armtwin.kinematics.forward import fk
from armtwin.kinematics.inverse.ik import ik
from armtwin.spatial import Array, from_parts, rotation_from_rpy

if TYPE_CHECKING:
    from armtwin.app.control.session import Session

LINEAR, ANGULAR = 0.25, 0.8
"""Speeds of the tool at full share [m/s], [rad/s]."""
FIRST, LONGEST = 0.02, 0.1
"""Time that the first step stands for, and the longest that any does [s]."""
PAUSE = 0.25
"""After so long without a step the next one starts where the arm is [s]."""
LAG = 0.2
"""An arm further behind than this is waited for [rad | m]."""
JUMP = 0.35
"""A joint that would turn further in one step is on its way to another branch [rad]."""


class Jog:
    """Steps of one client; holds where the tool should be between them."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._last = -np.inf
        self._q = np.zeros(0)
        self._T = np.eye(4)

    async def step(
        self, axis: int, sign: int, speed: float, frame: Literal["base", "tool"]
    ) -> Array:
        """Return the joints (dof,) one step on.

        Args:
            axis: 0 to 2 along x y z, 3 to 5 about them.
            sign: which way.
            speed: share of 0.25 m/s or 0.8 rad/s.
            frame: whose axes.

        Raises:
            UnreachableError: the arm ends here.
            PlanError: the arm would have to turn over to go on.
        """
        arm, now = self.session.robot.arm, self.session.clock()
        passed = now - self._last
        if passed > PAUSE or len(self._q) != arm.dof:
            self._q = self.session.robot.state().q.copy()
            self._T, passed = fk(arm, self._q, ignore_limits=True), FIRST
        self._last = now
        if float(np.abs(self.session.robot.state().q - self._q).max()) > LAG:
            return self._q
        rate = LINEAR if axis < 3 else ANGULAR
        wanted = moved(self._T, axis, sign * speed * rate * min(passed, LONGEST), frame)
        found = await asyncio.to_thread(ik, arm, wanted, seed=self._q)
        farthest = float(np.abs(found.best - self._q).max())
        if farthest > JUMP:
            raise PlanError(
                "the arm would have to turn over here; go another way, or choose another branch"
            )
        self._q = found.best
        self._T = wanted if arm.dof >= 6 else fk(arm, self._q)
        return self._q


def moved(T: Array, axis: int, step: float, frame: Literal["base", "tool"]) -> Array:
    """Return a pose moved along or turned about one axis, of base (at the tool) or of the tool."""
    along = np.zeros(6)
    along[axis] = step
    change = from_parts(rotation_from_rpy(*along[3:].tolist()), along[:3])
    if frame == "tool":
        return T @ change
    return from_parts(change[:3, :3] @ T[:3, :3], T[:3, 3] + change[:3, 3])
