"""Fit geometry, compliances and joint error curves together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from armtwin.calibration.curves.linear_problem import (
    CrossValidation,
    NormalEquations,
    mean_distance,
    prior,
)
from armtwin.calibration.curves.spectrum import (
    MOST_TERMS,
    ORDERS,
    SIZES,
    TERMS,
    TURN_WEIGHTS,
    Spectrum,
)
from armtwin.calibration.fit.parameter_sets import ParameterSetFit, Trials
from armtwin.calibration.fit.robust import RobustSolution, robust_weights, spreads
from armtwin.calibration.fit.uncertainty import left_out_errors
from armtwin.spatial import Array

CURVES = "curves"
LEAST_BLOCKS = 40
"""Distinct joint vectors that curves need at least."""
LEAST_ERROR = 2e-6
"""Mean left-out error [m] below which there is nothing for curves to explain."""
ROUNDS = 3
"""Linearisations of the final fit: the curves are small, so that two are enough."""


@dataclasses.dataclass(frozen=True)
class CurveFit:
    """A fit with error curves.

    Attributes:
        trials: the problem with the curves' coefficients as further parameters.
        fit: the fitted set.
        spectrum: the chosen prior.
    """

    trials: Trials
    fit: ParameterSetFit
    spectrum: Spectrum


def fit_curves(trials: Trials, start: ParameterSetFit, *, requested: bool) -> CurveFit | None:
    """Fit curves together with all parameters of a fit, or return None where they do not help.

    Args:
        trials: the problem without curves.
        start: a fit of the geometry, with or without compliances.
        requested: whether curves are fitted even where they predict no better.
    """
    blocks = np.unique(trials.measured.block).size
    left_out = float(np.linalg.norm(start.left_out[:, :3], axis=1).mean())
    if not requested and (blocks < LEAST_BLOCKS or left_out < LEAST_ERROR):
        return None
    problem = _Problem(trials, start)
    spectrum = problem.choose(requested=requested)
    if spectrum is None:
        return None
    return problem.solved(spectrum)


class _Problem:
    """Geometry and curves, linearised at a fit without curves."""

    def __init__(self, trials: Trials, start: ParameterSetFit) -> None:
        model = trials.model.with_curves(MOST_TERMS)
        curves = model.indices((CURVES,))
        wide = np.concatenate([trials.tolerances, np.ones(len(curves))])
        self.trials = Trials(model, trials.measured, wide)
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

    def choose(self, *, requested: bool) -> Spectrum | None:
        """Return the prior that predicts left-out joint vectors best; None where none helps."""
        e, J = self.linearised(self.x)
        default, none = Spectrum(), Spectrum(size=0.0)
        first = NormalEquations.of(J, e, self.weights(e))
        step = first.solve(self.x, prior(self.geometry, default, self.joints), 1.0)
        folds = CrossValidation(J, e, self.weights(e + J @ step), self.trials.measured.block)

        def distances(spectrum: Spectrum) -> Array:
            deviations = prior(self.geometry, spectrum, self.joints)
            errors = folds.errors(self.x, deviations, spectrum.turn_weight)
            return mean_distance(errors, self.trials.measured.block)[0]

        gain = distances(none) - distances(default)
        if not requested and gain.mean() <= gain.std(ddof=1) / np.sqrt(gain.size):
            return None
        return _search(default, distances)

    def solved(self, spectrum: Spectrum) -> CurveFit:
        """Return the robust fit with a prior, without compliances that would be negative."""
        while True:
            solution = self._solve(spectrum)
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
        return CurveFit(self.trials, ParameterSetFit(CURVES, known, solution, left_out), spectrum)

    def _used(self, spectrum: Spectrum) -> list[int]:
        """Return the parameters that the prior leaves free."""
        deviations = prior(self.geometry, spectrum, self.joints)
        return [k for k, s in zip(self.free, deviations, strict=True) if s > 0]

    def _solve(self, spectrum: Spectrum) -> RobustSolution:
        """Return the solution of repeated linearisation, over the parameters that are free."""
        deviations = prior(self.geometry, spectrum, self.joints)
        used, x = deviations > 0, self.x.copy()
        e, J = self.linearised(x)
        weights = self.weights(e)
        for _ in range(ROUNDS):
            normal = NormalEquations.of(J[:, :, used], e, weights)
            step = normal.solve(x[used], deviations[used], spectrum.turn_weight)
            x[used] += step
            e, J = self.linearised(x)
            weights = self.weights(e)
        spread = spreads(e, self.trials.measured.placement)
        weights[:, 3:] *= spectrum.turn_weight
        return RobustSolution(x[used], e, J[:, :, used], spread, weights, deviations[used], ROUNDS)


def _search(start: Spectrum, measure: Callable[[Spectrum], Array]) -> Spectrum:
    """Return the prior to use; differences within one standard error do not count.

    First the size and order of a grid (those of ``start`` unless others are better), then the
    weight of orientations, then the number of terms (the fewest that are as good).
    """
    grid = [dataclasses.replace(start, size=s, order=k) for s in SIZES for k in ORDERS]
    found = _preferred([start, *grid], measure)
    found = _preferred([found, *[_weighted(found, w) for w in TURN_WEIGHTS]], measure)
    for terms in TERMS:
        fewer = dataclasses.replace(found, terms=terms)
        if _preferred([fewer, found], measure) is fewer:
            return fewer
    return found


def _preferred(candidates: Sequence[Spectrum], measure: Callable[[Spectrum], Array]) -> Spectrum:
    """Return the first candidate if it is as good as the best one, else the best."""
    distances = [measure(one) for one in candidates]
    best = int(np.argmin([distance.mean() for distance in distances]))
    gap = distances[0] - distances[best]
    as_good = gap.mean() <= gap.std(ddof=1) / np.sqrt(gap.size)
    return candidates[0 if as_good else best]


def _weighted(spectrum: Spectrum, turn_weight: float) -> Spectrum:
    return dataclasses.replace(spectrum, turn_weight=turn_weight)
