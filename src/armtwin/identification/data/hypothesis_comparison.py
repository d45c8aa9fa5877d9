r"""Test whether a payload or a tilted base explains the residual of a model of the arm.

A reference torque, the controller's ``target_tau`` or that of the arm file, is extended by a
payload or by another direction of gravity, and every motor signal is regressed on it:

.. math:: y_j = a_j \tau_j + b_j |\tau_j| \mathrm{sign}(\dot q_j) + c_j \ddot q_j + d_j \dot q_j
          + e_j \mathrm{sign}(\dot q_j) + o_j, \qquad \tau = \tau_{ref} + X(q, \dot q, \ddot q)\, x

Gains and friction are free in every hypothesis, so that only the shape of the torque counts. The
hypotheses are compared by cross-validation over blocks of time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.mismatch_evidence import FOLDS, Evidence
from armtwin.identification.data.mismatch_hypotheses import HYPOTHESES, Hypothesis
from armtwin.identification.data.runs import Rows
from armtwin.spatial import Array

ROUNDS, FEW_ROUNDS = 12, 4
"""Gauss-Newton steps at most, from afar and from a solution nearby."""
SETTLED = 1e-6
"""Relative change of the parameters below which the steps end, far below their spread."""
MIN_PER_JOINT = 40
"""Samples of a joint at least; its regression has six coefficients."""
NO_LOAD = 1e-4
"""Torques below this share of the arm's are those of no load: their shape is rounding."""
CARRIES = 0.03
"""Share of the arm's torque from which on a joint carries a load."""
RIDGE = 1e-12
"""Relative regularisation of a step's normal equations, far below any noise."""
SEEN = 1e-6
"""Share of a joint's squared features from which on a direction is fitted. A smaller one, as that
of a load which hardly changes, would be fitted to noise and extrapolated to other blocks of time.
"""


@dataclass(frozen=True, eq=False)
class HypothesisScore:
    """Prediction error of a hypothesis on left-out data.

    Attributes:
        name: "payload", "mounting" or "payload and mounting".
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


def compare_hypotheses(evidence: Evidence) -> dict[str, HypothesisScore]:
    """Return the scores of all hypotheses on left-out data, by name; none where nothing moves."""
    plain = _cross_validated(evidence, Hypothesis(), np.zeros(0))[0]
    moving = plain > 0
    if not moving.any():
        return {}
    scores = {}
    for name, hypothesis in HYPOTHESES.items():
        x = min(
            (_fit_from(evidence, hypothesis, start) for start in hypothesis.start(evidence)),
            key=lambda found: _misfit(evidence, hypothesis, found, evidence.used),
        )
        left, without = _cross_validated(evidence, hypothesis, x)
        share = float(np.exp(np.mean(np.log(np.maximum(left, 1e-300)[moving] / plain[moving]))))
        scores[name] = HypothesisScore(name, x, without, share)
    return scores


def _features(evidence: Evidence, tau: Array, rows: Rows, j: int) -> Array:
    """Return what a joint's signal is regressed on (n, 6), each column of about unit size.

    Load, friction by the load, acceleration, viscous and dry friction, offset.

    Args:
        evidence: signals and motion.
        tau: torques of the joints (n, dof) [Nm].
        rows: mask of the rows (n,).
        j: the joint, counted from 0.
    """
    speed, load, sign = evidence.qd[rows, j], tau[rows, j], evidence.direction[rows, j]
    by_load = np.column_stack([load, sign * np.abs(load)]) / _size(evidence, load)
    own = np.column_stack([evidence.qdd[rows, j], speed, sign, np.ones_like(load)])
    return np.column_stack([by_load, own / np.maximum(np.sqrt((own**2).mean(axis=0)), 1e-12)])


def _size(evidence: Evidence, load: Array) -> float:
    """Return the RMS of a joint's torque, or what counts as none of the arm's torques [Nm]."""
    least = NO_LOAD * float(np.sqrt((evidence.reference**2).mean()))
    return max(float(np.sqrt((load**2).mean())), least, 1e-300)


def _fit_from(evidence: Evidence, hypothesis: Hypothesis, start: Array) -> Array:
    """Return the parameters that explain all samples best, from a start that may be far away.

    First from joints that carry a load in the reference. Another joint's gain is unknown as yet, so
    that a tiny first moment with a huge gain would explain its signal.
    """
    sizes = np.sqrt((evidence.reference**2).mean(axis=0))
    loaded = evidence.used & (sizes >= CARRIES * np.sqrt((sizes**2).mean()))
    near = _fit(evidence, hypothesis, start, loaded)
    return _fit(evidence, hypothesis, near, evidence.used)


def _fit(
    evidence: Evidence, hypothesis: Hypothesis, x: Array, used: Rows, rounds: int = ROUNDS
) -> Array:
    """Return the parameters that explain the used samples best.

    Gauss-Newton by variable projection: gains and friction are eliminated at every step. A step
    that does not lower the misfit is halved.
    """
    best, misfit, step = x, np.inf, np.zeros(0)
    for _ in range(rounds):
        now, A, b = _normal_equations(evidence, hypothesis, x, used)
        if now > misfit:
            step = step / 2
        else:
            scale = 1 / np.sqrt(np.maximum(np.diag(A), 1e-300))
            scaled = A * scale * scale[:, None] + RIDGE * np.eye(len(A))
            step = scale * np.linalg.lstsq(scaled, b * scale, rcond=1e-9)[0]
            best, misfit = x, now
        x = hypothesis.moved(best, step)
        if np.abs(x - best).max() <= SETTLED * np.abs(x).max():
            break
    return best


def _normal_equations(
    evidence: Evidence, hypothesis: Hypothesis, x: Array, used: Rows
) -> tuple[float, Array, Array]:
    """Return the sum of the joints' logarithmic variances, and a step's normal equations."""
    tau = evidence.reference + hypothesis.torque(evidence, x)
    slopes, misfit = hypothesis.slopes(evidence, x), 0.0
    A, b = np.zeros((slopes.shape[2],) * 2), np.zeros(slopes.shape[2])
    for j in range(tau.shape[1]):
        rows = used[:, j]
        if rows.sum() < MIN_PER_JOINT:
            continue
        X, y = _features(evidence, tau, rows, j), evidence.signal[rows, j]
        X, inverse, coefficients = _regressed(X, y)
        size = _size(evidence, tau[rows, j])
        sign = evidence.direction[rows, j] * np.sign(tau[rows, j])
        slope = (coefficients[0] + coefficients[1] * sign) / size
        D = slope[:, None] * slopes[rows, j]
        D = D - X @ (inverse @ (X.T @ D))
        left = y - X @ coefficients
        variance = max(float((left**2).mean()), 1e-6 * float(y.var()), 1e-18)
        misfit += float(rows.sum()) * np.log(variance)
        A += D.T @ D / variance
        b += D.T @ left / variance
    return misfit, A, b


def _regressed(X: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return the features, the inverse of their Gram matrix and the coefficients of a signal.

    A motor's gain is positive. Where it is not the load does not explain the signal and is left
    out; else a payload on the wrong side of a joint's axis would explain it.
    """
    inverse = _inverse(X.T @ X)
    coefficients = inverse @ (X.T @ y)
    if coefficients[0] >= 0:
        return X, inverse, coefficients
    X = np.column_stack([np.zeros((len(X), 2)), X[:, 2:]])
    inverse = _inverse(X.T @ X)
    return X, inverse, inverse @ (X.T @ y)


def _inverse(gram: Array) -> Array:
    """Return the pseudo-inverse of a Gram matrix whose columns have equal sizes."""
    return np.asarray(np.linalg.pinv(gram, rcond=SEEN, hermitian=True), float)


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
        coefficients = _regressed(X[inside], y[inside])[2]
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
