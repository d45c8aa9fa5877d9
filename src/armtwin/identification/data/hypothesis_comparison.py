r"""Test whether a payload or a tilted base explains the residual of a model of the arm.

A reference torque, the controller's ``target_tau`` or that of the arm file, is extended by a
payload or by another direction of gravity, and every motor signal is regressed on it:

.. math:: y_j = a_j \tau_j + b_j |\tau_j| \mathrm{sign}(\dot q_j) + c_j \ddot q_j + d_j \dot q_j
          + e_j \mathrm{sign}(\dot q_j) + o_j, \qquad \tau = \tau_{ref} + X(q, \dot q, \ddot q)\, x

Gains and friction are free in every hypothesis, so that only the shape of the torque counts. The
hypotheses are compared by cross-validation over blocks of time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.mismatch_hypotheses import HYPOTHESES, Evidence, Hypothesis
from armtwin.identification.data.runs import Rows, RunBlock
from armtwin.spatial import Array

THINNED_RATE = 20.0
"""Samples per second that are used, four times the band."""
MAX_ROWS = 6000
"""Rows of all runs together, to bound the time."""
FOLDS = 8
"""Blocks of time of the cross-validation and the jackknife."""
ROUNDS, FEW_ROUNDS = 12, 4
"""Gauss-Newton steps at most, from afar and from a solution nearby."""
SETTLED = 1e-6
"""Relative change of the parameters below which the steps end, far below their spread."""
MIN_PER_JOINT = 40
"""Samples of a joint at least; its regression has six coefficients."""
RIDGE = 1e-12
"""Relative regularisation of the normal equations, far below any noise."""


@dataclass(frozen=True, eq=False)
class HypothesisScore:
    """Prediction error of a hypothesis on left-out data.

    Attributes:
        name: "payload" or "mounting".
        x: its parameters that fit best.
        without: parameters fitted without each block of time (folds, k).
        left: residual variance on left-out data as a share of the model's own, geometric mean over
            the joints.
    """

    name: str
    x: Array
    without: Array
    left: float

    def half(self, values: Array) -> float:
        """Return the half width of a 95 % interval of a quantity by the jackknife.

        Args:
            values: the quantity in each of ``without`` (folds,).
        """
        from scipy.stats import t

        count = len(values)
        variance = (count - 1) / count * float(((values - values.mean()) ** 2).sum())
        return float(t.ppf(0.975, count - 1)) * float(np.sqrt(variance))


def compare_hypotheses(
    evidence: Evidence, names: Sequence[str] = tuple(HYPOTHESES)
) -> list[HypothesisScore]:
    """Return the scores of some hypotheses on left-out data, the best first."""
    plain = _cross_validated(evidence, Hypothesis(), np.zeros(0))[0]
    moving = plain > 0
    if not moving.any():
        return []
    scores = []
    for hypothesis in (HYPOTHESES[name] for name in names):
        x = min(
            (_fit(evidence, hypothesis, start, evidence.used) for start in
             hypothesis.start(evidence)),
            key=lambda found: _misfit(evidence, hypothesis, found, evidence.used),
        )  # fmt: skip
        left, without = _cross_validated(evidence, hypothesis, x)
        share = float(np.exp(np.mean(np.log(np.maximum(left, 1e-300)[moving] / plain[moving]))))
        scores.append(HypothesisScore(hypothesis.name, x, without, share))
    return sorted(scores, key=lambda score: score.left)


def kept_rows(blocks: Sequence[RunBlock]) -> slice:
    """Return which rows of every block are used."""
    total = sum(len(block.signal) for block in blocks)
    step = max(1, round(blocks[0].rate / THINNED_RATE), -(-total // MAX_ROWS))
    return slice(0, None, step)


def explained(evidence: Evidence, score: HypothesisScore) -> Evidence:
    """Return the evidence with the torque of a hypothesis in the reference."""
    more = HYPOTHESES[score.name].torque(evidence, score.x)
    return dataclasses.replace(evidence, reference=evidence.reference + more)


def folds(rows: Sequence[int]) -> Array:
    """Return the number of the block of time of every row of all runs together."""
    total = sum(rows)
    return np.minimum(np.arange(total) * FOLDS // max(total, 1), FOLDS - 1)


def _features(evidence: Evidence, tau: Array, rows: Rows, j: int) -> Array:
    speed, load = evidence.qd[rows, j], tau[rows, j]
    sign = np.sign(speed)
    columns = [load, sign * np.abs(load), evidence.qdd[rows, j], speed, sign, np.ones_like(load)]
    X = np.column_stack(columns)
    return X / np.maximum(np.sqrt((X**2).mean(axis=0)), 1e-12)


def _fit(
    evidence: Evidence, hypothesis: Hypothesis, x: Array, used: Rows, rounds: int = ROUNDS
) -> Array:
    """Return the parameters that explain the used samples best.

    Gauss-Newton by variable projection: gains and friction are eliminated at every step.
    """
    for _ in range(rounds):
        tau = evidence.reference + hypothesis.torque(evidence, x)
        slopes = hypothesis.slopes(evidence, x)
        A, b = np.zeros((slopes.shape[2],) * 2), np.zeros(slopes.shape[2])
        for j in range(tau.shape[1]):
            rows = used[:, j]
            if rows.sum() < MIN_PER_JOINT:
                continue
            X, y = _features(evidence, tau, rows, j), evidence.signal[rows, j]
            inverse = _inverse(X.T @ X)
            coefficients = inverse @ (X.T @ y)
            size = max(float(np.sqrt((tau[rows, j] ** 2).mean())), 1e-12)
            sign = np.sign(evidence.qd[rows, j]) * np.sign(tau[rows, j])
            slope = (coefficients[0] + coefficients[1] * sign) / size
            D = slope[:, None] * slopes[rows, j]
            D = D - X @ (inverse @ (X.T @ D))
            left = y - X @ coefficients
            weight = 1 / max(float((left**2).mean()), 1e-6 * float(y.var()), 1e-18)
            A += weight * D.T @ D
            b += weight * D.T @ left
        scale = 1 / np.sqrt(np.maximum(np.diag(A), 1e-300))
        scaled = A * scale * scale[:, None] + RIDGE * np.eye(len(A))
        before = x
        x = hypothesis.moved(x, scale * np.linalg.lstsq(scaled, b * scale, rcond=1e-9)[0])
        if np.abs(x - before).max() <= SETTLED * np.abs(x).max():
            break
    return x


def _inverse(gram: Array) -> Array:
    """Return the pseudo-inverse of a Gram matrix whose columns have equal sizes."""
    return np.asarray(np.linalg.pinv(gram, rcond=RIDGE, hermitian=True), float)


def _sums_of_squares(
    evidence: Evidence, hypothesis: Hypothesis, x: Array, fitted: Rows, predicted: Rows
) -> Array:
    """Return the sum of squares (dof,) on predicted samples; gains and friction are fitted."""
    tau = evidence.reference + hypothesis.torque(evidence, x)
    left = np.zeros(tau.shape[1])
    for j in range(tau.shape[1]):
        if fitted[:, j].sum() < MIN_PER_JOINT or not predicted[:, j].any():
            continue
        rows = fitted[:, j] | predicted[:, j]
        X, y = _features(evidence, tau, rows, j), evidence.signal[rows, j]
        inside, outside = fitted[rows, j], predicted[rows, j]
        fit = X[inside]
        coefficients = _inverse(fit.T @ fit) @ (fit.T @ y[inside])
        left[j] = float(((y - X @ coefficients)[outside] ** 2).sum())
    return left


def _misfit(evidence: Evidence, hypothesis: Hypothesis, x: Array, used: Rows) -> float:
    left = _sums_of_squares(evidence, hypothesis, x, used, used)
    return float(np.log(left[left > 0]).sum())


def _cross_validated(evidence: Evidence, hypothesis: Hypothesis, x: Array) -> tuple[Array, Array]:
    """Return the sums of squares (dof,) on left-out blocks, and the parameters without each."""
    total, solutions = np.zeros(evidence.signal.shape[1]), []
    for k in range(FOLDS):
        held = (evidence.fold == k)[:, None]
        x_k = _fit(evidence, hypothesis, x, evidence.used & ~held, FEW_ROUNDS) if x.size else x
        solutions.append(x_k)
        total += _sums_of_squares(
            evidence, hypothesis, x_k, evidence.used & ~held, evidence.used & held
        )
    return total, np.array(solutions)
