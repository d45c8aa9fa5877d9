"""The virtual controller's memory: every field of RTDE, ready to be sent.

Values are kept in native byte order, one array per type of number; ``publish`` turns them round
into one big-endian block once a cycle, and a client's packet is a gather of bytes from it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.robots.ur.protocol.codec import Type, packet
from armtwin.robots.ur.protocol.fields import INPUTS, OUTPUTS, FieldType
from armtwin.robots.ur.protocol.recipe import Recipe

Bytes = NDArray[np.uint8]


class Registers:
    """All fields by name; ``registers["actual_q"]`` is an array (6,) to read and write."""

    def __init__(self, fields: Mapping[str, FieldType] | None = None) -> None:
        self.fields = dict(OUTPUTS | INPUTS if fields is None else fields)
        self._views: dict[str, NDArray[Any]] = {}
        self._places: dict[str, range] = {}
        self._pairs: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._block: Bytes = np.zeros(sum(k.size for k in self.fields.values()), np.uint8)
        start = 0
        by_number = sorted(self.fields, key=lambda name: self.fields[name].number)
        for number, group in itertools.groupby(by_number, lambda name: self.fields[name].number):
            start = self._place(number, list(group), start)

    def _place(self, number: str, names: Sequence[str], start: int) -> int:
        """Give the fields of one type of number their places; return the next free one."""
        counts = [self.fields[name].count for name in names]
        native = np.zeros(sum(counts), number)
        turned = self._block[start : start + native.nbytes].view(f">{number}")
        self._pairs.append((turned, native))
        first = 0
        for name, count in zip(names, counts, strict=True):
            self._views[name] = native[first : first + count]
            at = start + first * native.itemsize
            self._places[name] = range(at, at + count * native.itemsize)
            first += count
        return start + native.nbytes

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the field's values, a view."""
        return self._views[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Set the field's values."""
        self._views[name][...] = value

    def number(self, name: str) -> Any:
        """Return the value of a field of one number."""
        return self._views[name].item()

    def publish(self) -> None:
        """Make the present values those that packets are gathered from."""
        for turned, native in self._pairs:
            turned[...] = native

    def gather(self, recipe: Recipe) -> PacketBuilder:
        """Return what makes data packets of a recipe."""
        places = itertools.chain.from_iterable(self._places[name] for name in recipe.names)
        return PacketBuilder(self._block, np.fromiter(places, np.intp), recipe)

    def write(self, recipe: Recipe, values: bytes) -> None:
        """Set the fields of a recipe from the bytes of a client's data packet."""
        row = recipe.rows(values)[0]
        for name in recipe.names:
            self._views[name][...] = row[name]


class PacketBuilder:
    """Makes data packets of one recipe from the published block."""

    def __init__(self, block: Bytes, places: NDArray[np.intp], recipe: Recipe) -> None:
        self._block, self._places = block, places
        head = bytes([recipe.number]) if recipe.numbered else b""
        whole = packet(Type.DATA, head + bytes(recipe.size))
        self._packet: Bytes = np.frombuffer(whole, np.uint8).copy()
        self._values = self._packet[len(whole) - recipe.size :]

    def packet(self) -> bytes:
        """Return the data packet of the values last published."""
        np.take(self._block, self._places, out=self._values, mode="clip")
        return self._packet.tobytes()
