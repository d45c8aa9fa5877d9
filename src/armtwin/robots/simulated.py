"""A kinematic arm in this process: any arm file, held to its speeds and accelerations."""

from __future__ import annotations

import asyncio
import contextlib
import time

import numpy as np

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.robots.robot import FOLLOW_TIMEOUT, Robot, State
from armtwin.spatial import Array

PERIOD = 0.01
LONGEST_STEP = 0.1
DEFAULT_SPEED = 2.0
RISE_TIME = 0.1
ARRIVED = 1e-9
UR_START = (0.0, -np.pi / 2, np.pi / 2, -np.pi / 2, -np.pi / 2, 0.0)


class SimulatedArm(Robot):
    """An arm that goes where it is told, within its limits, by the clock.

    Speeds are the arm's own, or 2 rad/s where the file gives none; top speed is reached in 0.1 s
    where it gives no acceleration.
    """

    def __init__(self, arm: Arm, q: Array | None = None) -> None:
        super().__init__(arm, arm.title or arm.name, "simulated")
        self._q = start_position(arm) if q is None else as_joints(arm, q).copy()
        self._qd = np.zeros(arm.dof)
        self._target = self._q.copy()
        self._until: float | None = None
        self._begun = self._stepped = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        given = [joint.limits.speed for joint in arm.driven]
        self._top = np.array([DEFAULT_SPEED if speed is None else speed for speed in given])
        rises = [joint.limits.acceleration for joint in arm.driven]
        self._rise = np.array(
            [t / RISE_TIME if a is None else a for a, t in zip(rises, self._top, strict=True)]
        )
        self._speed, self._change = self._top, self._rise

    async def start(self) -> None:
        """Step every 10 ms from now on."""
        self._begun = self._stepped = time.monotonic()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stand still where the arm is."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def move(self, q: Array, speed: float) -> None:
        r"""Set out for ``q`` (dof,), straight in joint space where the arm stands.

        Joints arrive together: with the ways e, every joint's speed and acceleration are

        .. math:: |e_j| \min_k v_k / |e_k|, \qquad |e_j| \min_k a_k / |e_k|
        """
        self._aim(q, speed)
        self._until = None
        way = np.abs(self._target - self._q)
        if way.any() and not self._qd.any():
            self._speed = way * (self._speed[way > 0] / way[way > 0]).min()
            self._change = way * (self._rise[way > 0] / way[way > 0]).min()

    async def follow(self, q: Array, speed: float) -> None:
        """Aim at ``q`` (dof,) for the next 0.3 s."""
        self._aim(q, speed)
        self._until = time.monotonic() + FOLLOW_TIMEOUT

    async def stop(self) -> None:
        """Brake as hard as the arm may."""
        self._until = None
        self._target = self._rest()
        self._speed, self._change = self._top, self._rise

    def state(self) -> State:
        """Return the arm as it is now."""
        moving = bool(np.abs(self._qd).max(initial=0.0) > ARRIVED)
        status = "moving" if moving else "ready"
        now = time.monotonic() - self._begun
        target = self._target.copy() if moving else self._q.copy()
        return State(now, self._q.copy(), self._qd.copy(), target, moving, status)

    def _aim(self, q: Array, speed: float) -> None:
        if not 0 < speed <= 1:
            raise InputError(f"speed is a share of the limits, above 0 and at most 1; got {speed}")
        self._target = as_joints(self.arm, q).copy()
        self._speed, self._change = speed * self._top, self._rise

    def _rest(self) -> Array:
        """Return where the arm comes to rest when it brakes: ``q + qd |qd| / (2 a)``."""
        ahead = self._q + self._qd * np.abs(self._qd) / (2 * self._rise)
        return np.asarray(np.clip(ahead, self.arm.lower, self.arm.upper))

    async def _run(self) -> None:
        due = time.monotonic()
        while True:
            due = max(due + PERIOD, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            now = time.monotonic()
            if self._until is not None and now > self._until:
                await self.stop()
            self.step(min(now - self._stepped, LONGEST_STEP))
            self._stepped = now

    def step(self, dt: float) -> None:
        r"""Move on by ``dt`` [s]: as fast as the arm may while it can still brake at its target.

        .. math:: \dot q = \mathrm{sign}(e) \min(v, \sqrt{2 a |e|}, |e| / dt), \quad e = target - q

        with the change of speed held to ``a dt``.
        """
        error = self._target - self._q
        resting = not self._qd.any()
        if resting and np.abs(error).max(initial=0.0) < ARRIVED:
            return
        far = np.abs(error)
        wanted = np.minimum(self._speed, np.sqrt(2 * self._change * far))
        wanted = np.sign(error) * np.minimum(wanted, far / dt)
        change = np.clip(wanted - self._qd, -self._change * dt, self._change * dt)
        qd = self._qd + change
        close = (far <= np.abs(qd) * dt + ARRIVED) & (np.abs(qd) <= 2 * self._change * dt)
        self._q = np.clip(
            np.where(close, self._target, self._q + qd * dt), self.arm.lower, self.arm.upper
        )
        self._qd = np.where(close, 0.0, qd)


def start_position(arm: Arm) -> Array:
    """Return a joint vector to begin at: bent for six joints, else zero, within the limits."""
    wanted = np.array(UR_START) if arm.dof == 6 else np.zeros(arm.dof)
    return np.asarray(np.clip(wanted, arm.lower, arm.upper))
