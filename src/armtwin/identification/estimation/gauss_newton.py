"""Maximum a posteriori estimate: Gauss-Newton with robust weights and feasibility constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.identification.data.runs import RunBlock
from armtwin.identification.estimation.hac import scaled_inverse, uncertainty
from armtwin.identification.estimation.normal_equations import (
    Noise,
    correlation_lengths,
    huber_cost,
    noise,
    residuals,
    scores,
    sums,
)
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.parameters.feasible import (
    FeasibleLimits,
    best_step,
    limits,
    nearest_feasible,
)
from armtwin.identification.parameters.vector import ParameterLayout, Prior
from armtwin.spatial import Array

ROUNDS, FIRST_ROUNDS = 25, 10
"""Steps at most, and those before correlation lengths are known."""
SETTLED, NEARLY_SETTLED = 0.02, 0.2
"""Largest steps, in standard errors of each entry, at which a search, and one for a start only,
has converged."""

MAX_HALVINGS = 8
"""Lengths of a step that are tried, down to 1/128 of it; the last one is taken in any case."""
EVEN = 0.05
"""Difference of two costs (negative log-likelihoods) that does not count."""
AT_BOUND = 1e-3
"""Entries this near to a bound, in standard errors, are at it."""
FALL_SPREAD = 0.005
"""Standard deviation of the magnitude of gravity [m/s2]: that of the arm file is taken as known."""


def search(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    prior: Prior,
    start: Array | None = None,
    *,
    preliminary: bool = False,
) -> Posterior:
    """Return the maximum a posteriori estimate.

    Args:
        predictor: predicts the blocks' signals.
        blocks: the measured signals.
        prior: mean, precision, and the free entries.
        start: start of the search; the mean of the prior where not given.
        preliminary: whether a start for another search is enough.
    """
    layout, free = predictor.layout, prior.free
    bounds = limits(layout, prior)
    vector = nearest_feasible(prior.mean if start is None else start, prior, bounds)
    known = noise(blocks, residuals(predictor, blocks, vector))
    taken = 0
    for stage in ("alone", "together"):
        most = ROUNDS if stage == "together" and not preliminary else FIRST_ROUNDS
        enough = most, NEARLY_SETTLED if preliminary or stage == "alone" else SETTLED
        vector, known, more = _descend(predictor, blocks, vector, known, prior, bounds, enough)
        taken += more
        if stage == "alone":
            known = correlation_lengths(predictor, blocks, vector, known, free)
    return _posterior(predictor, blocks, vector, known, prior, bounds, taken)


def _descend(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    known: Noise,
    prior: Prior,
    bounds: FeasibleLimits,
    enough: tuple[int, float],
) -> tuple[Array, Noise, int]:
    """Return the vector after Gauss-Newton steps, the noise there and the steps taken.

    Args:
        predictor: predicts the blocks' signals.
        blocks: the measured signals.
        vector: where to start (size,).
        known: noise of the residuals there.
        prior: mean, precision, and the free entries.
        bounds: what a possible arm must satisfy.
        enough: largest number of steps, and the step in standard errors that ends the search.
    """
    rounds, settled = enough
    off = residuals(predictor, blocks, vector)
    for taken in range(1, rounds + 1):
        step, deviation = _step(predictor, blocks, vector, known, prior, bounds)
        vector, off = _lower(predictor, blocks, (vector, off), step, known, prior, taken)
        known = noise(blocks, off, known)
        if (np.abs(step) < settled * deviation).all():
            break
    return vector, known, taken


def _lower(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    at: tuple[Array, list[Array]],
    step: Array,
    known: Noise,
    prior: Prior,
    taken: int,
) -> tuple[Array, list[Array]]:
    """Return the vector and its residuals after a step that is halved until the cost falls."""
    vector, off = at
    most = _cost(blocks, off, known, vector, prior) + EVEN
    for _ in range(MAX_HALVINGS):
        trial = vector.copy()
        trial[prior.free] += step
        trial[predictor.layout.gravity] = _gravity(trial, prior, predictor.layout, taken)
        off = residuals(predictor, blocks, trial)
        if _cost(blocks, off, known, trial, prior) <= most:
            break
        step = step / 2
    return trial, off


def _cost(
    blocks: Sequence[RunBlock], off: Sequence[Array], known: Noise, vector: Array, prior: Prior
) -> float:
    apart = vector - prior.mean
    total = 0.5 * float(apart @ prior.precision @ apart)
    for block, left in zip(blocks, off, strict=True):
        r = left / known.spread[block.kind]
        for j, length in enumerate(known.correlation_length[block.kind]):
            used = r[block.used[:, j], j]
            sure = used[np.isfinite(used)]
            share = used.size / max(sure.size, 1)  # unsure samples change with the vector
            total += share * huber_cost(sure) / float(length)
    return total


def _step(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    known: Noise,
    prior: Prior,
    bounds: FeasibleLimits,
) -> tuple[Array, Array]:
    """Return the step of the free entries, and their standard errors for comparison."""
    free, layout = prior.free, predictor.layout
    added = sums(predictor, blocks, vector, known, free)
    H = added.information + _precision(vector, prior, layout)
    b = added.gradient + prior.precision[np.ix_(free, free)] @ (prior.mean - vector)[free]
    step = best_step(H, b, vector, free, bounds)
    return step, np.sqrt(np.diag(scaled_inverse(H)))


def _gravity(vector: Array, prior: Prior, layout: ParameterLayout, taken: int) -> Array:
    """Return gravity with its known magnitude, from the second step on."""
    gravity = vector[layout.gravity]
    if taken == 1 or layout.gravity.start not in prior.free:
        return np.asarray(gravity)
    size = np.linalg.norm(prior.mean[layout.gravity])
    return np.asarray(gravity * size / np.linalg.norm(gravity))


def _precision(vector: Array, prior: Prior, layout: ParameterLayout) -> Array:
    """Return the prior's precision of the free entries; the magnitude of gravity is known."""
    precision = prior.precision.copy()
    down = vector[layout.gravity] / np.linalg.norm(vector[layout.gravity])
    precision[layout.gravity, layout.gravity] += np.outer(down, down) / FALL_SPREAD**2
    return precision[np.ix_(prior.free, prior.free)]


def _posterior(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    known: Noise,
    prior: Prior,
    bounds: FeasibleLimits,
    taken: int,
) -> Posterior:
    free = prior.free
    series, slope = scores(predictor, blocks, vector, known, free)
    precision = _precision(vector, prior, predictor.layout)
    exact = all(block.kind == "target" for block in blocks)
    errors = uncertainty(slope, series, precision, slope if exact else None)
    spread = np.sqrt(np.diag(errors.covariance))
    at_zero = free[vector[free] - bounds.lower[free] < AT_BOUND * spread]
    vector = vector.copy()
    vector[at_zero] = bounds.lower[at_zero]
    return Posterior(vector, prior, errors, slope, known, taken, at_zero)
