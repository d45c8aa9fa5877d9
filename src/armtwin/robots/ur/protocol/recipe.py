"""Recipes: the fields of a connection's data packets, in order, and how they are packed."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, ProtocolError, RefusedError
from armtwin.robots.ur.protocol.fields import IN_USE, KINDS, NOT_FOUND, FieldType, as_dtype

Rows = NDArray[np.void]
"""Samples as a structured array: ``rows["actual_q"]`` is (n, 6)."""

_LETTERS = {"?": "?", "u1": "B", "u4": "I", "u8": "Q", "i4": "i", "f8": "d"}


class Recipe:
    """An accepted list of fields.

    Attributes:
        number: the controller's number for it.
        names: the fields.
        kinds: their types.
        dtype: layout of a packet's values.
        numbered: whether data packets carry the number (protocol 1 outputs do not).
    """

    def __init__(
        self,
        number: int,
        names: Sequence[str],
        kinds: Sequence[FieldType],
        *,
        numbered: bool = True,
    ) -> None:
        self.number, self.names, self.kinds = number, tuple(names), tuple(kinds)
        self.dtype, self.numbered = as_dtype(names, kinds), numbered
        letters = "".join(f"{k.count}{_LETTERS[k.number]}" for k in kinds)
        self._struct = struct.Struct(">" + letters)

    @property
    def size(self) -> int:
        """Length of the values in a packet [bytes]."""
        return self.dtype.itemsize

    def values(self, payload: bytes) -> bytes:
        """Return the bytes of the values in a data packet's payload; surplus bytes do not count.

        Raises:
            ProtocolError: too few bytes, or another recipe's number.
        """
        start = 1 if self.numbered else 0
        if len(payload) < start + self.size:
            raise ProtocolError(
                f"a data packet has {len(payload)} bytes; its recipe of {len(self.names)} fields "
                f"needs {start + self.size}"
            )
        if self.numbered and payload[0] != self.number:
            raise ProtocolError(f"a data packet is of recipe {payload[0]}, not {self.number}")
        return payload[start : start + self.size]

    def rows(self, values: bytes) -> Rows:
        """Return samples (n,) from the bytes of their values, one after the other."""
        return np.frombuffer(values, self.dtype)

    def flat(self, values: bytes) -> tuple[Any, ...]:
        """Return all numbers of one sample, one after the other."""
        return self._struct.unpack(values)

    def payload(self, values: Mapping[str, Any]) -> bytes:
        """Return a data packet's payload for values by name.

        Raises:
            InputError: a field is missing or does not fit its type.
        """
        numbers: list[Any] = []
        for name, kind in zip(self.names, self.kinds, strict=True):
            if name not in values:
                raise InputError(f"no value for {name}; the recipe is {', '.join(self.names)}")
            given = np.ravel(values[name]).tolist()
            if len(given) != kind.count:
                raise InputError(f"{name} takes {kind.count} numbers, got {len(given)}")
            numbers += given
        head = bytes([self.number]) if self.numbered else b""
        try:
            return head + self._struct.pack(*numbers)
        except struct.error as error:
            raise InputError(f"{', '.join(self.names)}: {numbers} do not fit: {error}") from error


def accepted(
    number: int, names: Sequence[str], types: Sequence[str], *, numbered: bool = True
) -> Recipe:
    """Return the recipe that a controller's answer describes.

    Args:
        number: the controller's number of the recipe.
        names: requested fields.
        types: the answer, one type or refusal a field.
        numbered: whether data packets carry the number.

    Raises:
        RefusedError: fields that do not exist or that another client writes, by name.
        ProtocolError: an answer of another length, or unknown types.
    """
    for word, meaning in ((NOT_FOUND, "not known to"), (IN_USE, "written by another client of")):
        refused = [name for name, kind in zip(names, types, strict=False) if kind == word]
        if refused:
            raise RefusedError(
                f"{', '.join(refused)}: {meaning} this controller; take others", tuple(refused)
            )
    if len(types) != len(names):
        raise ProtocolError(f"{len(types)} types answer {len(names)} names")
    unknown = sorted(set(types) - set(KINDS))
    if unknown:
        raise ProtocolError(f"types {', '.join(unknown)} do not exist")
    if number == 0:
        raise RefusedError(f"the controller refused the recipe {', '.join(names)}")
    return Recipe(number, names, [KINDS[kind] for kind in types], numbered=numbered)
