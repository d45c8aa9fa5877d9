"""The vector that data and prior agree on: Gauss-Newton with robust weights, always feasible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.identification.data.runs import RunBlock
from armtwin.identification.estimation.hac import scaled_inverse, uncertainty
from armtwin.identification.estimation.normal_equations import (
    Noise,
    huber_cost,
    likeness,
    noise,
    residuals,
    scores,
    sums,
)
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.parameters.feasible import FeasibleLimits, best_step, limits, possible
from armtwin.identification.parameters.vector import ParameterLayout, Prior
from armtwin.spatial import Array

ROUNDS = 25
SETTLED = 0.02
"""A step this small, in standard deviations of every entry, ends the search."""

MOST_HALVINGS = 8
AT_BOUND = 1e-3
FALL_SPREAD = 0.005
"""How well the size of free fall is known [m/s2]."""


def search(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    belief: Prior,
    start: Array | None = None,
    rounds: int = ROUNDS,
) -> Posterior:
    """Return the most likely vector under data and belief.

    Args:
        predictor: predicts the blocks' signals.
        blocks: the data.
        belief: mean, precision, and which entries are free.
        start: where to begin; the belief's mean where not given.
        rounds: most steps.
    """
    layout, free = predictor.layout, belief.free
    bounds = limits(layout, belief)
    vector = possible(belief.mean if start is None else start, belief, bounds)
    known = noise(blocks, residuals(predictor, blocks, vector))
    taken = 0
    for stage in ("alone", "together"):
        vector, known, more = _descend(predictor, blocks, vector, known, belief, bounds, rounds)
        taken += more
        if stage == "alone":
            known = likeness(predictor, blocks, vector, known, free)
    return _found(predictor, blocks, vector, known, belief, bounds, taken)


def _descend(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    known: Noise,
    belief: Prior,
    bounds: FeasibleLimits,
    rounds: int,
) -> tuple[Array, Noise, int]:
    """Return the vector after Gauss-Newton steps, the noise there and the steps taken."""
    for taken in range(1, rounds + 1):
        step, deviation = _step(predictor, blocks, vector, known, belief, bounds)
        vector, off = _lower(predictor, blocks, vector, step, known, belief, taken)
        known = noise(blocks, off, known)
        if (np.abs(step) < SETTLED * deviation).all():
            break
    return vector, known, taken


def _lower(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    step: Array,
    known: Noise,
    belief: Prior,
    taken: int,
) -> tuple[Array, list[Array]]:
    """Return the vector and its residuals after a step that is halved until the cost falls."""
    before = _cost(blocks, residuals(predictor, blocks, vector), known, vector, belief)
    for _ in range(MOST_HALVINGS):
        trial = vector.copy()
        trial[belief.free] += step
        trial[predictor.layout.gravity] = _fall(trial, belief, predictor.layout, taken)
        off = residuals(predictor, blocks, trial)
        if _cost(blocks, off, known, trial, belief) <= before:
            break
        step = step / 2
    return trial, off


def _cost(
    blocks: Sequence[RunBlock], off: Sequence[Array], known: Noise, vector: Array, belief: Prior
) -> float:
    apart = vector - belief.mean
    total = 0.5 * float(apart @ belief.precision @ apart)
    for block, left in zip(blocks, off, strict=True):
        r = left / known.spread[block.kind]
        for j, alike in enumerate(known.alike[block.kind]):
            total += huber_cost(r[block.used[:, j], j]) / float(alike)
    return total


def _step(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    known: Noise,
    belief: Prior,
    bounds: FeasibleLimits,
) -> tuple[Array, Array]:
    """Return the step of the free entries, and their standard deviations for comparison."""
    free, layout = belief.free, predictor.layout
    added = sums(predictor, blocks, vector, known, free)
    H = added.information + _precision(vector, belief, layout)
    pull = belief.precision[np.ix_(free, free)] @ (belief.mean - vector)[free]
    b = added.pull + pull
    step = best_step(H, b, vector, free, bounds)
    return step, np.sqrt(np.diag(scaled_inverse(H)))


def _fall(vector: Array, belief: Prior, layout: ParameterLayout, taken: int) -> Array:
    """Return free fall with its known size, from the second step on."""
    gravity = vector[layout.gravity]
    if taken == 1 or layout.gravity.start not in belief.free:
        return np.asarray(gravity)
    size = np.linalg.norm(belief.mean[layout.gravity])
    return np.asarray(gravity * size / np.linalg.norm(gravity))


def _precision(vector: Array, belief: Prior, layout: ParameterLayout) -> Array:
    """Return the belief's precision of the free entries; the size of free fall is known."""
    precision = belief.precision.copy()
    down = vector[layout.gravity] / np.linalg.norm(vector[layout.gravity])
    precision[layout.gravity, layout.gravity] += np.outer(down, down) / FALL_SPREAD**2
    return precision[np.ix_(belief.free, belief.free)]


def _found(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    known: Noise,
    belief: Prior,
    bounds: FeasibleLimits,
    taken: int,
) -> Posterior:
    free = belief.free
    series, slope = scores(predictor, blocks, vector, known, free)
    precision = _precision(vector, belief, predictor.layout)
    exact = all(block.kind == "target" for block in blocks)
    doubt = uncertainty(slope, series, precision, slope if exact else None)
    spread = np.sqrt(np.diag(doubt.covariance))
    at_zero = free[vector[free] - bounds.lower[free] < AT_BOUND * spread]
    vector = vector.copy()
    vector[at_zero] = bounds.lower[at_zero]
    return Posterior(vector, belief, doubt, slope, known, taken, at_zero)
