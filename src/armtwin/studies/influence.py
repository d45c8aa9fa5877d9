r"""Influence of the parameters on a figure: the share of its variance that each explains.

For a parameter with a few values, the correlation ratio: rows are grouped by its value,

.. math:: \eta^2 = \frac{\sum_g n_g (\bar y_g - \bar y)^2}{\sum_i (y_i - \bar y)^2}

For a parameter drawn from a continuous distribution, rows are grouped by its deciles first.
Chance alone gives ``(groups - 1) / (rows - 1)`` on average, which is subtracted in the adjusted
ratio that is returned:

.. math:: \epsilon^2 = 1 - (1 - \eta^2) \frac{n - 1}{n - G}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.spatial import Array

MAX_GROUPS = 20
"""Parameters with more distinct numbers than this are grouped by quantiles."""
BINS = 10
"""Groups of a continuous parameter: deciles."""


@dataclass(frozen=True)
class Influence:
    """The share of a figure's variance that a parameter explains, 0 to 1."""

    figure: str
    input: str
    share: float


def influences(
    inputs: Mapping[str, Sequence[Any]], figures: Mapping[str, Array]
) -> list[Influence]:
    """Return the influence of every input on every figure, by figure and then largest first.

    Args:
        inputs: values of the varied inputs by name.
        figures: values of figures by name, NaN where a row has none.
    """
    found = []
    for figure, y in figures.items():
        usable = np.isfinite(y)
        shares = []
        for name, values in inputs.items():
            kept = [value for value, good in zip(values, usable, strict=True) if good]
            share = explained(grouped(kept), y[usable])
            if share is not None:
                shares.append(Influence(figure, name, share))
        found += sorted(shares, key=lambda one: -one.share)
    return found


def grouped(values: Sequence[Any]) -> list[Any]:
    """Return a group for every value: itself, or its decile where there are many numbers."""
    numbers = all(isinstance(value, int | float) for value in values)
    if not numbers or len(set(values)) <= MAX_GROUPS:
        return [repr(value) for value in values]
    x = np.array(values, float)
    edges = np.quantile(x, np.linspace(0, 1, BINS + 1)[1:-1])
    return np.searchsorted(edges, x).tolist()


def explained(groups: Sequence[Any], y: Array) -> float | None:
    """Return the adjusted correlation ratio; None where nothing varies or no group repeats."""
    labels, index = np.unique(np.array(groups, str), return_inverse=True)
    count, n = len(labels), len(y)
    if count < 2 or n <= count:
        return None
    total = float(((y - y.mean()) ** 2).sum())
    if total <= 1e-24 * n * float(np.abs(y).max()) ** 2:
        return None
    sizes = np.bincount(index)
    means = np.bincount(index, weights=y) / sizes
    between = float((sizes * (means - y.mean()) ** 2).sum()) / total
    return float(min(1.0, max(0.0, 1 - (1 - between) * (n - 1) / (n - count))))
