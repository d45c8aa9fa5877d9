"""A variable of an FMU, and the columns of a table that hold its numbers."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass

from armtwin.errors import FmuError


@dataclass(frozen=True)
class Scalar:
    """A variable, mostly of one number: value reference, FMI type and attributes.

    An array of FMI 3 has ``dimensions``, 0 where the file does not say how many.
    """

    name: str
    reference: int
    type: str
    causality: str
    variability: str
    start: str | None = None
    unit: str | None = None
    derivative: str | None = None
    dimensions: tuple[int, ...] = ()

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of its numbers: its own, or ``q[1]``, ``q[2]``, ... row by row for an array."""
        if not self.dimensions:
            return (self.name,)
        places = itertools.product(*(range(1, count + 1) for count in self.dimensions))
        return tuple(f"{self.name}[{','.join(map(str, place))}]" for place in places)

    @property
    def starts(self) -> tuple[float, ...]:
        """Start values of its entries; 0 where the file gives none.

        Raises:
            FmuError: more or fewer than the array has entries.
        """
        words = (self.start or "0").split() or ["0"]
        numbers = [float({"true": "1", "false": "0"}.get(word, word)) for word in words]
        count = len(self.entries)
        if len(numbers) not in (1, count):
            raise FmuError(f"{self.name}: {len(numbers)} start values for {count} numbers")
        return tuple(numbers * count if len(numbers) == 1 else numbers)

    def columns(self, names: Collection[str]) -> tuple[str, ...]:
        """Return the columns of a table that hold its entries, as far as there are any.

        A column of a vector may be called ``q1`` as well as ``q[1]``.
        """
        plain = [entry.replace("[", "").replace("]", "") for entry in self.entries]
        pairs = zip(self.entries, plain, strict=True)
        found = (next((name for name in pair if name in names), None) for pair in pairs)
        return tuple(name for name in found if name is not None)
