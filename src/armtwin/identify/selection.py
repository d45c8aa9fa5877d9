"""Which set of parameters to take: the smallest that predicts left-out data as well as any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from armtwin.identify.calibrated import PoseErrors
from armtwin.identify.trials import LADDER, Attempt, Trials

if TYPE_CHECKING:
    from armtwin.identify.geometry import Options

FEW = 5
"""Single parameters are tried where there are fewer numbers than this per parameter."""
GOOD_ENOUGH, NEGLIGIBLE = 1.005, 1e-6
"""A smaller set is taken when its error is within this of the best, or within 1 um."""


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


def best_of(tried: Sequence[Attempt], asked: str) -> Attempt:
    """Return the set asked for, or the smallest that is as good as the best on left-out data."""
    if asked != "auto":
        return next(attempt for attempt in tried if attempt.name == asked)
    scores = [attempt.trial.left_out.mean for attempt in tried]
    limit = max(GOOD_ENOUGH * min(scores), min(scores) + NEGLIGIBLE)
    good = [attempt for attempt, score in zip(tried, scores, strict=True) if score <= limit]
    return min(good, key=lambda attempt: len(attempt.identifiable.free))
