r"""Thresholds from clean runs, for a stated rate of false alarms.

Each window and joint first gets its own scale, a high quantile of its estimate on clean runs
beyond the allowance for joints so slow that the sign of their dry friction is unknown. The largest
ratio to these scales at a time is then one number; its maxima over blocks of time follow a Gumbel
law, whose tail gives the level that is crossed at the stated rate:

.. math:: z = \mu - \beta \ln(-\ln(1 - p)), \qquad p = rate \cdot T_{block}
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.spatial import Array

PER_HOUR = 1.0
"""False alarms per hour of motion where no rate is given."""
QUANTILE = 0.999
"""Of clean samples that sets a scale: high, and yet not that of a few outliers."""
TYPICAL, FLOOR, UNSURE = 3.0, 0.25, 0.02
"""Standard deviations of the bulk that count as usual; least scale as a part of the quantile
without allowance; part of dry friction that every scale contains."""
MARGIN = 1.2
"""Least ratio of the level to the largest value on clean runs."""
BLOCK, SHORT_BLOCK, MIN_BLOCKS = 1.0, 0.25, 10
"""Length of a block whose maximum is taken [s], the shorter one for runs that may hold contacts,
and the fewest blocks to which a Gumbel law is fitted."""
BULK = (0.1, 0.4)
"""Quantiles of the blocks' maxima that contacts in up to half of the blocks leave alone."""
EULER = 0.5772156649015329
"""Euler's constant: the mean of a Gumbel law is mu + EULER * beta."""


@dataclass(frozen=True, eq=False)
class RestLevels:
    """Largest changes of torque of a standing arm without contact.

    Attributes:
        joints: change over every window at every joint (windows, dof) [Nm].
        combined: of every window, for the root sum of squares of the joints' ratios (windows,).
        usual: largest usual changes over every window (windows, dof) [Nm].
    """

    joints: Array
    combined: Array
    usual: Array


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Largest external torque estimates without contact.

    Attributes:
        joints: torque of every window and joint (windows, dof) [Nm].
        combined: of every window, for the root sum of squares of the joints' ratios (windows,).
        usual: largest usual torques over the ranking window (dof,) [Nm], slow joints included.
        dry: dry friction per joint (dof,) [Nm], by which slow joints may be off besides.
        per_hour: false alarms per hour that these levels stand for.
        notes: how they came about.
        rest: levels of the standing arm; None where no standstill taught them.
    """

    joints: Array
    combined: Array
    usual: Array
    dry: Array
    per_hour: float = PER_HOUR
    notes: tuple[str, ...] = ()
    rest: RestLevels | None = None

    @property
    def drawn(self) -> Array:
        """Thresholds of motion (dof,) [Nm] over the middle window, ``Detector.estimate``'s."""
        return np.asarray(self.joints[len(self.joints) // 2])


def scales(means: Array, allowance: Array, dry: Array) -> Array:
    """Return the scale of every window and joint (windows, dof) [Nm] from clean runs.

    It is a high quantile of what exceeds the allowance, and at least a quarter of that quantile
    without any allowance, with a little dry friction.

    Args:
        means: external torque over every window (n, windows, dof) [Nm].
        allowance: part of it that slow joints' dry friction may explain, same shape [Nm].
        dry: dry friction of the joints (dof,) [Nm].
    """
    whole = np.abs(means)
    beyond = np.quantile(np.maximum(whole - allowance, 0.0), QUANTILE, axis=0)
    floor = FLOOR * np.quantile(whole, QUANTILE, axis=0) + UNSURE * dry + 1e-9
    return np.asarray(np.maximum(beyond, floor))


def bulk_scales(means: Array, dry: Array) -> Array:
    """Return three standard deviations of the bulk of the samples and a little dry friction."""
    spread = 1.4826 * np.median(np.abs(means - np.median(means, axis=0)), axis=0)
    return np.asarray(TYPICAL * spread + UNSURE * dry + 1e-9)


def usual_torques(means: Array) -> Array:
    """Return the high quantile of the torques (dof,) over the ranking window."""
    return np.asarray(np.quantile(np.abs(means[:, ranking(means.shape[1])]), QUANTILE, axis=0))


def ranking(windows: int) -> int:
    """Return which window ranks samples: the one before the longest."""
    return max(0, windows - 2)


def combined_scales(ratios: Array) -> Array:
    """Return the scale of the joints' root sum of squares (windows,) from ratios (n, w, dof)."""
    return np.asarray(np.quantile(np.sqrt((ratios**2).sum(axis=2)), QUANTILE, axis=0))


def level(score: Array, step: float, per_hour: float, *, robust: bool = False) -> tuple[float, str]:
    """Return the level of a clean score and how it was found.

    Args:
        score: largest ratio to the scales at every sample (n,).
        step: time between samples [s].
        per_hour: accepted false alarms per hour.
        robust: allow contacts in up to half of the time: blocks are short then, and the law is
            fitted to low quantiles of their maxima.

    Raises:
        InputError: a rate that is not positive.
    """
    if not (np.isfinite(per_hour) and per_hour > 0):
        raise InputError(f"false alarms per hour must be positive, got {per_hour}")
    longest = SHORT_BLOCK if robust else BLOCK
    rows = max(1, round(min(longest, score.size * step / (2 * MIN_BLOCKS)) / step))
    count = score.size // rows
    most = float(score.max())
    if count < MIN_BLOCKS:
        return MARGIN * most, f"1.2 x the largest of only {score.size} samples"
    peaks = score[: count * rows].reshape(count, rows).max(axis=1)
    if robust:
        low, most = (float(x) for x in np.quantile(peaks, BULK))
        beta = (most - low) / float(np.subtract(*np.log(-np.log(BULK))))
        mu = low + beta * float(np.log(-np.log(BULK[0])))
    else:
        beta = float(peaks.std()) * np.sqrt(6) / np.pi
        mu = float(peaks.mean()) - EULER * beta
    p = min(0.5, per_hour / 3600 * rows * step)
    tail = mu - beta * float(np.log(-np.log1p(-p)))
    how = f"by the tail of {count} blocks of motion"
    return max(tail, MARGIN * most), how
