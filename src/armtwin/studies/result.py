"""The result of a study: its table, and what is shown of it."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array
from armtwin.studies.dataset import parquet_bytes
from armtwin.studies.influence import Influence, influences
from armtwin.studies.planning.study_plan import StudyPlan, input_names
from armtwin.studies.runs.rows import FAILED

QUANTILES = (0.05, 0.5, 0.95)
"""Median, and the bounds of the middle 90 %."""


@dataclass(frozen=True)
class FigureSummary:
    """The distribution of one figure over the rows that have it.

    Attributes:
        name: of the column.
        count: rows that have it.
        mean: mean; of a figure that is true or false, the share of true.
        quantiles: 5 %, median and 95 %.
        least: smallest value.
        most: largest value.
    """

    name: str
    count: int
    mean: float
    quantiles: tuple[float, float, float]
    least: float
    most: float


@dataclass(frozen=True, eq=False)
class Study(Result):
    """One table out of many runs of a verb.

    Attributes:
        plan: the rows with their inputs.
        table: ``pyarrow.Table``, sorted by row: ``row``, inputs, figures, ``status``, ``error`` and
            ``warnings``. Times are not in it: its bytes do not depend on who computed it.
        seconds: what every row took [s].
        folder: where the part files are.
        ran: rows that were run by this call; the others were there.
        wall: time of this call [s].
    """

    plan: StudyPlan
    table: Any = field(repr=False)
    seconds: tuple[float, ...] = field(repr=False)
    folder: str
    ran: int
    wall: float

    @property
    def failed(self) -> int:
        """Rows that failed."""
        return self.table["status"].to_pylist().count(FAILED)

    @property
    def passed(self) -> bool:
        """Whether no row failed."""
        return self.failed == 0

    @property
    def verdict(self) -> str:
        """Number of rows with a result, in one sentence."""
        rows = self.table.num_rows
        return f"{rows - self.failed} of {rows} rows gave a result, {self.failed} failed"

    @property
    def figure_names(self) -> list[str]:
        """Columns that are figures."""
        known = {"row", "status", "error", "warnings", *input_names(self.plan.rows)}
        return [name for name in self.table.column_names if name not in known]

    def numbers(self, name: str) -> Array | None:
        """Return a column as numbers (n,), NaN where a row has none; None for a column of texts."""
        column = self.table[name].to_pylist()
        if any(isinstance(value, str) for value in column):
            return None
        return np.array([np.nan if value is None else float(value) for value in column])

    def summaries(self) -> list[FigureSummary]:
        """Return the distribution of every figure that is a number or true or false."""
        found = []
        for name in self.figure_names:
            values = self.numbers(name)
            values = None if values is None else values[np.isfinite(values)]
            if values is not None and values.size:
                low, middle, high = np.quantile(values, QUANTILES).tolist()
                ends = float(values.min()), float(values.max())
                mean = float(values.mean())
                found.append(FigureSummary(name, values.size, mean, (low, middle, high), *ends))
        return found

    def influences(self) -> list[Influence]:
        """Return how much of each headline figure's variance each varied input explains."""
        varied = [name for name in self.plan.varied if name != "seed"]
        inputs = {name: self.table[name].to_pylist() for name in varied}
        names = [name for name in self.plan.headline if name in self.figure_names]
        figures = {name: self.numbers(name) for name in names}
        return influences(inputs, {k: v for k, v in figures.items() if v is not None})

    def errors(self) -> list[tuple[str, int, int]]:
        """Return every error text with the number of rows that have it, and the first of them."""
        found: dict[str, tuple[int, int]] = {}
        rows, texts = self.table["row"].to_pylist(), self.table["error"].to_pylist()
        for row, text in zip(rows, texts, strict=True):
            if text:
                count, first = found.get(text, (0, row))
                found[text] = (count + 1, first)
        return sorted(((t, *pair) for t, pair in found.items()), key=lambda one: (-one[1], one[2]))

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the table to .parquet or .csv; the same bytes whoever computed it.

        Raises:
            InputError: another ending, or a place that cannot be written.
            OutputExistsError: the file exists and ``force`` is not set.
        """
        path = Path(path)
        if path.suffix.lower() == ".parquet":
            data = parquet_bytes(self.table)
        elif path.suffix.lower() == ".csv":
            from pyarrow import csv

            sink = io.BytesIO()
            csv.write_csv(self.table, sink)
            data = sink.getvalue()
        else:
            raise InputError(f"{path}: a study's table is written to .parquet or .csv")
        write_output(path, data, force=force)
        return path

    def page(self) -> Page:
        """Return counts, distributions, influences and errors as a page."""
        from armtwin.studies.page import study_page

        return study_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return counts, summaries, influences and errors as plain data; rows are in the table."""
        return {
            "name": self.plan.name,
            "verb": self.plan.study.verb,
            "passed": self.passed,
            "verdict": self.verdict,
            "rows": self.table.num_rows,
            "failed": self.failed,
            "ran": self.ran,
            "wall_seconds": self.wall,
            "row_seconds": float(sum(self.seconds)),
            "folder": self.folder,
            "inputs": input_names(self.plan.rows),
            "varied": list(self.plan.varied),
            "figures": {
                one.name: {
                    "count": one.count,
                    "mean": one.mean,
                    "q05": one.quantiles[0],
                    "median": one.quantiles[1],
                    "q95": one.quantiles[2],
                    "min": one.least,
                    "max": one.most,
                }
                for one in self.summaries()
            },
            "influences": [
                {"figure": one.figure, "input": one.input, "share": one.share}
                for one in self.influences()
            ],
            "errors": [{"error": t, "rows": n, "first_row": k} for t, n, k in self.errors()],
        }
