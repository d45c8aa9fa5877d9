r"""Normal equations of the robust least-squares problem, in one pass over the data.

With residuals ``r`` in units of their spread, Huber weights ``w = min(1, k / |r|)`` and a
correlation length of ``T`` samples (that many residuals carry the information of one):

.. math:: H = \frac1T \sum w\, x x^T, \qquad b = \frac1T \sum w\, r\, x

Runs are processed in chunks, so that memory does not grow with their length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import CHUNK, Rows, RunBlock
from armtwin.identification.estimation.hac import Scores, correlation_length
from armtwin.identification.estimation.prediction import Columns, Predictor
from armtwin.identification.parameters.vector import Indices
from armtwin.spatial import Array

HUBER = 2.0
"""Residuals beyond this many standard deviations are down-weighted."""
MAX_BINS = 16384
"""Bins of the scores at most, to bound memory: 0.1 s each in a run of 27 minutes."""
MIN_SPREAD = 1e-3
"""Smallest spread of residuals, as a share of the signal's RMS."""


@dataclass(frozen=True)
class Noise:
    """Spread and correlation of the residuals, per kind of block and joint.

    Attributes:
        spread: robust standard deviation, per kind (dof,).
        correlation_length: samples that carry the information of one, per kind (dof,).
    """

    spread: dict[str, Array]
    correlation_length: dict[str, Array]


@dataclass(frozen=True)
class Sums:
    """Information (k, k) and gradient (k,) of the free entries, and the cost, of all blocks."""

    information: Array
    gradient: Array
    cost: float


def residuals(predictor: Predictor, blocks: Sequence[RunBlock], vector: Array) -> list[Array]:
    """Return measured less predicted (n, dof) of every block; NaN where a law is not continuous.

    Args:
        predictor: the model of the signals.
        blocks: the recorded signals with their motion.
        vector: the parameters (size,) of ``ParameterLayout``.
    """
    return [predictor.residuals(block, vector) for block in blocks]


def noise(blocks: Sequence[RunBlock], off: Sequence[Array], before: Noise | None = None) -> Noise:
    """Return the spread of the residuals per joint; correlation lengths stay as before.

    Args:
        blocks: the recorded signals.
        off: residuals of every block (n, dof).
        before: noise whose correlation lengths are kept; None for lengths of one sample.
    """
    spread: dict[str, Array] = {}
    for kind in dict.fromkeys(block.kind for block in blocks):
        pairs = [(b, r) for b, r in zip(blocks, off, strict=True) if b.kind == kind]
        spread[kind] = np.array([_spread(pairs, j) for j in range(pairs[0][1].shape[1])])
    ones = {kind: np.ones(sizes.size) for kind, sizes in spread.items()}
    return Noise(spread, ones if before is None else before.correlation_length)


def correlation_lengths(
    predictor: Predictor, blocks: Sequence[RunBlock], vector: Array, known: Noise, free: Indices
) -> Noise:
    """Return the noise with the correlation length of every joint.

    Args:
        predictor: the model of the signals.
        blocks: the recorded signals with their motion.
        vector: the parameters (size,) of ``ParameterLayout``.
        known: spread of the noise per kind of signal and joint.
        free: indices of the parameters that are estimated.
    """
    ones = {kind: np.ones(sizes.size) for kind, sizes in known.spread.items()}
    plain = Noise(known.spread, ones)
    found = {kind: sizes.copy() for kind, sizes in ones.items()}
    for kind, sizes in found.items():
        same = [block for block in blocks if block.kind == kind]
        for j in range(sizes.size):
            series, slope = scores(predictor, same, vector, plain, free, only=j)
            seen = np.diag(slope) > 0
            if seen.any():
                part = [Scores(s.values[:, seen], s.rate) for s in series]
                sizes[j] = correlation_length(slope[np.ix_(seen, seen)], part)
    return Noise(known.spread, found)


def _spread(pairs: list[tuple[RunBlock, Array]], j: int) -> float:
    left = np.concatenate([r[b.used[:, j], j] for b, r in pairs])
    left = left[np.isfinite(left)]
    size = np.concatenate([b.signal[b.used[:, j], j] for b, _ in pairs])
    if not left.size:
        return 1.0
    typical = 1.4826 * float(np.median(np.abs(left)))
    return max(typical, MIN_SPREAD * float(np.sqrt(np.mean(size**2))), 1e-9)


def sums(
    predictor: Predictor, blocks: Sequence[RunBlock], vector: Array, known: Noise, free: Indices
) -> Sums:
    """Return information, gradient and cost over every used sample.

    Args:
        predictor: predicts the blocks' signals.
        blocks: the measured signals.
        vector: parameters at which the problem is linearised (size,).
        known: spread and correlation length of the residuals.
        free: indices of the free entries (k,).
    """
    k = free.size
    information, gradient, cost = np.zeros((k, k)), np.zeros(k), 0.0
    for piece in _pieces(predictor, blocks, vector, free):
        r, x, at, effective = piece.part(known)
        r, x = r[piece.used], x[piece.used]
        weight = effective * huber_weight(r)
        information[np.ix_(at, at)] += (x * weight[:, None]).T @ x
        gradient[at] += x.T @ (weight * r)
        cost += effective * huber_cost(r)
    return Sums(information, gradient, cost)


def scores(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    known: Noise,
    free: Indices,
    only: int | None = None,
) -> tuple[list[Scores], Array]:
    """Return the scores in bins of time, and the derivative of their sum.

    The scores have consecutive bins of equal length per block; the derivative (k, k) is
    ``sum psi'(r) x x^T`` of Huber's psi, which leaves out down-weighted samples. With ``only``,
    of one joint alone.

    Args:
        predictor: the model of the signals.
        blocks: the recorded signals with their motion.
        vector: the parameters (size,) of ``ParameterLayout``.
        known: spread and correlation length of the noise.
        free: indices of the k parameters that are estimated.
        only: a joint, from 0, that alone counts; None for all.
    """
    width = bin_width(blocks)
    series = [np.zeros((-(-len(block.signal) // width), free.size)) for block in blocks]
    slope = np.zeros((free.size, free.size))
    for piece in _pieces(predictor, blocks, vector, free, only):
        r, x, at, effective = piece.part(known)
        inside = piece.used & (np.abs(r) < HUBER)
        slope[np.ix_(at, at)] += effective * x[inside].T @ x[inside]
        gradient = x * (effective * piece.used * np.clip(r, -HUBER, HUBER))[:, None]
        binned, first = _binned(gradient, width), piece.rows.start // width
        series[piece.number][first : first + len(binned), at] += binned
    rates = [block.rate / width for block in blocks]
    return [Scores(s, rate) for s, rate in zip(series, rates, strict=True)], slope


def bin_width(blocks: Sequence[RunBlock]) -> int:
    """Return how many samples share a bin: a power of two, so that chunks hold whole bins."""
    rows = sum(len(block.signal) for block in blocks)
    return min(CHUNK, 1 << max(0, int(np.ceil(np.log2(rows / MAX_BINS)))))


def _binned(values: Array, width: int) -> Array:
    if width == 1:
        return values
    short = -len(values) % width
    padded = np.vstack([values, np.zeros((short, values.shape[1]))]) if short else values
    return np.asarray(padded.reshape(-1, width, values.shape[1]).sum(axis=1))


def huber_weight(r: Array) -> Array:
    """Return ``min(1, k / |r|)``."""
    return HUBER / np.maximum(np.abs(r), HUBER)


def huber_cost(r: Array) -> float:
    """Return ``sum r^2 / 2`` where ``|r| < k`` and ``k |r| - k^2 / 2`` beyond."""
    size = np.abs(r)
    return float(np.where(size < HUBER, size**2 / 2, HUBER * size - HUBER**2 / 2).sum())


@dataclass(frozen=True)
class _Piece:
    """One joint over one chunk of one block."""

    block: RunBlock
    number: int
    joint: int
    rows: slice
    columns: Columns
    indices: Indices
    used: Rows

    def part(self, known: Noise) -> tuple[Array, Array, Indices, float]:
        """Return residuals (n,), columns (n, k) of the free entries, which, and 1 / T."""
        kind, free = self.block.kind, self.indices >= 0
        size = float(known.spread[kind][self.joint])
        r = (self.block.signal[self.rows, self.joint] - self.columns.predicted) / size
        columns = self.columns.by_entry[:, free] / size
        return r, columns, self.indices[free], 1 / float(known.correlation_length[kind][self.joint])


def _pieces(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    free: Indices,
    only: int | None = None,
) -> Iterator[_Piece]:
    position = np.full(predictor.layout.size, -1)
    position[free] = np.arange(free.size)
    joints = range(predictor.layout.dof) if only is None else [only]
    for n, block in enumerate(blocks):
        for rows, motion in block.chunks():
            found = predictor.columns(block.kind, motion, vector, joints)
            for j, columns in zip(joints, found, strict=True):
                used = block.used[rows, j]
                used = used if columns.sure is None else used & columns.sure
                if used.any():
                    yield _Piece(block, n, j, rows, columns, position[columns.indices], used)
