"""A printed figure beside ours, and a whole document's worth of them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

DATA = Path(__file__).parent / "data"

Verdict = Literal["agrees", "erratum", "off"]
Basis = Literal["computed", "constant", "simulated"]
BASES: dict[Basis, str] = {
    "computed": "computed from the document's data",
    "constant": "constants of the arm file read back, nothing is computed",
    "simulated": "from recordings simulated here, with the document's figures planted",
}
"""What a figure of ours rests on; only computed ones check a calculation against a document."""


@dataclass(frozen=True)
class Figure:
    """One figure as a document prints it, and as it follows from the document's own data.

    Attributes:
        place: where the document prints it.
        name: what it is, with its unit.
        printed: the document's value.
        ours: the computed value.
        allowed: the largest difference that the document's rounding explains.
        erratum: why the document is wrong here; empty where it is right.
        basis: what our value rests on, see ``BASES``.
    """

    place: str
    name: str
    printed: float
    ours: float
    allowed: float
    erratum: str = ""
    basis: Basis = "computed"

    @property
    def difference(self) -> float:
        """Ours minus the document's."""
        return self.ours - self.printed

    @property
    def verdict(self) -> Verdict:
        """``agrees`` within the rounding; else ``erratum`` where one explains it, or ``off``.

        An erratum beside a figure that agrees is itself wrong, and so ``off``.
        """
        agrees = abs(self.difference) <= self.allowed
        if self.erratum:
            return "off" if agrees else "erratum"
        return "agrees" if agrees else "off"


@dataclass(frozen=True)
class DocumentResult:
    """A figure of ours that the document does not print, with a bound where it must hold."""

    name: str
    value: float
    unit: str
    bound: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the value keeps its bound."""
        return self.bound is None or self.value <= self.bound


@dataclass(frozen=True)
class Reproduction:
    """A document's tables, recomputed.

    Attributes:
        name: the name that ``armtwin reproduce`` takes.
        document: author, title, date.
        figures: every printed figure beside ours.
        results: what follows from the tables beyond what is printed.
        notes: corrections without which the tables cannot be reproduced.
    """

    name: str
    document: str
    figures: tuple[Figure, ...]
    results: tuple[DocumentResult, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every figure agrees or has its erratum, and every bound holds."""
        return all(f.verdict != "off" for f in self.figures) and all(r.holds for r in self.results)

    def count(self, verdict: Verdict, basis: Basis | None = None) -> int:
        """Return how many figures have a verdict, of one basis or of all."""
        return sum(figure.verdict == verdict for figure in self.of(basis))

    def of(self, basis: Basis | None) -> tuple[Figure, ...]:
        """Return the figures of one basis, or all of them."""
        return tuple(figure for figure in self.figures if basis in (None, figure.basis))


def table(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a transcribed table, by column name."""
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)
