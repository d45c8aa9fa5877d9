"""Connections to the ports that send the robot's state, most of which take scripts too."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

from armtwin.robots.ur_controller.ports.intake import Intake, Step
from armtwin.robots.ur_controller.ports.script_port import (
    ScriptPort,
    ScriptRefusal,
    ScriptRunner,
)
from armtwin.robots.ur_controller.ports.text_port import TextPort
from armtwin.robots.ur_controller.programs.script_sender import ScriptSender

KERNEL_BUFFER = 1 << 16
"""Bytes that the system keeps for a client that reads slowly."""
MAX_UNREAD = 1 << 20
"""Bytes of messages that may wait for a client that does not read; further ones are lost."""


class StatePort(ScriptPort):
    """A client of the primary, secondary or real-time interface.

    A client that reads too slowly misses states and gets the newest; messages wait for it. One
    that never reads stays connected: some clients only send scripts.

    Args:
        clients: the connections of this port, which a new one joins.
        intake: shares the time of a control cycle among the robot's clients.
        run: runs a program or line, in short steps; None on a read-only port.
        refuse: reports a text whose end does not come.
        greeting: bytes that a new client gets first.

    Attributes:
        first: whether the client has got no state yet.
        skipped: states that it has missed.
        names: the global variables whose names it has got, of which program.
    """

    def __init__(
        self,
        clients: set[TextPort],
        intake: Intake,
        run: ScriptRunner | None,
        refuse: ScriptRefusal | None = None,
        greeting: bytes = b"",
    ) -> None:
        super().__init__(clients, intake, run or _ignored, refuse)
        self._takes_scripts, self._greeting = run is not None, greeting
        self.first, self.skipped = True, 0
        self.names: tuple[object, ...] = ()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the clients, unless there are too many."""
        end = transport.get_extra_info("socket")
        if end is not None:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER)
        super().connection_made(transport)

    def greet(self) -> None:
        """Send the greeting."""
        if self._greeting:
            self.send_message(self._greeting)

    def work(self, data: bytes) -> Iterator[Step]:
        """Run every program and line that is complete now; nothing on a read-only port."""
        return super().work(data) if self._takes_scripts else iter(())

    def send_state(self, packet: bytes) -> bool:
        """Send a state unless something still waits to be sent; return whether it was."""
        if self._outbox is None or self._transport is None or self._transport.is_closing():
            return False
        if self._outbox.size:
            self.skipped += 1
            return False
        self._outbox.write(packet)
        self.first = False
        return True

    def send_message(self, packet: bytes) -> None:
        """Send a message, after what still waits to be sent."""
        if self._outbox is not None and self._outbox.size + len(packet) <= MAX_UNREAD:
            self._outbox.write(packet)


def _ignored(text: str, sender: ScriptSender) -> Iterator[Step]:
    """Run nothing: what clients send to a read-only port has no effect."""
    return iter(())
