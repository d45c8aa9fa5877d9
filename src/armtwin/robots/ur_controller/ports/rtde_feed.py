"""Data packets of one recipe, encoded once a cycle for all clients that have it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from armtwin.robots.ur.protocol.recipe import Recipe
from armtwin.robots.ur_controller.state.registers import PacketBuilder, Registers

if TYPE_CHECKING:
    from armtwin.robots.ur.protocol.fields import FieldType

KEPT = 256
"""Packets that are kept for clients that are served late, half a second at 500 Hz."""


def decimation(frequency: float | None, dt: float) -> int:
    """Return every how many cycles of ``dt`` seconds a sample is due at that frequency [Hz]."""
    if frequency is None or not math.isfinite(frequency) or frequency <= 0:
        return 1
    return max(1, min(round(1 / (frequency * dt)), 10**6))


class RtdeFeed:
    """Packets of a recipe, the newest ``KEPT`` of them.

    Args:
        gather: makes a packet of the published values.
        every: a packet is made every so many cycles.

    Attributes:
        count: packets made so far.
    """

    def __init__(self, gather: PacketBuilder, every: int) -> None:
        self._gather, self._every, self.count = gather, every, 0
        self._kept: deque[bytes] = deque(maxlen=KEPT)
        self._joined: dict[int, bytes] = {}

    def make(self, cycle: int) -> None:
        """Make the packet of a cycle, if it is this feed's turn."""
        if cycle % self._every:
            return
        self._kept.append(self._gather.packet())
        self._joined.clear()
        self.count += 1

    def present(self) -> bytes:
        """Return a packet of the values last published, out of turn."""
        return self._gather.packet()

    def newest(self, count: int) -> bytes:
        """Return the newest packets, oldest first, in one piece that clients share."""
        if count == 1:
            return self._kept[-1]
        if count not in self._joined:
            self._joined[count] = b"".join([*self._kept][-count:])
        return self._joined[count]


class RtdeFeeds:
    """The feeds of one controller, one for each recipe, protocol and rate that is in use."""

    def __init__(self, registers: Registers) -> None:
        self._registers = registers
        self._feeds: dict[tuple[tuple[str, ...], bool, int], tuple[RtdeFeed, list[object]]] = {}

    def join(
        self, client: object, names: Sequence[str], types: Sequence[FieldType],
        *, numbered: bool, every: int,
    ) -> RtdeFeed:  # fmt: skip
        """Return the feed of a recipe, which is made for its first client.

        Args:
            client: who joins, for ``leave``.
            names: fields of the recipe.
            types: their types.
            numbered: whether packets carry the recipe's number (protocol 2).
            every: a packet is made every so many cycles.
        """
        key = (tuple(names), numbered, every)
        if key not in self._feeds:
            recipe = Recipe(1, names, types, numbered=numbered)
            self._feeds[key] = (RtdeFeed(self._registers.gather(recipe), every), [])
        feed, clients = self._feeds[key]
        clients.append(client)
        return feed

    def leave(self, client: object) -> None:
        """Take a client off its feed; a feed without clients is dropped."""
        for key, (_, clients) in [*self._feeds.items()]:
            if client in clients:
                clients.remove(client)
            if not clients:
                del self._feeds[key]

    def make(self, cycle: int) -> None:
        """Make the packets of a cycle."""
        for feed, _ in self._feeds.values():
            feed.make(cycle)

    def __len__(self) -> int:
        """Return the number of different recipes."""
        return len(self._feeds)
