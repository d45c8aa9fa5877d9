"""Trends of many series: search, threshold, and the cause of each alarm."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from armtwin.history.drift.daily import MIN_DAYS, DailyValues
from armtwin.history.drift.false_alarms import RATE, WEIGHTS, threshold
from armtwin.history.drift.regression import Base, ChangeShape, search, shapes
from armtwin.history.drift.series import Series
from armtwin.history.drift.trend import EPOCH, SeriesFit, Trend, curve_of, dated
from armtwin.identification.options import MIN_KELVIN
from armtwin.spatial import Array

MIN_CHANGE = 0.02
"""Relative change below which there is no alarm, however certain it is."""
CHUNK = 600
"""Series that are searched at once, so that their arrays stay in the processor's cache."""


def judge(
    all_series: Sequence[Series], *, rate: float = RATE, least: float = MIN_CHANGE
) -> list[Trend]:
    """Return the trend of every series.

    Args:
        all_series: the series, one entry a figure.
        rate: false alarms per arm and year.
        least: smallest relative change that is an alarm.
    """
    from threadpoolctl import threadpool_limits

    trends: list[Trend] = []
    for series, part in zip(all_series, _parts(all_series), strict=True):
        limits = threshold(rate, part, series.daily.days)
        with threadpool_limits(1), ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = [
                pool.submit(_judged, series, rows, limits[rows], least)
                for rows in _chunks(series.daily.arm)
            ]
            trends += [trend for task in tasks for trend in task.result()]
    return trends


def _parts(all_series: Sequence[Series]) -> list[Array]:
    """Return the part of its arm's rate of false alarms that every series gets, by figure."""
    totals: dict[str, float] = defaultdict(float)
    for series in all_series:
        judged = series.serial[series.daily.days >= MIN_DAYS]
        for serial, count in zip(*np.unique(judged, return_counts=True), strict=True):
            totals[str(serial)] += float(count) * WEIGHTS[series.figure]
    return [
        weight / np.array([max(totals.get(str(one), 0.0), weight) for one in series.serial])
        for series, weight in ((one, WEIGHTS[one.figure]) for one in all_series)
    ]


def _chunks(arm: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the series (their numbers) in chunks; those of an arm, side by side, stay together."""
    starts = np.flatnonzero(np.diff(arm, prepend=-1))
    cuts = [0]
    for start in starts.tolist():
        if start - cuts[-1] >= CHUNK:
            cuts.append(start)
    return [np.arange(a, b) for a, b in zip(cuts, [*cuts[1:], len(arm)], strict=True)]


def _judged(series: Series, rows: NDArray[np.intp], limits: Array, least: float) -> list[Trend]:
    """Return the trends of some of the series.

    Args:
        series: all series of a figure.
        rows: which of them.
        limits: their largest p that is an alarm.
        least: smallest change that is an alarm.
    """
    daily = _cut(series.daily.take(rows))
    if not len(rows):
        return []
    base = Base.of(daily, MIN_KELVIN)
    among = shapes(daily.value.shape[1])
    changes = search(daily, base, among)
    kelvin, days = daily.kelvin, daily.days
    known = np.isfinite(daily.temperature).any(axis=1)
    warmth = np.where(~known, "missing", np.where(kelvin < MIN_KELVIN, "constant", "explained"))
    half = stdtrit(changes.freedom, 0.975) * changes.error
    change, low, high = (np.expm1(changes.change + k * half) for k in (0, -1, 1))
    found = (changes.p < limits) & (np.abs(change) >= least)
    trends = []
    for k, row in enumerate(rows.tolist()):
        kind = among[int(changes.shape[k])].kind if changes.shape[k] >= 0 else ""
        trend = Trend(
            str(series.serial[row]), series.figure, int(series.joint[row]), int(days[k]),
            EPOCH + timedelta(days=int(series.last[row])), bool(found[k]), float(change[k]),
            float(low[k]), float(high[k]), kind, 0, None, None, None, float(changes.p[k]),
            float(limits[k]), str(warmth[k]), float(kelvin[k]), float(changes.scatter[k]),
            float(changes.correlation[k]),
        )  # fmt: skip
        alone = single_series(daily, base, k) if found[k] else None
        trends.append(trend if alone is None else dated(trend, *alone, int(series.last[row])))
    return trends


def single_series(daily: DailyValues, base: Base, k: int) -> tuple[DailyValues, Base]:
    """Return one series of a chunk, and its base, as arrays of one row.

    Args:
        daily: the chunk's series.
        base: their means and temperature curves.
        k: which of them.
    """
    pick = slice(k, k + 1)
    one = DailyValues(
        daily.value[pick], daily.weight[pick], daily.temperature[pick], np.zeros(1, int)
    )
    return one, Base(base.root[pick], base.columns[:, pick], base.rank[pick], base.rest[pick])


def curves(series: Series, trends: Sequence[Trend]) -> dict[int, SeriesFit]:
    """Return the charts' data of the joints of one arm, by joint."""
    by_joint = {t.joint: t for t in trends if t.figure == series.figure}
    daily = _cut(series.daily)
    base = Base.of(daily, MIN_KELVIN)
    found = {}
    for k, joint in enumerate(series.joint.tolist()):
        trend = by_joint.get(joint)
        if trend is None or trend.days < MIN_DAYS:
            continue
        one, alone = single_series(daily, base, k)
        shape = None
        if trend.found and trend.since is not None:
            best = (trend.last - trend.since).days + 1
            shape = ChangeShape(trend.kind, best, trend.length)
        found[joint] = curve_of(one, alone, shape, int(series.last[k]))
    return found


def _cut(daily: DailyValues) -> DailyValues:
    """Return series without leading days on which none of them has data."""
    used = np.flatnonzero((daily.weight > 0).any(axis=0))
    start = int(used[0]) if used.size else 0
    parts = (daily.value[:, start:], daily.weight[:, start:], daily.temperature[:, start:])
    return DailyValues(*parts, daily.arm)
