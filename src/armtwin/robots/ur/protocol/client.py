"""A client of RTDE: one connection to a controller, real or virtual."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.errors import InputError, LinkError, RefusedError
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import PORT, PROTOCOLS, TextMessage, Type
from armtwin.robots.ur.protocol.connection import Wire
from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur.protocol.recipe import Recipe, Rows, accepted
from armtwin.spatial import Array

SLOW, FAST = 125.0, 500.0
"""Samples per second that old (CB3) and newer controllers send at most."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Samples in the order in which they came.

    Attributes:
        rows: the samples (n,), a structured array with one entry per field.
        arrivals: when they came (n,), monotonic clock [s].
    """

    rows: Rows
    arrivals: Array

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.arrivals)


class RtdeClient:
    """An RTDE connection.

    .. code-block:: python

        async with RtdeClient("127.0.0.2") as client:
            await client.set_outputs(["timestamp", "actual_q"])
            await client.start()
            async for batch in client.batches():
                ...

    Args:
        host: the controller's address.
        port: its RTDE port.
        timeout: longest wait for a connection or an answer [s].
        protocol: newest protocol version to request.
        buffer: samples that may wait to be taken before reading from the network pauses.
    """

    def __init__(
        self,
        host: str,
        *,
        port: int = PORT,
        timeout: float = 5.0,
        protocol: int = PROTOCOLS[-1],
        buffer: int = 5000,
    ) -> None:
        if protocol not in PROTOCOLS or buffer < 1 or not timeout > 0:
            raise InputError(
                f"protocol is one of {PROTOCOLS}, buffer at least 1, timeout positive; got "
                f"{protocol}, {buffer}, {timeout}"
            )
        self.host, self.port, self.timeout = host, port, timeout
        self.version: Version = (0, 0, 0, 0)
        self._newest = protocol
        self._wire = Wire(buffer)

    async def __aenter__(self) -> RtdeClient:
        """Connect, negotiate the protocol and request the controller's version."""
        await self._connect()
        try:
            await self._negotiate()
            self.version = codec.read_controller_version(
                await self._request(Type.CONTROLLER_VERSION)
            )
        except BaseException:
            self._wire.close()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        """Disconnect."""
        self._wire.close()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        making = loop.create_connection(lambda: self._wire, self.host, self.port)
        try:
            await asyncio.wait_for(making, self.timeout)
        except TimeoutError as error:
            raise LinkError(f"{self._name}: no connection within {self.timeout:g} s") from error
        except (OSError, UnicodeError) as error:
            raise LinkError(
                f"{self._name}: no connection: {error}; is the robot on, or the virtual one "
                "started (armtwin robot)?"
            ) from error

    async def _negotiate(self) -> None:
        for protocol in range(self._newest, 0, -1):
            request = codec.protocol_request(protocol)
            if codec.read_accepted(await self._request(Type.PROTOCOL_VERSION, request)):
                self._wire.protocol = protocol
                return
        raise RefusedError(f"{self._name}: supports none of the protocols 1 to {self._newest}")

    @property
    def _name(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def protocol(self) -> int:
        """The protocol that was agreed on."""
        return self._wire.protocol

    @property
    def recipe(self) -> Recipe:
        """The outputs' recipe."""
        if self._wire.recipe is None:
            raise InputError("no outputs are set up; call set_outputs first")
        return self._wire.recipe

    @property
    def top_rate(self) -> float:
        """Samples per second that this controller sends at most."""
        return SLOW if self.version[0] <= 3 else FAST

    @property
    def bad_packets(self) -> int:
        """Packets that could not be read and were left out."""
        return self._wire.bad

    @property
    def waiting(self) -> int:
        """Samples that came and have not been taken."""
        return len(self._wire.samples)

    async def set_outputs(self, names: Sequence[str], rate: float | None = None) -> Recipe:
        """Choose what the controller sends, and how often [1/s]; at its top rate if not given.

        Raises:
            RefusedError: fields unknown to the controller.
        """
        if not names or (rate is not None and not rate > 0):
            raise InputError(f"give names of fields and a positive rate; got {names}, {rate}")
        request = codec.named_setup(names, rate or self.top_rate, self.protocol)
        numbered = self.protocol >= 2
        answer = codec.read_setup_answer(
            await self._request(Type.OUTPUTS, request), numbered=numbered
        )
        self._wire.recipe = accepted(answer[0], names, answer[1], numbered=numbered)
        return self._wire.recipe

    async def set_inputs(self, names: Sequence[str]) -> Recipe:
        """Claim inputs and return the recipe to write them with.

        Raises:
            RefusedError: inputs unknown to the controller or written by others.
        """
        request = ",".join(names).encode()
        answer = codec.read_setup_answer(await self._request(Type.INPUTS, request), numbered=True)
        return accepted(answer[0], names, answer[1])

    async def start(self) -> None:
        """Let the controller send samples."""
        await self._switch(Type.START)

    async def pause(self) -> None:
        """Let the controller stop sending; ``start`` resumes."""
        await self._switch(Type.PAUSE)

    async def _switch(self, kind: Type) -> None:
        if not codec.read_accepted(await self._request(kind)):
            raise RefusedError(f"{self._name}: {kind.name.lower()} was refused")

    def write(self, recipe: Recipe, values: Mapping[str, Any]) -> None:
        """Write inputs that were claimed with ``set_inputs``."""
        self._wire.send(Type.DATA, recipe.payload(values))

    def say(self, message: TextMessage) -> None:
        """Send a text message to the controller's log."""
        self._wire.send(Type.TEXT, codec.text(message, self.protocol))

    def texts(self) -> list[TextMessage]:
        """Return the text messages that came since the last call."""
        found = list(self._wire.texts)
        self._wire.texts.clear()
        return found

    async def batches(self, *, patience: float = 2.0, most: int = 500) -> AsyncIterator[Batch]:
        """Yield samples as they come, all that wait at once but at most ``most``.

        Raises:
            LinkError: the connection ended, or nothing came for ``patience`` seconds. Everything
                that came before has been yielded.
        """
        recipe = self.recipe
        while True:
            if not await self._wire.wait(patience):
                raise LinkError(f"{self._name}: silent for {patience:g} s")
            taken = self._wire.take(most)
            if taken:
                rows = recipe.rows(b"".join(values for _, values in taken))
                yield Batch(rows, np.array([arrival for arrival, _ in taken]))
            elif self._wire.lost is not None:
                raise self._wire.lost

    async def _request(self, kind: Type, payload: bytes = b"") -> bytes:
        return await self._wire.request(kind, payload, self.timeout)
