"""What one running app holds: the arm, who may move it, and who watches."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.app.body import Body
from armtwin.app.hub import Hub
from armtwin.app.lease import Lease
from armtwin.errors import ArmTwinError
from armtwin.kinematics.joints import as_joints

WATCH_PERIOD = 0.1


class Session:
    """One arm, its lease and its watchers.

    Attributes:
        body: the arm that is shown.
        lease: who may move it.
        hub: sends its state to every watcher.
        on_stop: called (and awaited, if need be) whenever the arm is stopped: a program that runs
            ends here.
        on_change: called with the new body when it has been changed.
        on_close: called when the app ends.
        folder: where programs and other files of the user are kept.
        navigation: path, label and icon of every page.
        parts: what other modules keep with the session, by name: programs, jobs, a recorder.
    """

    def __init__(self, body: Body, *, folder: Path | None = None) -> None:
        self.body = body
        self.lease = Lease()
        self.hub = Hub(self)
        self.on_stop: list[Callable[[], Any]] = []
        self.on_change: list[Callable[[Body], Any]] = []
        self.on_close: list[Callable[[], Any]] = []
        self.folder = folder or Path.home() / ".armtwin"
        self.navigation: list[tuple[str, str, str]] = []
        self.parts: dict[str, Any] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the arm, the stream and the watch over the lease."""
        await self.body.start()
        self._tasks = [asyncio.create_task(self.hub.run()), asyncio.create_task(self._watch())]

    async def close(self) -> None:
        """Stop the arm first, then end everything else."""
        with contextlib.suppress(ArmTwinError):
            await self.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for call in self.on_close:
            await _awaited(call())
        await self.body.close()

    async def move(self, client_id: str, q: Any, speed: float) -> None:
        """Set out for ``q`` (dof,), if the client holds the lease."""
        self.lease.require(client_id)
        self.body.require_motion()
        await self.body.move(as_joints(self.body.arm, np.asarray(q, float)), speed)

    async def follow(self, client_id: str, q: Any, speed: float) -> None:
        """Aim at ``q`` (dof,) for a moment, if the client holds the lease."""
        self.lease.require(client_id)
        self.body.require_motion()
        await self.body.follow(as_joints(self.body.arm, np.asarray(q, float)), speed)

    async def stop(self) -> None:
        """Stop the arm and whatever moves it; everybody may."""
        await self.body.stop()
        for call in self.on_stop:
            await _awaited(call())

    async def change_body(self, body: Body) -> None:
        """Show another arm instead; the one shown so far is stopped and let go.

        Raises:
            ArmTwinError: the new one does not start; then the one before stays.
        """
        await body.start()
        old, self.body = self.body, body
        self.lease.free()
        self.hub.forget_arm()
        for call in self.on_change:
            await _awaited(call(body))
        await old.stop()
        await old.close()

    async def _watch(self) -> None:
        """Stop the arm when the one who moves it is gone."""
        while True:
            await asyncio.sleep(WATCH_PERIOD)
            if self.lease.is_over():
                self.lease.free()
                await self.stop()


async def _awaited(result: Any) -> None:
    if inspect.isawaitable(result):
        await result
