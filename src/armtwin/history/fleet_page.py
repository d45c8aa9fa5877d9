"""The page of a fleet's history: which arms drift, which joint, since when, what to do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.history.arm_page import NAMES, advice, sentence, trend_table, verdict
from armtwin.history.drift.trend import Trend
from armtwin.history.result import FleetHistory
from armtwin.report.numbers import counted
from armtwin.report.page import Histogram, Page, Part, Section, Table, Text

MAX_ALARMS, MAX_ARMS = 40, 200
"""Alarms and arms that a page lists; JSON has all."""


def fleet_page(fleet: FleetHistory) -> Page:
    """Return a fleet's history as a page."""
    serials = {trend.serial for trend in fleet.alarms}
    count = sum(arm["recordings"] for arm in fleet.arms)
    newest = max(arm["last"] for arm in fleet.arms)
    judged = [trend for trend in fleet.trends if trend.change == trend.change]
    return Page(
        title=f"History of {counted(len(fleet.arms), 'arm')}",
        subtitle=fleet.folder,
        verdict=verdict(fleet.passed, fleet.alarms, fleet.rate),
        facts=(
            ("Arms", str(len(fleet.arms))),
            ("Rows", str(count)),
            ("Newest", f"{newest:%Y-%m-%d %H:%M} UTC"),
            ("Judged series", str(len(judged))),
            ("Drifting arms", str(len(serials))),
        ),
        sections=(
            Section("Drift", tuple(_drift_parts(fleet))),
            Section("Changes", tuple(_changes(judged)), detail=True),
            Section("Arms", (_arms(fleet),), detail=len(fleet.arms) > 20),
        ),
        settings=(
            ("false alarms per arm and year", f"{fleet.rate:g}"),
            ("smallest change", f"{fleet.least:.1%}"),
        ),
    )


def _drift_parts(fleet: FleetHistory) -> Iterator[Part]:
    if not fleet.alarms:
        yield Text("No figure of any arm changed by more than chance and temperature explain.")
        return
    shown = fleet.alarms[:MAX_ALARMS]
    yield trend_alarms(shown)
    for trend in shown[:5]:
        yield Text(f"{sentence(trend)}. What to do: {advice(trend)}.")
    if len(fleet.alarms) > len(shown):
        yield Text(f"{len(fleet.alarms) - len(shown)} more are in the result's data.", "note")


def trend_alarms(trends: tuple[Trend, ...]) -> Table:
    """Return alarms as a table with the serial numbers of their arms."""
    plain = trend_table(trends)
    rows = tuple((t.serial, *row) for t, row in zip(trends, plain.rows, strict=True))
    return Table(("serial", *plain.heads), rows, plain.caption)


def _changes(judged: list[Trend]) -> Iterator[Part]:
    for figure, name in NAMES.items():
        changes = np.array([t.change for t in judged if t.figure == figure])
        if changes.size:
            caption = "Largest change of every joint, whether beyond chance or not"
            yield Histogram(f"Change of the {name}", "%", ((name, 100 * changes),), caption=caption)


def _arms(fleet: FleetHistory) -> Table:
    found: dict[str, list[str]] = {}
    for trend in fleet.alarms:
        found.setdefault(trend.serial, []).append(f"{NAMES[trend.figure]} of joint {trend.joint}")
    ordered = sorted(fleet.arms, key=lambda arm: (arm["serial"] not in found, arm["serial"]))
    rows = tuple(
        (
            arm["serial"], arm["arm"], arm["recordings"], f"{arm['last']:%Y-%m-%d}",
            arm["contacts"], ", ".join(found.get(arm["serial"], [])) or None,
        )
        for arm in ordered[:MAX_ARMS]
    )  # fmt: skip
    heads = ("serial", "arm", "rows", "newest", "contacts", "drift")
    left = len(ordered) - len(rows)
    return Table(heads, rows, f"{left} more arms without drift are not listed" if left > 0 else "")
