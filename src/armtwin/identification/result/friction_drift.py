r"""Friction that changes with time or temperature, and intervals for another day.

In blocks b of 10 s the friction's size relative to the estimate is

.. math:: 1 + \phi_b, \qquad \phi_b = \sum e f / \sum f^2

with e the measured less the predicted effort and f the predicted friction. A line through the
:math:`\phi_b` over temperature, where it is recorded, else over time, shows drift.

Another day's friction differs from today's by the deviations of both days. With s the standard
deviation of one day's and se that of the estimate, the interval for any day has the half width

.. math:: c \sqrt{se^2 + 2 (s\, p)^2}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import IdentificationRun
from armtwin.identification.estimation.prediction import Predictor
from armtwin.spatial import Array

BLOCK = 10.0
"""Length of a block [s]."""
LEAST_BLOCKS = 12
SURE, LARGE = 4.0, 0.03
"""Drift is reported beyond 4 standard errors and 3 % of the friction over the recording."""
LEAST_KELVIN = 2.0
"""Range of temperature from which on drift is related to it [K]."""
DAY_SPREAD = 0.15
"""Standard deviation of a day's friction, relative.

Wrists of a UR3e lose 15 to 30 % in their first ten minutes; a day begins cold or warm. An
assumption, not an estimate: a single recording does not show it.
"""


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


def friction_drift(
    predictor: Predictor, runs: Sequence[IdentificationRun], vector: Array
) -> tuple[FrictionDrift, ...]:
    """Return the joints whose friction drifts significantly.

    Args:
        predictor: predictor of the signals.
        runs: the fitted runs.
        vector: the estimate (size,).
    """
    blocks = [
        row for run in runs if run.effort is not None for row in _blocks(predictor, run, vector)
    ]
    found = []
    for j in range(predictor.layout.dof):
        phi, weight, minutes, kelvin = np.array([row[j] for row in blocks]).reshape(-1, 4).T
        used = weight > 0
        if used.sum() < LEAST_BLOCKS:
            continue
        warm = bool(np.isfinite(kelvin[used]).all() and np.ptp(kelvin[used]) > LEAST_KELVIN)
        x = (kelvin if warm else minutes)[used]
        slope, error = _line(x, phi[used], weight[used])
        change = slope * float(np.ptp(x))
        if abs(slope) > SURE * error and abs(change) > LARGE:
            by = "temperature" if warm else "time"
            found.append(FrictionDrift(j + 1, by, slope, error, change))
    return tuple(found)


def any_day(value: float, half: float, factor: float) -> float:
    """Return the half width of a friction parameter's interval for any day.

    Args:
        value: the estimate.
        half: half width of its interval for the same day.
        factor: critical value c by which half widths exceed standard errors.
    """
    return float(np.sqrt(half**2 + 2 * (factor * DAY_SPREAD * value) ** 2))


def _blocks(predictor: Predictor, run: IdentificationRun, vector: Array) -> list[Array]:
    """Return phi, weight, minutes and temperature of every block and joint, each (dof, 4)."""
    block = run.effort
    assert block is not None
    rows = []
    size = max(1, round(BLOCK * block.rate))
    for part, motion in block.chunks(size):
        tau = predictor.torques(motion, vector)[1]
        load = tau * predictor.gains(block.kind, vector)
        f = np.stack(
            [
                predictor.friction(j, motion.qd[:, j], load[:, j], vector)[0]
                for j in range(load.shape[1])
            ],
            axis=1,
        )
        used = block.used[part]
        e = np.where(used, block.signal[part] - load - f - vector[predictor.layout.offsets], 0.0)
        f = np.where(used, f, 0.0)
        weight = (f**2).sum(axis=0)
        phi = (e * f).sum(axis=0) / np.maximum(weight, 1e-12)
        minutes = np.full(phi.size, run.time[part].mean() / 60)
        kelvin = np.full(phi.size, np.nan)
        if run.temperature is not None:
            kelvin = run.temperature[part].mean(axis=0)
        rows.append(np.column_stack([phi, weight, minutes, kelvin]))
    return rows


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
