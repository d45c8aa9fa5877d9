"""One client's RTDE connection to a virtual controller."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from armtwin.errors import ProtocolError
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Level, TextMessage, Type
from armtwin.robots.ur.protocol.fields import IN_USE, INPUTS, NOT_FOUND
from armtwin.robots.ur.protocol.recipe import Recipe
from armtwin.robots.ur_controller.ports.intake import Inbox
from armtwin.robots.ur_controller.ports.outbox import Outbox
from armtwin.robots.ur_controller.ports.rtde_feed import KEPT, RtdeFeed, decimation
from armtwin.robots.ur_controller.ports.text_port import detect_lost_client

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.ports.rtde_port import RtdePort

MAX_CLIENTS = 256
"""Connections at a time; more are closed at once."""
MAX_INPUT_RECIPES = 255
"""A recipe's number is a uint8, and 0 means refused."""
PATIENCE = 10.0
"""A client that has read nothing for so long is dropped [s]."""
KERNEL_BUFFER = 1 << 19
"""Bytes that the system keeps for a client that is slow, about a second of samples."""
MAX_UNREAD = 1 << 20
"""Bytes of answers that a client may leave unread."""


_EXPECTED = {None, *Type}


class RtdeSession(asyncio.Protocol):
    """One client's connection.

    Attributes:
        started: whether the client gets samples.
        skipped: samples that it has missed since it reads too slowly.
    """

    def __init__(self, port: RtdePort) -> None:
        self._port, self.protocol, self.started = port, 1, False
        self._framer = codec.Framer()
        self._feed: RtdeFeed | None = None
        self._sent = 0
        self._inputs: list[Recipe] = []
        self._transport: asyncio.Transport | None = None
        self._inbox: Inbox | None = None
        self._outbox: Outbox | None = None
        self._stuck_since: float | None = None
        self.skipped = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the clients, unless there are too many."""
        self._transport = cast(asyncio.Transport, transport)
        if len(self._port.sessions) >= MAX_CLIENTS:
            self._transport.abort()
            return
        sock = self._transport.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER)
        detect_lost_client(self._transport)
        self._inbox = Inbox(self._port.intake, self._work, self._transport)
        self._outbox = Outbox(self._transport)
        self._port.sessions.append(self)

    def connection_lost(self, error: Exception | None) -> None:
        """Leave the clients and give back the inputs, once all that has come is worked on."""
        self.started = False
        if self._inbox is not None:
            self._inbox.finish(self._leave)

    def resume_writing(self) -> None:
        """Send what was gathered while the client did not read."""
        if self._outbox is not None:
            self._outbox.flush()

    def _leave(self) -> None:
        self._port.feeds.leave(self)
        if self in self._port.sessions:
            self._port.sessions.remove(self)
        mine = [name for name, owner in self._port.owners.items() if owner is self]
        for name in mine:
            del self._port.owners[name]

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        if self._inbox is not None:
            self._inbox.feed(data)

    def _work(self, data: bytes) -> Iterator[None]:
        """Answer every request that is complete now; nonsense ends the connection."""
        try:
            for kind, payload in self._framer.feed(data):
                self._take(kind, payload)
                yield
            if self._framer.coming not in _EXPECTED:
                raise ProtocolError(f"packets of type {self._framer.coming} do not exist")
        except ProtocolError as error:
            self.drop(str(error))

    def _take(self, kind: int, payload: bytes) -> None:
        if kind == Type.DATA:
            self._take_inputs(payload)
        elif kind == Type.PROTOCOL_VERSION:
            requested = codec.read_protocol_request(payload)
            known = requested in codec.PROTOCOLS
            self.protocol = requested if known else self.protocol
            self._answer(Type.PROTOCOL_VERSION, bytes([known]))
        elif kind == Type.CONTROLLER_VERSION:
            version = self._port.controller.version
            self._answer(Type.CONTROLLER_VERSION, codec.controller_version(version))
        elif kind == Type.OUTPUTS:
            self._set_outputs(payload)
        elif kind == Type.INPUTS:
            self._set_inputs(payload)
        elif kind in (Type.START, Type.PAUSE):
            self._switch(Type(kind))
        elif kind == Type.TEXT:
            text = codec.read_text(payload, self.protocol)
            self._port.controller.log.append(text)
        else:
            raise ProtocolError(f"packets of type {kind} do not exist")

    def _switch(self, kind: Type) -> None:
        able = self._feed is not None or bool(self._inputs)
        self.started = kind == Type.START and able
        self._sent = self._feed.count if self._feed is not None else 0
        self._answer(kind, bytes([able or kind == Type.PAUSE]))

    def _set_outputs(self, payload: bytes) -> None:
        frequency, names = codec.read_setup_outputs(payload, self.protocol)
        known, numbered = self._port.outputs, self.protocol >= 2
        types = [known[name].name if name in known else NOT_FOUND for name in names]
        short = len(payload) <= codec.LONGEST_NAMES + 8
        self._port.feeds.leave(self)
        self._feed, self.started = None, False
        if short and names and NOT_FOUND not in types and len(set(names)) == len(names):
            self._feed = self._port.feeds.join(
                self, names, [known[name] for name in names],
                numbered=numbered, every=decimation(frequency, self._port.controller.dt),
            )  # fmt: skip
        number = 1 if self._feed is not None else 0
        answer = codec.setup_answer(number, types or [NOT_FOUND], numbered=numbered)
        self._answer(Type.OUTPUTS, answer[: codec.LARGEST - 3])

    def _set_inputs(self, payload: bytes) -> None:
        names = codec.read_names(payload)
        types = [self._input_type(name) for name in names]
        free = len(self._inputs) < MAX_INPUT_RECIPES and len(set(names)) == len(names)
        if names and free and not {NOT_FOUND, IN_USE} & set(types):
            self._own(names)
            number = len(self._inputs)
        else:
            number = 0
        answer = codec.setup_answer(number, types or [NOT_FOUND], numbered=True)
        self._answer(Type.INPUTS, answer[: codec.LARGEST - 3])

    def _own(self, names: Sequence[str]) -> None:
        number = len(self._inputs) + 1
        self._inputs.append(Recipe(number, names, [INPUTS[name] for name in names]))
        for name in names:
            self._port.owners[name] = self

    def _input_type(self, name: str) -> str:
        if name not in INPUTS:
            return NOT_FOUND
        owner = self._port.owners.get(name)
        return INPUTS[name].name if owner is None or owner is self else IN_USE

    def _take_inputs(self, payload: bytes) -> None:
        number = payload[0] if payload else 0
        if not 1 <= number <= len(self._inputs):
            raise ProtocolError(f"there is no input recipe {number}")
        recipe, controller = self._inputs[number - 1], self._port.controller
        controller.registers.write(recipe, recipe.values(payload))
        controller.written(recipe.names)

    def send_samples(self) -> None:
        """Send the samples made since the last time; one that does not read skips them."""
        if not self.started or self._feed is None or self._outbox is None:
            return
        behind = self._feed.count - self._sent
        if not behind:
            return
        self._sent = self._feed.count
        if self._is_stuck():
            self.skipped += behind
            return
        self.skipped += max(0, behind - KEPT)
        self._outbox.write_now(self._feed.newest(min(behind, KEPT)))

    def sample(self) -> bytes:
        """Return the present sample as this client gets it; nothing before it has a recipe."""
        return b"" if self._feed is None else self._feed.present()

    @property
    def unread(self) -> bool:
        """Whether something waits for the client, here or in the feed."""
        behind = self.started and self._feed is not None and self._feed.count > self._sent
        return behind or bool(self._outbox and self._outbox.size)

    def finish(self) -> None:
        """Send what waits, then close."""
        self.started = False
        if self._outbox is not None:
            self._outbox.close()

    def _is_stuck(self) -> bool:
        assert self._outbox is not None
        if not self._outbox.size:
            self._stuck_since = None
            return False
        now = time.monotonic()
        self._stuck_since = self._stuck_since or now
        if now - self._stuck_since > PATIENCE:
            self._abort()
        return True

    def say(self, packets: bytes) -> None:
        """Send packets of text messages, unless the client does not read."""
        if not self._is_stuck():
            self.write(packets)

    def drop(self, reason: str) -> None:
        """Close the connection."""
        self._port.controller.log.append(
            TextMessage(f"client dropped: {reason}", "rtde", Level.WARNING)
        )
        if self._inbox is not None:
            self._inbox.close()
        self._abort()

    def _abort(self) -> None:
        self.started = False
        if self._transport is not None:
            self._transport.abort()

    def _answer(self, kind: Type, payload: bytes) -> None:
        self.write(codec.packet(kind, payload))

    def write(self, data: bytes) -> None:
        """Send; a client that sends requests without reading the answers is disconnected."""
        assert self._outbox is not None
        if self._outbox.size > MAX_UNREAD:
            self._abort()
        else:
            self._outbox.write(data)
