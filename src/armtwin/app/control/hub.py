"""Sends the robot's state to all watchers: one text per tick, shared by all."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from armtwin.app.control.message import Messages, encode, placed
from armtwin.errors import ArmTwinError
from armtwin.kinematics.joints import as_joints

if TYPE_CHECKING:
    from armtwin.app.control.session import Session

PERIOD = 0.02
"""Time between two states that are sent [s]: 50 a second, as docs/api.md states."""
MAX_WATCHERS = 64
"""Clients that get states; STOP is measured with as many (docs/app.md)."""
MAX_NAMES = 500
"""Names of clients that are kept, oldest dropped first: a client that returns keeps its number."""
PREVIEWS_A_TICK = 2
"""Previews computed every 20 ms for all clients together: at most about 3 % of the loop's time."""


class Socket(Protocol):
    """The part of a WebSocket that is used."""

    async def send_text(self, data: str) -> None:
        """Send one message."""


class Watcher:
    """One connection. Only the newest state waits to be sent; older ones are dropped.

    Args:
        socket: where messages go.
        greeting: returns the ``hello`` message.
        client_id: the client; the one in control is never evicted.
        address: of the client.
        write: sends a text at once, without waiting; returns False if the client is not ready.

    Attributes:
        heard: time of its last message (monotonic clock) [s].
        evicted: set when its place is given to another client.
    """

    def __init__(
        self,
        socket: Socket,
        greeting: Callable[[], str],
        client_id: str = "",
        address: str = "",
        write: Callable[[str], bool] | None = None,
    ) -> None:
        self.socket = socket
        self.greeting = greeting
        self.client_id, self.address = client_id, address
        self.heard = time.monotonic()
        self.evicted = asyncio.Event()
        self._state: str | None = None
        self._notes: list[str] = []
        self._ready = asyncio.Event()
        self._write, self._busy = write, False

    def show(self, text: str) -> None:
        """Send a state at once, or replace the waiting one if the client is not ready."""
        waits = self._busy or self._ready.is_set()
        if waits or self._write is None or not self._write(text):
            self._state = text
            self._ready.set()

    def send(self, text: str) -> None:
        """Queue a message that must be sent; beyond 51 waiting ones the oldest is dropped."""
        self._notes = [*self._notes[-50:], text]
        self._ready.set()

    async def pump(self) -> None:
        """Send waiting messages until the connection ends."""
        while True:
            self._busy = False
            await self._ready.wait()
            self._busy = True
            self._ready.clear()
            notes, self._notes = self._notes, []
            state, self._state = self._state, None
            for note in notes:
                await self.socket.send_text(note)
            if state is not None:
                await self.socket.send_text(state)


class Hub:
    """Sends the state fifty times a second to every watcher.

    Attributes:
        watchers: all connections.
        listeners: functions called with every State, for recorders; they must be quick.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.watchers: set[Watcher] = set()
        self.listeners: list[Any] = []
        self._messages: Messages | None = None
        self._names: dict[str, str] = {}
        self._count = 0
        self._previews: dict[Watcher, list[float]] = {}

    def add(self, watcher: Watcher) -> None:
        """Add a watcher; if there are too many, evict another.

        So a client that connects to stop the robot always gets in. Evicted is, of the address with
        most connections, the watcher that was silent for longest; never the client in control.
        """
        if len(self.watchers) >= MAX_WATCHERS:
            self._evict()
        self.watchers.add(watcher)

    def remove(self, watcher: Watcher) -> None:
        """Remove a watcher."""
        self.watchers.discard(watcher)
        self._previews.pop(watcher, None)

    def _evict(self) -> None:
        lease = self.session.lease
        free = [watcher for watcher in self.watchers if not lease.is_held_by(watcher.client_id)]
        if not free:
            return
        crowd = Counter(watcher.address for watcher in free)
        chosen = min(free, key=lambda watcher: (-crowd[watcher.address], watcher.heard))
        self.remove(chosen)
        chosen.evicted.set()

    def preview(self, watcher: Watcher, q: list[float]) -> None:
        """Queue a preview of the arm at ``q`` (dof,); a watcher's newer one replaces it."""
        self._previews[watcher] = q

    def greet(self) -> None:
        """Send ``hello`` to all watchers: the robot was changed."""
        for watcher in self.watchers:
            watcher.send(watcher.greeting())

    def name_of(self, client_id: str, device: str) -> str:
        """Return the public name of a client: its device and a number."""
        if client_id not in self._names:
            self._count += 1
            self._names[client_id] = f"{device} {self._count}"
            if len(self._names) > MAX_NAMES:
                self._names.pop(next(iter(self._names)))
        return self._names[client_id]

    def message(self) -> str:
        """Return the newest state as JSON text."""
        robot = self.session.robot
        if self._messages is None or self._messages.arm is not robot.arm:
            self._messages = Messages(robot.arm)
        run = self.session.program_run()
        return self._messages.text(robot.state(), robot, self.session.lease, run)

    async def run(self) -> None:
        """Send until cancelled; without watchers nothing is computed."""
        due = time.monotonic()
        while True:
            due = max(due + PERIOD, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            if self.listeners:
                state = self.session.robot.state()
                for listener in self.listeners:
                    listener(state)
            if self.watchers:
                text = self.message()
                for watcher in self.watchers:
                    watcher.show(text)
            self._answer_previews()

    def _answer_previews(self) -> None:
        """Answer the oldest previews; their number per tick is bounded."""
        arm = self.session.robot.arm
        for watcher in list(self._previews)[:PREVIEWS_A_TICK]:
            try:
                q = as_joints(arm, self._previews.pop(watcher))
            except ArmTwinError as error:
                watcher.send(encode({"type": "error", "error": str(error)}))
            else:
                watcher.send(encode({"type": "preview", "q": q, **placed(arm, q)}))
