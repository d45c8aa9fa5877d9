r"""Exact derivatives of inverse and forward dynamics, for one state or any batch.

Entry ``[i, j]`` of each matrix is the derivative of torque or acceleration i by variable j. They
come from the same expressions as the functions themselves, not from differences.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from armtwin.dynamics.evaluation import evaluate
from armtwin.equations.dynamics import derivatives as derivative_equations
from armtwin.model.catalogue.catalogue import ArmLike
from armtwin.spatial import Array


class TorqueDerivatives(NamedTuple):
    """Derivatives of joint torques by q, qd and qdd, each (..., dof, dof).

    Attributes:
        dtau_dq: by the positions [Nm/rad].
        dtau_dqd: by the speeds [Nm s/rad].
        dtau_dqdd: by the accelerations, the mass matrix [kg m2].
    """

    dtau_dq: Array
    dtau_dqd: Array
    dtau_dqdd: Array


class AccelerationDerivatives(NamedTuple):
    """Derivatives of joint accelerations by q, qd and tau, each (..., dof, dof).

    Attributes:
        dqdd_dq: by the positions [1/s2].
        dqdd_dqd: by the speeds [1/s].
        dqdd_dtau: by the torques, the inverse of the mass matrix [1/(kg m2)].
    """

    dqdd_dq: Array
    dqdd_dqd: Array
    dqdd_dtau: Array


def inverse_dynamics_derivatives(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    ignore_limits: bool = False,
    threads: int | None = None,
) -> TorqueDerivatives:
    """Return the derivatives of ``inverse_dynamics`` by q, qd and qdd.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        qdd: joint accelerations (..., dof) [rad/s2 | m/s2].
        wrench: force [N] and moment [Nm] on the tool in base axes (..., 6), constant in those axes
            while the joints move; None for none.
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    if wrench is None:
        plain = derivative_equations.inverse_derivatives
        return TorqueDerivatives(*evaluate(arm, plain, (q, qd, qdd), ignore_limits, threads))
    pushed = derivative_equations.inverse_derivatives_with_wrench
    return TorqueDerivatives(*evaluate(arm, pushed, (q, qd, qdd, wrench), ignore_limits, threads))


def forward_dynamics_derivatives(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    ignore_limits: bool = False,
    threads: int | None = None,
) -> AccelerationDerivatives:
    """Return the derivatives of ``forward_dynamics`` by q, qd and tau.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        tau: joint torques (..., dof) [Nm | N].
        wrench: force [N] and moment [Nm] on the tool in base axes (..., 6), constant in those axes
            while the joints move; None for none.
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    if wrench is None:
        plain = derivative_equations.forward_derivatives
        return AccelerationDerivatives(*evaluate(arm, plain, (q, qd, tau), ignore_limits, threads))
    pushed = derivative_equations.forward_derivatives_with_wrench
    inputs = (q, qd, tau, wrench)
    return AccelerationDerivatives(*evaluate(arm, pushed, inputs, ignore_limits, threads))
