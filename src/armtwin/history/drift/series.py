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

from armtwin.history.drift.daily import DAY, DailyValues
from armtwin.history.store import Store
from armtwin.spatial import Array

if TYPE_CHECKING:
    import pyarrow as pa

FIGURES = ("friction", "torque_constant")
"""Judged figures of every joint."""
MAX_DAYS = 730
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
    daily: DailyValues


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a history as arrays.

    Attributes:
        labels: serial numbers of the arms.
        arm: index into ``labels`` (n,).
        day: days since 1970 (n,).
        values: columns by name (n, J), J the most joints of an arm; NaN where not known.
    """

    labels: NDArray[np.str_]
    arm: NDArray[np.intp]
    day: NDArray[np.intp]
    values: dict[str, Array]


def daily_series(store: Store, serial: str | None = None) -> list[Series]:
    """Return the daily series of every figure, of all arms or of one."""
    where, values = ("TRUE", ()) if serial is None else ("serial = ?", (serial,))
    sql = QUERY.format(where=where, most=MAX_DAYS, columns=", ".join(COLUMNS))
    table = store.query(sql, values)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = _rows(table, pool)
        return list(pool.map(lambda figure: _series(rows, figure), FIGURES))


def _rows(table: pa.Table, pool: ThreadPoolExecutor) -> _Rows:
    """Return the rows of a query as arrays.

    Friction in another unit or at other speeds than in the arm's newest row with friction is NaN.
    """
    coded = pool.submit(lambda: table.column("serial").combine_chunks().dictionary_encode())
    dof = table.column("dof").to_numpy().astype(np.intp)
    time = table.column("time").to_numpy()
    most = int(dof.max(initial=1))
    found = pool.map(lambda name: _matrix(table.column(name).combine_chunks(), dof, most), COLUMNS)
    values = dict(zip(COLUMNS, found, strict=True))
    names = coded.result()
    arm = names.indices.to_numpy().astype(np.intp)
    basis = table.column("basis").to_numpy()
    left = (basis != _newest(basis, arm, time)) & (basis != 0)
    if left.any():
        values["friction"] = np.where(left[:, None], np.nan, values["friction"])
    labels = np.array(names.dictionary.to_pylist(), dtype=np.str_)
    return _Rows(labels, arm, np.floor(time / 86400).astype(np.intp), values)


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


def _matrix(lists: pa.ListArray, dof: NDArray[np.intp], most: int) -> Array:
    """Return lists as rows of a matrix (n, most), NaN where a list is missing or too short.

    Args:
        lists: a list per row.
        dof: number of joints of every row's arm (n,); what a list has beyond it is left out.
        most: columns of the matrix.
    """
    import pyarrow.compute as pc

    flat = np.asarray(lists.flatten().to_numpy(zero_copy_only=False), float)
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy()
    if (lengths == most).all() and (dof == most).all():
        return flat.reshape(len(dof), most)
    kept = np.minimum(lengths, dof)
    row = np.repeat(np.arange(len(dof)), kept)
    column = np.arange(len(row)) - np.repeat(np.cumsum(kept) - kept, kept)
    out = np.full((len(dof), most), np.nan)
    out[row, column] = flat[np.repeat(np.cumsum(lengths) - lengths, kept) + column]
    return out


def _series(rows: _Rows, figure: str) -> Series:
    """Return the daily series of one figure."""
    value, error = rows.values[figure], rows.values[figure + "_se"]
    with np.errstate(invalid="ignore"):
        used = (value > 0) & (error > 0)
    arms, joints = len(rows.labels), value.shape[1]
    last = np.full(arms, -1)
    np.maximum.at(last, rows.arm, rows.day)
    age = last[rows.arm] - rows.day
    days = int(age.max(initial=0)) + 1
    cell = rows.arm * days + days - 1 - age
    variance = np.full(value.shape, np.inf)  # in place: large temporary arrays cost most here
    np.divide(error, value, out=variance, where=used)
    variance *= variance
    level = np.log(value, out=np.zeros(value.shape), where=used)
    cell, variance, mean, warmth = _by_day(cell, variance, level, rows.values["temperature"])
    variance += DAY**2
    weight = np.divide(1.0, variance, out=variance)
    arm, place = np.divmod(cell, days)

    def placed(values: Array, empty: float) -> Array:
        grid = np.full((arms, joints, days), empty)
        grid[arm, :, place] = values
        return grid.reshape(arms * joints, days)

    daily = DailyValues(placed(mean, 0.0), placed(weight, 0.0), placed(warmth, np.nan),
                  np.repeat(np.arange(arms), joints))  # fmt: skip
    kept = np.flatnonzero(daily.weight.any(axis=1))
    if kept.size < len(daily.value):
        daily = daily.take(kept)
    daily, shift = _right_aligned(daily)
    return Series(figure, rows.labels[daily.arm], kept % joints + 1, last[daily.arm] - shift,
                  _with_temperatures(daily))  # fmt: skip


def _by_day(
    cell: NDArray[np.intp], variance: Array, level: Array, warmth: Array
) -> tuple[NDArray[np.intp], Array, Array, Array]:
    """Return the rows' cells, each once, with the variances of weighted means, and these.

    Args:
        cell: number of every row's arm and day (n,).
        variance: of the values (n, J); infinite where there is none.
        level: the values (n, J).
        warmth: temperatures (n, J); NaN where not known.
    """
    if not cell.size or np.bincount(cell).max() == 1:
        return cell, variance, level, warmth
    order = np.argsort(cell, kind="stable")
    cell, first = np.unique(cell[order], return_index=True)
    weight = 1 / variance
    known = np.where(np.isfinite(warmth), weight, 0.0)
    total, sums, warm_total, warm = (
        np.add.reduceat(one[order], first, axis=0)
        for one in (weight, weight * level, known, known * np.nan_to_num(warmth))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return cell, 1 / total, np.nan_to_num(sums / total), warm / warm_total


def _right_aligned(daily: DailyValues) -> tuple[DailyValues, NDArray[np.intp]]:
    """Return series moved so that each ends with its newest day, and by how many days (S,)."""
    days = daily.value.shape[1]
    shift = (daily.weight[:, ::-1] > 0).argmax(axis=1)
    late = np.flatnonzero(shift)
    if late.size:
        source = (np.arange(days) - shift[late, None]) % days
        for part in (daily.value, daily.weight, daily.temperature):
            part[late] = np.take_along_axis(part[late], source, axis=1)
    return daily, shift


def _with_temperatures(daily: DailyValues) -> DailyValues:
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
    return DailyValues(value, weight, np.where(usable, daily.temperature, np.nan), daily.arm)
