r"""Which set of parameters to take: the smallest that predicts left-out data as well as the best.

Sets are compared by the error of every block of rows predicted by a fit to the others, positions
and orientations together, each in units of the noise ``s`` that the best set leaves:

.. math:: S_b = \sum_{i \in b} \frac{\nu + 3}{2} \sum_{kind}
          \ln \left( 1 + \frac{|e_i|^2}{\nu s^2} \right)

the negative log likelihood of Student's t, so that a few poses far off do not decide. A smaller set
is taken only where its total is within one standard error of the best one's; the standard error is
that of the sum of paired differences over blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armtwin.identify.calibrated import PoseErrors
from armtwin.identify.measured import Measured
from armtwin.identify.robust import spreads
from armtwin.identify.trials import LADDER, Attempt, Trials
from armtwin.identify.uncertainty import block_sums
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.identify.geometry import Options

FEW = 5
"""Single parameters are tried where there are fewer numbers than this per parameter."""
FREEDOM = 4.0
"""Degrees of freedom of Student's t: tails of real measurements, outliers included."""
AS_GOOD = 1.0
"""Standard errors by which a smaller set may be behind the best one."""


def attempts(
    trials: Trials, chosen: Options, tell: Callable[[str], None]
) -> tuple[list[Attempt], PoseErrors | None]:
    """Fit the sets that were asked for.

    Returns:
        All attempts, the arm as given first, and the error of single steps where the choice is
        repeated without each block; None where no single steps were tried.
    """
    frames = tuple(name for name in ("base", "tool") if getattr(chosen, name))
    tried = [trials.attempt("as given", [])]
    for name, groups in LADDER:
        places = trials.model.indices((*frames, *groups))
        bends = "compliance" in groups
        if bends and not trials.model.indices(("compliance",)):
            continue
        if chosen.parameters in ("auto", name) or name == "frames":
            tell(name)
            tried.append(trials.physical_attempt(name, places))
    every = trials.model.indices((*frames, "offsets", "lengths", "twists"))
    numbers = len(trials.measured) * trials.measured.per_pose
    few = chosen.parameters == "auto" and numbers < FEW * len(every)
    if not few and chosen.parameters != "single":
        return tried, None
    tell("single parameters")
    places, honest = trials.single_steps(every)
    tried.append(trials.attempt("single", places))
    return tried, honest


def compared(tried: Sequence[Attempt], measured: Measured) -> list[tuple[float, float]]:
    """Return how far every attempt is behind the best one, and the standard error [nats].

    Args:
        tried: the attempts, fitted to the same rows.
        measured: those rows.
    """
    noise = np.min([spreads(attempt.left_out, measured.placement) for attempt in tried], axis=0)
    scores = [block_sums(_scores(a.left_out / noise), measured.block) for a in tried]
    best = min(scores, key=lambda score: float(score.sum()))
    count = len(best)
    return [
        (float((score - best).sum()), float(np.sqrt(count) * (score - best).std(ddof=1)))
        for score in scores
    ]


def _scores(e: Array) -> Array:
    """Return the negative log likelihood (n, 1) of errors in units of their noise (n, 3 or 6)."""
    squares = np.stack([(e[:, k : k + 3] ** 2).sum(axis=1) for k in range(0, e.shape[1], 3)])
    return np.asarray((FREEDOM + 3) / 2 * np.log1p(squares / FREEDOM).sum(axis=0)[:, None])


def best_of(tried: Sequence[Attempt], behind: Sequence[tuple[float, float]], asked: str) -> Attempt:
    """Return the set asked for, or the smallest that is as good as the best on left-out data.

    Args:
        tried: the attempts.
        behind: how far each is behind the best, with its standard error, from ``compared``.
        asked: name of a set, or "auto".
    """
    if asked != "auto":
        return next(attempt for attempt in tried if attempt.name == asked)
    pairs = zip(tried, behind, strict=True)
    good = [attempt for attempt, (gap, doubt) in pairs if gap <= AS_GOOD * doubt]
    return min(good, key=lambda attempt: len(attempt.identifiable.free))
