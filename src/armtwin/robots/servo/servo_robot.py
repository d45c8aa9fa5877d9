"""A desktop arm with hobby servos as a robot."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import Callable

import numpy as np

from armtwin.errors import LinkError, NotDeliveredError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.robots.robot import FOLLOW_TIMEOUT, Robot, RobotState, require_share
from armtwin.robots.servo.arrival import AT_REST, ArmStatus
from armtwin.robots.servo.line_thread import ServoLine, ServoMove
from armtwin.robots.servo.servo_arm import open_arm
from armtwin.robots.servo.servo_settings import ServoSettings
from armtwin.spatial import Array

PERIOD = 0.05
"""Time between checks of the timeout of a followed target [s]."""
NEAR = 2e-3
"""Tolerance of a position that is reached [rad]: more than one tick of half a microsecond."""


class ServoRobot(Robot):
    """An arm on a serial port. Positions are the commanded ones: servos report nothing.

    Args:
        arm: which arm it is.
        port: the serial port.
        settings: mounting of its servos.
        i_mean_it: it may be moved.
        clock: current time [s].
    """

    def __init__(
        self,
        arm: Arm,
        port: str,
        settings: ServoSettings | None = None,
        *,
        i_mean_it: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        allowed = i_mean_it or (settings is not None and settings.i_mean_it)
        watching = "" if allowed else " (watching only)"
        super().__init__(arm, f"{arm.name} on {port}{watching}", "servo", real=True, clock=clock)
        self.can_move = allowed
        self._open = functools.partial(open_arm, port, arm, settings, i_mean_it=allowed)
        self._line: ServoLine | None = None
        self._begun, self._target = clock(), np.zeros(arm.dof)
        self._until: float | None = None
        self._seen: tuple[ArmStatus, float] | None = None
        self._qd = np.zeros(arm.dof)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the port and read the status; raise LinkError if no board answers."""
        servo = await asyncio.to_thread(self._open)
        first = [servo]
        self._line = ServoLine(lambda: first.pop() if first else self._open())
        self._line.start()
        while self._line.status is None:
            if self._line.lost:
                raise LinkError(self._line.trouble)
            await asyncio.sleep(0.01)
        self._target = self._line.status[0].q
        self._task = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Stop the arm, unless it is only watched, and close the port."""
        with contextlib.suppress(LinkError):
            await self.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._line is not None:
            await asyncio.to_thread(self._line.finish)

    async def move(self, q: Array, speed: float) -> None:
        """Start towards ``q`` (dof,)."""
        self._aim(q, speed)
        self._until = None

    async def follow(self, q: Array, speed: float) -> None:
        """Aim at ``q`` (dof,) for the next 0.3 s."""
        self._aim(q, speed)
        self._until = self.clock() + FOLLOW_TIMEOUT

    def _aim(self, q: Array, speed: float) -> None:
        require_share(speed)
        self.require_motion()
        line = self._ready()
        target, state = as_joints(self.arm, q).copy(), self.state()
        there = np.abs(state.q - target).max() < NEAR
        if np.array_equal(target, self._target) and (there or state.moving):
            return
        self._target = target
        line.order(ServoMove(target, speed))

    def _ready(self) -> ServoLine:
        if self._line is None or self._line.lost:
            why = "" if self._line is None else self._line.trouble
            raise LinkError(f"{self.title} cannot move now: {why or 'it is not connected'}")
        return self._line

    async def stop(self) -> None:
        """Stop the arm; nothing is sent to an arm that is only watched.

        Raises:
            NotDeliveredError: the arm may only be watched, or the board has not confirmed.
        """
        self._until = None
        if not self.can_move:
            raise NotDeliveredError(f"{self.title} is only watched; nothing is sent to it")
        if self._line is None or not await asyncio.to_thread(self._line.halt):
            why = "" if self._line is None else self._line.trouble
            raise NotDeliveredError(f"{self.title}: {why or 'the board does not answer'}")
        if self._line.status is not None:
            self._target = self._line.status[0].q

    def state(self) -> RobotState:
        """Return the state by the last status of the board."""
        now = self.clock() - self._begun
        if self._line is None or self._line.status is None:
            zero = np.zeros(self.arm.dof)
            return RobotState(now, zero, zero, zero, False, "connecting")
        status, seen = self._line.status
        self._measure(status, seen)
        busy = self._line.busy or status.board.mode not in AT_REST
        moving = busy and not self._line.lost
        qd = self._qd if moving else np.zeros(self.arm.dof)
        target = self._target if moving else status.q
        return RobotState(now, status.q, qd, target, moving, self._status(status, moving))

    def _measure(self, status: ArmStatus, seen: float) -> None:
        """Compute speeds from two statuses: ``qd = dq / dt``."""
        if self._seen is None or seen > self._seen[1]:
            if self._seen is not None:
                self._qd = (status.q - self._seen[0].q) / (seen - self._seen[1])
            self._seen = status, seen

    def _status(self, status: ArmStatus, moving: bool) -> str:
        assert self._line is not None
        if self._line.lost:
            return "lost"
        if self._line.trouble:
            return f"refused: {self._line.trouble}"[:120]
        if not status.board.switched_on:
            return "limp"
        return "moving" if moving else "ready"

    async def _watch(self) -> None:
        """Stop an arm that follows once its timeout is over."""
        while True:
            await asyncio.sleep(PERIOD)
            if self._until is not None and self.clock() > self._until:
                with contextlib.suppress(LinkError):
                    await self.stop()
