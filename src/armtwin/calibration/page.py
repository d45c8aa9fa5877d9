"""The page of a calibration: errors before and after, fitted and held parameters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.calibration.curves.curve_page import curve_parts
from armtwin.calibration.pose_errors import PoseErrors
from armtwin.calibration.result import Calibration
from armtwin.report.charts.palette import RECORDED, TWIN
from armtwin.report.diagrams import Forest, ForestPanel, Interval
from armtwin.report.inputs import fingerprint
from armtwin.report.numbers import with_unit
from armtwin.report.page import (
    Chart,
    Curve,
    Histogram,
    Page,
    Panel,
    Part,
    Section,
    Table,
    Text,
    Verdict,
)
from armtwin.spatial import Array
from armtwin.units import shown

BEFORE, AFTER = "before", "after"
CHOICE_RULE = ", the smallest set whose score is within one standard error of the best"


def calibration_page(fit: Calibration) -> Page:
    """Return a calibration as a page."""
    names = ", ".join(path.name for path in fit.inputs) or "recordings in memory"
    return Page(
        title=f"Calibration of {fit.nominal.name}",
        subtitle=f"{fit.nominal.title or fit.nominal.name} on {names}",
        verdict=Verdict(fit.passed, fit.verdict),
        facts=tuple(_facts(fit)),
        sections=(
            Section("Result", tuple(_result(fit))),
            Section("Parameters of the arm", tuple(_parameters(fit))),
            *([Section("Joint error curves", tuple(curve_parts(fit)))] if fit.curves else []),
            Section("Errors", tuple(_errors(fit))),
        ),
        inputs=tuple(fingerprint(path) for path in fit.inputs),
        settings=(*fit.settings, ("fingerprint of the new arm", fit.arm.fingerprint)),
    )


def _facts(fit: Calibration) -> Iterator[tuple[str, str]]:
    yield "Arm", fit.arm.name
    yield "Poses fitted", f"{len(fit.measured):,}"
    yield "Set of parameters", f"{fit.chosen} ({len(fit.parameters)} parameters)"
    yield "Mean error before", with_unit(fit.before.mean, "m")
    yield "Mean error, each pose left out", with_unit(fit.left_out.mean, "m")
    if fit.held_out:
        yield "Mean error, held-out poses", with_unit(fit.held_out.mean, "m")


def _result(fit: Calibration) -> Iterator[Part]:
    rows = [
        ("before, fitted poses", fit.before),
        ("after, fitted poses", fit.after),
        ("after, each block left out of the fit", fit.left_out),
        ("after, choice of parameters repeated", fit.nested_left_out),
        ("before, held-out poses", fit.held_out_before),
        ("after, held-out poses", fit.held_out),
    ]
    heads = ("", "poses", "mean [mm]", "RMS [mm]", "95 % [mm]", "max [mm]", "mean angle [deg]")
    cells = tuple((name, *_figures(errors)) for name, errors in rows if errors is not None)
    yield Table(heads, cells, "Distance between modelled and measured poses")
    if fit.nested_left_out and fit.nested_left_out.rms > fit.before.rms:
        yield Text(
            "With the choice of parameters repeated without each pose the error is larger than "
            "before: these measurements do not support any correction of this arm.",
            "warning",
        )
    yield from _sets(fit)
    yield from _placements(fit)
    for note in fit.notes:
        yield Text(f"{note}.", "note")


def _sets(fit: Calibration) -> Iterator[Part]:
    """Yield the sets of parameters with their scores on left-out poses."""
    heads = ("fitted mean [mm]", "left-out mean [mm]", "left-out RMS [mm]", "left-out angle [deg]")
    names = ("set", "parameters", *heads, "score gap to the best [nats]", "standard error")
    trials = tuple(
        (t.name, t.parameters, t.fitted.mean * 1e3, t.left_out.mean * 1e3, t.left_out.rms * 1e3)
        + (_degrees(t.left_out), t.score_gap, t.score_gap_error)
        for t in fit.trials
    )
    marks = tuple((k, "good") for k, t in enumerate(fit.trials) if t.name == fit.chosen)
    caption = (
        f"Sets of parameters, compared by left-out positions and orientations together; chosen: "
        f"{fit.chosen}" + CHOICE_RULE * (len(fit.trials) > 2)
    )
    yield Table(names, trials, caption, marks)


def _placements(fit: Calibration) -> Iterator[Part]:
    """Yield the errors of every placement, where there are several."""
    if len(fit.placements) < 2:
        return
    heads = ("placement", "recordings", "poses fitted", "before [mm]", "after [mm]")
    names = (*heads, "left out [mm]", "held out before [mm]", "held out after [mm]")
    rows = []
    for p in fit.placements:
        parts = (p.before, p.after, p.left_out, p.held_out_before, p.held_out)
        means = [None if errors is None else errors.mean * 1e3 for errors in parts]
        files = (*p.recordings, *[f"{name} (test)" for name in p.tests])
        rows.append((p.name, ", ".join(files), p.after.count, *means))
    yield Table(names, tuple(rows), "Placements, each with its own base and tool: mean errors")


def _degrees(errors: PoseErrors) -> float | None:
    return None if errors.angle_mean is None else float(np.rad2deg(errors.angle_mean))


def _figures(errors: PoseErrors) -> tuple[float | int | None, ...]:
    lengths = (errors.mean, errors.rms, errors.p95, errors.max)
    return (errors.count, *[length * 1e3 for length in lengths], _degrees(errors))


def _parameters(fit: Calibration) -> Iterator[Part]:
    rows = []
    for p in [p for p in fit.parameters if not p.name.startswith("curve")]:
        unit, size = shown(p.unit)
        half = (p.high - p.low) / 2 * size
        digits = [f"{value * size:.7g}" for value in (p.nominal, p.value)]
        sure = "yes" if p.is_significant else "no"
        rows.append((p.name, unit, *digits, p.change * size, half, sure))
    heads = ("parameter", "unit", "nominal", "fitted", "change", "± (95 %)", "significant")
    picture = _changes(fit)
    if picture is not None:
        yield picture
    if rows:
        yield Table(heads, tuple(rows), "Fitted parameters; angles and frames as in the arm file")
    held = tuple((u.name, str(u), "any" if u.exact else "these") for u in fit.unidentifiable)
    if held:
        caption = (
            "Not identifiable, held at their nominal values; the interval of a fitted parameter is "
            "that of the sum with those that act exactly like it"
        )
        yield Table(("parameter", "reason", "for which poses"), held, caption)
    yield Text(
        f"Condition number of the fitted problem, scaled by tolerances: {fit.condition:.3g}.",
        "note",
    )


def _changes(fit: Calibration) -> Forest | None:
    """Return how far each parameter is from its nominal value, by unit, with its interval."""
    units: dict[str, list[Interval]] = {}
    for p in [p for p in fit.parameters if not p.name.startswith("curve")]:
        unit, size = shown(p.unit)
        low, high = ((end - p.nominal) * size for end in (p.low, p.high))
        row = Interval(p.name, p.change * size, low, high, 0.0, not p.is_significant)
        units.setdefault(unit, []).append(row)
    panels = tuple(ForestPanel(f"change [{unit}]", tuple(rows)) for unit, rows in units.items())
    caption = "Lines are 95 % intervals; hollow marks are changes that may be 0."
    return Forest("Changes of the parameters", panels, "nominal", caption) if panels else None


def _errors(fit: Calibration) -> Iterator[Part]:
    distances = [np.linalg.norm(e[:, :3], axis=1) * 1e3 for e in fit.errors]
    pose = np.arange(1.0, len(distances[0]) + 1)
    panels = [_panel("position [mm]", pose, *distances)]
    if fit.errors[0].shape[1] == 6:
        angles = [np.rad2deg(np.linalg.norm(e[:, 3:], axis=1)) for e in fit.errors]
        panels.append(_panel("orientation [deg]", pose, *angles))
    yield Chart("Error of every fitted pose", "pose", tuple(panels))
    samples = ((AFTER, distances[1]), (BEFORE, distances[0]))
    yield Histogram("Distribution of position errors", "error [mm]", samples)


def _panel(label: str, x: Array, before: Array, after: Array) -> Panel:
    return Panel(
        label,
        (Curve(BEFORE, x, before, "points", RECORDED), Curve(AFTER, x, after, "points", TWIN)),
    )
