r"""Inverse and forward dynamics while a wrench acts on the tool.

.. math:: M(q) \ddot q + C(q, \dot q) \dot q + g(q) = \tau + J^T F

F is what the surroundings exert on the arm: force [N] and moment [Nm] at the tool's origin, in base
axes. ``base_wrench`` returns it from a sensor's wrench in the axes of the tool or the flange.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from armtwin.dynamics.evaluation import evaluate
from armtwin.dynamics.rigid_body import forward_dynamics, inverse_dynamics, wrench_torque
from armtwin.equations.dynamics import wrenches as wrench_equations
from armtwin.errors import InputError
from armtwin.kinematics.joints import as_vectors
from armtwin.kinematics.tensors import tensor_library
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array

FRAMES = {"tool": wrench_equations.tool_wrench, "flange": wrench_equations.flange_wrench}
"""Points at which a wrench can act, besides the base."""


def inverse_dynamics_with_wrench(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    wrench: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
) -> Array:
    """Return the joint torques (..., dof) of a motion under a wrench, ``M qdd + C qd + g - J^T F``.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        qdd: joint accelerations (..., dof) [rad/s2 | m/s2].
        wrench: force [N] and moment [Nm] on the tool's origin in base axes (..., 6).
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    how: dict[str, Any] = {"ignore_limits": ignore_limits, "threads": threads}
    return inverse_dynamics(arm, q, qd, qdd, **how) - wrench_torque(arm, q, wrench, **how)


def forward_dynamics_with_wrench(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    wrench: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
) -> Array:
    """Return the accelerations (..., dof) under a wrench, ``M^-1 (tau + J^T F - C qd - g)``.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        tau: joint torques (..., dof) [Nm | N].
        wrench: force [N] and moment [Nm] on the tool's origin in base axes (..., 6).
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    arm = as_arm(arm)
    loads: Any = tau
    how: dict[str, Any] = {"ignore_limits": ignore_limits, "threads": threads}
    if tensor_library((tau,)) is None:
        loads = as_vectors(tau, arm.dof, f"arm {arm.name!r}: tau")
    return forward_dynamics(arm, q, qd, loads + wrench_torque(arm, q, wrench, **how), **how)


def base_wrench(
    arm: ArmLike,
    q: ArrayLike,
    wrench: ArrayLike,
    *,
    frame: str = "tool",
    ignore_limits: bool = False,
    threads: int | None = None,
) -> Array:
    """Return a wrench at the tool's origin in base axes (..., 6) from one in another frame.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        wrench: force [N] and moment [Nm] at the origin and in the axes of ``frame`` (..., 6).
        frame: ``tool`` or ``flange``, where a force sensor usually sits.
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.

    Raises:
        InputError: another frame.
    """
    if frame not in FRAMES:
        raise InputError(f"a wrench is given in the frame {' or '.join(FRAMES)}; got {frame!r}")
    return evaluate(arm, FRAMES[frame], (q, wrench), ignore_limits, threads)[0]
