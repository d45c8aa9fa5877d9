"""Result of a preparation: the recording, the steps that were taken, and their errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armtwin.recording.columns.mapping import HEADS, Mapping
from armtwin.recording.preparation.repair import Step
from armtwin.recording.preparation.resample import SamplingError
from armtwin.recording.recording import Recording
from armtwin.report.page import Page, Part, Section, Table, Text
from armtwin.report.result import Result


@dataclass(frozen=True)
class PreparedRecording(Result):
    """A prepared recording with the steps that were taken.

    Attributes:
        recording: even clock from zero, SI units, no gaps.
        steps: what was done, in order.
        errors: of resampling, by group, at the original rows.
        bounds: errors of left-out rows, by group: they bound the error of values between rows.
        mapping: which column of the file became which; None where no file was read.
    """

    recording: Recording
    steps: tuple[Step, ...]
    errors: tuple[SamplingError, ...] = ()
    bounds: tuple[SamplingError, ...] = ()
    mapping: Mapping | None = None

    def save(
        self, path: str | Path, columns: tuple[str, ...] = ("q",), *, force: bool = False
    ) -> Path:
        """Write ``time,q1,...`` (or other groups, or all where none are named) to a file.

        Args:
            path: the file, .parquet or .csv.
            columns: groups of columns to write, such as ``q``; empty for all.
            force: overwrite an existing file.
        """
        chosen = self.recording.select(*columns) if columns else self.recording
        return chosen.save(path, force=force)

    def to_dict(self) -> dict[str, Any]:
        """Return size, columns, mapping, steps and errors as plain data."""
        recording = self.recording
        rules = () if self.mapping is None else self.mapping.rules
        return {
            "rows": len(recording),
            "rate": recording.rate,
            "duration": recording.duration,
            "columns": {name: recording.units[name] for name in recording.columns},
            "mapping": [
                {"from": rule.source, "to": rule.target, "unit": rule.unit, "factor": rule.factor,
                 "why": rule.reason} for rule in rules
            ],
            "steps": [{"name": s.name, "what": s.what, "count": s.count} for s in self.steps],
            "errors": [_error(error) for error in self.errors],
            "left_out_errors": [_error(error) for error in self.bounds],
        }  # fmt: skip

    def page(self) -> Page:
        """Return the mapping, the steps and the errors of resampling as tables."""
        run = self.recording
        sections = [Section("Columns", tuple(self._columns()))] if self.mapping else []
        steps = tuple((number, str(step)) for number, step in enumerate(self.steps, 1))
        sections.append(Section("Steps", (Table(("", "step"), steps),)))
        kinds = (("back at the original rows", self.errors), ("left-out rows", self.bounds))
        rows = tuple(
            (kind, error.group, error.unit, error.rms, error.worst)
            for kind, errors in kinds
            for error in errors
        )
        if rows:
            heads = ("error", "columns", "unit", "RMS", "max")
            sections.append(Section("Resampling", (Table(heads, rows),)))
        return Page(
            title=f"Preparation of {run.origin or 'a recording'}",
            facts=(
                ("Rows", f"{len(run):,}"),
                ("Duration", f"{run.duration:g} s"),
                ("Rate", f"{run.rate:g} Hz"),
            ),
            sections=tuple(sections),
        )

    def _columns(self) -> Iterator[Part]:
        if self.mapping is not None:
            yield Table(HEADS, tuple(self.mapping.table()))
            yield from (Text(line) for line in self.mapping.others())


def _error(error: SamplingError) -> dict[str, Any]:
    return {"group": error.group, "unit": error.unit, "rms": error.rms, "max": error.worst}
