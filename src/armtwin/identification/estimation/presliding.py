r"""Presliding of every joint, fitted after the friction of the moving joint.

With friction's moving law held, ``effort = load + viscous qd + dry(qd, load) s + o`` where ``s`` is
the state of ``equations/drives/presliding`` along the motion, standstill included. Its two
parameters come from a grid; they are kept where they predict left-out parts of the data better over
all samples, and moving samples not worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.drives import presliding as presliding_equations
from armtwin.identification.data.runs import RunBlock
from armtwin.identification.estimation.friction_selection import fold_numbers
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.parameters.vector import Indices
from armtwin.model.drive import STANDING_SPEED
from armtwin.spatial import Array

DISTANCES = (1e-4, 3e-4, 1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2)
"""Displacements at which a joint slides fully that are tried [rad]."""
EXPONENTS = (1.0, 2.0, 3.0)
"""Values of m that are tried: 1 spreads the elements' displacements evenly, more to small ones."""
GRID = np.array([(d, m) for d in DISTANCES for m in EXPONENTS])
MIN_GAIN, MAX_LOSS = 0.02, 0.002
"""Part of the squared error over all samples to be gained, and of the moving ones' to be lost."""
RATE, MAX_ROWS = 125.0, 40000
"""Samples per second, and in all, along which elements are followed; time does not matter."""


@dataclass(frozen=True)
class Presliding:
    """Presliding of a joint and its errors on left-out data, in the unit of the effort.

    Attributes:
        joint: from 1.
        distance: displacement at which the joint slides fully [rad]; None where it does not help.
        exponent: how the elements' displacements are spread.
        before: RMS error over all samples, rest included, without presliding.
        after: the same with it.
        moving_before: RMS error of moving samples without it.
        moving_after: the same with it.
    """

    joint: int
    distance: float | None
    exponent: float
    before: float
    after: float
    moving_before: float
    moving_after: float


def fit_presliding(
    predictor: Predictor, blocks: Sequence[RunBlock], vector: Array, folds: int
) -> tuple[Presliding, ...]:
    """Return the presliding of every joint.

    Args:
        predictor: predictor of the signals.
        blocks: motor signals.
        vector: the estimate (size,).
        folds: number of folds; whole runs where there are as many.
    """
    numbers, dof = fold_numbers(blocks, folds), predictor.layout.dof
    count = int(max(row.max() for row in numbers)) + 1
    squares = np.zeros((2, count, dof, len(GRID) + 1))
    counts = np.zeros((2, count, dof))
    for block, fold in zip(blocks, numbers, strict=True):
        rows = _rows(len(block.signal), block.rate)
        errors, used = _squared_errors(predictor, block, vector, rows), block.used[rows]
        for k in range(count):
            part = (fold[rows] == k)[:, None]
            for row, mask in enumerate((np.broadcast_to(part, used.shape), part & used)):
                squares[row, k] += np.einsum("nj,njc->jc", mask, errors)
                counts[row, k] += mask.sum(axis=0)
    return tuple(_chosen(j, squares[:, :, j], counts[:, :, j]) for j in range(dof))


def _chosen(j: int, squares: Array, counts: Array) -> Presliding:
    """Return a joint's presliding from sums over (all, moving) samples, folds and candidates."""
    total = squares.sum(axis=1)
    before, moving_before = total[:, 0]
    after = moving_after = 0.0
    for k in range(squares.shape[1]):
        best = _best(total - squares[:, k])
        after += squares[0, k, best]
        moving_after += squares[1, k, best]
    size, moving = (max(float(x), 1.0) for x in counts.sum(axis=1))
    helps = after < (1 - MIN_GAIN) * before and moving > 1
    helps = helps and moving_after <= (1 + MAX_LOSS) * moving_before
    best = _best(total)
    distance, exponent = GRID[max(best - 1, 0)]
    helps = helps and best > 0
    sums = (before / size, after / size, moving_before / moving, moving_after / moving)
    rms = [float(np.sqrt(x)) for x in sums]
    return Presliding(j + 1, float(distance) if helps else None, float(exponent), *rms)


def _best(sums: Array) -> int:
    """Return the candidate of least error over all samples, of those not worse while moving."""
    allowed = sums[1] <= (1 + MAX_LOSS) * sums[1, 0]
    return int(np.argmin(np.where(allowed, sums[0], np.inf)))


def _rows(count: int, rate: float) -> Indices:
    """Return the rows along which elements are followed: 125 a second, at most 40,000."""
    every = max(1, round(rate / RATE), -(-count // MAX_ROWS))
    return np.arange(0, count, every)


def _squared_errors(predictor: Predictor, block: RunBlock, vector: Array, rows: Indices) -> Array:
    """Return squared errors (rows, dof, 1 + candidates); without presliding first."""
    parts = _Parts.of(predictor, block, vector)
    signal = block.signal[rows]
    found = np.empty((*signal.shape, len(GRID) + 1))
    found[:, :, 0] = (signal - predictor.predicted(block, vector)[rows]) ** 2
    shares = slip_shares(block.motion.q[rows], GRID)
    with_states = parts.base[rows][:, :, None] + parts.dry(shares, rows)
    found[:, :, 1:] = (signal[:, :, None] - with_states) ** 2
    return found


def predicted_with_presliding(
    predictor: Predictor, block: RunBlock, vector: Array, found: Sequence[Presliding]
) -> Array:
    """Return the signal (n, dof) of a whole block, with presliding at the joints that have it.

    Args:
        predictor: predictor of the signals.
        block: the run.
        vector: the estimate (size,).
        found: presliding of every joint.
    """
    signal = predictor.predicted(block, vector)
    if block.kind == "target" or all(one.distance is None for one in found):
        return signal
    parts, rows = _Parts.of(predictor, block, vector), _rows(len(signal), block.rate)
    whole, joints = np.arange(len(signal)), [one.joint - 1 for one in found if one.distance]
    own = np.array([[(found[j].distance, found[j].exponent)] for j in joints], float)
    coarse = slip_shares(block.motion.q[rows][:, joints], own)[:, :, 0]
    for j, shares in zip(joints, coarse.T, strict=True):
        share = np.interp(whole, rows, shares)[:, None, None]
        signal[:, j] = parts.base[:, j] + parts.dry(share, whole, j)[:, 0, 0]
    return signal


def slip_shares(q: Array, candidates: Array) -> Array:
    """Return the share of the dry friction (n, dof, candidates), from -1 to 1, along a motion.

    Args:
        q: joint positions (n, dof) [rad].
        candidates: displacement [rad] and exponent (candidates, 2), or (dof, candidates, 2) where
            joints have their own.
    """
    step, shape = kernel(None, presliding_equations.step), (q.shape[1], candidates.shape[-2])
    z = np.zeros((*shape, presliding_equations.ELEMENTS))
    distance, exponent = (
        np.ascontiguousarray(np.broadcast_to(candidates[..., [k]], (*shape, 1))) for k in (0, 1)
    )
    found = np.empty((len(q), *shape))
    for k, move in enumerate(np.diff(q, axis=0, prepend=q[:1])):
        dq = np.ascontiguousarray(np.broadcast_to(move[:, None, None], (*shape, 1)))
        z, share = step(z, dq, distance, exponent)
        found[k] = share.reshape(shape)
    return found


@dataclass(frozen=True, eq=False)
class _Parts:
    """Effort without dry friction (n, dof) and the levels of it forwards and backwards."""

    base: Array
    forward: Array
    backward: Array

    @classmethod
    def of(cls, predictor: Predictor, block: RunBlock, vector: Array) -> _Parts:
        """Return the parts of a run.

        Args:
            predictor: predictor of the signals.
            block: the run.
            vector: the estimate (size,).
        """
        layout, qd, scales = predictor.layout, block.motion.qd, block.motion.friction_scale
        tau = np.concatenate([predictor.torques(m, vector)[1] for _, m in block.chunks()])
        load = tau * predictor.gains(block.kind, vector)
        base, levels = load + vector[layout.offsets], np.empty((2, *load.shape))
        speed = np.maximum(np.abs(qd), STANDING_SPEED)
        for j in range(load.shape[1]):
            scale = None if scales is None else scales[:, j]
            slope = vector[layout.viscous(j)] * (1.0 if scale is None else scale[:, 0])
            base[:, j] += slope * qd[:, j]
            for k, sign in enumerate((1.0, -1.0)):
                whole = predictor.friction(j, sign * speed[:, j], load[:, j], vector, scale)[0]
                levels[k, :, j] = np.maximum(sign * whole - slope * speed[:, j], 0.0)
        return cls(base, levels[0], levels[1])

    def dry(self, shares: Array, rows: Indices, joint: int | None = None) -> Array:
        """Return dry friction of the shape of the shares.

        Args:
            shares: of the dry friction (rows, dof, candidates), or (rows, 1, 1) of one joint.
            rows: the run's rows that they belong to.
            joint: that joint, from 0; None for all.
        """
        joints = slice(None) if joint is None else slice(joint, joint + 1)
        forward, backward = (x[rows][:, joints, None] for x in (self.forward, self.backward))
        return np.asarray(shares * np.where(shares > 0, forward, backward))
