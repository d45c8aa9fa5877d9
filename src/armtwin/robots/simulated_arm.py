"""A kinematic arm in this process: any arm file, within its speeds and accelerations."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.robots.motion_generator import MotionGenerator, RateLimits
from armtwin.robots.robot import FOLLOW_TIMEOUT, Robot, RobotState, require_share
from armtwin.robots.simulated_contacts import SimulatedContacts
from armtwin.spatial import Array

UR_START = (0.0, -np.pi / 2, np.pi / 2, -np.pi / 2, -np.pi / 2, 0.0)
"""Start of six-joint arms [rad]: a UR's elbow and wrist at right angles, far from singularities."""


class SimulatedArm(Robot):
    """An arm that moves to its targets within the limits of ``RateLimits.of(arm)``.

    Its state is a function of the clock: nothing runs in the background. A push does not move it,
    and is detected as ``SimulatedContacts`` says.

    Args:
        arm: its model.
        q: where it starts (dof,) [rad | m]; ``start_position`` if not given.
        clock: current time [s].
    """

    def __init__(
        self, arm: Arm, q: Array | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(arm, arm.title or arm.name, "simulated", clock=clock)
        start = start_position(arm) if q is None else as_joints(arm, q).copy()
        self._motion = MotionGenerator(start, RateLimits.of(arm), (arm.lower, arm.upper))
        self._until: float | None = None
        self._begun = clock()
        self._contacts = SimulatedContacts(arm, self.alarms)

    async def start(self) -> None:
        """Count the time from now on."""
        self._begun = self.clock()

    async def close(self) -> None:
        """Brake."""
        self._motion.brake(self._update())

    async def move(self, q: Array, speed: float) -> None:
        """Start towards ``q`` (dof,); from rest, on a straight line in joint space."""
        self._aim(q, speed, follows=False)

    async def follow(self, q: Array, speed: float) -> None:
        """Aim at ``q`` (dof,) for the next 0.3 s."""
        self._until = self._aim(q, speed, follows=True) + FOLLOW_TIMEOUT

    @property
    def can_move_along(self) -> bool:
        """Always."""
        return True

    async def move_along(self, motion: Motion) -> None:
        """Start along a motion, exactly."""
        self.require_start(motion)
        now = self._update()
        self._until = None
        self._motion.follow(motion, now)

    async def stop(self) -> None:
        """Brake every joint with its acceleration and jerk limits."""
        now = self._update()
        self._until = None
        self._motion.brake(now)

    async def end_motion(self) -> None:
        """Brake all joints together, on the path."""
        now = self._update()
        self._until = None
        self._motion.brake_on_path(now)

    def state(self) -> RobotState:
        """Return the arm as it is now."""
        now = self._update()
        q, qd, _ = self._motion.at(now)
        q = np.clip(q, self.arm.lower, self.arm.upper)  # rounding at a limit
        moving = self._motion.is_moving(now)
        target = self._motion.target.copy() if moving else q.copy()
        since, contacts = now - self._begun, self._contacts
        residual = contacts.at(since)
        return RobotState(
            since, q, qd, target, moving, "moving" if moving else "ready", residual=residual,
            threshold=None if residual is None else contacts.threshold,
        )  # fmt: skip

    @property
    def can_push(self) -> bool:
        """Always."""
        return True

    async def push(self, joint: int, torque: float, seconds: float) -> None:
        """Exert an external torque on a joint for a while; a new push replaces the last one."""
        if not 1 <= joint <= self.arm.dof:
            raise InputError(f"joint {joint}: there are 1 to {self.arm.dof}")
        self._contacts.push(self.clock() - self._begun, joint, torque, seconds)

    def _aim(self, q: Array, speed: float, *, follows: bool) -> float:
        """Start towards ``q`` and return the time."""
        require_share(speed)
        target, now = as_joints(self.arm, q), self._update()
        self._motion.move(target, now, share=speed, follows=follows)
        self._until = None
        return now

    def _update(self) -> float:
        """Return the time; an arm that followed has braked from its timeout on."""
        now = self.clock()
        if self._until is not None and now > self._until:
            self._motion.brake_on_path(self._until)
            self._until = None
        return now


def start_position(arm: Arm) -> Array:
    """Return joint positions (dof,) to start at: bent for six joints, else zero.

    A joint whose range does not hold that starts in the middle of it.
    """
    wanted = np.array(UR_START) if arm.dof == 6 else np.zeros(arm.dof)
    near = np.clip(wanted, arm.lower, arm.upper)
    bounded = np.isfinite(arm.lower) & np.isfinite(arm.upper)
    middle = np.where(bounded, arm.lower, near) / 2 + np.where(bounded, arm.upper, near) / 2
    return np.where((arm.lower < wanted) & (wanted < arm.upper), wanted, middle)
