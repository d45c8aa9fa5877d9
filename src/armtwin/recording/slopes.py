"""Local slopes and interpolation of sampled signals on uneven time stamps."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from armtwin.spatial import Array


def local_slopes(time: Array, values: Array, half: int) -> Array:
    r"""Return the slopes (n, k) of straight lines through ``2 half + 1`` samples about each one.

    .. math:: \dot y_i = \frac{\sum_j (t_j - \bar t) y_j}{\sum_j (t_j - \bar t)^2}

    The first and last samples take the line of the nearest full window.

    Args:
        time: increasing times (n,) [s].
        values: samples (n, k).
        half: samples on either side of each one.
    """
    width = min(2 * half + 1, time.size)
    t = sliding_window_view(time, width)
    about = t - t.mean(axis=1, keepdims=True)
    y = sliding_window_view(values, width, axis=0)
    full = np.einsum("nw,nkw->nk", about, y) / (about**2).sum(axis=1)[:, None]
    nearest = np.clip(np.arange(time.size) - width // 2, 0, len(full) - 1)
    return full[nearest]


def between(time: Array, values: Array, slopes: Array, at: Array) -> Array:
    r"""Return a signal (m, k) at other times, by cubics that keep values and slopes (Hermite).

    .. math:: y = (1 + 2s)(1-s)^2 y_0 + s (1-s)^2 h \dot y_0 + s^2 (3 - 2s) y_1
              - s^2 (1-s) h \dot y_1, \quad s = (t - t_0) / h

    Times before the first or after the last sample are not allowed.

    Args:
        time: increasing times of the samples (n,) [s].
        values: samples (n, k).
        slopes: their rates (n, k) [1/s].
        at: where to interpolate (m,) [s].
    """
    left = np.clip(np.searchsorted(time, at, side="right") - 1, 0, time.size - 2)
    h = (time[left + 1] - time[left])[:, None]
    s = (at[:, None] - time[left][:, None]) / h
    y0, y1, v0, v1 = values[left], values[left + 1], slopes[left], slopes[left + 1]
    rest = (1 - s) ** 2
    ahead = s**2
    return (
        (1 + 2 * s) * rest * y0
        + s * rest * h * v0
        + ahead * (3 - 2 * s) * y1
        - ahead * (1 - s) * h * v1
    )
