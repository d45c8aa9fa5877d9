"""One RTDE connection as an asyncio protocol."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import cast

from armtwin.errors import LinkError, ProtocolError
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import TextMessage, Type
from armtwin.robots.ur.protocol.recipe import Recipe

MAX_TEXTS = 200
"""Newest text messages that are kept."""


class Wire(asyncio.Protocol):
    """Answers, texts and samples of a connection.

    Samples wait in order until they are taken. While ``most`` of them wait, reading pauses, so
    that TCP slows the controller down; none is dropped here.

    Attributes:
        recipe: how data packets are read; None before outputs are set up.
        samples: arrival (monotonic clock) [s] and bytes of every waiting sample.
        texts: the latest text messages.
        bad: packets that could not be read and were left out.
        lost: why the connection ended; None while it stands.
    """

    def __init__(self, most: int) -> None:
        self.most, self.protocol, self.bad = most, 1, 0
        self.recipe: Recipe | None = None
        self.samples: deque[tuple[float, bytes]] = deque()
        self.texts: deque[TextMessage] = deque(maxlen=MAX_TEXTS)
        self.lost: LinkError | None = None
        self.transport: asyncio.Transport | None = None
        self._framer = codec.Framer()
        self._pending: dict[int, deque[asyncio.Future[bytes]]] = {}
        self._news = asyncio.Event()
        self._held = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Process the packets that are complete."""
        arrival = time.monotonic()
        try:
            for kind, payload in self._framer.feed(data):
                self._take(kind, payload, arrival)
        except ProtocolError as error:
            self._end(error)
        if self.samples:
            self._news.set()
        if len(self.samples) >= self.most and not self._held and self.transport is not None:
            self._held = True
            self.transport.pause_reading()

    def connection_lost(self, error: Exception | None) -> None:
        """Wake all waiting tasks."""
        self._end(LinkError(f"the connection was lost: {error or 'closed by the controller'}"))

    def _take(self, kind: int, payload: bytes, arrival: float) -> None:
        try:
            if kind == Type.DATA:
                self._take_sample(payload, arrival)
            elif kind == Type.TEXT:
                self.texts.append(codec.read_text(payload, self.protocol))
            else:
                self._answer(kind, payload)
        except ProtocolError:
            self.bad += 1

    def _take_sample(self, payload: bytes, arrival: float) -> None:
        if self.recipe is not None:
            self.samples.append((arrival, self.recipe.values(payload)))

    def _answer(self, kind: int, payload: bytes) -> None:
        waiting = self._pending.get(kind)
        while waiting:
            answer = waiting.popleft()
            if not answer.done():
                answer.set_result(payload)
                return
        self.bad += 1

    def _end(self, reason: LinkError) -> None:
        if self.lost is None:
            self.lost = reason
        for waiting in self._pending.values():
            for answer in waiting:
                if not answer.done():
                    answer.set_exception(self.lost)
        self._pending.clear()
        self._news.set()
        if self.transport is not None:
            self.transport.abort()

    def send(self, kind: Type, payload: bytes = b"") -> None:
        """Send a packet.

        Raises:
            LinkError: the connection has ended.
        """
        if self.lost is not None or self.transport is None:
            raise self.lost or LinkError("not connected")
        self.transport.write(codec.packet(kind, payload))

    async def request(self, kind: Type, payload: bytes, timeout: float) -> bytes:
        """Send a packet and return the payload of its answer.

        Args:
            kind: packet type.
            payload: of the packet.
            timeout: longest wait [s].

        Raises:
            LinkError: no answer in time, or the connection ended.
        """
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.send(kind, payload)
        self._pending.setdefault(kind, deque()).append(answer)
        try:
            return await asyncio.wait_for(answer, timeout)
        except TimeoutError as error:
            raise LinkError(f"no answer to {kind.name} within {timeout:g} s") from error

    async def wait(self, timeout: float) -> bool:
        """Return once samples wait or the connection has ended; False after ``timeout`` [s]."""
        if self.samples or self.lost is not None:
            return True
        self._news.clear()
        alarm = asyncio.get_running_loop().call_later(timeout, self._news.set)
        try:
            await self._news.wait()
        finally:
            alarm.cancel()
        return bool(self.samples) or self.lost is not None

    def take(self, most: int) -> list[tuple[float, bytes]]:
        """Return the oldest waiting samples, and read on from the network if that was held."""
        count = min(most, len(self.samples))
        taken = [self.samples.popleft() for _ in range(count)]
        if self._held and len(self.samples) <= self.most // 2 and self.transport is not None:
            self._held = False
            self.transport.resume_reading()
        return taken

    def close(self) -> None:
        """End the connection."""
        self._end(LinkError("the connection was closed here"))
