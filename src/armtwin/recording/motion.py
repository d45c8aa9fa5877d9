r"""Joint motion of a recording: one low-pass filter and one differentiator for every verb.

Rule: recorded speeds and accelerations are used as they are. What is missing is derived from the
highest derivative that is recorded: it is low-passed without phase shift and differentiated by
central differences of fourth order. The filter is a Butterworth filter of third order, run
forwards and backwards: its gain is ``1 / (1 + (f / f_c)^6)``. ``chosen_cutoff`` takes the cutoff
``f_c`` from the sampling rate and the noise. Uneven time stamps are put on an even grid and back
by cubic splines; pauses and missing values split a recording, so that nothing is filtered across
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError
from armtwin.recording.preparation.clock import is_uniform, nominal_rate
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.recording.recording import Recording

ORDER = 3
"""Of the Butterworth filter; it runs forwards and backwards, which doubles its order."""
MIN_CUTOFF, MAX_CUTOFF = 5.0, 30.0
"""Hz. Arms move below 5 Hz; above 30 Hz their joints and gears resonate."""
MAX_FILTERED_SHARE = 0.45
"""Highest cutoff of ``low_pass``, as a share of the sampling rate; above it nothing is filtered."""
MAX_SHARE = 0.2
"""Of the sampling rate: there the differences of fourth order are 7 % low, at half of it 0.5 %."""
ACCELERATION_NOISE = 0.01
"""Share of the acceleration that noise may have: below what friction models explain."""
MIN_ROWS = 40
"""Fewer rows determine neither noise nor bandwidth: they are differentiated without a filter."""
PADDING = 3.0
"""Periods of the cutoff by which the filter extends both ends, to settle before the first row."""
LONG_PAUSE = 10.0
"""Steps; a longer pause splits a recording."""


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Joint positions, speeds and accelerations over time.

    Attributes:
        time: (n,) [s].
        q: (n, dof) [rad | m]; low-passed where speeds were derived from it.
        qd: (n, dof) [rad/s | m/s]; NaN where no value can be derived.
        qdd: (n, dof) [rad/s2 | m/s2].
        notes: how derived values were computed; empty where all were recorded.
        cutoff: of the low-pass filter [Hz]; None where nothing was filtered.
        inner: rows (n,) that lie more than ``1 / cutoff`` from the ends of a filtered stretch;
            None stands for all rows.
    """

    time: Array
    q: Array
    qd: Array
    qdd: Array
    notes: tuple[str, ...] = ()
    cutoff: float | None = None
    inner: NDArray[np.bool_] | None = None

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> JointMotion:
        """Return some rows."""
        inner = None if self.inner is None else self.inner[rows]
        parts = (self.time[rows], self.q[rows], self.qd[rows], self.qdd[rows])
        return JointMotion(*parts, self.notes, self.cutoff, inner)


def low_pass(values: Array, rate: float, cutoff: float) -> Array:
    """Return values (n, ...) below ``cutoff`` [Hz], without delay; all of them near Nyquist.

    Args:
        values: samples (n, ...) at equal steps.
        rate: samples per second [Hz].
        cutoff: frequency at which the amplitude is halved [Hz].
    """
    from scipy.signal import butter, sosfiltfilt

    if cutoff >= MAX_FILTERED_SHARE * rate:
        return np.asarray(values, float)
    sections = butter(ORDER, cutoff, fs=rate, output="sos")
    padding = min(len(values) - 1, int(np.ceil(PADDING * rate / cutoff)))
    return np.asarray(sosfiltfilt(sections, values, axis=0, padlen=padding))


def derivative(values: Array, rate: float) -> Array:
    r"""Return the time derivative (n, ...) of evenly sampled values.

    .. math:: \dot x_k = \frac{x_{k-2} - 8 x_{k-1} + 8 x_{k+1} - x_{k+2}}{12 h}
    """
    slope = np.gradient(values, 1 / rate, axis=0, edge_order=2 if len(values) > 2 else 1)
    near, far = values[3:-1] - values[1:-3], values[4:] - values[:-4]
    slope[2:-2] = (8 * near - far) * (rate / 12)
    return slope


def filtered_motion(q: Array, rate: float, cutoff: float) -> JointMotion:
    """Return the low-passed positions (n, dof) [rad | m] with their first and second derivatives.

    Args:
        q: (n, dof), evenly sampled.
        rate: samples per second.
        cutoff: of the low-pass filter [Hz].
    """
    smooth = low_pass(q, rate, cutoff)
    qd = derivative(smooth, rate)
    return JointMotion(np.arange(len(q)) / rate, smooth, qd, derivative(qd, rate), (), cutoff)


def sensor_noise(values: Array) -> Array:
    r"""Return the standard deviation (k,) of white noise or rounding on evenly sampled values.

    From third differences, whose variance is ``20 sigma^2`` for white noise and nearly nothing
    for motion; never below that of the smallest step between neighbours, ``step / sqrt(12)``.
    """
    third = np.diff(values, 3, axis=0)
    spread = 1.4826 * np.median(np.abs(third - np.median(third, axis=0)), axis=0) / np.sqrt(20)
    steps = np.abs(np.diff(values, axis=0))
    least = np.where(steps > 1e-12, steps, np.inf).min(axis=0)
    return np.maximum(spread, np.where(np.isfinite(least), np.minimum(least, 1e-4), 0) / 12**0.5)


def chosen_cutoff(values: Array, rate: float, order: int = 2) -> float:
    r"""Return the highest cutoff [Hz] at which noise is 1 % of the acceleration of some joint.

    White noise of deviation :math:`\sigma` on a signal gives its derivative of order :math:`k`
    below :math:`f_c` the variance

    .. math:: \sigma^2 \frac{2}{rate} (2 \pi)^{2k} \frac{f_c^{2k+1}}{2k+1}

    The median joint decides; the cutoff stays within 5 and 30 Hz and a fifth of the rate.

    Args:
        values: evenly sampled positions or speeds (n, dof).
        rate: samples per second.
        order: 2 for positions, 1 for speeds: derivatives that lead to accelerations.

    Raises:
        InputError: fewer than 40 rows.
    """
    most = min(MAX_CUTOFF, MAX_SHARE * rate)
    if len(values) < MIN_ROWS:
        raise InputError(
            f"{len(values)} rows are too few to differentiate; give {MIN_ROWS} or more"
        )
    rough = filtered_motion(values, rate, min(MIN_CUTOFF, most))
    size = (rough.qdd if order == 2 else rough.qd).std(axis=0)
    sigma = np.maximum(sensor_noise(values), 1e-12)
    power = 2 * order + 1
    unit = 2 * (2 * np.pi) ** (2 * order) * sigma**2
    allowed = power * rate * (ACCELERATION_NOISE * size) ** 2 / unit
    moving = allowed[size > 1e-3]
    best = float(np.median(moving) ** (1 / power)) if moving.size else MIN_CUTOFF
    return float(np.clip(best, min(MIN_CUTOFF, most), most))


def joint_motion(
    recording: Recording, prefix: str = "", *, cutoff: float | None = None
) -> JointMotion:
    """Return the motion of a recording at its own time stamps.

    Args:
        recording: with joint positions and a clock.
        prefix: "" for measured joints, "target_" for commanded ones.
        cutoff: of the low-pass filter [Hz]; None for ``chosen_cutoff``.

    Raises:
        MissingColumnError: no joint positions.
        ClockError: no clock.
    """
    time, q = recording.require_clock(), recording.group(prefix + "q")
    known = {g: recording.group(prefix + g) for g in ("qd", "qdd") if recording.has(prefix + g)}
    if len(known) == 2:
        return JointMotion(time, q, known["qd"], known["qdd"])
    source, values, order = ("qd", known["qd"], 1) if "qd" in known else ("q", q, 2)
    smooth, first, second, cutoff, inner = _derived(time, values, order, cutoff)
    what = "qd and qdd" if not known else "qd" if "qdd" in known else "qdd"
    how = f"low-passed at {cutoff:.3g} Hz without phase shift and " if cutoff else ""
    notes = (f"{what} derived from {prefix}{source}: {how}differentiated",)
    if source == "qd":
        return JointMotion(time, q, values, first, notes, cutoff, inner)
    return JointMotion(time, smooth, first, known.get("qdd", second), notes, cutoff, inner)


def _derived(
    time: Array, values: Array, order: int, cutoff: float | None
) -> tuple[Array, Array, Array, float | None, NDArray[np.bool_]]:
    """Return values, first and second derivatives (n, dof), the cutoff and the inner rows."""
    out = np.full((3, *values.shape), np.nan)
    inner = np.zeros(len(time), bool)
    rate = nominal_rate(time)
    parts = [(rows, *_even(time[rows], values[rows], rate)) for rows in _stretches(time, values)]
    longest = max(parts, key=lambda part: len(part[2]), default=None)
    if cutoff is None and longest is not None and len(longest[2]) >= MIN_ROWS:
        cutoff = chosen_cutoff(longest[2], (len(longest[1]) - 1) / np.ptp(longest[1]), order)
    for rows, grid, even in parts:
        pace = (len(grid) - 1) / np.ptp(grid)
        smooth = low_pass(even, pace, cutoff) if cutoff and len(even) >= MIN_ROWS else even
        first = derivative(smooth, pace)
        for k, x in enumerate((smooth, first, derivative(first, pace))):
            out[k, rows] = _at(grid, x, time[rows])
        edge = 1 / cutoff if cutoff else 0.0
        inner[rows] = (time[rows] >= grid[0] + edge) & (time[rows] <= grid[-1] - edge)
    return out[0], out[1], out[2], cutoff, inner


def _stretches(time: Array, values: Array) -> Iterator[NDArray[np.intp]]:
    """Yield the complete rows between pauses; a row on its own has no derivative."""
    rows = np.flatnonzero(np.isfinite(values).all(axis=1))
    ends = np.flatnonzero(np.diff(time[rows]) > LONG_PAUSE / nominal_rate(time)) + 1
    yield from (part for part in np.split(rows, ends) if part.size > 1)


def _even(time: Array, values: Array, rate: float) -> tuple[Array, Array]:
    """Return an even grid from the first stamp to the last, and the values there."""
    if is_uniform(time):
        return time, values
    grid = np.linspace(time[0], time[-1], max(2, round(np.ptp(time) * rate) + 1))
    return grid, _at(time, values, grid)


def _at(time: Array, values: Array, at: Array) -> Array:
    """Return values (m, k) at other times by cubic splines."""
    from scipy.interpolate import CubicSpline

    if time is at or np.array_equal(time, at):
        return values
    return np.asarray(CubicSpline(time, values)(at))
