"""Pages of one arm's history: trends with intervals, which joint, since when, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

import numpy as np

from armtwin.history.drift.daily import MIN_DAYS
from armtwin.history.drift.trend import EPOCH, SeriesFit, Trend
from armtwin.history.result import Added, ArmHistory
from armtwin.history.row import SPEED
from armtwin.report.numbers import counted, rounded, with_unit
from armtwin.report.page import (
    Chart,
    Curve,
    Page,
    Panel,
    Part,
    Section,
    Shade,
    Table,
    Text,
    Verdict,
)

NAMES = {"friction": "friction", "torque_constant": "torque constant"}
ADVICE = {
    ("friction", True): "more friction: check grease, seals, bearings and the load on the joint, "
    "and its brake; plan a service of the joint",
    (
        "friction",
        False,
    ): "less friction: running-in or a fresh service explains it; if neither took "
    "place, check the gear for wear and lost preload",
    ("torque_constant", True): "more torque per ampere: the current sensor or the payload of the "
    "recordings may have changed; check both",
    ("torque_constant", False): "less torque per ampere: check the current sensor, the payload of "
    "the recordings, and the motor for overheating (demagnetised magnets)",
}
WARM_UP = "joint temperatures were not recorded: warm-up of the joint could explain this change"


def arm_page(history: ArmHistory) -> Page:
    """Return an arm's history as a page."""
    rows = history.rows
    first, last = rows[0].recorded, rows[-1].recorded
    return Page(
        title=f"History of {history.arm} {history.serial}",
        subtitle=f"{first:%Y-%m-%d} to {last:%Y-%m-%d}",
        verdict=verdict(history.passed, history.alarms, history.rate),
        facts=(
            ("Recordings", str(len(rows))),
            ("Newest", f"{last:%Y-%m-%d %H:%M} UTC (from: {rows[-1].time_from})"),
            *_newest_figures(history),
        ),
        sections=(
            Section("Drift", tuple(_drift_parts(history))),
            Section("Trends", (trend_table(history.trends), *_notes(history))),
            *_charts(history),
        ),
        settings=(
            ("false alarms per arm and year", f"{history.rate:g}"),
            ("smallest change", f"{history.least:.1%}"),
            ("speed of friction", _speeds(history)),
        ),
    )


def verdict(passed: bool | None, alarms: tuple[Trend, ...], rate: float) -> Verdict:
    """Return the verdict of an arm or a fleet.

    Args:
        passed: False where something drifts.
        alarms: what drifts.
        rate: false alarms per arm and year.
    """
    if passed is None:
        return Verdict(None, f"no figure has {MIN_DAYS} days of data yet")
    if passed:
        return Verdict(True, f"no drift (false alarms: {rate:g} per arm and year)")
    more = f"{len(alarms)} drifts; the surest: " if len(alarms) > 1 else ""
    return Verdict(False, f"{more}{sentence(alarms[0])}")


def sentence(trend: Trend) -> str:
    """Return an alarm as one sentence: which joint, how much, since when."""
    since = f" since {trend.since:%Y-%m-%d}" if trend.since else ""
    if trend.since_low and trend.since_high and trend.since_low != trend.since_high:
        since += f" ({trend.since_low:%Y-%m-%d} to {trend.since_high:%Y-%m-%d})"
    how = f"over {trend.length} days" if trend.length else "gradually"
    how = how if trend.kind == "line" else "at once"
    return (
        f"{trend.serial} joint {trend.joint}: {NAMES[trend.figure]} {trend.change:+.1%} "
        f"({trend.low:+.1%} to {trend.high:+.1%}), {how}{since}"
    )


def advice(trend: Trend) -> str:
    """Return what to do about an alarm."""
    text = ADVICE[trend.figure, trend.change > 0]
    return text if trend.temperature != "missing" else f"{WARM_UP}; record them first. Else {text}"


def _drift_parts(history: ArmHistory) -> Iterator[Part]:
    if not history.alarms:
        text = "No figure changed by more than chance and temperature explain."
        if history.passed is None:
            text = f"Not judged: {MIN_DAYS} days with identified recordings are needed."
        yield Text(text)
    for trend in history.alarms:
        yield Text(sentence(trend), "warning")
        yield Text(f"What to do: {advice(trend)}.")
        if trend.temperature == "explained":
            yield Text(f"Temperature (range {trend.kelvin:.0f} K) is taken out of this change.")


def trend_table(trends: tuple[Trend, ...]) -> Table:
    """Return the changes of all figures and joints as a table."""
    heads = ("figure", "joint", "days", "change %", "from %", "to %", "since", "p", "alarm below",
             "scatter %", "temperature")  # fmt: skip
    rows = tuple(
        (
            NAMES[t.figure], t.joint, t.days, *(_percent(x) for x in (t.change, t.low, t.high)),
            _day(t.since) if t.found else None, _small(t.p), _small(t.threshold),
            _percent(t.scatter), t.temperature,
        )
        for t in trends
    )  # fmt: skip
    marks = tuple((k, "bad") for k, trend in enumerate(trends) if trend.found)
    caption = "Largest change until the last day, with its 95 % interval; scatter is of one day"
    return Table(heads, rows, caption, marks)


def _notes(history: ArmHistory) -> Iterator[Text]:
    if any(t.temperature == "missing" and t.days for t in history.trends):
        yield Text(
            "Some series have no joint temperatures. What warm-up does to friction (15 to 30 % in "
            "a wrist's first ten minutes) is then in their scatter, and could explain a change.",
            "note",
        )
    if any(t.temperature == "constant" for t in history.trends):
        yield Text("Where temperatures vary by less than 2 K no curve over them is fitted.", "note")


def _speeds(history: ArmHistory) -> str:
    """Return the speeds at which friction is compared, joint by joint."""
    judged = [row.friction_speed for row in history.rows if row.friction]
    if not judged or judged[-1] is None:
        return f"{SPEED['revolute']:g} rad/s, {SPEED['prismatic']:g} m/s"
    return ", ".join("-" if speed is None else f"{speed:g}" for speed in judged[-1]) + " rad/s"


def _newest_figures(history: ArmHistory) -> Iterator[tuple[str, str]]:
    """Yield the newest value of figures that are not judged."""
    for name, label, unit in (
        ("tool_error", "Tool error (RMSE)", "m"), ("payload", "Payload", "kg"),
        ("energy_per_cycle", "Energy per cycle", "J"),
    ):  # fmt: skip
        known = [getattr(row, name) for row in history.rows if getattr(row, name) is not None]
        if known:
            yield label, f"{with_unit(known[-1], unit)} (first {with_unit(known[0], unit)})"
    contacts = [row.contacts for row in history.rows if row.contacts is not None]
    if contacts:
        yield "Contacts", f"{sum(contacts)} in {counted(len(contacts), 'row')}"


def _charts(history: ArmHistory) -> Iterator[Section]:
    for figure, by_joint in history.curves.items():
        if not by_joint:
            continue
        found = {t.joint: t for t in history.trends if t.figure == figure}
        panels = tuple(_panel(figure, joint, by_joint[joint], found[joint]) for joint in by_joint)
        origin = EPOCH.isoformat()
        start = min(float(daily.day[0]) for daily in by_joint.values())
        shown = np.datetime64(origin, "D") + int(start)
        chart = Chart(f"{NAMES[figure].capitalize()} over time", f"days since {shown}", panels,
                      "Points: daily values at the mean temperature, relative to their mean; "
                      "dashes: 95 % of days; line: mean, and the change where it is an "
                      "alarm")  # fmt: skip
        shifted = _from_day(chart, start)
        yield Section(f"{NAMES[figure].capitalize()} over time", (shifted,), detail=True)
        warm = [daily for daily in by_joint.values() if np.isfinite(daily.per_kelvin)]
        if warm:
            yield Section(
                f"{NAMES[figure].capitalize()} and temperature",
                (_temperature_table(by_joint),), detail=figure != "friction",
            )  # fmt: skip


def _panel(figure: str, joint: int, daily: SeriesFit, trend: Trend) -> Panel:
    """Return the chart of one joint, in percent of its mean.

    Args:
        figure: name of the figure.
        joint: from 1.
        daily: values and fit.
        trend: its judgement.
    """
    mean = float(np.mean(daily.fitted))
    points, line = (100 * np.expm1(x - mean) for x in (daily.explained, daily.fitted))
    half = 196 * trend.scatter
    shades: tuple[Shade, ...] = ()
    if trend.found and trend.since_low and trend.since_high:
        ends = [float((day - EPOCH).days) for day in (trend.since_low, trend.since_high)]
        shades = (Shade("change began", ends[0], ends[1]),)
    return Panel(
        f"joint {joint} [%]",
        (
            Curve("daily value", daily.day, points, "points", 0),
            Curve("fit", daily.day, line, "line", 1),
            Curve("95 % of days", daily.day, line + half, "dashes", 2),
            Curve("95 % of days", daily.day, line - half, "dashes", 2),
        ),
        shades,
    )


def _from_day(chart: Chart, start: float) -> Chart:
    panels = tuple(
        Panel(
            panel.label,
            tuple(Curve(c.name, np.asarray(c.x) - start, c.y, c.style, c.colour)
                  for c in panel.lines),
            tuple(Shade(s.name, s.start - start, s.end - start) for s in panel.shades),
        )
        for panel in chart.panels
    )  # fmt: skip
    return Chart(chart.title, chart.x_label, panels, chart.caption)


def _temperature_table(by_joint: Mapping[int, SeriesFit]) -> Table:
    rows = []
    for joint, daily in by_joint.items():
        known = np.isfinite(daily.temperature)
        if np.isfinite(daily.per_kelvin) and known.any():
            low, high = np.nanmin(daily.temperature), np.nanmax(daily.temperature)
            rows.append((joint, float(low), float(high), 100 * daily.per_kelvin))
    heads = ("joint", "from degC", "to degC", "% per K at the mean")
    return Table(heads, tuple(rows), "Fitted together with the change, and taken out of it")


def added_page(added: Added) -> Page:
    """Return an added row as a page."""
    row = added.row
    facts = [
        ("Arm", f"{row.arm} {row.serial}"),
        ("Recorded", f"{row.recorded:%Y-%m-%d %H:%M:%S} UTC (from: {row.time_from})"),
    ]
    for name, value in row.figures().items():
        if isinstance(value, tuple):
            value = ", ".join("-" if x is None else rounded(x) for x in value)
        facts.append((name, rounded(value) if isinstance(value, float) else str(value)))
    return Page(title="Row of a history", subtitle=added.text, facts=tuple(facts))


def _percent(value: float) -> str | None:
    return None if value != value else f"{100 * value:.2f}"


def _small(value: float) -> str:
    return f"{value:.1e}"


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
