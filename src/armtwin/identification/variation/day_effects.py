r"""Differences of friction between days, and intervals that hold on any day.

Every day d has its own friction, :math:`(1 + u_{dm}) f_m + (1 + u_{dd}) f_d`. The effects u are
regressed on each day's data; their scatter beyond their standard errors is the variance
:math:`s^2` between days of each joint and part (random effects, method of moments). A joint's few
days determine little alone: its variance is averaged with the mean over all joints, which counts
as ``SHARED`` days, and that with the assumption ``DAY_SPREAD`` for ``ASSUMED`` joints and days. An
estimate p of the mean of k days holds for any other day within

.. math:: \sqrt{(c\, se)^2 + t^2 s^2 p^2 (1 + 1/k)}

with t Student's quantile for those days; the mean over all days lies within
:math:`\sqrt{(c\, se)^2 + t^2 s^2 p^2 / k}`. One day shows no variance: ``DAY_SPREAD`` is assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.variation.friction_blocks import PARTS, FrictionBlock, clustered
from armtwin.spatial import Array

DAY_SPREAD = 0.15
"""Standard deviation of a day's friction, relative, where it is not estimated.

Wrists of a UR3e lose 15 to 30 % in their first ten minutes; a day begins cold or warm.
"""
SHARED, ASSUMED = 2.0, 2.0
"""Weights of the other joints and of the assumption, in days less one: ``benchmarks.days`` measures
coverage of 93 % or more for spreads of 5 to 30 % and two to five days; it is higher where friction
varies less than assumed."""
QUANTILE = 1.96
"""Standard deviations of a 95 % interval (normal distribution), where the spread is assumed."""
MIN_BLOCKS = 4
"""Blocks of 10 s of a day from which its effects are estimated, below which a day is left out."""


@dataclass(frozen=True, eq=False)
class DaySpread:
    """Standard deviation of friction between days.

    Attributes:
        days: number of days in the data.
        spread: of the speed-dependent and the dry part (dof, 2), relative.
        quantile: half width of a 95 % interval in standard deviations.
        effects: effects of the days (days, dof, 2), relative to their mean; empty for one day.
        estimated: whether the data determine the spread; else it is ``DAY_SPREAD``.
    """

    days: int
    spread: Array
    quantile: float
    effects: Array
    estimated: bool

    def half_widths(self, joint: int, part: int, value: float, half: float) -> tuple[float, float]:
        """Return the half widths of an estimate's interval for these days and for any day.

        For these days: for the day of the data, or where they are of several, for the mean over
        days.

        Args:
            joint: from 0.
            part: 0 for a parameter of speed-dependent friction, 1 for one of dry friction.
            value: the estimate.
            half: half width of its interval if friction were the same in all the data.
        """
        between = (self.quantile * float(self.spread[joint, part]) * value) ** 2
        mean = between / self.days if self.estimated else 0.0
        any_day = (1 + 1 / self.days) * between
        return float(np.sqrt(half**2 + mean)), float(np.sqrt(half**2 + any_day))

    @property
    def text(self) -> str:
        """Basis of the intervals for any day, in one sentence."""
        if not self.estimated:
            return (
                f"intervals for any day assume that friction differs by {100 * DAY_SPREAD:.0f} % "
                "(standard deviation) from day to day: these recordings are of one day, or do not "
                "say of which; name their days (days='each') to have it estimated"
            )
        sizes = "; ".join(
            f"{name} {', '.join(f'{100 * s:.0f}' for s in row)} %"
            for name, row in zip(PARTS, self.spread.T, strict=True)
        )
        return (
            f"intervals for any day: standard deviation of friction between the {self.days} days "
            f"of the data, joint by joint: {sizes}"
        )


def assumed_spread(dof: int) -> DaySpread:
    """Return the spread that is assumed where all data are of one day."""
    return DaySpread(1, np.full((dof, 2), DAY_SPREAD), QUANTILE, np.zeros((0, dof, 2)), False)


def day_spread(blocks: Sequence[FrictionBlock], days: Sequence[int], dof: int) -> DaySpread:
    """Return the standard deviation of friction between days.

    Args:
        blocks: blocks of all runs.
        days: day of every run, by number.
        dof: number of joints.
    """
    by_day = {
        day: [block for block in blocks if days[block.run] == day] for day in sorted(set(days))
    }
    kept = [rows for rows in by_day.values() if len(rows) >= MIN_BLOCKS]
    if len(kept) < 2:
        return assumed_spread(dof)
    found = [_effects(rows, dof) for rows in kept]
    effects, variances = (np.array(values) for values in zip(*found, strict=True))
    return spread_between(effects - effects.mean(axis=0), variances)


def _effects(blocks: Sequence[FrictionBlock], dof: int) -> tuple[Array, Array]:
    """Return a day's effects and their sampling variances (dof, 2); inf where undetermined."""
    effects, variances = np.zeros((dof, 2)), np.full((dof, 2), np.inf)
    for j in range(dof):
        grams = np.array([block.gram[j] for block in blocks])
        squares = np.diag(grams.sum(axis=0))[:2]
        own = np.flatnonzero(squares > 1e-4 * squares.sum())
        if not own.size:
            continue
        columns = [*own, 2, 3]
        theta, covariance = clustered(grams[:, columns][:, :, columns])
        effects[j, own] = theta[: own.size]
        variances[j, own] = np.diag(covariance)[: own.size]
    return effects, variances


def spread_between(effects: Array, variances: Array) -> DaySpread:
    """Return the spread from the days' effects about their mean (days, dof, 2).

    A joint's own variance is averaged with that of all joints, and that with the assumption.

    Args:
        effects: about their mean over the days.
        variances: of the effects, from sampling; inf where an effect is not determined.
    """
    from scipy.stats import t

    count = len(effects)
    known = np.isfinite(variances).all(axis=0)
    noise = np.where(known, np.where(np.isfinite(variances), variances, 0).mean(axis=0), 0.0)
    own = np.maximum((effects**2).sum(axis=0) / (count - 1) - noise, 0.0)
    shared = (ASSUMED * DAY_SPREAD**2 + (count - 1) * np.where(known, own, 0).sum(axis=0)) / (
        ASSUMED + (count - 1) * known.sum(axis=0)
    )
    weight = np.where(known, count - 1.0, 0.0)
    variance = (SHARED * shared + weight * own) / (SHARED + weight)
    quantile = float(t.ppf(0.975, SHARED + count - 1))
    return DaySpread(count, np.sqrt(variance), quantile, effects, True)
