"""Signals that hit the end of their range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array

LEAST_ROWS = 4


def clipped(signal: Array) -> NDArray[np.bool_]:
    """Return which samples (n, channels) stand at a channel's end for four or more rows running.

    A measured signal is never exactly equal at its highest (or lowest) value for so long unless
    its range ends there. Channels that do not change at all are not called clipped.
    """
    hit = np.zeros(signal.shape, dtype=bool)
    for channel, values in enumerate(signal.T):
        low, high = values.min(), values.max()
        if high - low <= 1e-9 * max(abs(high), abs(low), 1e-12):
            continue
        for end in (low, high):
            hit[:, channel] |= _long_runs(values == end)
    return hit


def _long_runs(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the flags that stand in runs of ``LEAST_ROWS`` or more."""
    edges = np.diff(np.concatenate([[0], flags.astype(np.int8), [0]]))
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    kept = np.zeros(flags.size, dtype=bool)
    for start, stop in zip(starts, stops, strict=True):
        if stop - start >= LEAST_ROWS:
            kept[start:stop] = True
    return kept
