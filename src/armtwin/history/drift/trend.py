"""The judgement of one series: how much it changed, since when, and whether by more than chance."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from armtwin.history.drift.daily import DailyValues
from armtwin.history.drift.regression import (
    COLLINEAR,
    MIN_BEFORE,
    MIN_WITHIN,
    Base,
    ChangeShape,
    courses,
)
from armtwin.spatial import Array

LENGTHS = (3, 5, 7, 10, 14, 20, 28, 40, 56, 80)
"""Days that a gradual change takes which came to its end."""
EPOCH = date(1970, 1, 1)
CHI2_95 = 3.84
"""95 % point of the chi-square distribution with one degree of freedom."""


@dataclass(frozen=True, eq=False)
class SeriesFit:
    """Daily values of a series with what was fitted to them, days with data only.

    Attributes:
        day: days since 1970 (n,).
        value: natural logarithm of the figure (n,).
        temperature: [degC] (n,); NaN where it is not known.
        explained: value at the mean temperature (n,): less the temperature's fitted part.
        fitted: mean, and the change of an alarm, at the mean temperature (n,).
        per_kelvin: fitted relative change per kelvin at the mean temperature; NaN without one.
    """

    day: Array
    value: Array
    temperature: Array
    explained: Array
    fitted: Array
    per_kelvin: float


@dataclass(frozen=True)
class Trend:
    """The change of one figure of one joint.

    Attributes:
        serial: of the arm.
        figure: "friction" or "torque_constant".
        joint: from 1.
        days: days with data.
        last: the newest of them.
        found: whether the change is an alarm.
        change: relative change until the last day that temperature does not explain; NaN where
            there are too few days.
        low: lower end of its 95 % interval.
        high: upper end.
        kind: "line" (gradual) or "step".
        length: days that a gradual change took; 0 where it goes on, or for a step.
        since: first day of the change; None where nothing was found.
        since_low: earliest day within the 95 % interval.
        since_high: latest day.
        p: probability of such a change by chance, for one test.
        threshold: largest p that is an alarm at the stated rate.
        temperature: "explained", "constant" (too small a range to matter) or "missing".
        kelvin: range of the temperatures [K].
        scatter: standard deviation of a day about the fit, relative.
        correlation: of one day's scatter with the next.
    """

    serial: str
    figure: str
    joint: int
    days: int
    last: date
    found: bool
    change: float
    low: float
    high: float
    kind: str
    length: int
    since: date | None
    since_low: date | None
    since_high: date | None
    p: float
    threshold: float
    temperature: str
    kelvin: float
    scatter: float
    correlation: float

    def to_dict(self) -> dict[str, Any]:
        """Return the trend as plain data, ready for JSON."""
        plain = asdict(self)
        for key, value in plain.items():
            if isinstance(value, date):
                plain[key] = value.isoformat()
            elif isinstance(value, float) and not np.isfinite(value):
                plain[key] = None
        return plain


@functools.lru_cache(maxsize=1)
def _grid(days: int) -> tuple[list[ChangeShape], Array, NDArray[np.intp]]:
    """Return all shapes of a record of some days, their courses (days, K) and first days (K,).

    First days are counted back from the last. Most alarms of a fleet have records of one length, so
    that the newest grid is kept.
    """
    starts = range(MIN_WITHIN, days)
    every = [ChangeShape(kind, m) for kind in ("line", "step") for m in starts]
    every += [ChangeShape("line", m, length) for length in LENGTHS for m in starts if m > length]
    return every, courses(every, days), np.array([shape.days for shape in every], np.intp)


def dated(trend: Trend, one: DailyValues, base: Base, last: int) -> Trend:
    r"""Return an alarm with its first day and its size, over all first days and lengths.

    The intervals hold every shape with
    :math:`n \ln(RSS / RSS_{min}) < \chi^2_{0.95} \cdot (1 + \varphi) / (1 - \varphi)`: the earliest
    and the latest of their first days, and the ends of all of their intervals of the change.

    Args:
        trend: the alarm.
        one: its series, alone.
        base: its mean and temperature curve.
        last: its newest day, days since 1970.
    """
    days = one.value.shape[1]
    every, H, ages = _grid(days)
    root, weight, seen = base.root[0], one.weight[0], (one.weight[0] > 0).astype(float)
    within = np.cumsum(seen[::-1])[ages - 1]
    size = np.einsum("d,dk,dk->k", weight, H, H)
    left = size - sum(((root * column[0]) @ H) ** 2 for column in base.columns)
    whole = days - 1 - int(seen.argmax())  # a line from the first day on needs none before it
    since_first = np.zeros(len(every), bool)
    if whole in ages[: days - MIN_WITHIN]:
        since_first[whole - MIN_WITHIN] = True  # lines without a length come first
    allowed = (within >= MIN_WITHIN) & (seen.sum() - within >= MIN_BEFORE) | since_first
    allowed &= left > COLLINEAR * size
    if not allowed.any():
        return trend
    left = np.where(allowed, left, 1.0)
    along, total = (root * base.rest[0]) @ H, float(base.rest[0] @ base.rest[0])
    rest = np.where(allowed, np.maximum(total - along**2 / left, 1e-300), np.inf)
    stretch = (1 + trend.correlation) / (1 - trend.correlation)
    near = np.flatnonzero(seen.sum() * np.log(rest / rest.min()) < CHI2_95 * stretch)
    freedom = max(float(seen.sum()) - float(base.rank[0]) - 1, 1.0)
    half = stdtrit(freedom, 0.975) * np.sqrt(rest / freedom / left * stretch)
    change, best = along / left, int(rest.argmin())
    at, first, end = (EPOCH + timedelta(days=last - int(m) + 1)
                      for m in (ages[best], ages[near].max(), ages[near].min()))  # fmt: skip
    return dataclasses.replace(
        trend, change=float(np.expm1(change[best])),
        low=float(np.expm1((change - half)[near].min())),
        high=float(np.expm1((change + half)[near].max())),
        kind=every[best].kind, length=every[best].length, since=at, since_low=first,
        since_high=end, scatter=float(np.sqrt(rest[best] / freedom * seen.sum() / weight.sum())),
    )  # fmt: skip


def curve_of(one: DailyValues, base: Base, shape: ChangeShape | None, last: int) -> SeriesFit:
    """Return a series' values and what was fitted to them, for charts.

    Args:
        one: the series, alone.
        base: its mean and temperature curve.
        shape: the change to fit; None: none.
        last: its newest day, days since 1970.
    """
    days = one.value.shape[1]
    seen = one.weight[0] > 0
    root, value, warm = base.root[0, seen], one.value[0, seen], one.temperature[0, seen]
    course = np.zeros(days) if shape is None else courses([shape], days)[:, 0]
    columns = [np.ones(int(seen.sum())), course[seen]]
    curved = base.columns.shape[0] > 2 and base.columns[2].any()
    centred = np.nan_to_num(warm - np.average(warm, weights=root**2))
    if base.columns[1].any():
        columns += [centred, centred**2] if curved else [centred]
    X = np.stack(columns, axis=1)
    fit = np.linalg.lstsq(X * root[:, None], value * root, rcond=None)[0]
    return SeriesFit(
        day=(np.flatnonzero(seen) + last - days + 1).astype(float), value=value,
        temperature=warm, explained=value - X[:, 2:] @ fit[2:], fitted=X[:, :2] @ fit[:2],
        per_kelvin=float(fit[2]) if len(fit) > 2 else float("nan"),
    )  # fmt: skip
