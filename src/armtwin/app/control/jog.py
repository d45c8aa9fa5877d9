"""Jogging the tool: small steps along or about one axis, through inverse kinematics."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import numpy as np

from armtwin.errors import PlanError
from armtwin.kinematics.forward import fk
from armtwin.motion.follow import solution_near
from armtwin.spatial import Array, from_parts, rotation_from_rpy

if TYPE_CHECKING:
    from armtwin.app.control.session import Session

LINEAR, ANGULAR = 0.25, 0.8
"""Speed of the tool at share 1 [m/s], [rad/s]; 0.25 m/s is reduced speed in ISO 10218."""
FIRST, LONGEST = 0.02, 0.1
"""Duration of the first step, and the longest duration of any step [s]."""
PAUSE = 0.25
"""After a longer pause the next step starts at the arm's position [s]."""
LAG = 0.2
"""No further step while the arm lags by more than this [rad | m]."""
JUMP = 0.35
"""A larger change of a joint in one step is a change of branch [rad]."""


class Jog:
    """Steps of one client; keeps the tool's target between them."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._last = -np.inf
        self._q = np.zeros(0)
        self._T = np.eye(4)

    async def step(
        self, axis: int, sign: int, speed: float, frame: Literal["base", "tool"]
    ) -> Array:
        """Return the joint positions (dof,) after one step.

        Args:
            axis: 0 to 2 along x y z, 3 to 5 about them.
            sign: direction, -1 or 1.
            speed: share of 0.25 m/s or 0.8 rad/s.
            frame: of the axes.

        Raises:
            UnreachableError: the step leads out of reach.
            PlanError: the step needs another branch of the inverse kinematics.
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
        found = await asyncio.to_thread(solution_near, arm, wanted, self._q)
        farthest = float(np.abs(found - self._q).max())
        if farthest > JUMP:
            raise PlanError(
                "the arm would have to turn over here; move in another direction, or choose "
                "another branch"
            )
        self._q = found
        self._T = wanted if arm.dof >= 6 else fk(arm, self._q)
        return self._q


def moved(T: Array, axis: int, step: float, frame: Literal["base", "tool"]) -> Array:
    """Return a pose moved along or turned about one axis, of base (at the tool) or of the tool.

    Args:
        T: pose of the tool in base (4, 4).
        axis: 0 to 2 along x y z, 3 to 5 about them.
        step: [m] or [rad].
        frame: of the axes; base axes turn about the tool's origin.
    """
    along = np.zeros(6)
    along[axis] = step
    change = from_parts(rotation_from_rpy(*along[3:].tolist()), along[:3])
    if frame == "tool":
        return T @ change
    return from_parts(change[:3, :3] @ T[:3, :3], T[:3, 3] + change[:3, 3])
