"""Fit geometry, compliances and joint error curves together.

Cross-validation seldom distinguishes priors of the curves. The estimate is the mean over all sizes
and orders whose left-out errors are within two standard errors of the best (model averaging), and
the scatter of their solutions is part of its covariance: where nothing was measured, priors
disagree.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence

import numpy as np

from armtwin.calibration.curves.linear_problem import (
    CrossValidation,
    NormalEquations,
    mean_distance,
    prior,
)
from armtwin.calibration.curves.spectrum import (
    MAX_TERMS,
    ORDERS,
    SIZES,
    TERMS,
    TURN_WEIGHTS,
    Spectrum,
)
from armtwin.calibration.fit.parameter_sets import ParameterSetFit, ParameterSetTrials
from armtwin.calibration.fit.robust import RobustSolution, robust_weights, spreads
from armtwin.calibration.fit.uncertainty import left_out_errors
from armtwin.spatial import Array

CURVES = "curves"
MIN_BLOCKS = 40
"""Distinct joint vectors that curves need at least."""
MIN_ERROR = 2e-6
"""Mean left-out error [m] below which there is nothing for curves to explain."""
ROUNDS = 3
"""Linearisations of the final fit: the curves are small, so that two are enough."""
AVERAGED = 2.0
"""Standard errors within which priors of other sizes and orders are averaged over."""


@dataclasses.dataclass(frozen=True)
class PriorChoice:
    """The prior that predicts best, and all that are about as good, itself included."""

    best: Spectrum
    averaged: tuple[Spectrum, ...]


@dataclasses.dataclass(frozen=True)
class CurveFit:
    """A fit with error curves.

    Attributes:
        trials: the problem with the curves' coefficients as further parameters.
        fit: the fitted set.
        spectrum: the prior that predicts best.
        averaged: number of priors that were averaged over.
    """

    trials: ParameterSetTrials
    fit: ParameterSetFit
    spectrum: Spectrum
    averaged: int


def fit_curves(
    trials: ParameterSetTrials, start: ParameterSetFit, *, requested: bool
) -> CurveFit | None:
    """Fit curves together with all parameters of a fit, or return None where they do not help.

    Args:
        trials: the problem without curves.
        start: a fit of the geometry, with or without compliances.
        requested: whether curves are fitted even where they predict no better.
    """
    blocks = np.unique(trials.measured.block).size
    left_out = float(np.linalg.norm(start.left_out[:, :3], axis=1).mean())
    if not requested and (blocks < MIN_BLOCKS or left_out < MIN_ERROR):
        return None
    problem = _Problem(trials, start)
    choice = problem.choose(requested=requested)
    return None if choice is None else problem.solved(choice)


class _Problem:
    """Geometry and curves, linearised at a fit without curves."""

    def __init__(self, trials: ParameterSetTrials, start: ParameterSetFit) -> None:
        model = trials.model.with_curves(MAX_TERMS)
        curves = model.indices((CURVES,))
        wide = np.concatenate([trials.tolerances, np.ones(len(curves))])
        self.trials = ParameterSetTrials(model, trials.measured, wide)
        self.start, self.joints = start, trials.model.arm.dof
        self.free = [*start.identifiable.free, *curves]
        self.geometry = trials.tolerances[list(start.identifiable.free)]
        self.x = np.zeros(len(self.free))
        self.x[: len(start.solution.x)] = start.solution.x

    def linearised(self, x: Array) -> tuple[Array, Array]:
        """Return errors (n, m) and derivatives (n, m, k) at free parameters (k,)."""
        changes = np.zeros(len(self.trials.model.parameters))
        changes[self.free] = x
        e, J = self.trials.errors(changes)
        return e, np.ascontiguousarray(J[:, :, self.free])

    def weights(self, e: Array) -> Array:
        """Return the robust weights of errors (n, m), in 1 / spread."""
        return robust_weights(e, spreads(e, self.trials.measured.placement))

    def choose(self, *, requested: bool) -> PriorChoice | None:
        """Return the priors that predict left-out joint vectors best; None where none helps."""
        e, J = self.linearised(self.x)
        default, none = Spectrum(), Spectrum(size=0.0)
        first = NormalEquations.of(J, e, self.weights(e))
        step = first.solve(self.x, prior(self.geometry, default, self.joints), 1.0)
        folds = CrossValidation(J, e, self.weights(e + J @ step), self.trials.measured.block)

        @functools.cache
        def distances(spectrum: Spectrum) -> Array:
            deviations = prior(self.geometry, spectrum, self.joints)
            errors = folds.errors(self.x, deviations, spectrum.turn_weight)
            return mean_distance(errors, self.trials.measured.block)[0]

        gain = distances(none) - distances(default)
        if not requested and gain.mean() <= gain.std(ddof=1) / np.sqrt(gain.size):
            return None
        return _search(default, distances)

    def solved(self, choice: PriorChoice) -> CurveFit:
        """Return the robust fit with priors, without compliances that would be negative."""
        spectrum = choice.best
        while True:
            solution, between = self._averaged(choice)
            compliances = set(self.trials.model.indices(("compliance",)))
            pairs = list(zip(self._used(spectrum), solution.x, strict=True))
            negative = {k for k, value in pairs if k in compliances and value < 0}
            if not negative:
                break
            kept = [place for place, k in enumerate(self.free) if k not in negative]
            self.geometry = self.geometry[kept[: sum(p < self.geometry.size for p in kept)]]
            self.free, self.x = [self.free[p] for p in kept], self.x[kept]
        left_out = left_out_errors(
            solution.J, solution.errors, solution.weights, solution.tolerances,
            self.trials.measured.block,
        )  # fmt: skip
        known = dataclasses.replace(self.start.identifiable, free=tuple(self._used(spectrum)))
        fit = ParameterSetFit(CURVES, known, solution, left_out, between)
        return CurveFit(self.trials, fit, spectrum, len(choice.averaged))

    def _averaged(self, choice: PriorChoice) -> tuple[RobustSolution, Array]:
        """Return the mean of the solutions under all priors, and their scatter (k, k).

        They differ little, so that one step each from the best prior's solution is enough.
        """
        best = choice.best
        x, e, J, weights = self._solve(best)
        used = prior(self.geometry, best, self.joints) > 0
        normal = NormalEquations.of(J[:, :, used], e, weights)
        steps = np.array([
            normal.solve(x[used], prior(self.geometry, one, self.joints)[used], best.turn_weight)
            for one in choice.averaged
        ])  # fmt: skip
        x[used] += steps.mean(axis=0)
        apart = steps - steps.mean(axis=0)
        e, J = self.linearised(x)
        weights = self.weights(e)
        spread = spreads(e, self.trials.measured.placement)
        weights[:, 3:] *= best.turn_weight
        tolerances = prior(self.geometry, best, self.joints)[used]
        solution = RobustSolution(x[used], e, J[:, :, used], spread, weights, tolerances, ROUNDS)
        return solution, apart.T @ apart / len(steps)

    def _used(self, spectrum: Spectrum) -> list[int]:
        """Return the parameters that the prior leaves free."""
        deviations = prior(self.geometry, spectrum, self.joints)
        return [k for k, s in zip(self.free, deviations, strict=True) if s > 0]

    def _solve(self, spectrum: Spectrum) -> tuple[Array, Array, Array, Array]:
        """Return the solution of repeated linearisation, errors, derivatives and weights there."""
        deviations = prior(self.geometry, spectrum, self.joints)
        used, x = deviations > 0, self.x.copy()
        e, J = self.linearised(x)
        weights = self.weights(e)
        for _ in range(ROUNDS - 1):
            normal = NormalEquations.of(J[:, :, used], e, weights)
            x[used] += normal.solve(x[used], deviations[used], spectrum.turn_weight)
            e, J = self.linearised(x)
            weights = self.weights(e)
        return x, e, J, weights


def _search(start: Spectrum, measure: Callable[[Spectrum], Array]) -> PriorChoice:
    """Return the priors to use; differences within one standard error do not count as better.

    First the size and order of a grid (those of ``start`` unless others are better), then the
    weight of orientations, then the number of terms (the fewest that are as good). Averaged are all
    of the grid that are within ``AVERAGED`` standard errors of its best.
    """
    grid = [dataclasses.replace(start, size=s, order=k) for s in SIZES for k in ORDERS]
    found = _preferred([start, *grid], measure)
    top = min(grid, key=lambda one: float(measure(one).mean()))
    near = [one for one in grid if _as_good(measure(one), measure(top), AVERAGED)]
    found = _preferred([found, *[_weighted(found, w) for w in TURN_WEIGHTS]], measure)
    for terms in TERMS:
        fewer = dataclasses.replace(found, terms=terms)
        if _preferred([fewer, found], measure) is fewer:
            found = fewer
            break
    terms, weight = found.terms, found.turn_weight
    averaged = [dataclasses.replace(one, terms=terms, turn_weight=weight) for one in near]
    return PriorChoice(found, tuple(averaged))


def _preferred(candidates: Sequence[Spectrum], measure: Callable[[Spectrum], Array]) -> Spectrum:
    """Return the first candidate if it is as good as the best one, else the best."""
    best = min(candidates, key=lambda one: float(measure(one).mean()))
    return candidates[0] if _as_good(measure(candidates[0]), measure(best), 1.0) else best


def _as_good(errors: Array, best: Array, most: float) -> bool:
    """Return whether errors (blocks,) are above the best by ``most`` standard errors or less."""
    gap = errors - best
    return bool(gap.mean() <= most * gap.std(ddof=1) / np.sqrt(gap.size))


def _weighted(spectrum: Spectrum, turn_weight: float) -> Spectrum:
    return dataclasses.replace(spectrum, turn_weight=turn_weight)
