"""A printed figure beside the computed one, and all figures of a document as a result."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from armtwin.report.page import Page, Section, Table, Text, Verdict
from armtwin.report.result import Result

DATA = Path(__file__).parent / "data"

FigureVerdict = Literal["agrees", "erratum", "off"]
Basis = Literal["computed", "constant", "simulated"]
BASES: dict[Basis, str] = {
    "computed": "computed from the document's data",
    "constant": "constants of the arm file read back, nothing is computed",
    "simulated": "from recordings simulated here, with the document's figures planted",
}
"""Origins of our figures; only computed ones check a calculation against a document."""


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
        basis: origin of our value, see ``BASES``.
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
    def verdict(self) -> FigureVerdict:
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


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """A document's tables, recomputed.

    Attributes:
        name: the name that ``armtwin reproduce`` takes.
        document: author, title, date.
        figures: every printed figure beside ours.
        results: what follows from the tables beyond what is printed.
        notes: corrections without which the tables cannot be reproduced.
        files: files that were written, by role.
    """

    name: str
    document: str
    figures: tuple[Figure, ...]
    results: tuple[DocumentResult, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every figure agrees or has its erratum, and every bound holds."""
        return all(f.verdict != "off" for f in self.figures) and all(r.holds for r in self.results)

    def count(self, verdict: FigureVerdict, basis: Basis | None = None) -> int:
        """Return how many figures have a verdict, of one basis or of all."""
        return sum(figure.verdict == verdict for figure in self.of(basis))

    def of(self, basis: Basis | None) -> tuple[Figure, ...]:
        """Return the figures of one basis, or all of them."""
        return tuple(figure for figure in self.figures if basis in (None, figure.basis))

    def page(self) -> Page:
        """Return every figure beside ours, with errata, notes and counts."""
        heads = ("where", "figure", "document", "ours", "difference", "verdict")
        bounds = ("", "value", "unit", "bound")
        sections = [Section("Figures", (Table(heads, tuple(map(_figure_row, self.figures))),))]
        if self.results:
            table = Table(bounds, tuple(map(_result_row, self.results)))
            sections.append(Section("Results beyond the printed figures", (table,)))
        if self.notes:
            notes = tuple(map(Text, self.notes))
            sections.append(Section("Corrections, and what cannot be reproduced", notes))
        counts = tuple(
            Text(f"{len(self.of(basis))} {basis} ({meaning}): {self._counts(basis)}")
            for basis, meaning in BASES.items()
            if self.of(basis)
        )
        sections.append(Section("Origin of our figures", counts))
        word = "reproduced" if self.passed else "NOT reproduced"
        verdict = Verdict(self.passed, f"{len(self.figures)} figures: {self._counts(None)}: {word}")
        return Page(self.document, verdict=verdict, sections=tuple(sections))

    def to_dict(self) -> dict[str, Any]:
        """Return figures with their verdicts, results, notes and counts as plain data."""
        return {
            **{name: getattr(self, name) for name in ("name", "document", "notes", "passed")},
            "counts": {basis: len(self.of(basis)) for basis in BASES},
            "figures": [
                {**asdict(f), "difference": f.difference, "verdict": f.verdict}
                for f in self.figures
            ],
            "results": [{**asdict(r), "holds": r.holds} for r in self.results],
            "files": {role: str(path) for role, path in self.files.items()},
        }

    def _counts(self, basis: Basis | None) -> str:
        return (
            f"{self.count('agrees', basis)} agree, {self.count('erratum', basis)} explained by an "
            f"erratum, {self.count('off', basis)} off"
        )


def _figure_row(f: Figure) -> tuple[str, ...]:
    verdict = f"{f.verdict}: {f.erratum}" if f.erratum else f.verdict
    return f.place, f.name, f"{f.printed:.9g}", f"{f.ours:.9g}", f"{f.difference:.1e}", verdict


def _result_row(r: DocumentResult) -> tuple[Any, ...]:
    return r.name, r.value, r.unit, r.bound if r.holds else f"{r.bound} BROKEN"


def table(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a transcribed table, by column name."""
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)
