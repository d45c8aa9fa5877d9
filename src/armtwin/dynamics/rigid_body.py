r"""Rigid-body dynamics for one state or any batch ``(..., dof)``.

.. math:: M(q) \ddot q + C(q, \dot q) \dot q + g(q) = \tau + \tau_{ext}

Rotor inertias of the drives are part of M. Units: rad, rad/s, rad/s2, Nm.

Every function takes an ``arm`` (an ``Arm``, its catalogue name or its file), ``ignore_limits``
(accept joints beyond their limits) and ``threads`` (number of threads for a batch; None: all cores
where it is large; the results are the same). Those with one result take ``out``, a C-contiguous
float64 array of the result's shape that is written to and returned, so that repeated batches
allocate nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.dynamics.evaluation import evaluate
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.link import inertial_parameters
from armtwin.spatial import Array


@dataclass(frozen=True)
class Momentum:
    """Generalized momentum ``p = M qd`` and ``beta = C^T qd - g``: ``dp/dt = tau + beta``."""

    p: Array
    beta: Array


@dataclass(frozen=True)
class Energies:
    """Kinetic and potential energy [J]."""

    kinetic: Array
    potential: Array


def inverse_dynamics(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return the joint torques (..., dof) of a motion, ``M qdd + C qd + g``, without friction.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        qdd: joint accelerations (..., dof) [rad/s2 | m/s2].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    name = rigid_body_equations.inverse_dynamics
    return evaluate(arm, name, (q, qd, qdd), ignore_limits, threads, out)[0]


def forward_dynamics(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return the accelerations (..., dof) under joint torques tau, ``M^-1 (tau - C qd - g)``.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        tau: joint torques (..., dof) [Nm | N].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    name = rigid_body_equations.forward_dynamics
    return evaluate(arm, name, (q, qd, tau), ignore_limits, threads, out)[0]


def mass_matrix(
    arm: ArmLike,
    q: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return M(q), (..., dof, dof) [kg m2], symmetric positive definite.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    name = rigid_body_equations.mass_matrix
    return evaluate(arm, name, (q,), ignore_limits, threads, out)[0]


def coriolis(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return C(q, qd), (..., dof, dof), of the Christoffel symbols: ``Mdot - 2 C`` is skew.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    name = rigid_body_equations.coriolis
    return evaluate(arm, name, (q, qd), ignore_limits, threads, out)[0]


def gravity(
    arm: ArmLike,
    q: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return the torques g(q), (..., dof) [Nm], that hold the arm against gravity.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    name = rigid_body_equations.gravity
    return evaluate(arm, name, (q,), ignore_limits, threads, out)[0]


def momentum(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
) -> Momentum:
    """Return the generalized momentum and the observer's known rate.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    name = rigid_body_equations.momentum
    return Momentum(*evaluate(arm, name, (q, qd), ignore_limits, threads))


def energies(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
) -> Energies:
    """Return kinetic and potential energy; the latter is zero with all masses at height 0.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    name = rigid_body_equations.energies
    return Energies(*evaluate(arm, name, (q, qd), ignore_limits, threads))


def wrench_torque(
    arm: ArmLike,
    q: ArrayLike,
    wrench: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
) -> Array:
    """Return the joint torques ``J^T F`` of a wrench on the tool, (force, moment) in base axes.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        wrench: force [N] and moment [Nm] at the tool in base axes (..., 6).
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    name = rigid_body_equations.wrench_torque
    return evaluate(arm, name, (q, wrench), ignore_limits, threads)[0]


def regressor(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return Y (..., dof, 10 rows) with ``tau = Y pi`` for links without rotors.

    ``pi`` holds per row of the chain m, m c (3), and the inertia about the link frame's origin
    Ixx Ixy Ixz Iyy Iyz Izz, all in the link's frame; ``link_parameters`` returns the arm's own.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        qd: joint speeds (..., dof) [rad/s | m/s].
        qdd: joint accelerations (..., dof) [rad/s2 | m/s2].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    name = rigid_body_equations.regressor
    return evaluate(arm, name, (q, qd, qdd), ignore_limits, threads, out)[0]


def link_parameters(arm: ArmLike) -> Array:
    """Return the arm's inertial parameters ``pi`` (10 rows,), as ``regressor`` orders them."""
    arm = as_arm(arm)
    arm.require_masses()
    return np.concatenate([inertial_parameters(joint.link) for joint in arm.joints])
