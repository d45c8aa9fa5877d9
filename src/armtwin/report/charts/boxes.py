"""Box plots drawn with lines: median, quartiles, whiskers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.report.page import Chart, Curve, Panel
from armtwin.spatial import Array

WIDTH = 0.28
"""Half the width of a box, where neighbours are 1 apart."""
REACH = 1.5
"""Whiskers end at the last value within this many box heights."""


def five_numbers(values: ArrayLike) -> tuple[float, float, float, float, float]:
    """Return low whisker, first quartile, median, third quartile and high whisker."""
    sample = np.asarray(values, float).ravel()
    sample = sample[np.isfinite(sample)]
    if not sample.size:
        raise InputError("a box plot needs at least one finite value")
    low, middle, high = np.percentile(sample, [25, 50, 75])
    room = REACH * (high - low)
    inside = sample[(sample >= low - room) & (sample <= high + room)]
    return float(inside.min()), float(low), float(middle), float(high), float(inside.max())


def box_chart(
    title: str,
    unit: str,
    samples: Sequence[ArrayLike],
    *,
    x_label: str = "joint",
    caption: str = "",
) -> Chart:
    """Return one box per sample, numbered from 1 along x.

    Args:
        title: of the chart.
        unit: label of the y axis.
        samples: one named sample per box.
        x_label: label of the x axis.
        caption: below the chart.
    """
    boxes = [five_numbers(sample) for sample in samples]
    lines = (
        Curve("quartiles", *_joined([_box(k, b) for k, b in enumerate(boxes, 1)]), colour=0),
        Curve("median", *_joined([_bar(k, b[2]) for k, b in enumerate(boxes, 1)]), colour=1),
        Curve("whiskers", *_joined([_whiskers(k, b) for k, b in enumerate(boxes, 1)]), colour=2),
    )
    return Chart(title, x_label, (Panel(f"[{unit}]", lines),), caption)


def _box(k: int, b: tuple[float, ...]) -> Array:
    left, right = k - WIDTH, k + WIDTH
    x = [left, right, right, left, left]
    return np.array([x, [b[1], b[1], b[3], b[3], b[1]]])


def _bar(k: int, y: float) -> Array:
    return np.array([[k - WIDTH, k + WIDTH], [y, y]])


def _whiskers(k: int, b: tuple[float, ...]) -> Array:
    gap = [np.nan]
    x = [k, k, *gap, k, k, *gap, k - WIDTH / 2, k + WIDTH / 2, *gap, k - WIDTH / 2, k + WIDTH / 2]
    y = [b[0], b[1], *gap, b[3], b[4], *gap, b[0], b[0], *gap, b[4], b[4]]
    return np.array([x, y])


def _joined(parts: list[Array]) -> tuple[Array, Array]:
    """Return x and y of all parts with gaps between; x of a gap repeats the one before."""
    gap = np.array([[np.nan], [np.nan]])
    whole = np.concatenate([piece for part in parts for piece in (part, gap)], axis=1)
    x = whole[0]
    last = np.maximum.accumulate(np.where(np.isnan(x), 0, np.arange(x.size)))
    return x[last], whole[1]
