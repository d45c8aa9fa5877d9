"""Page of a validation: verdict, figures, lag, overlays, errors, path and settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from armtwin.report.charts.palette import ERROR, RECORDED, TWIN
from armtwin.report.inputs import fingerprint
from armtwin.report.numbers import counted, format_against, rounded, with_decimals, with_unit
from armtwin.report.page import (
    Chart,
    Curve,
    Histogram,
    Page,
    Panel,
    Part,
    Paths,
    Section,
    Table,
    Text,
    Verdict,
)
from armtwin.spatial import Array, rpy_from_rotation
from armtwin.units import shown, unit_for
from armtwin.validation.diagnosis import diagnosis, proposed_arm
from armtwin.validation.lags.signal_lag import Lag
from armtwin.validation.metrics import Signal
from armtwin.validation.result import Check

SECTIONS = (
    ("Position", ("x", "y", "z", "position")),
    ("Euler angles", ("roll", "pitch", "yaw")),
    ("Orientation", ("quaternion", "angle")),
)
HEADS = ("signal", "unit", "MAE", "RMSE", "max", "95 %", "bias", "R²")
ORDER = (
    "Causes are ordered by the share that they explain less 1 % for each free number: of two that "
    "explain about as much, the simpler one comes first."
)
MORE_HEADS = ("signal", "unit", "median", "99 %", "samples")


def page(check: Check) -> Page:
    """Return the page of a validation."""
    run = check.recording
    sections = [Section("Result", tuple(_result(check)))]
    sections += [Section(title, tuple(parts), detail=True) for title, parts in _charts(check)]
    notes = tuple(Text(note, "note") for note in check.notes)
    if notes:
        sections.append(Section("Processing notes", notes))
    return Page(
        title=f"Validation of {check.arm.name}",
        subtitle=f"{check.arm.title or check.arm.name} against {run.origin or 'a recording'}",
        verdict=Verdict(check.passed if check.is_judged else None, check.verdict),
        facts=tuple(_facts(check)),
        sections=tuple(sections),
        inputs=tuple(fingerprint(file) for file in check.inputs),
        settings=(*check.settings, ("arm fingerprint", check.arm.fingerprint)),
        finding=diagnosis(check),
        proposed_arm=proposed_arm(check),
    )


def _facts(check: Check) -> Iterator[tuple[str, str]]:
    run = check.recording
    yield "Twin", check.arm.name
    yield "Recording", run.origin or "in memory"
    yield "Rows", f"{len(run):,}"
    if run.timed and len(run) > 1:
        yield "Rate", f"{run.rate:.6g} Hz"
        yield "Duration", f"{run.duration:.6g} s"
    for name, label in (("position", "Position RMSE"), ("angle", "Orientation RMSE")):
        for row in check.table:
            if row.signal == name:
                yield label, with_unit(row.rmse, row.unit)
    if check.lag:
        yield "Lag", _lag_text(check.lag)


def _lag_text(lag: Lag) -> str:
    half = (lag.interval[1] - lag.interval[0]) / 2
    samples, milliseconds = with_decimals(lag.samples, 3), with_decimals(lag.seconds * 1e3, 3)
    return f"{samples} ± {half:.3f} samples ({milliseconds} ms)"


def _result(check: Check) -> Iterator[Part]:
    in_table = {str(judged) for judged in check.limits}
    for failure in check.failures:
        if failure not in in_table:
            yield Text(failure, "warning")
    for number, cause in enumerate(check.causes[:3]):
        lead = "Most likely cause" if number == 0 else "Also possible"
        free = f" with {counted(cause.numbers, 'free number')}" if cause.numbers else ""
        yield Text(
            f"{lead}: {cause.text} (explains {cause.removed:.1%} of the squared error{free})."
        )
    if len(check.causes) > 1:
        yield Text(ORDER, "note")
    yield from _picture(check)
    if check.limits:
        yield _limits(check)
    if check.table:
        yield _figures(check)
    if check.lags:
        yield _lags(check)
    for name, T in check.fitted.items():
        matrix = np.array(T)
        values = np.concatenate(
            [matrix[:3, 3] * 1e3, np.rad2deg(rpy_from_rotation(matrix[:3, :3]))]
        )
        names = ("x [mm]", "y [mm]", "z [mm]", "roll [deg]", "pitch [deg]", "yaw [deg]")
        yield Table(names, (tuple(values.tolist()),), f"The {name}, fitted to this recording")


def _picture(check: Check) -> Iterator[Chart]:
    """Yield one picture before the tables: the position error, else the torque farthest off."""
    by_name = {signal.name: signal for signal in check.signals if signal.rows.size}
    if "position" in by_name:
        panel = _error(check, by_name["position"])
        yield Chart("Position error of the twin", _x_label(check), (panel,))
        return
    efforts = [s for s in by_name.values() if s.kind in ("torque", "current", "power")]
    same = [s for s in efforts if s.kind == efforts[0].kind]
    if same:
        worst = max(same, key=lambda signal: signal.metrics.rmse)
        title = f"{worst.name}, the largest error: twin over recorded"
        yield Chart(title, _x_label(check), (_overlay(check, worst),))


def _limits(check: Check) -> Table:
    rows = []
    for judged in check.limits:
        unit, size = shown(judged.limit.unit)
        is_share = judged.limit.figure == "r2"
        scale = 1.0 if is_share else size
        value = None if judged.value is None else judged.value * scale
        found = format_against(value, judged.limit.value * scale)
        bound = f"{'≥' if is_share else '≤'} {rounded(judged.limit.value * scale)}"
        name = f"{judged.signal} {judged.limit.figure.upper()}"
        kept = "kept" if judged.kept else "broken"
        rows.append((name, "" if is_share else unit, found, bound, kept, judged.limit.source))
    marks = tuple((k, "good" if j.kept else "bad") for k, j in enumerate(check.limits))
    heads = ("figure", "unit", "found", "limit", "verdict", "limit from")
    return Table(heads, tuple(rows), "Limits", marks)


def _figures(check: Check) -> Table:
    rows = []
    for row in check.table:
        unit, size = unit_for(row.rmse, row.unit)
        scaled = (number * size for number in (row.mae, row.rmse, row.max, row.p95))
        bias = None if row.bias is None else format_against(row.bias * size, row.rmse * size)
        r2 = None if row.r2 is None else f"{row.r2:.5f}"
        rows.append((row.signal, unit, *scaled, bias, r2))
    caption = (
        "Errors are twin minus recorded; position is the Euclidean distance, quaternion "
        "1 − |⟨q, q⟩|, angle the angle between both orientations."
    )
    return Table(HEADS, tuple(rows), caption)


def _more_figures(check: Check) -> Table:
    rows = []
    for row in check.table:
        unit, size = unit_for(row.p99, row.unit)
        rows.append((row.signal, unit, row.p50 * size, row.p99 * size, row.count))
    return Table(MORE_HEADS, tuple(rows), "Absolute errors")


def _lags(check: Check) -> Table:
    rows = []
    for name, lag in check.lags.items():
        figures = (lag.samples, *lag.interval, lag.seconds * 1e3)
        shown = (with_decimals(figure, 4) for figure in figures)
        rows.append((name, *shown, with_decimals(100 * lag.removed, 3)))
    heads = ("signals", "lag [samples]", "from", "to (95 %)", "lag [ms]", "error it explains [%]")
    caption = (
        "Lag of the recorded signals behind the joints, estimated apart from all other errors; "
        "positive is later. The figures above are "
        + ("with the lag removed." if dict(check.settings).get("remove lag") == "yes" else "as is.")
    )
    return Table(heads, tuple(rows), caption)


def _charts(check: Check) -> Iterator[tuple[str, list[Part]]]:
    if check.table:
        yield "Further figures", [_more_figures(check)]
    by_name = {signal.name: signal for signal in check.signals}
    for title, names in SECTIONS:
        signals = [by_name[name] for name in names if name in by_name]
        if signals:
            yield title, list(_parts(check, title, signals))
    for kind, title in (("torque", "Torque"), ("current", "Motor current"), ("power", "Power")):
        signals = [signal for signal in check.signals if signal.kind == kind]
        groups = dict.fromkeys(signal.name.rstrip("0123456789") for signal in signals)
        for group in groups:
            part = [s for s in signals if s.name.rstrip("0123456789") == group]
            name = title if len(groups) == 1 else f"{title} ({group})"
            yield name, list(_parts(check, name, part))


def _parts(check: Check, title: str, signals: Sequence[Signal]) -> Iterator[Part]:
    overlaid = [signal for signal in signals if signal.signed]
    if overlaid:
        panels = tuple(_overlay(check, signal) for signal in overlaid)
        yield Chart(f"{title}: twin over recorded", _x_label(check), panels)
    yield Chart(f"{title}: error", _x_label(check), tuple(_error(check, s) for s in signals))
    unit, size = shown(signals[-1].unit)
    same_unit = [signal for signal in signals if signal.unit == signals[-1].unit]
    samples = tuple((signal.name, signal.error * size) for signal in same_unit)
    yield Histogram(f"{title}: distribution of errors", f"error [{unit or '1'}]", samples)
    position = next((signal for signal in signals if signal.name == "position"), None)
    if position is not None:
        paths = (("twin", position.twin), ("recorded", position.real))
        yield Paths("The tool's path in base", "m", paths)


def _x_label(check: Check) -> str:
    return "time [s]" if check.recording.timed else "pose"


def _time(check: Check, signal: Signal) -> Array:
    """Return the times of a signal's samples, from the recording's first on."""
    return check.recording.time[signal.rows] - check.recording.time[0]


def _overlay(check: Check, signal: Signal) -> Panel:
    unit, size = shown(signal.unit)
    time = _time(check, signal)
    timed = check.recording.timed
    lines = (
        Curve("recorded", time, signal.real * size, "line" if timed else "points", RECORDED),
        Curve("twin", time, signal.twin * size, "dashes" if timed else "points", TWIN),
    )
    return Panel(f"{signal.name} [{unit or '1'}]", lines)


def _error(check: Check, signal: Signal) -> Panel:
    unit, size = shown(signal.unit)
    timed = check.recording.timed
    error = signal.error * size
    line = Curve("error", _time(check, signal), error, "line" if timed else "points", ERROR)
    return Panel(f"{signal.name} [{unit or '1'}]", (line,))
