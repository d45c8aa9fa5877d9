"""Sets of parameters to try, and which one predicts data that it was not fitted to best.

Large sets fit better and may predict worse. So every step of a ladder, from the frames alone to
all of the geometry, is fitted and judged on what it was not shown; where measurements are few,
single parameters are tried one after the other, too.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identify.calibrated import PoseErrors, Trial
from armtwin.identify.geometry_model import GeometryModel
from armtwin.identify.identifiability import Identifiability, analyse
from armtwin.identify.measured import Measured, Rows
from armtwin.identify.robust import Solution, robust_weights, solve, spreads
from armtwin.identify.uncertainty import left_out_errors
from armtwin.spatial import Array

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
MOST_SINGLE, LEAST_GAIN = 6, 0.002
"""Single parameters: how many at most, and what share of the error each must take away."""


@dataclass(frozen=True)
class Attempt:
    """A fit of one set of parameters: what is free, the solution, its errors on left-out data."""

    name: str
    identifiable: Identifiability
    solution: Solution
    left_out: Array

    @property
    def trial(self) -> Trial:
        """The figures of this attempt."""
        errors = PoseErrors.of(self.solution.errors), PoseErrors.of(self.left_out)
        return Trial(self.name, len(self.identifiable.free), *errors)


class Trials:
    """Fits of one model to one set of measurements."""

    def __init__(self, model: GeometryModel, measured: Measured, tolerances: Array) -> None:
        self.model, self.measured, self.tolerances = model, measured, tolerances
        self._load = model.load(measured.q)
        self._names = [parameter.name for parameter in model.parameters]

    def errors(self, changes: Array) -> tuple[Array, Array]:
        """Return errors (n, m) and derivatives (n, m, parameters) at changed parameters."""
        return self.model.errors(self.measured, self._load, changes)

    def attempt(self, name: str, places: Sequence[int]) -> Attempt:
        """Fit the parameters at ``places`` that can be told apart; twice, as the spread falls."""
        changes = np.zeros(len(self._names))
        for _ in range(2):
            known = self._identifiable(changes, places)
            free = list(known.free)
            solution = self._solve(free)
            changes = np.zeros(len(self._names))
            changes[free] = solution.x
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

    def _identifiable(self, changes: Array, places: Sequence[int]) -> Identifiability:
        """Judge the effects at the nominal geometry by the spread that the errors have now."""
        e, _ = self.errors(changes)
        _, J = self.errors(np.zeros_like(changes))
        flat = (J / spreads(e)[:, None]).reshape(-1, J.shape[2])
        return analyse(flat, self._names, self.tolerances, self._in_order(places))

    def _in_order(self, places: Sequence[int]) -> list[int]:
        """Return places in order of preference: by group, then numbers that are not zero."""

        def rank(place: int) -> tuple[int, bool, int]:
            parameter = self.model.parameters[place]
            return ORDER.index(parameter.group), parameter.nominal == 0, place

        return sorted(places, key=rank)

    def _solve(self, free: list[int]) -> Solution:
        def errors(x: Array) -> tuple[Array, Array]:
            changes = np.zeros(len(self._names))
            changes[free] = x
            e, J = self.errors(changes)
            return e, J[:, :, free]

        return solve(errors, self.tolerances[free])

    def single_steps(self, places: Sequence[int]) -> tuple[list[int], PoseErrors]:
        """Add parameters one by one while the error on left-out data falls.

        Returns:
            The places chosen, and the error where the choice is repeated without each block (or
            each fold of blocks, where there are many).
        """
        e, J = self.errors(np.zeros(len(self._names)))
        linear = _Linear(e, J, self.tolerances, self.measured.block)
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

    def fit(self, places: list[int], rows: Rows) -> Array:
        """Return the changes (k,) that fit some rows best."""
        weights = self._weights[rows]
        J = (self.J[rows][:, :, places] * weights[:, :, None]).reshape(weights.size, len(places))
        A = J.T @ J + np.diag(self.tolerances[places] ** -2.0)
        return np.asarray(-np.linalg.solve(A, J.T @ (self.e[rows] * weights).ravel()), float)

    @functools.cached_property
    def _weights(self) -> Array:
        return robust_weights(self.e, spreads(self.e))

    def score(self, places: list[int], rows: Rows) -> float:
        """Return the RMS distance of blocks of some rows, each predicted by the others."""
        if not places:
            return float(np.sqrt((self.e[rows, :3] ** 2).sum(axis=1).mean()))
        J = self.J[rows][:, :, places]
        e = self.e[rows] + J @ self.fit(places, rows)
        args = (J, e, self._weights[rows], self.tolerances[places], self.block[rows])
        return float(np.sqrt((left_out_errors(*args)[:, :3] ** 2).sum(axis=1).mean()))

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
