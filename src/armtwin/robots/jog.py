"""Jogging the tool: small steps along or about one axis, through inverse kinematics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from armtwin.errors import PlanError
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.motion.follow import solution_near
from armtwin.robots.motion_generator import RateLimits
from armtwin.robots.robot import Robot
from armtwin.spatial import Array, from_parts, rotation_from_rpy

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
STRAY = 2e-5
"""Largest distance of the tool from its line within a step [m]: joints that move evenly lead it on
a curve, and an arm that lags by a step cuts two at once, which strays four times as far."""
JOINT_SHARE = 0.5
"""Share of its speed limit at which a joint is led at most; the rest is for an arm that lags."""
SHORTEST = 0.02
"""A step is shortened to no less than this part of it, so that the tool can leave any position."""


class Jog:
    """Steps of one client; keeps the tool's target between them.

    Args:
        robot: returns the robot that is jogged now.
        clock: returns the time [s].
    """

    def __init__(self, robot: Callable[[], Robot], clock: Callable[[], float]) -> None:
        self._robot, self._clock = robot, clock
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
        robot, now = self._robot(), self._clock()
        arm = robot.arm
        passed = now - self._last
        if passed > PAUSE or len(self._q) != arm.dof:
            self._q = robot.state().q.copy()
            self._T, passed = fk(arm, self._q, ignore_limits=True), FIRST
        self._last = now
        if float(np.abs(robot.state().q - self._q).max()) > LAG:
            return self._q
        rate = LINEAR if axis < 3 else ANGULAR
        step = JogStep(axis, sign * speed * rate, min(passed, LONGEST), frame)
        wanted, found = await asyncio.to_thread(straight_step, arm, step, self._T, self._q)
        farthest = float(np.abs(found - self._q).max())
        if farthest > JUMP:
            raise PlanError(
                "the arm would have to turn over here; move in another direction, or choose "
                "another branch"
            )
        self._q = found
        self._T = wanted if arm.dof >= 6 else fk(arm, self._q)
        return self._q


@dataclass(frozen=True)
class JogStep:
    """A step of the tool: ``axis`` 0-2 along x y z, 3-5 about them, of ``frame``.

    Attributes:
        axis: see above.
        rate: speed, with its sign [m/s | rad/s].
        seconds: duration [s].
        frame: of the axes; base axes turn about the tool's origin.
    """

    axis: int
    rate: float
    seconds: float
    frame: Literal["base", "tool"]


def straight_step(arm: Arm, step: JogStep, T: Array, q: Array) -> tuple[Array, Array]:
    """Return pose (4, 4) and joints (dof,) after a step.

    It is shortened where the tool would stray from its line or a joint would be too fast, as near
    a singularity. So a jog becomes slower there and stays on its line.

    Args:
        arm: the arm.
        step: the step that is wanted.
        T: pose of the tool in base before it (4, 4).
        q: joints before it (dof,) [rad | m].

    Raises:
        UnreachableError: the step leads out of reach.
        PlanError: the step needs another branch of the inverse kinematics.
    """
    size = step.rate * step.seconds
    wanted = moved(T, step.axis, size, step.frame)
    found = solution_near(arm, wanted, q)
    fastest = JOINT_SHARE * RateLimits.of(arm).speed * step.seconds
    part = min(
        float(np.sqrt(STRAY / max(stray(arm, q, found), 1e-12))),  # grows as the step squared
        float((fastest / np.maximum(np.abs(found - q), 1e-12)).min()),
    )
    if part < 1.0:
        wanted = moved(T, step.axis, size * max(SHORTEST, part), step.frame)
        found = solution_near(arm, wanted, q)
    return wanted, found


def stray(arm: Arm, start: Array, end: Array) -> float:
    """Return how far the tool is from its straight line midway between two positions [m].

    Args:
        arm: the arm.
        start: joints (dof,) [rad | m].
        end: likewise; between them the joints move evenly.
    """
    rows = np.array([start, (start + end) / 2, end])
    first, middle, last = fk(arm, rows, ignore_limits=True)[:, :3, 3]
    away, along = middle - (first + last) / 2, last - first
    length = float(along @ along)
    return float(np.linalg.norm(away - along * (along @ away / length if length > 0 else 0.0)))


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
