r"""Low-pass filtering and differentiation without phase shift.

A Butterworth filter run forwards and backwards has the gain ``1 / (1 + (f / f_c)^6)`` and no
phase; derivatives are taken by central differences of fourth order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.spatial import Array

ORDER = 3
LEAST_CUTOFF, MOST_CUTOFF, MOST_SHARE = 5.0, 30.0, 0.2
ACCELERATION_NOISE = 0.01
LEAST_ROWS = 40


@dataclass(frozen=True)
class Motion:
    """Positions, speeds and accelerations (n, dof) of one even clock."""

    q: Array
    qd: Array
    qdd: Array


def low_pass(values: Array, rate: float, cutoff: float) -> Array:
    """Return values (n, ...) below ``cutoff`` [Hz], without delay; all of them near Nyquist."""
    from scipy.signal import butter, sosfiltfilt

    if cutoff >= 0.45 * rate:
        return np.asarray(values, float)
    sections = butter(ORDER, cutoff, fs=rate, output="sos")
    return np.asarray(sosfiltfilt(sections, values, axis=0))


def derivative(values: Array, rate: float) -> Array:
    r"""Return the rate of change (n, ...) of evenly sampled values.

    .. math:: \dot x_k = \frac{x_{k-2} - 8 x_{k-1} + 8 x_{k+1} - x_{k+2}}{12 h}
    """
    slope = np.gradient(values, 1 / rate, axis=0)
    near, far = values[3:-1] - values[1:-3], values[4:] - values[:-4]
    slope[2:-2] = (8 * near - far) * (rate / 12)
    return slope


def motion(q: Array, rate: float, cutoff: float) -> Motion:
    """Return the low-passed positions (n, dof) with their first and second derivatives."""
    smooth = low_pass(q, rate, cutoff)
    qd = derivative(smooth, rate)
    return Motion(smooth, qd, derivative(qd, rate))


def position_noise(q: Array) -> Array:
    r"""Return the standard deviation (dof,) of white noise or rounding on positions.

    From third differences, whose variance is ``20 sigma^2`` for white noise and nearly nothing
    for motion; never below that of the smallest step between neighbours, ``step / sqrt(12)``.
    """
    third = np.diff(q, 3, axis=0)
    spread = 1.4826 * np.median(np.abs(third - np.median(third, axis=0)), axis=0) / np.sqrt(20)
    steps = np.abs(np.diff(q, axis=0))
    least = np.where(steps > 1e-12, steps, np.inf).min(axis=0)
    return np.maximum(spread, np.where(np.isfinite(least), np.minimum(least, 1e-4), 0) / 12**0.5)


def chosen_cutoff(q: Array, rate: float) -> float:
    r"""Return the highest cutoff [Hz] at which noise is 1 % of the acceleration of some joint.

    White noise of deviation :math:`\sigma` on q gives acceleration below :math:`f_c` the variance

    .. math:: \sigma^2 \frac{2}{rate} (2 \pi)^4 \frac{f_c^5}{5}

    The median joint decides; the cutoff stays within 5 and 30 Hz and a fifth of the rate.
    """
    most = min(MOST_CUTOFF, MOST_SHARE * rate)
    if len(q) < LEAST_ROWS:
        raise InputError(f"{len(q)} rows are too few to differentiate; give {LEAST_ROWS} or more")
    size = motion(q, rate, min(LEAST_CUTOFF, most)).qdd.std(axis=0)
    sigma = np.maximum(position_noise(q), 1e-12)
    allowed = 5 * rate * (ACCELERATION_NOISE * size) ** 2 / (2 * (2 * np.pi) ** 4 * sigma**2)
    moving = allowed[size > 1e-3]
    best = float(np.median(moving) ** 0.2) if moving.size else LEAST_CUTOFF
    return float(np.clip(best, min(LEAST_CUTOFF, most), most))
