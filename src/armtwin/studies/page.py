"""The page of a study."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.report.numbers import rounded
from armtwin.report.page import Bars, Chart, Curve, Page, Panel, Part, Section, Table, Text, Verdict
from armtwin.spatial import Array
from armtwin.studies.planning.study_plan import input_names
from armtwin.studies.result import FigureSummary, Study

MAX_ERRORS = 10
"""Distinct error texts in the table; the page states how many more there are."""
MAX_CHARTS = 4
"""Charts of the page: one for each figure and the input that explains most of it."""
MAX_LEVELS = 40
"""Values of a swept parameter that a chart of means shows; with more, every row is a point."""
MAX_POINTS = 5000
"""Points of a scatter chart, evenly chosen: more make the page slow and hide each other."""


def study_page(study: Study) -> Page:
    """Return counts, figures, influences and errors of a study as a page."""
    plan = study.plan
    sections = [Section("Figures", tuple(_figures(study))), *_influences(study)]
    sections += [Section("Dependence on parameters", parts) for parts in [_charts(study)] if parts]
    sections += list(_errors(study))
    sections.append(Section("All figures", (_table(study.summaries()),), detail=True))
    return Page(
        title=f"Study {plan.name}: {plan.study.verb}",
        subtitle=f"varied: {', '.join(plan.varied) or 'nothing'}",
        verdict=Verdict(study.passed, study.verdict),
        facts=_facts(study),
        sections=tuple(sections),
        settings=_settings(study),
    )


def _facts(study: Study) -> tuple[tuple[str, str], ...]:
    total = sum(study.seconds)
    mean = rounded(total / max(len(study.seconds), 1), 3)
    return (
        ("Rows", f"{study.table.num_rows}, of which {study.failed} failed"),
        ("Run by this call", f"{study.ran} in {rounded(study.wall, 3)} s"),
        (
            "Work",
            f"{rounded(total, 3)} s, {mean} s a row",
        ),
        ("Part files", str(study.folder)),
    )


def _settings(study: Study) -> tuple[tuple[str, str], ...]:
    plan = study.plan
    fixed = [
        (name, str(plan.rows[0].inputs[name])) for name in plan.study.fixed_values() if plan.rows
    ]
    swept = [(name, str(values)) for name, values in plan.study.sweep_values().items()]
    drawn = [(name, str(values)) for name, values in plan.study.random_values().items()]
    return (
        ("verb", plan.study.verb),
        ("seed", str(plan.study.seed)),
        ("repeats", str(plan.study.repeats)),
        *fixed,
        *swept,
        *drawn,
    )


def _figures(study: Study) -> Iterator[Part]:
    """Yield the headline figures, or a few where the rows have none of them."""
    found = {one.name: one for one in study.summaries()}
    first = [found[name] for name in study.plan.headline if name in found]
    if not found:
        yield Text("No row gave a figure.", "warning")
        return
    yield _table(first or list(found.values())[:12], "Means of true or false are shares of true.")


def _table(summaries: list[FigureSummary], caption: str = "") -> Table:
    rows = [
        (one.name, one.count, one.mean, one.least, *one.quantiles, one.most) for one in summaries
    ]
    heads = ("figure", "rows", "mean", "min", "5 %", "median", "95 %", "max")
    return Table(heads, tuple(rows), caption)


def _influences(study: Study) -> Iterator[Section]:
    """Yield which parameter matters."""
    rows = tuple((one.figure, one.input, one.share) for one in study.influences())
    if rows:
        caption = (
            "Share of the figure's variance that the parameter alone explains (adjusted "
            "correlation ratio); numbers with many values are grouped by deciles."
        )
        table = Table(("figure", "parameter", "share"), rows, caption)
        yield Section("Which parameter matters", (table,))


def _charts(study: Study) -> tuple[Part, ...]:
    """Return the headline figures against the parameter that explains most of each."""
    best: dict[str, str] = {}
    for one in study.influences():
        best.setdefault(one.figure, one.input)
    found = [_chart(study, figure, name) for figure, name in list(best.items())[:MAX_CHARTS]]
    return tuple(part for part in found if part is not None)


def _chart(study: Study, figure: str, name: str) -> Part | None:
    """Return a figure against a parameter: means and 5 to 95 % by value, or every row.

    Args:
        study: the study.
        figure: a column of numbers.
        name: a varied input.
    """
    y, x = study.numbers(figure), study.numbers(name)
    if y is None:
        return None
    title = f"{figure} against {name}"
    if x is None:
        return _bars(title, figure, study.table[name].to_pylist(), y)
    good = np.isfinite(x) & np.isfinite(y)
    x, y = x[good], y[good]
    levels = np.unique(x)
    if len(levels) > MAX_LEVELS:
        thin = slice(None, None, max(1, len(x) // MAX_POINTS))
        curves: tuple[Curve, ...] = (Curve("rows", x[thin], y[thin], "points"),)
    else:
        groups = [y[x == level] for level in levels]
        low, high = (np.array([np.quantile(g, q) for g in groups]) for q in (0.05, 0.95))
        mean = np.array([g.mean() for g in groups])
        curves = (
            Curve("mean", levels, mean),
            Curve("5 %", levels, low, "dashes", 1),
            Curve("95 %", levels, high, "dashes", 1),
        )
    return Chart(title, name, (Panel(figure, curves),))


def _bars(title: str, figure: str, values: list[object], y: Array) -> Bars | None:
    labels = sorted({str(value) for value in values})
    if len(labels) > MAX_LEVELS:
        return None
    texts = np.array([str(value) for value in values])
    means = [float(np.nanmean(y[texts == label])) for label in labels if _any(y, texts, label)]
    shown = tuple(label for label in labels if _any(y, texts, label))
    return Bars(title, figure, shown, (("mean", means),))


def _any(y: Array, texts: Array, label: str) -> bool:
    return bool(np.isfinite(y[texts == label]).any())


def _errors(study: Study) -> Iterator[Section]:
    """Yield the texts of errors with the rows that have them."""
    found = study.errors()
    if not found:
        return
    rows = []
    for text, count, first in found[:MAX_ERRORS]:
        inputs = {n: study.table[n][first].as_py() for n in input_names(study.plan.rows)}
        varied = ", ".join(f"{name} = {inputs[name]}" for name in study.plan.varied)
        rows.append((count, first, varied, text))
    more = (
        f"{len(found) - MAX_ERRORS} more texts are in the table." if len(found) > MAX_ERRORS else ""
    )
    heads = ("rows", "first row", "its inputs", "error")
    yield Section("Errors", (Table(heads, tuple(rows), more),))
