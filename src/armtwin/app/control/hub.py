"""The state of the arm to everybody who watches: one text per tick, shared by all."""

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
MOST_WATCHERS = 64
MOST_NAMES = 500
PREVIEWS_A_TICK = 2
"""Previews computed every 20 ms for all clients together: at most about 3 % of the loop's time."""


class Socket(Protocol):
    """What is needed of a WebSocket."""

    async def send_text(self, data: str) -> None:
        """Send one message."""


class Watcher:
    """One connection: the newest state waits in it, older ones that were not sent are dropped.

    Args:
        socket: where messages go.
        greeting: makes the message that tells what arm is shown.
        client_id: who it is; the client in control keeps its place when others lose theirs.
        address: from where it connects.

    Attributes:
        heard: when its last message came (monotonic clock) [s].
        evicted: set when its place is needed for somebody else.
    """

    def __init__(
        self, socket: Socket, greeting: Callable[[], str], client_id: str = "", address: str = ""
    ) -> None:
        self.socket = socket
        self.greeting = greeting
        self.client_id, self.address = client_id, address
        self.heard = time.monotonic()
        self.evicted = asyncio.Event()
        self._state: str | None = None
        self._notes: list[str] = []
        self._ready = asyncio.Event()

    def show(self, text: str) -> None:
        """Put the newest state in the place of the one before."""
        self._state = text
        self._ready.set()

    def tell(self, text: str) -> None:
        """Send a message that must not be dropped; a client that takes none loses the oldest."""
        self._notes = [*self._notes[-50:], text]
        self._ready.set()

    async def pump(self) -> None:
        """Send what waits, one after the other, until the connection ends."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            notes, self._notes = self._notes, []
            state, self._state = self._state, None
            for note in notes:
                await self.socket.send_text(note)
            if state is not None:
                await self.socket.send_text(state)


class Hub:
    """Fifty times a second: state, one JSON text, every watcher.

    Attributes:
        watchers: everybody connected.
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
        """Take a watcher in; where all places are taken, another one loses its place.

        So whoever opens a page to stop the arm always gets one. The place is taken from the
        address with most connections: from the watcher that was silent for longest, never from
        the client in control.
        """
        if len(self.watchers) >= MOST_WATCHERS:
            self._evict()
        self.watchers.add(watcher)

    def remove(self, watcher: Watcher) -> None:
        """Forget a watcher."""
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
        """Answer soon where the arm would be at ``q`` (dof,); a newer question replaces it."""
        self._previews[watcher] = q

    def greet(self) -> None:
        """Tell everybody that another arm is shown."""
        for watcher in self.watchers:
            watcher.tell(watcher.greeting())

    def name_of(self, client_id: str, device: str) -> str:
        """Return the name others see a client by: its device and a number of its own."""
        if client_id not in self._names:
            self._count += 1
            self._names[client_id] = f"{device} {self._count}"
            if len(self._names) > MOST_NAMES:
                self._names.pop(next(iter(self._names)))
        return self._names[client_id]

    def message(self) -> str:
        """Return the newest state as JSON text."""
        robot = self.session.robot
        if self._messages is None or self._messages.arm is not robot.arm:
            self._messages = Messages(robot.arm)
        return self._messages.text(robot.state(), robot, self.session.lease)

    async def run(self) -> None:
        """Send until cancelled; nobody there, nothing computed."""
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
        """Answer the oldest previews; the number is bounded, so that nothing else waits."""
        arm = self.session.robot.arm
        for watcher in list(self._previews)[:PREVIEWS_A_TICK]:
            try:
                q = as_joints(arm, self._previews.pop(watcher))
            except ArmTwinError as error:
                watcher.tell(encode({"type": "error", "error": str(error)}))
            else:
                watcher.tell(encode({"type": "preview", "q": q, **placed(arm, q)}))
