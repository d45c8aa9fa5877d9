"""Reduction of curves for drawing: minimum and maximum of every interval are kept."""

from __future__ import annotations

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
    kept: list[int] = []
    for start, stop in zip(edges[:-1], edges[1:], strict=True):
        part = y[start:stop]
        if np.isfinite(part).any():
            extremes = {int(np.nanargmin(part)), int(np.nanargmax(part))}
            kept += [start + place for place in sorted(extremes)]
        else:
            kept.append(int(start))
    return x[kept], y[kept]


def every(points: Array, most: int) -> Array:
    """Return at most ``most`` rows, evenly spread, with the first and the last."""
    if len(points) <= most:
        return points
    return points[np.linspace(0, len(points) - 1, most).astype(int)]
