r"""Joints whose friction drifts over the data beyond what the model of warm-up explains.

In every block of 10 s the friction's size relative to the estimate is

.. math:: 1 + \phi_b, \qquad \phi_b = \sum e f / \sum f^2

with e the measured less the predicted effort and f the predicted friction. A line through the
:math:`\phi_b` over temperature, where it is recorded, else over time, shows drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.options import MIN_KELVIN
from armtwin.identification.variation.friction_blocks import FrictionBlock
from armtwin.identification.variation.warm_up import LARGE, MIN_BLOCKS, SURE
from armtwin.spatial import Array


@dataclass(frozen=True)
class FrictionDrift:
    """Relative change of a joint's friction over a recording.

    Attributes:
        joint: from 1.
        by: "temperature" or "time".
        slope: relative change per kelvin or per minute.
        error: its standard error.
        change: relative change over the range that was recorded.
    """

    joint: int
    by: str
    slope: float
    error: float
    change: float

    @property
    def text(self) -> str:
        """One line of text."""
        unit = "K" if self.by == "temperature" else "min"
        return (
            f"joint {self.joint}: friction changes by {100 * self.change:+.0f} % over the "
            f"recording ({100 * self.slope:+.2g} +- {100 * self.error:.1g} % per {unit}): the "
            "estimates are of its mean"
        )


def friction_drift(blocks: Sequence[FrictionBlock], dof: int) -> tuple[FrictionDrift, ...]:
    """Return the joints whose friction drifts by more than 4 standard errors and 3 %."""
    found = []
    for j in range(dof):
        grams = np.array([block.gram[j] for block in blocks]).reshape(-1, 4, 4)
        weight, product = grams[:, :2, :2].sum(axis=(1, 2)), grams[:, :2, 3].sum(axis=1)
        used = weight > 0
        if used.sum() < MIN_BLOCKS:
            continue
        kelvin = np.array([block.temperature[j] for block in blocks])[used]
        warm = bool(np.isfinite(kelvin).all() and np.ptp(kelvin) > MIN_KELVIN)
        minutes = np.array([block.seconds for block in blocks])[used] / 60
        x = kelvin if warm else minutes
        slope, error = _line(x, product[used] / weight[used], weight[used])
        change = slope * float(np.ptp(x))
        if abs(slope) > SURE * error and abs(change) > LARGE:
            by = "temperature" if warm else "time"
            found.append(FrictionDrift(j + 1, by, slope, error, change))
    return tuple(found)


def _line(x: Array, y: Array, weight: Array) -> tuple[float, float]:
    """Return the slope of a weighted line and its standard error from the scatter about it."""
    w = weight / weight.sum()
    centred = x - w @ x
    spread = float(w @ centred**2)
    if spread <= 0:
        return 0.0, float("inf")
    slope = float(w @ (centred * y)) / spread
    left = y - w @ y - slope * centred
    error = np.sqrt(float((w**2) @ (centred * left) ** 2)) / spread
    return slope, float(error * np.sqrt(x.size / max(x.size - 2, 1)))
