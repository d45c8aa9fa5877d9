"""Reduction of curves for drawing: minimum and maximum of every interval are kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.spatial import Array


def thinned(x: Array, y: Array, most: int) -> tuple[Array, Array]:
    """Return at most about ``most`` points of a curve over increasing ``x``.

    The curve is cut into ``most / 2`` stretches of equal count; each keeps its lowest and its
    highest point, in order, so that no peak is lost.

    Args:
        x: increasing values (n,).
        y: the curve (n,).
        most: number of points to keep.
    """
    if len(x) <= most:
        return x, y
    edges = np.linspace(0, len(x), max(most // 2, 1) + 1).astype(int)
    starts, counts = edges[:-1, None], np.diff(edges)[:, None]
    places = np.arange(counts.max())
    parts = np.where(places < counts, y[np.minimum(starts + places, len(y) - 1)], np.nan)
    missing = np.isnan(parts)
    lowest = np.where(missing, np.inf, parts).argmin(axis=1)
    highest = np.where(missing, -np.inf, parts).argmax(axis=1)
    pairs = np.sort(np.column_stack([lowest, highest]), axis=1)
    pairs[~np.isfinite(parts).any(axis=1)] = 0
    twice = pairs[:, 0] != pairs[:, 1]
    kept = (starts + pairs)[np.column_stack([np.ones_like(twice), twice])]
    return x[kept], y[kept]


def fair_share(lengths: Sequence[int], total: int) -> int | None:
    """Return the most points of a line, so that all lines together have at most ``total``.

    Short lines are kept whole, and leave their rest to the others. None where all fit.

    Args:
        lengths: points of every line.
        total: points of all of them together.
    """
    left, waiting = total, sorted(lengths)
    for place, length in enumerate(waiting):
        share = left // (len(waiting) - place)
        if length > share:
            return share
        left -= length
    return None


def every(points: Array, most: int) -> Array:
    """Return at most ``most`` rows, evenly spread, with the first and the last."""
    if len(points) <= most:
        return points
    return points[np.linspace(0, len(points) - 1, most).astype(int)]
