"""A robot's samples without end; reconnects when the connection breaks."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Sequence

from armtwin.errors import InputError, LinkError, RefusedError
from armtwin.robots.ur.protocol.client import FAST, Batch, RtdeClient
from armtwin.robots.ur.protocol.codec import PORT, TextMessage
from armtwin.robots.ur.protocol.fields import is_known
from armtwin.robots.ur.protocol.recipe import Recipe
from armtwin.robots.ur.statistics import Statistics

FIRST_WAIT, LONGEST_WAIT = 0.05, 3.0
"""Waits before connecting again double from one to the other [s]."""
MAX_EVENTS = 1000
"""Newest events and texts that are kept: bounds memory in runs of days."""
LONG_PAUSE = 0.5
"""A time without samples that is longer than this is an event [s]."""


class Stream:
    """Samples of chosen fields from one robot, in order, with statistics of what is missing.

    Args:
        host: the controller's address.
        fields: what to read; ``timestamp`` is added where it is not among them.
        optional: read as well if the controller has them.
        rate: samples per second; the controller's top rate if not given.
        port: its RTDE port.
        patience: time without samples after which the connection is broken [s].
        persistence: time without a connection after which to give up [s].

    Attributes:
        recipe: layout of the samples, once connected.
        version: the controller's version, once connected.
        statistics: received and missing samples.
        events: of the connection, for people; the latest thousand.
    """

    def __init__(
        self,
        host: str,
        fields: Sequence[str],
        *,
        optional: Sequence[str] = (),
        rate: float | None = None,
        port: int = PORT,
        patience: float = 2.0,
        persistence: float = 60.0,
    ) -> None:
        if rate is not None and not 1 <= rate <= FAST:
            raise InputError(f"a rate is 1 to {FAST:g} samples per second, got {rate}")
        self.host, self.port, self.rate = host, port, rate
        self.fields = ("timestamp", *(name for name in fields if name != "timestamp"))
        self.optional = tuple(name for name in optional if name not in self.fields)
        self.patience, self.persistence = patience, persistence
        self.statistics = Statistics(1 / (rate or FAST))
        self.events: deque[str] = deque(maxlen=MAX_EVENTS)
        self.texts: deque[TextMessage] = deque(maxlen=MAX_EVENTS)
        self.recipe: Recipe | None = None
        self.version = (0, 0, 0, 0)
        self._connected_before = self._behind = False

    async def batches(self) -> AsyncGenerator[Batch, None]:
        """Yield samples until the consumer stops.

        An outage that lasts until then is in ``statistics`` afterwards.

        Raises:
            LinkError: no connection at the first attempt, or none for ``persistence`` seconds.
            RefusedError: a field is unknown to the controller.
        """
        try:
            async with contextlib.aclosing(self._connections()) as batches:
                async for batch in batches:
                    yield batch
        finally:
            if not self._behind:
                self.statistics.until(time.monotonic())

    async def _connections(self) -> AsyncGenerator[Batch, None]:
        """Yield the samples of one connection after the other."""
        loop = asyncio.get_running_loop()
        wait, lost = FIRST_WAIT, loop.time()
        while True:
            try:
                async with contextlib.aclosing(self._connection()) as connection:
                    async for batch in connection:
                        wait, lost = FIRST_WAIT, loop.time()
                        yield batch
            except RefusedError:
                raise
            except LinkError as error:
                if not self._connected_before or loop.time() - lost > self.persistence:
                    raise
                self.events.append(f"{error}; connecting again")
            await asyncio.sleep(wait * random.uniform(0.8, 1.2))
            wait = min(2 * wait, LONGEST_WAIT)

    async def _connection(self) -> AsyncGenerator[Batch, None]:
        """Yield the samples of one connection."""
        async with RtdeClient(self.host, port=self.port) as client:
            self._begin(client, await self._set_outputs(client))
            await client.start()
            try:
                async for batch in client.batches(patience=self.patience):
                    self._note_pause(float(batch.arrivals[0]))
                    self.statistics.add(batch.rows["timestamp"], batch.arrivals)
                    self.texts.extend(client.texts())
                    yield batch
            finally:
                self._behind = client.waiting > 0
                self.texts.extend(client.texts())
                self.statistics.bad_packets += client.bad_packets

    def _note_pause(self, arrival: float) -> None:
        pause = self.statistics.since_last(arrival)
        if pause > LONG_PAUSE:
            self.events.append(f"no samples for {pause:.1f} s")

    async def _set_outputs(self, client: RtdeClient) -> Recipe:
        """Request all fields; leave out the optional ones that the controller does not know."""
        wanted = [*self.fields, *(n for n in self.optional if is_known(n, client.version))]
        try:
            return await client.set_outputs(wanted, self.rate)
        except RefusedError as error:
            kept = [name for name in wanted if name not in error.names or name in self.fields]
            if len(kept) == len(wanted):
                raise
            return await client.set_outputs(kept, self.rate)

    def _begin(self, client: RtdeClient, recipe: Recipe) -> None:
        if self.recipe is not None and recipe.dtype != self.recipe.dtype:
            raise RefusedError(
                f"{self.host} answers with other types than before: {recipe.dtype} instead of "
                f"{self.recipe.dtype}"
            )
        if self._connected_before:
            self.statistics.reconnections += 1
            self.events.append("connected again")
        if self.rate is None:
            self.statistics.period = 1 / client.top_rate
        self.recipe, self.version, self._connected_before = recipe, client.version, True
