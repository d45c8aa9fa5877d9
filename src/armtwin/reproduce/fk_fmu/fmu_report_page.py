"""The page of the FMU report: the steps, Table 4, Table 5, the lag, then the whole validation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armtwin.fmu.run.run import FmuRun
from armtwin.report.page import Page, Section, Table, Text
from armtwin.units import shown
from armtwin.validation import page as validation

if TYPE_CHECKING:
    from armtwin.reproduce.fk_fmu.fmu_report import FmuReproduction

PRINTED = {
    "position": {"mae": 0.0045, "rmse": 0.0062, "max": 0.013},
    "quaternion": {"mae": 0.012, "rmse": 0.019, "max": 0.042},
}
"""Table 5 of the report."""


def page(made: FmuReproduction) -> Page:
    """Return the report as a page."""
    whole = validation.page(made.check)
    sections = (_steps(made), _table_4(made), _table_5(made), _runs(made))
    size = f"{made.exported.size / 1000:.1f} kB"
    facts = (("FMU", f"{made.exported.path.name}, FMI {made.exported.fmi}, {size}"), *whole.facts)
    return replace(
        whole,
        title=f"FMU of {made.check.arm.name} against a recording",
        subtitle="prepare, export, run, compare, report",
        facts=facts,
        sections=(*sections, *whole.sections),
    )


def _steps(made: FmuReproduction) -> Section:
    rows = [(number, str(step)) for number, step in enumerate(made.prepared.steps, 1)]
    exported = made.exported
    rows.append(
        (
            len(rows) + 1,
            f"export: model {exported.model} as FMI {exported.fmi} for "
            f"{', '.join(exported.platforms)}, {exported.size} bytes, no Python inside",
        )
    )
    facts = made.run.facts
    rows.append(
        (len(rows) + 1, f"run: {facts.rows} rows in {facts.seconds:.3f} s; {facts.lag.why}")
    )
    return Section("What was done", (Table(("step", "what"), tuple(rows)),))


def _table_4(made: FmuReproduction) -> Section:
    """Outputs of the FMU at whole seconds, and how printed figures compare."""
    signals = made.run.signals
    wanted = [1, 2, 3, 4, 5, 6, 50, 51, 52, 53, 54]
    places = [int(np.argmin(np.abs(signals.time - t))) for t in wanted if t <= signals.time[-1]]
    heads = ("time [s]", *signals.columns)
    rows = tuple(
        (float(signals.time[k]), *(f"{x[k]:.5f}" for x in signals.columns.values())) for k in places
    )
    parts: list[Table | Text] = [Table(heads, rows, "Outputs of the FMU, as in Table 4")]
    done = made.reproduction
    if done.figures:
        worst = max(abs(figure.difference) for figure in done.figures)
        text = (
            f"The {len(done.figures)} figures printed in Table 4 follow from Table 3's joints "
            f"through this FMU: {done.count('agrees')} agree, {done.count('off')} are off; the "
            f"largest difference is {worst:.1e}."
        )
        parts.append(Text(text, "plain" if not done.count("off") else "warning"))
    return Section("Table 4: outputs", tuple(parts))


def _table_5(made: FmuReproduction) -> Section:
    rows = []
    for metrics in made.check.table:
        for figure, printed in PRINTED.get(metrics.signal, {}).items():
            unit, size = shown(metrics.unit)
            found = getattr(metrics, figure) * size
            rows.append((metrics.signal, figure.upper(), unit, found, printed * size))
    caption = (
        "Errors of the FMU's pose against the recorded one; position is the Euclidean distance, "
        "quaternion 1 - |<q, q>|. The report's figures are of its own recording, which is not "
        "published."
    )
    heads = ("signal", "figure", "unit", "here", "in the report")
    return Section("Table 5: absolute errors", (Table(heads, tuple(rows), caption),))


def _runs(made: FmuReproduction) -> Section:
    rows = [(result.name, result.value, result.unit, result.bound) for result in
            made.reproduction.results]  # fmt: skip
    marks = tuple(
        (k, "good" if result.holds else "bad")
        for k, result in enumerate(made.reproduction.results)
        if result.bound is not None
    )
    lag = made.run.facts.lag
    moved = ", ".join(lag.moved) or "none"
    by_fmpy = (
        f"FMPy ran the same FMU in {made.fmpy.facts.seconds:.2f} s."
        if isinstance(made.fmpy, FmuRun)
        else f"FMPy did not run it: {made.fmpy}"
    )
    text = (
        f"A co-simulation master reads outputs one row after their inputs; that row was undone "
        f"before comparing (outputs moved: {moved}; known {lag.why}). {by_fmpy}"
    )
    heads = ("figure", "value", "unit", "bound")
    return Section("Runs and the one-row lag", (Table(heads, tuple(rows), "", marks), Text(text)))
