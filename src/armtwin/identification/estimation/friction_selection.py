r"""Selection of the friction law of each joint by cross-validation.

With the torque :math:`\tau` of a preliminary fit held, the effort is linear in a law's torques,

.. math:: effort = a \tau + b \ddot q + \sum_k p_k c_k(\dot q, a \tau), \qquad a, b, p \ge 0

so that all data enter through one small Gram matrix per law and fold. A law with more parameters
must predict left-out folds better by more than the standard error of that difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.dynamics import sensitivity as sensitivity_equations
from armtwin.identification.data.runs import RunBlock
from armtwin.identification.estimation.normal_equations import HUBER
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.parameters.vector import Indices
from armtwin.model.drive import MOVING, PARAMETERS, SPEEDS
from armtwin.spatial import Array

GRID = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Speeds [rad/s at the joint] that are tried for laws with a speed parameter."""

SIMPLE_FIRST = ("viscous-coulomb", "load-dependent", "power-flow", "stribeck", "gear")
"""Friction laws in order of their number of parameters."""
Candidates = list[tuple[str, float | None]]
"""Laws, each with its speed parameter [rad/s at the joint] where it has one."""
MIN_GAIN = 1e-3
"""Share of the squared error by which a law with more parameters must be better."""


@dataclass(frozen=True)
class Candidate:
    """A law with its speed parameter and its error on left-out data.

    Attributes:
        law: name of the law.
        speed: of its Stribeck or rise term [rad/s at the joint]; None where it has none.
        error: root mean square on left-out folds, in the unit of the effort.
        folds: mean square per fold.
    """

    law: str
    speed: float | None
    error: float
    folds: tuple[float, ...]


@dataclass(frozen=True)
class FrictionChoice:
    """The law chosen for a joint, and all candidates (the best speed of each)."""

    best: Candidate
    tried: tuple[Candidate, ...]


@dataclass(frozen=True)
class _Fold:
    """Sums of one fold over ``[columns, effort]``: the Gram matrix and the number of samples."""

    gram: Array
    count: int


def choose(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    spread: Array,
    laws: Sequence[str],
    folds: int,
) -> list[FrictionChoice]:
    """Return the law of every joint.

    Args:
        predictor: predictor with the layout of the preliminary fit.
        blocks: motor signals.
        vector: the preliminary fit (size,).
        spread: spread of its residuals (dof,); larger ones are down-weighted.
        laws: the laws to compare.
        folds: number of folds; whole runs where there are as many.
    """
    candidates, dof = _candidates(laws), predictor.layout.dof
    parts = fold_numbers(blocks, folds)
    sums = _sums(predictor, blocks, parts, vector, spread, [candidates] * dof)
    return [_chosen(candidates, sums[j]) for j in range(dof)]


def law_errors(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    vector: Array,
    spread: Array,
    candidates: Sequence[Candidates],
) -> list[Array]:
    """Return the least squared error of every joint's candidates over all data.

    Args:
        predictor: predictor of the signals.
        blocks: motor signals.
        vector: the estimate (size,).
        spread: spread of its residuals (dof,); larger ones are down-weighted.
        candidates: laws with their speeds, per joint.
    """
    parts = [np.zeros(len(block.signal), dtype=np.intp) for block in blocks]
    sums = _sums(predictor, blocks, parts, vector, spread, candidates)
    found = []
    for joint in sums:
        grams = [folds[0].gram for folds in joint]
        errors = [_squared_error(gram, _not_negative(gram)) if gram.size else 0.0 for gram in grams]
        found.append(np.array(errors))
    return found


def _sums(
    predictor: Predictor,
    blocks: Sequence[RunBlock],
    parts: Sequence[Indices],
    vector: Array,
    spread: Array,
    candidates: Sequence[Candidates],
) -> list[list[list[_Fold]]]:
    """Return the sums of every joint, candidate and fold."""
    count = max(number for row in parts for number in np.unique(row)) + 1
    sums = [[[_Fold(np.zeros((0, 0)), 0)] * count for _ in own] for own in candidates]
    for block, part in zip(blocks, parts, strict=True):
        _add(predictor, block, part, vector, spread, candidates, sums)
    return sums


def _candidates(laws: Sequence[str]) -> Candidates:
    found: Candidates = []
    for law in sorted(laws, key=SIMPLE_FIRST.index):
        has_speed = any(name in SPEEDS for name in PARAMETERS[law])
        found += [(law, speed) for speed in (GRID if has_speed else (None,))]
    return found


def fold_numbers(blocks: Sequence[RunBlock], folds: int) -> list[Indices]:
    """Return the fold of every sample: whole runs in turn, or blocks of a few long runs."""
    if len(blocks) >= folds:
        return [np.full(len(b.signal), k % folds) for k, b in enumerate(blocks)]
    return [np.arange(len(b.signal)) * 2 * folds // len(b.signal) % folds for b in blocks]


def _add(
    predictor: Predictor,
    block: RunBlock,
    part: Indices,
    vector: Array,
    spread: Array,
    candidates: Sequence[Candidates],
    sums: list[list[list[_Fold]]],
) -> None:
    """Add one block to the sums of every joint, option and fold."""
    smoothing, gains = predictor.layout.smoothing, predictor.gains(block.kind, vector)
    for rows, motion in block.chunks():
        tau = predictor.torques(motion, vector)[1]
        for j, own in enumerate(candidates):
            if not own:
                continue
            used = block.used[rows, j]
            speed, load = motion.qd[used, j], gains[j] * tau[used, j]
            effort = block.signal[rows, j][used] - vector[predictor.layout.offsets][j]
            fold = part[rows][used]
            scale = motion.scale(j)
            scale = None if scale is None else scale[used]
            f = predictor.friction(j, speed, load, vector, scale)[0]
            held = HUBER / np.maximum(np.abs(effort - load - f) / spread[j], HUBER)
            base = [load, motion.qdd[used, j]]
            for k, (law, turn) in enumerate(own):
                columns = _law_columns(law, turn, speed, load, smoothing[j], scale)
                table = np.column_stack([*base, columns, effort]) * np.sqrt(held)[:, None]
                for number in np.unique(fold):
                    chosen = table[fold == number]
                    before = sums[j][k][number]
                    gram = chosen.T @ chosen
                    total = gram if not before.count else before.gram + gram
                    sums[j][k][number] = _Fold(total, before.count + len(chosen))


def _law_columns(
    law: str,
    turn: float | None,
    speed: Array,
    load: Array,
    smoothing: float,
    scale: Array | None,
) -> Array:
    """Return the derivatives of a law by its torques (n, k), at any values of them."""
    names = PARAMETERS[law]
    at = [turn if name in SPEEDS else 0.0 for name in names]
    p = np.array([*at, smoothing], float)
    by_parameter = kernel(None, sensitivity_equations.FRICTION[law])(
        speed[:, None], load[:, None], p
    )[2].reshape(-1, p.size)
    torques = [k for k, name in enumerate(names) if name not in SPEEDS]
    columns = by_parameter[:, torques]
    if scale is not None:
        columns = columns * scale[:, [0 if names[k] in MOVING else 1 for k in torques]]
    return np.asarray(columns)


def _chosen(candidates: Candidates, sums: list[list[_Fold]]) -> FrictionChoice:
    """Return the simplest law that no law with more parameters clearly improves on."""
    tried: dict[str, Candidate] = {}
    for (law, speed), folds in zip(candidates, sums, strict=True):
        errors = _left_out(folds)
        if not errors:
            return FrictionChoice(Candidate(SIMPLE_FIRST[0], None, float("nan"), ()), ())
        candidate = Candidate(law, speed, float(np.sqrt(np.mean(errors))), tuple(errors))
        if law not in tried or candidate.error < tried[law].error:
            tried[law] = candidate
    best = next(iter(tried.values()))
    for candidate in tried.values():
        saved = np.array(best.folds) - np.array(candidate.folds)
        error = saved.std(ddof=1) / np.sqrt(saved.size) if saved.size > 1 else 0.0
        if saved.mean() > error and saved.mean() > MIN_GAIN * np.mean(best.folds):
            best = candidate
    return FrictionChoice(best, tuple(tried.values()))


def _left_out(folds: list[_Fold]) -> list[float]:
    """Return the mean square error on each fold of a fit to all others."""
    full = [fold for fold in folds if fold.count]
    if len(full) < 2:
        return []
    total = sum(fold.gram for fold in full)
    errors = []
    for fold in full:
        theta = _not_negative(np.asarray(total - fold.gram))
        errors.append(_squared_error(fold.gram, theta) / fold.count)
    return errors


def _squared_error(gram: Array, theta: Array) -> float:
    """Return the sum of squared errors of coefficients, with a Gram matrix over columns and effort.

    Where a law fits exactly, its terms cancel up to rounding, which may leave less than 0.
    """
    ends = np.append(-theta, 1.0)
    return max(float(ends @ gram @ ends), 0.0)


def _not_negative(gram: Array) -> Array:
    """Return the coefficients >= 0 of least squares with a Gram matrix over columns and effort."""
    from scipy.optimize import nnls

    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    sizes, axes = np.linalg.eigh(gram / scale / scale[:, None])
    root = (axes * np.sqrt(np.clip(sizes, 0, None))).T
    theta, _ = nnls(root[:, :-1], root[:, -1])
    return np.asarray(theta * scale[-1] / scale[:-1])
