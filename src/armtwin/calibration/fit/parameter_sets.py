"""Sets of parameters to try, and which one predicts data that it was not fitted to best.

Large sets fit better and may predict worse. So every step of a ladder, from the frames alone to
all of the geometry, is fitted and judged on what it was not shown; where measurements are few,
single parameters are tried one after the other, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements, Rows
from armtwin.calibration.fit.identifiability import Identifiability, analyse
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.fit.robust import RobustSolution, robust_weights, solve, spreads
from armtwin.calibration.fit.uncertainty import block_sums, left_out_errors
from armtwin.calibration.result import ParameterSetTrial, PoseErrors
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.calibration.calibrate import CalibrateOptions

FEW = 5
"""Single parameters are tried where there are fewer numbers than this per parameter."""
FREEDOM = 4.0
"""Degrees of freedom of Student's t: tails of real measurements, outliers included."""
AS_GOOD = 1.0
"""Standard errors by which a smaller set may be behind the best one."""


def attempts(
    trials: Trials, chosen: CalibrateOptions, tell: Callable[[str], None]
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


def compared(tried: Sequence[Attempt], measured: PoseMeasurements) -> list[tuple[float, float]]:
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


LADDER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("frames", ()),
    ("offsets", ("offsets",)),
    ("lengths", ("offsets", "lengths")),
    ("geometry", ("offsets", "lengths", "twists")),
    ("compliance", ("offsets", "lengths", "twists", "compliance")),
)
"""Names of the sets, each with the groups that it adds to base and tool."""
ORDER = ("base", "tool", "offsets", "lengths", "twists", "compliance")
"""Which of two parameters that act alike is kept: that of the group named first."""

FOLDS = 24
MOST_REFITS = 8
"""Fits of one set at most; two are usual, more where poses are few and nearly without noise."""
MOST_SINGLE, LEAST_GAIN = 6, 0.002
"""Single parameters: how many at most, and what share of the error each must take away."""


@dataclass(frozen=True)
class Attempt:
    """A fit of one set of parameters: what is free, the solution, its errors on left-out data."""

    name: str
    identifiable: Identifiability
    solution: RobustSolution
    left_out: Array

    def trial(self, behind: float, doubt: float) -> ParameterSetTrial:
        """Return the figures of this attempt.

        Args:
            behind: how much worse its score is than the best [nats].
            doubt: standard error of that difference [nats].
        """
        errors = PoseErrors.of(self.solution.errors), PoseErrors.of(self.left_out)
        return ParameterSetTrial(self.name, len(self.identifiable.free), *errors, behind, doubt)

    def changes(self, count: int) -> Array:
        """Return the changes of all ``count`` parameters, zero where one was held."""
        changes = np.zeros(count)
        changes[list(self.identifiable.free)] = self.solution.x
        return changes


class Trials:
    """Fits of one model to one set of measurements."""

    def __init__(self, model: GeometryModel, measured: PoseMeasurements, tolerances: Array) -> None:
        self.model, self.measured, self.tolerances = model, measured, tolerances
        self._load = model.load(measured.q)
        self._names = [parameter.name for parameter in model.parameters]

    def errors(self, changes: Array) -> tuple[Array, Array]:
        """Return errors (n, m) and derivatives (n, m, parameters) at changed parameters."""
        return self.model.errors(self.measured, self._load, changes)

    def attempt(self, name: str, places: Sequence[int]) -> Attempt:
        """Fit the parameters at ``places`` that can be told apart.

        The fit is repeated while the spread falls and shows the effects of more parameters.
        """
        known = self.identifiable(np.zeros(len(self._names)), places)
        for refit in range(MOST_REFITS):
            solution = self._solve(list(known.free))
            changes = np.zeros(len(self._names))
            changes[list(known.free)] = solution.x
            more = self.identifiable(changes, places)
            if set(more.free) <= set(known.free) or refit == MOST_REFITS - 1:
                break
            known = more
        left_out = left_out_errors(
            solution.J, solution.errors, solution.weights, solution.tolerances, self.measured.block
        )
        return Attempt(name, known, solution, left_out)

    def physical_attempt(self, name: str, places: Sequence[int]) -> Attempt:
        """Fit as ``attempt`` does, without compliances that would come out negative."""
        while True:
            done = self.attempt(name, places)
            pairs = zip(done.identifiable.free, done.solution.x, strict=True)
            bends = set(self.model.indices(("compliance",)))
            negative = {place for place, value in pairs if place in bends and value < 0}
            if not negative:
                return done
            places = [place for place in places if place not in negative]

    def identifiable(
        self, changes: Array, places: Sequence[int], first: Sequence[int] = ()
    ) -> Identifiability:
        """Judge the effects at the nominal geometry by the spread that the errors have now.

        Args:
            changes: where the spread is taken (parameters,).
            places: parameters to judge.
            first: those of them that are kept before all others.
        """
        e, _ = self.errors(changes)
        _, J = self.errors(np.zeros_like(changes))
        flat = (J / self.spreads(e)[:, :, None]).reshape(-1, J.shape[2])
        rest = [place for place in self._in_order(places) if place not in set(first)]
        return analyse(flat, self._names, self.tolerances, [*first, *rest])

    def spreads(self, e: Array) -> Array:
        """Return the robust standard deviation of every number of errors (n, m)."""
        return spreads(e, self.measured.placement)

    def _in_order(self, places: Sequence[int]) -> list[int]:
        """Return places in order of preference: by group, then numbers that are not zero."""

        def rank(place: int) -> tuple[int, bool, int]:
            parameter = self.model.parameters[place]
            return ORDER.index(parameter.group), parameter.nominal == 0, place

        return sorted(places, key=rank)

    def _solve(self, free: list[int]) -> RobustSolution:
        def errors(x: Array) -> tuple[Array, Array]:
            changes = np.zeros(len(self._names))
            changes[free] = x
            e, J = self.errors(changes)
            return e, J[:, :, free]

        return solve(errors, self.tolerances[free], self.measured.placement)

    def single_steps(self, places: Sequence[int]) -> tuple[list[int], PoseErrors]:
        """Add parameters one by one while the error on left-out data falls.

        Returns:
            The places chosen, and the error where the choice is repeated without each block (or
            each fold of blocks, where there are many).
        """
        e, J = self.errors(np.zeros(len(self._names)))
        linear = _Linear(e, J, self.tolerances, self.measured.block, self.spreads(e))
        everything = np.arange(len(self.measured))
        chosen = linear.choose(places, everything)
        number = np.unique(self.measured.block, return_inverse=True)[1] % FOLDS
        predicted = np.empty_like(e)
        for rows in [np.flatnonzero(number == fold) for fold in np.unique(number)]:
            others = np.setdiff1d(everything, rows)
            kept = linear.choose(places, others)
            predicted[rows] = e[rows] + J[rows][:, :, kept] @ linear.fit(kept, others)
        return chosen, PoseErrors.of(predicted)


@dataclass(frozen=True)
class _Linear:
    """The problem linearised at the nominal arm, for quick choices among parameters."""

    e: Array
    J: Array
    tolerances: Array
    block: Rows
    spread: Array

    def fit(self, places: list[int], rows: Rows) -> Array:
        """Return the changes (k,) that fit some rows best."""
        weights = self._weights[rows]
        J = (self.J[rows][:, :, places] * weights[:, :, None]).reshape(weights.size, len(places))
        A = J.T @ J + np.diag(self.tolerances[places] ** -2.0)
        return np.asarray(-np.linalg.solve(A, J.T @ (self.e[rows] * weights).ravel()), float)

    @functools.cached_property
    def _weights(self) -> Array:
        return robust_weights(self.e, self.spread)

    def score(self, places: list[int], rows: Rows) -> float:
        """Return the RMS error of blocks of some rows, each predicted by the others.

        Positions and turns count in units of their spread at the nominal arm.
        """
        if not places:
            return self._size(self.e[rows], rows)
        J = self.J[rows][:, :, places]
        e = self.e[rows] + J @ self.fit(places, rows)
        args = (J, e, self._weights[rows], self.tolerances[places], self.block[rows])
        return self._size(left_out_errors(*args), rows)

    def _size(self, e: Array, rows: Rows) -> float:
        return float(np.sqrt(((e / self.spread[rows]) ** 2).sum(axis=1).mean()))

    def choose(self, places: Sequence[int], rows: Rows) -> list[int]:
        """Return parameters, each the one that lowers the score most, while it falls enough."""
        chosen: list[int] = []
        best = self.score(chosen, rows)
        while len(chosen) < min(len(places), MOST_SINGLE):
            scores = {p: self.score([*chosen, p], rows) for p in places if p not in chosen}
            place = min(scores, key=lambda p: scores[p])
            if scores[place] >= (1 - LEAST_GAIN) * best:
                break
            chosen, best = [*chosen, place], scores[place]
        return chosen
