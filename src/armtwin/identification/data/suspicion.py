r"""Whether a payload or a tilted base explains what a model of the arm leaves of the currents.

A reference torque, the controller's ``target_tau`` or that of the arm's file, is extended by a
payload or by another direction of gravity, and every motor's signal is explained by it:

.. math:: y_j = a_j \tau_j + b_j |\tau_j| \mathrm{sign}(\dot q_j) + c_j \ddot q_j + d_j \dot q_j
          + e_j \mathrm{sign}(\dot q_j) + o_j, \qquad \tau = \tau_{ref} + X(q, \dot q, \ddot q)\, x

Gains and friction are free in every hypothesis, so that only the shape of the torque counts. The
hypotheses are judged on stretches of time that they were not fitted to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import Rows, RunBlock
from armtwin.spatial import Array

THINNED_RATE = 20.0
"""Samples per second that are looked at, four times the band."""
MOST_ROWS = 6000
"""Of all runs together."""
FOLDS = 8
ROUNDS, FEW_ROUNDS = 12, 4
LEAST_PER_JOINT = 40
RIDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Evidence:
    """Signals, reference torques and motion of all runs, below the band and thinned.

    Attributes:
        signal: motors' signals (n, dof) [A or Nm].
        reference: torques of the model under suspicion (n, dof) [Nm].
        qd: (n, dof) [rad/s].
        qdd: (n, dof) [rad/s2].
        used: samples that count (n, dof).
        by_body: torque by mass and first moment of a body on the last link (n, dof, 4).
        by_gravity: torque by free fall in the base frame (n, dof, 3).
        gravity: free fall that the model takes (3,) [m/s2].
        fold: number of the stretch of time, 0 to FOLDS - 1 (n,).
    """

    signal: Array
    reference: Array
    qd: Array
    qdd: Array
    used: Rows
    by_body: Array
    by_gravity: Array
    gravity: Array
    fold: Array


class Hypothesis:
    """A way in which the arm may differ from the model; this one: not at all."""

    name = "none"

    def start(self, evidence: Evidence) -> list[Array]:
        """Return the states that a search begins with."""
        return [np.zeros(0)]

    def torque(self, evidence: Evidence, x: Array) -> Array:
        """Return the torque that the hypothesis adds (n, dof) [Nm]."""
        return np.zeros_like(evidence.reference)

    def slopes(self, evidence: Evidence, x: Array) -> Array:
        """Return how that torque changes with a step, (n, dof, k)."""
        return np.zeros((*evidence.reference.shape, 0))

    def moved(self, x: Array, step: Array) -> Array:
        """Return the state after a step (k,)."""
        return x


class Body(Hypothesis):
    """A body on the last link that the model does not know: mass and first moment (4,)."""

    name = "payload"

    def start(self, evidence: Evidence) -> list[Array]:
        """Return no body."""
        return [np.zeros(4)]

    def torque(self, evidence: Evidence, x: Array) -> Array:
        """Return the body's torque; its inertia about its own centre is left out."""
        return np.asarray(evidence.by_body @ x)

    def slopes(self, evidence: Evidence, x: Array) -> Array:
        """Return the regressor of the body."""
        return evidence.by_body

    def moved(self, x: Array, step: Array) -> Array:
        """Return the sum."""
        return np.asarray(x + step)


class Mounting(Hypothesis):
    """A base that stands otherwise than the model takes it: free fall in the base frame (3,)."""

    name = "mounting"

    def start(self, evidence: Evidence) -> list[Array]:
        """Return gravity along every axis: a search from upright may miss a wall or a ceiling."""
        size = float(np.linalg.norm(evidence.gravity))
        return [evidence.gravity, *(size * axis for axis in (*np.eye(3), *-np.eye(3)))]

    def torque(self, evidence: Evidence, x: Array) -> Array:
        """Return the difference of the two gravities' torques."""
        return np.asarray(evidence.by_gravity @ (x - evidence.gravity))

    def slopes(self, evidence: Evidence, x: Array) -> Array:
        """Return the change by the two turns of gravity."""
        return np.asarray(evidence.by_gravity @ _across(x))

    def moved(self, x: Array, step: Array) -> Array:
        """Return gravity turned, of the same size."""
        turned = x + _across(x) @ step
        return np.asarray(turned * (np.linalg.norm(x) / np.linalg.norm(turned)))


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a hypothesis is worth.

    Attributes:
        name: "payload" or "mounting".
        x: the state that fits best.
        without: the states fitted without each stretch of time (folds, k).
        left: variance left on unseen data as a share of the model's own, geometric mean of joints.
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


HYPOTHESES = {hypothesis.name: hypothesis for hypothesis in (Body(), Mounting())}


def judge(evidence: Evidence, names: Sequence[str] = tuple(HYPOTHESES)) -> list[Verdict]:
    """Return what a payload and a tilted base would explain, the best first."""
    plain = _unseen(evidence, Hypothesis(), np.zeros(0))[0]
    moving = plain > 0
    if not moving.any():
        return []
    verdicts = []
    for hypothesis in (HYPOTHESES[name] for name in names):
        x = min(
            (_fit(evidence, hypothesis, start, evidence.used) for start in
             hypothesis.start(evidence)),
            key=lambda found: _misfit(evidence, hypothesis, found, evidence.used),
        )  # fmt: skip
        left, without = _unseen(evidence, hypothesis, x)
        share = float(np.exp(np.mean(np.log(np.maximum(left, 1e-300)[moving] / plain[moving]))))
        verdicts.append(Verdict(hypothesis.name, x, without, share))
    return sorted(verdicts, key=lambda verdict: verdict.left)


def kept_rows(blocks: Sequence[RunBlock]) -> slice:
    """Return which rows of every block are looked at."""
    total = sum(len(block.signal) for block in blocks)
    step = max(1, round(blocks[0].rate / THINNED_RATE), -(-total // MOST_ROWS))
    return slice(0, None, step)


def explained(evidence: Evidence, verdict: Verdict) -> Evidence:
    """Return the evidence with the verdict's torque as part of the reference."""
    more = HYPOTHESES[verdict.name].torque(evidence, verdict.x)
    return dataclasses.replace(evidence, reference=evidence.reference + more)


def folds(rows: Sequence[int]) -> Array:
    """Return the number of the stretch of time of every row of all runs together."""
    total = sum(rows)
    return np.minimum(np.arange(total) * FOLDS // max(total, 1), FOLDS - 1)


def _across(gravity: Array) -> Array:
    """Return two unit vectors across gravity (3, 2)."""
    return np.asarray(np.linalg.svd(gravity[None, :])[2][1:].T)


def _features(evidence: Evidence, tau: Array, rows: Rows, j: int) -> Array:
    speed, load = evidence.qd[rows, j], tau[rows, j]
    sign = np.sign(speed)
    columns = [load, sign * np.abs(load), evidence.qdd[rows, j], speed, sign, np.ones_like(load)]
    X = np.column_stack(columns)
    return X / np.maximum(np.sqrt((X**2).mean(axis=0)), 1e-12)


def _fit(
    evidence: Evidence, hypothesis: Hypothesis, x: Array, used: Rows, rounds: int = ROUNDS
) -> Array:
    """Return the state that explains the used samples best.

    Gauss-Newton by variable projection: gains and friction are eliminated at every step.
    """
    for _ in range(rounds):
        tau = evidence.reference + hypothesis.torque(evidence, x)
        slopes = hypothesis.slopes(evidence, x)
        A, b = np.zeros((slopes.shape[2],) * 2), np.zeros(slopes.shape[2])
        for j in range(tau.shape[1]):
            rows = used[:, j]
            if rows.sum() < LEAST_PER_JOINT:
                continue
            X, y = _features(evidence, tau, rows, j), evidence.signal[rows, j]
            coefficients, *_ = np.linalg.lstsq(X, y, rcond=None)
            size = max(float(np.sqrt((tau[rows, j] ** 2).mean())), 1e-12)
            sign = np.sign(evidence.qd[rows, j]) * np.sign(tau[rows, j])
            slope = (coefficients[0] + coefficients[1] * sign) / size
            D = slope[:, None] * slopes[rows, j]
            D = D - X @ np.linalg.lstsq(X, D, rcond=None)[0]
            left = y - X @ coefficients
            weight = 1 / max(float((left**2).mean()), 1e-6 * float(y.var()), 1e-18)
            A += weight * D.T @ D
            b += weight * D.T @ left
        scale = 1 / np.sqrt(np.maximum(np.diag(A), 1e-300))
        scaled = A * scale * scale[:, None] + RIDGE * np.eye(len(A))
        x = hypothesis.moved(x, scale * np.linalg.lstsq(scaled, b * scale, rcond=1e-9)[0])
    return x


def _left(evidence: Evidence, hypothesis: Hypothesis, x: Array, fitted: Rows, asked: Rows) -> Array:
    """Return the sum of squares (dof,) on asked samples, gains and friction from fitted ones."""
    tau = evidence.reference + hypothesis.torque(evidence, x)
    left = np.zeros(tau.shape[1])
    for j in range(tau.shape[1]):
        if fitted[:, j].sum() < LEAST_PER_JOINT or not asked[:, j].any():
            continue
        rows = fitted[:, j] | asked[:, j]
        X, y = _features(evidence, tau, rows, j), evidence.signal[rows, j]
        inside, outside = fitted[rows, j], asked[rows, j]
        coefficients, *_ = np.linalg.lstsq(X[inside], y[inside], rcond=None)
        left[j] = float(((y - X @ coefficients)[outside] ** 2).sum())
    return left


def _misfit(evidence: Evidence, hypothesis: Hypothesis, x: Array, used: Rows) -> float:
    left = _left(evidence, hypothesis, x, used, used)
    return float(np.log(left[left > 0]).sum())


def _unseen(evidence: Evidence, hypothesis: Hypothesis, x: Array) -> tuple[Array, Array]:
    """Return the sums of squares on unseen stretches (dof,), and the states without each."""
    total, states = np.zeros(evidence.signal.shape[1]), []
    for k in range(FOLDS):
        held = (evidence.fold == k)[:, None]
        state = _fit(evidence, hypothesis, x, evidence.used & ~held, FEW_ROUNDS) if x.size else x
        states.append(state)
        total += _left(evidence, hypothesis, state, evidence.used & ~held, evidence.used & held)
    return total, np.array(states)
