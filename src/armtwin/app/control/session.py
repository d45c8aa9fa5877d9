"""One running app: its robot, the lease and the watchers."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from armtwin.app.control.hub import PERIOD, Hub
from armtwin.app.control.lease import Lease, LeaseClient
from armtwin.app.control.message import prepare
from armtwin.errors import ArmTwinError, NotPermittedError
from armtwin.files import data_folder
from armtwin.kinematics.joints import as_joints
from armtwin.robots.robot import Robot

T = TypeVar("T")
WATCH_PERIOD = 0.1
"""Time between checks of the lease [s]: an expired one is noticed 5 % of its 2 s late at most."""
LET_GO = 0.4
"""After a stop, a client that does not number its presses has let go when none of its requests has
come for this long [s]."""


class Session:
    """The state of one running app.

    Attributes:
        robot: the robot that is shown.
        clock: current time [s].
        lease: which client may move it.
        hub: sends its state to every watcher.
        on_stop: called (and awaited) whenever the robot is stopped; ends a running program.
        on_change: called with the new robot after a change.
        on_close: called when the app ends.
        folder: of programs and other files of the user.
        parts: objects of other modules by name: programs, jobs, a recorder.
        program_run: returns the run of a program as plain values, None where none runs.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        folder: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.robot = robot
        self.clock = clock
        self.lease = Lease(clock)
        self.hub = Hub(self)
        self.on_stop: list[Callable[[], Any]] = []
        self.on_change: list[Callable[[Robot], Any]] = []
        self.on_close: list[Callable[[], Any]] = []
        self.folder = folder or data_folder()
        self.parts: dict[str, Any] = {}
        self.program_run: Callable[[], dict[str, Any] | None] = lambda: None
        self._stopped = False
        self._followed = -np.inf
        self._press: int | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def part(self, name: str, make: Callable[[], T]) -> T:
        """Return the part of that name, made at the first call."""
        if name not in self.parts:
            self.parts[name] = make()
        found: T = self.parts[name]
        return found

    async def start(self) -> None:
        """Start the robot, the stream and the lease check, unless they run already."""
        if self._tasks:
            return
        await self.robot.start()
        self._tasks = [asyncio.create_task(self.hub.run()), asyncio.create_task(self._watch())]

    async def close(self) -> None:
        """Stop the robot first, then end everything else; only once."""
        if not self._tasks:
            return
        await self.halt()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for call in self.on_close:
            await _awaited(call())
        await self.robot.close()

    def take(self, client: LeaseClient) -> None:
        """Give control to a client; a new holder may follow at once after a stop.

        Raises:
            NotPermittedError: another client holds it.
        """
        already = self.lease.holder is not None and self.lease.holder.id == client.id
        self.lease.take(client)
        self._stopped = self._stopped and already

    async def release(self, client_id: str) -> None:
        """Stop the robot and release control, to the client that has waited longest.

        Raises:
            NotPermittedError: the client does not hold it.
        """
        self.lease.require(client_id)
        try:
            if self.robot.can_move:
                await self.stop()
        finally:
            self.lease.release(client_id)
            self._stopped = False

    async def move(self, client_id: str, q: Any, speed: float) -> None:
        """Start towards ``q`` (dof,) [rad | m], if the client holds the lease.

        Args:
            client_id: the client.
            q: target (dof,) [rad | m].
            speed: share of the arm's limits.
        """
        self.lease.require(client_id)
        self.robot.require_motion()
        await self.robot.move(as_joints(self.robot.arm, np.asarray(q, float)), speed)

    async def follow(self, client_id: str, q: Any, speed: float, press: int | None = None) -> None:
        """Follow ``q`` (dof,) [rad | m], if the client holds the lease.

        A stop also ends a motion whose button another client still holds. Requests of the same
        press are refused from then on, even if the network delayed them; without a number,
        requests are refused until they have paused for ``LET_GO``.

        Args:
            client_id: the client.
            q: target (dof,) [rad | m].
            speed: share of the arm's limits.
            press: number of the button press, new for every press; None if not known.

        Raises:
            NotPermittedError: no lease; or the robot was stopped and the button is still held.
        """
        self.lease.require(client_id)
        self.robot.require_motion()
        now = self.clock()
        pause, self._followed = now - self._followed, now
        same = pause < LET_GO if press is None else press == self._press
        if self._stopped and same:
            raise NotPermittedError("the arm was stopped: let go, then press again")
        self._stopped, self._press = False, press
        await self.robot.follow(as_joints(self.robot.arm, np.asarray(q, float)), speed)

    async def end_motion(self, client_id: str) -> None:
        """End the robot's motion because its holder released a button."""
        self.lease.require(client_id)
        await self.robot.end_motion()

    async def stop(self) -> None:
        """Stop the robot and any program; every client may.

        Raises:
            NotDeliveredError: the stop did not reach the robot; programs have ended nevertheless.
        """
        self._stopped = True
        stopping = asyncio.create_task(self.robot.stop())
        try:
            await asyncio.sleep(0)  # the robot first
            for call in self.on_stop:
                await _awaited(call())
        finally:
            await stopping

    async def halt(self) -> None:
        """Stop the robot without raising; the state shows whether it is lost."""
        with contextlib.suppress(ArmTwinError):
            await self.stop()

    async def come_to_rest(self) -> None:
        """Stop the robot and return once it rests and every watcher has been sent that state."""
        await self.halt()
        while self.robot.state().moving:
            await asyncio.sleep(PERIOD)
        await asyncio.sleep(2 * PERIOD)

    async def change_robot(self, robot: Robot) -> None:
        """Replace the robot; the previous one is stopped and closed.

        Raises:
            ArmTwinError: the new robot does not start; then the previous one stays.
        """
        await robot.start()
        await asyncio.to_thread(prepare, robot.arm)
        old, self.robot = self.robot, robot
        self.lease.clear()
        self.hub.greet()
        for call in self.on_change:
            await _awaited(call(robot))
        with contextlib.suppress(ArmTwinError):
            await old.stop()
        await old.close()

    async def _watch(self) -> None:
        """Stop the robot when the lease expires."""
        while True:
            await asyncio.sleep(WATCH_PERIOD)
            if self.lease.is_expired():
                self.lease.clear()
                await self.halt()


async def _awaited(result: Any) -> None:
    if inspect.isawaitable(result):
        await result
