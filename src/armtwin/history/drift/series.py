"""Daily series of a history's rows: per arm, figure and joint, one value a day.

A day's value is the weighted mean of the logarithm over the day's recordings, with the inverse
squares of the relative standard errors as weights. DuckDB picks rows and columns; the sums are made
here, for all arms at once.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armtwin.history.drift.daily import Daily, weights
from armtwin.history.store import Store
from armtwin.spatial import Array

if TYPE_CHECKING:
    import pyarrow as pa

FIGURES = ("friction", "torque_constant")
"""Judged figures of every joint."""
MOST_DAYS = 730
"""Days before the newest row that are judged."""
WITH_TEMPERATURE = 0.5
"""Share of a series' days with a temperature from which on days without one are left out."""

COLUMNS = ("temperature", *(name + end for name in FIGURES for end in ("", "_se")))
QUERY = """
SELECT serial, dof, epoch(recorded) AS time, {columns},
    CASE WHEN friction IS NULL THEN 0 ELSE hash(friction_unit, friction_speed) END AS basis
FROM rows WHERE (friction IS NOT NULL OR torque_constant IS NOT NULL) AND {where}
    AND recorded > (SELECT max(recorded) FROM rows) - INTERVAL {most} DAY
"""


@dataclass(frozen=True, eq=False)
class Series:
    """Daily series of one figure, those of an arm side by side.

    Attributes:
        figure: "friction" or "torque_constant".
        serial: of every series (S,).
        joint: of every series (S,), from 1.
        last: newest day of every series (S,), days since 1970.
        daily: the values, right-aligned.
    """

    figure: str
    serial: NDArray[np.str_]
    joint: NDArray[np.intp]
    last: NDArray[np.intp]
    daily: Daily


@dataclass(frozen=True, eq=False)
class _Entries:
    """One entry a row and joint: its arm, joint, day, and the figures by name."""

    labels: NDArray[np.str_]
    arm: NDArray[np.intp]
    joint: NDArray[np.intp]
    day: NDArray[np.intp]
    values: dict[str, Array]


def daily_series(store: Store, serial: str | None = None) -> list[Series]:
    """Return the daily series of every figure, of all arms or of one."""
    where, values = ("TRUE", ()) if serial is None else ("serial = ?", (serial,))
    sql = QUERY.format(where=where, most=MOST_DAYS, columns=", ".join(COLUMNS))
    entries = _entries(store.query(sql, values))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda figure: _series(entries, figure), FIGURES))


def _entries(table: pa.Table) -> _Entries:
    """Return the rows spread over joints.

    Friction in another unit or at other speeds than in the arm's newest row with friction is NaN.
    """
    names = table.column("serial").combine_chunks().dictionary_encode()
    arm = names.indices.to_numpy().astype(np.intp)
    dof = table.column("dof").to_numpy().astype(np.intp)
    time = table.column("time").to_numpy()
    spread = np.repeat(np.arange(len(arm)), dof)
    joint = np.arange(len(spread)) - np.repeat(np.cumsum(dof) - dof, dof) + 1
    values = {name: _spread(table.column(name).combine_chunks(), dof) for name in COLUMNS}
    basis = table.column("basis").to_numpy()
    left = (basis != _newest(basis, arm, time)) & (basis != 0)
    if left.any():
        values["friction"] = np.where(left[spread], np.nan, values["friction"])
    labels = np.array(names.dictionary.to_pylist(), dtype=np.str_)
    day = np.floor(time / 86400).astype(np.intp)
    return _Entries(labels, arm[spread], joint, day[spread], values)


def _newest(basis: NDArray[np.uint64], arm: NDArray[np.intp], time: Array) -> Array:
    """Return for every row the basis of its arm's newest row that has one.

    Args:
        basis: unit and speeds of the friction, as a number (n,); 0 without friction.
        arm: number of the arm (n,).
        time: of the rows (n,) [s].
    """
    found = np.zeros(int(arm.max(initial=-1)) + 1, basis.dtype)
    known = np.flatnonzero(basis)
    found[arm[known]] = basis[known]  # any row of an arm: most arms have one basis only
    if (found[arm[known]] != basis[known]).any():
        order = known[np.argsort(time[known], kind="stable")]
        found[arm[order]] = basis[order]
    return np.asarray(found[arm])


def _spread(lists: pa.ListArray, dof: NDArray[np.intp]) -> Array:
    """Return lists one after the other, NaN where a row has none or too short a one."""
    import pyarrow.compute as pc

    flat = np.asarray(lists.flatten().to_numpy(zero_copy_only=False), float)
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy()
    if len(flat) == dof.sum() and (lengths == dof).all():
        return flat
    kept = np.minimum(lengths, dof)
    ends, places = np.cumsum(lengths) - lengths, np.cumsum(dof) - dof
    step = np.arange(kept.sum()) - np.repeat(np.cumsum(kept) - kept, kept)
    out = np.full(int(dof.sum()), np.nan)
    out[np.repeat(places, kept) + step] = flat[np.repeat(ends, kept) + step]
    return out


def _series(entries: _Entries, figure: str) -> Series:
    value, error = entries.values[figure], entries.values[figure + "_se"]
    with np.errstate(invalid="ignore"):
        used = np.flatnonzero((value > 0) & (error > 0))
    value, error = value[used], error[used]
    most = int(entries.joint.max(initial=1)) + 1
    dense = entries.arm[used] * most + entries.joint[used]
    ids = np.flatnonzero(np.bincount(dense))
    place = np.zeros(int(ids[-1]) + 1 if ids.size else 0, np.intp)
    place[ids] = np.arange(ids.size)
    index = place[dense]
    arms, joints = np.divmod(ids, most)
    weight, day = (value / error) ** 2, entries.day[used]
    last = np.full(len(ids), -1)
    np.maximum.at(last, index, day)
    age = last[index] - day
    days = int(age.max(initial=0)) + 1
    cell, shape = index * days + days - 1 - age, (len(ids), days)

    def summed(values: Array) -> Array:
        sums = np.bincount(cell, values, minlength=len(ids) * days)
        return np.asarray(sums, float).reshape(shape)

    total = summed(weight)
    warmth = entries.values["temperature"][used]
    known = np.isfinite(warmth)
    warm_weight = summed(np.where(known, weight, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nan_to_num(summed(weight * np.log(value)) / total)
        temperature = summed(np.where(known, weight * warmth, 0.0)) / warm_weight
        weight = np.where(total > 0, weights(1 / np.sqrt(total)), 0.0)
    daily = _with_temperatures(Daily(mean, weight, temperature, arms))
    return Series(figure, entries.labels[arms], joints, last, daily)


def _with_temperatures(daily: Daily) -> Daily:
    """Return series without the days that lack a temperature, where most days have one.

    Series where most days lack it lose their temperatures instead.
    """
    seen, known = daily.weight > 0, np.isfinite(daily.temperature)
    if (known | ~seen).all():
        return daily
    share = known.sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
    usable = (share >= WITH_TEMPERATURE)[:, None]
    weight = np.where(usable & ~known, 0.0, daily.weight)
    value = np.where(weight > 0, daily.value, 0.0)
    return Daily(value, weight, np.where(usable, daily.temperature, np.nan), daily.arm)
