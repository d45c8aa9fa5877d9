r"""Information of a motion about an arm's parameters: the determinant criterion.

.. math:: D = \log\det\, P^T \Bigl( \sum_k Y_k^T S^{-2} Y_k \Bigr) P

with the regressor Y of links and drives, the joints' noise S (taken in proportion to their torque
limits) and a basis P of the identifiable combinations. Per parameter, D more by
``2 ln 2`` halves the standard deviations' geometric mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import run
from armtwin.equations.dynamics import drive_regressor as drive_regressor_equations
from armtwin.errors import PlanError
from armtwin.model.arm import Arm
from armtwin.model.drive import typical_efforts
from armtwin.spatial import Array

RANK = 1e-8
"""Smaller singular values, relative to the largest, belong to what no motion determines."""
STATES = 400
"""Random states from which these combinations are found."""
WEAK = 1e-13
"""A smallest eigenvalue below this part of the largest is rounding: the motion leaves one open."""


@dataclass(frozen=True, eq=False)
class Information:
    """Information measure of one arm.

    Attributes:
        arm: the arm.
        basis: of the identifiable combinations of parameters (columns, rank).
        noise: standard deviation of the joint torques, relative (dof,).
    """

    arm: Arm
    basis: Array
    noise: Array

    @property
    def rank(self) -> int:
        """Number of identifiable combinations of parameters."""
        return self.basis.shape[1]

    def rows(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the weighted regressors (n dof, rank).

        Args:
            q: joint positions (n, dof) [rad | m].
            qd: joint speeds (n, dof) [rad/s | m/s].
            qdd: joint accelerations (n, dof) [rad/s2 | m/s2].
        """
        Y = run(self.arm, drive_regressor_equations.regressor, q, qd, qdd)[0]
        return np.asarray((Y / self.noise[:, None]).reshape(-1, Y.shape[-1]) @ self.basis)

    def amount(self, q: Array, qd: Array, qdd: Array) -> float:
        """Return D per sample; -inf where the motion leaves a combination unidentified.

        Args:
            q: joint positions (n, dof) [rad | m].
            qd: joint speeds (n, dof) [rad/s | m/s].
            qdd: joint accelerations (n, dof) [rad/s2 | m/s2].
        """
        rows = self.rows(q, qd, qdd)
        values = np.linalg.eigvalsh(rows.T @ rows / len(q))
        if values[0] <= WEAK * values[-1]:
            return -np.inf
        return float(np.log(values).sum())

    def condition(self, q: Array, qd: Array, qdd: Array) -> float:
        """Return the condition number of the regressors, columns scaled to unit length.

        Args:
            q: joint positions (n, dof) [rad | m].
            qd: joint speeds (n, dof) [rad/s | m/s].
            qdd: joint accelerations (n, dof) [rad/s2 | m/s2].
        """
        rows = self.rows(q, qd, qdd)
        values = np.linalg.svd(rows / np.linalg.norm(rows, axis=0), compute_uv=False)
        return float(values[0] / values[-1])

    def gradient(self, q: Array, qd: Array, qdd: Array) -> tuple[float, tuple[Array, ...]]:
        """Return D and its gradients with respect to q, qd and qdd, each (n, dof).

        Args:
            q: joint positions (n, dof) [rad | m].
            qd: joint speeds (n, dof) [rad/s | m/s].
            qdd: joint accelerations (n, dof) [rad/s2 | m/s2].
        """
        rows = self.rows(q, qd, qdd)
        M = rows.T @ rows / len(q)
        _, amount = np.linalg.slogdet(M)
        W = 2 / len(q) * np.linalg.solve(M, rows.T).T @ self.basis.T
        W = W.reshape(len(q), self.arm.dof, -1) / self.noise[:, None]
        W = np.ascontiguousarray(W.reshape(len(q), -1))
        gradients = run(self.arm, drive_regressor_equations.gradient, q, qd, qdd, W)
        return float(amount), tuple(p.reshape(q.shape) for p in gradients)


def information(arm: Arm, speed: Array, acceleration: Array) -> Information:
    """Return the information measure of an arm for motions within limits.

    Args:
        arm: the arm, with masses.
        speed: speed limits (dof,) [rad/s | m/s].
        acceleration: acceleration limits (dof,) [rad/s2 | m/s2].

    Raises:
        PlanError: no parameter is identifiable (an arm without driven joints).
    """
    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    rng = np.random.default_rng(0)
    q, qd, qdd = (
        rng.uniform(a, b, (STATES, arm.dof))
        for a, b in ((low, high), (-speed, speed), (-acceleration, acceleration))
    )
    noise = typical_efforts(arm)
    Y = run(arm, drive_regressor_equations.regressor, q, qd, qdd)[0] / noise[:, None]
    A = Y.reshape(-1, Y.shape[-1])
    size = np.linalg.norm(A, axis=0)
    scaled = A / np.where(size > 0, size, 1.0)
    _, values, right = np.linalg.svd(scaled, full_matrices=False)
    identifiable = values > RANK * values[0]
    if not identifiable.any():
        raise PlanError(f"arm {arm.name!r}: no motion identifies any of its parameters")
    basis = right[identifiable].T / np.where(size > 0, size, 1.0)[:, None]
    return Information(arm, basis, noise)
