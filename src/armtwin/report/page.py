"""The content of a report as data, independent of its rendering.

A ``Page`` has a title, a verdict, facts and sections; a section has parts: text, facts, tables,
charts over a common axis, histograms, bars, paths in space, maps, and the forest plots and Sankey
diagrams of ``report.diagrams``. ``renderers`` show the same page as text, HTML and PDF. Lengths,
angles and times are given in the displayed unit.

    page = Page(
        title="Validation of ur10e",
        verdict=Verdict(True, "every limit is kept"),
        facts=(("Arm", "ur10e"), ("Recording", "run.csv")),
        sections=(Section("Position", (Chart("Error", "time [s]", (panel,)), table)),),
    )
    write_page(page, "report.html")        # report.write; also .pdf
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.report.diagrams import Forest, Sankey
from armtwin.spatial import Array

Style = Literal["line", "dashes", "points"]


@dataclass(frozen=True)
class Verdict:
    """The verdict of a page.

    Attributes:
        passed: True or False; None if no limit applies.
        text: why, in one sentence.
    """

    passed: bool | None
    text: str

    @property
    def word(self) -> str:
        """The verdict in one or two words."""
        return {True: "PASSED", False: "NOT PASSED", None: "NOT JUDGED"}[self.passed]


@dataclass(frozen=True)
class Text:
    """A paragraph; ``tone`` selects its emphasis."""

    text: str
    tone: Literal["plain", "note", "warning"] = "plain"


@dataclass(frozen=True)
class Facts:
    """Names with values, such as settings: ``(("rate", "500 Hz"), ...)``."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """Rows of cells under heads; numbers are shown to four digits, None as a dash.

    ``marks`` names rows (from 0) to be shown as "good" or "bad".
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""
    marks: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse rows of another length than the heads."""
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.heads):
                raise InputError(
                    f"table row {number} has {len(row)} cells for {len(self.heads)} heads"
                )


@dataclass(frozen=True)
class Curve:
    """A curve or points: ``x`` (n,) and ``y`` (n,); NaN in ``y`` leaves a gap."""

    name: str
    x: ArrayLike
    y: ArrayLike
    style: Style = "line"
    colour: int | None = None

    def arrays(self) -> tuple[Array, Array]:
        """Return x and y as float arrays of one length."""
        x, y = np.asarray(self.x, float), np.asarray(self.y, float)
        if x.ndim != 1 or x.shape != y.shape:
            raise InputError(f"line {self.name!r}: x has shape {x.shape}, y {y.shape}; give (n,)")
        return x, y


@dataclass(frozen=True)
class Shade:
    """A shaded interval of the x axis, such as the time of a push."""

    name: str
    start: float
    end: float


@dataclass(frozen=True)
class Panel:
    """One panel of a chart: y label, lines, shaded intervals."""

    label: str
    lines: tuple[Curve, ...]
    shades: tuple[Shade, ...] = ()


@dataclass(frozen=True)
class Chart:
    """Panels below each other with a common x axis; long curves are thinned for drawing."""

    title: str
    x_label: str
    panels: tuple[Panel, ...]
    caption: str = ""


@dataclass(frozen=True)
class Histogram:
    """A histogram with one outline per named sample."""

    title: str
    x_label: str
    samples: tuple[tuple[str, ArrayLike], ...]
    bins: int = 60
    caption: str = ""

    def counts(self) -> tuple[Array, list[tuple[str, Array]]]:
        """Return the bins' edges (bins + 1,) and, per sample, the share [%] in every bin."""
        finite = [(name, _finite(values)) for name, values in self.samples]
        filled = [values for _, values in finite if values.size]
        if not filled:
            raise InputError(f"histogram {self.title!r} has no finite value")
        low = min(float(values.min()) for values in filled)
        high = max(float(values.max()) for values in filled)
        room = 0.5 * max(abs(low), 1e-12) if high <= low else 0.0
        edges = np.linspace(low - room, high + room, self.bins + 1)
        shares = [
            (name, 100 * np.histogram(values, edges)[0] / max(values.size, 1))
            for name, values in finite
        ]
        return edges, shares


@dataclass(frozen=True)
class Bars:
    """Bars beside each other: one group per label, one bar per named series."""

    title: str
    y_label: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, ArrayLike], ...]
    caption: str = ""


@dataclass(frozen=True)
class Paths:
    """Paths in space, each a name and points (n, 3) in one unit."""

    title: str
    unit: str
    paths: tuple[tuple[str, ArrayLike], ...]
    caption: str = ""


@dataclass(frozen=True)
class MapView:
    """A view of a map: cells between ``x`` (nx + 1,) and ``y`` (ny + 1,), values (ny, nx).

    NaN leaves a cell empty. ``marks`` are named points (name, x, y).
    """

    title: str
    x_label: str
    y_label: str
    x: ArrayLike
    y: ArrayLike
    values: ArrayLike
    marks: tuple[tuple[str, float, float], ...] = ()

    def arrays(self) -> tuple[Array, Array, Array]:
        """Return edges along x and y, and the values, as float arrays that fit."""
        x, y, values = (np.asarray(part, float) for part in (self.x, self.y, self.values))
        if x.ndim != 1 or y.ndim != 1 or values.shape != (y.size - 1, x.size - 1):
            raise InputError(
                f"map {self.title!r}: values have shape {values.shape}, the edges {x.shape} and "
                f"{y.shape}; give (ny, nx) values with nx + 1 and ny + 1 edges"
            )
        return x, y, values


@dataclass(frozen=True)
class Map:
    """Views beside each other, to one scale in both directions, with common colours."""

    title: str
    value_label: str
    views: tuple[MapView, ...]
    caption: str = ""

    def limits(self) -> tuple[float, float]:
        """Return the smallest and the largest value; two different numbers."""
        parts = [_finite(view.values) for view in self.views]
        values = np.concatenate(parts) if parts else np.empty(0)
        if not values.size:
            raise InputError(f"map {self.title!r} has no finite value")
        low, high = float(values.min()), float(values.max())
        return (low, high) if high > low else (low, low + max(abs(low), 1.0) * 1e-3)


Figure = Chart | Histogram | Bars | Paths | Map | Forest | Sankey
Part = Text | Facts | Table | Figure


@dataclass(frozen=True)
class Section:
    """A heading and its parts; ``detail`` omits it from terminals and notebooks."""

    title: str
    parts: tuple[Part, ...]
    detail: bool = False


@dataclass(frozen=True)
class Page:
    """A whole report.

    Attributes:
        title: what was done, to which arm.
        subtitle: one line below it.
        verdict: pass or fail; None for a report without limits.
        facts: key figures, as names and values.
        sections: the content.
        inputs: ``report.inputs.fingerprint`` of every input file.
        settings: every setting that the result depends on.
        finding: the answer to the reader's question in one sentence; empty without one.
        proposed_arm: catalogue arm that the finding proposes instead; empty without one.
        view: interactive page to link, as a path from the report's folder; empty without one.
    """

    title: str
    subtitle: str = ""
    verdict: Verdict | None = None
    facts: tuple[tuple[str, str], ...] = ()
    sections: tuple[Section, ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    finding: str = ""
    proposed_arm: str = ""
    view: str = ""


def _finite(values: ArrayLike) -> Array:
    array = np.asarray(values, float).ravel()
    return array[np.isfinite(array)]
