r"""Rigid-body dynamics for one state or any batch ``(..., dof)``.

.. math:: M(q) \ddot q + C(q, \dot q) \dot q + g(q) = \tau + \tau_{ext}

Rotor inertias of the drives are part of M. Units: rad, rad/s, rad/s2, Nm.

Every function takes ``ignore_limits`` (accept joints beyond their limits) and ``threads`` (how many
cores a batch may use); those with one result take ``out``, a C-contiguous float64 array of the
result's shape that is written to and returned, so that repeated batches allocate nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel, quick, run
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.equation import Build
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.link import inertial_parameters
from armtwin.spatial import Array

WITHOUT_MASSES = (rigid_body_equations.wrench_torque, rigid_body_equations.regressor)


def evaluate(
    arm: ArmLike,
    equation: Build,
    inputs: tuple[ArrayLike, ...],
    ignore_limits: bool,
    threads: int,
    out: Array | None = None,
) -> tuple[Array, ...]:
    """Return the outputs of an equation whose first input is ``q``, after checking everything.

    Raises:
        InputError: wrong shape, NaN, infinity, batches that do not go together.
        JointLimitError: ``q`` beyond a limit, unless ``ignore_limits``.
        MissingDataError: the arm lacks masses.
    """
    if out is None:
        ready = quick(arm, equation, *inputs)
        if ready is not None:
            return ready
    arm = as_arm(arm)
    joints = as_joints(arm, inputs[0], ignore_limits=ignore_limits)
    if equation not in WITHOUT_MASSES:
        arm.require_masses()
    pairs = zip(kernel(arm, equation).program.inputs[1:], inputs[1:], strict=True)
    vectors = [as_vectors(x, port.size, f"arm {arm.name!r}: {port.name}") for port, x in pairs]
    return run(arm, equation, joints, *vectors, threads=threads, out=out)


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
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Return the joint torques (..., dof) of a motion, ``M qdd + C qd + g``, without friction."""
    name = rigid_body_equations.inverse_dynamics
    return evaluate(arm, name, (q, qd, qdd), ignore_limits, threads, out)[0]


def forward_dynamics(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Return the accelerations (..., dof) under joint torques tau, ``M^-1 (tau - C qd - g)``."""
    name = rigid_body_equations.forward_dynamics
    return evaluate(arm, name, (q, qd, tau), ignore_limits, threads, out)[0]


def mass_matrix(
    arm: ArmLike,
    q: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Return M(q), (..., dof, dof) [kg m2], symmetric positive definite."""
    name = rigid_body_equations.mass_matrix
    return evaluate(arm, name, (q,), ignore_limits, threads, out)[0]


def coriolis(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Return C(q, qd), (..., dof, dof), of the Christoffel symbols: ``Mdot - 2 C`` is skew."""
    name = rigid_body_equations.coriolis
    return evaluate(arm, name, (q, qd), ignore_limits, threads, out)[0]


def gravity(
    arm: ArmLike,
    q: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Return the torques g(q), (..., dof) [Nm], that hold the arm still."""
    name = rigid_body_equations.gravity
    return evaluate(arm, name, (q,), ignore_limits, threads, out)[0]


def momentum(
    arm: ArmLike, q: ArrayLike, qd: ArrayLike, *, ignore_limits: bool = False, threads: int = 1
) -> Momentum:
    """Return the generalized momentum and the observer's known rate."""
    name = rigid_body_equations.momentum
    return Momentum(*evaluate(arm, name, (q, qd), ignore_limits, threads))


def energies(
    arm: ArmLike, q: ArrayLike, qd: ArrayLike, *, ignore_limits: bool = False, threads: int = 1
) -> Energies:
    """Return kinetic and potential energy; potential is zero where every mass is at height 0."""
    name = rigid_body_equations.energies
    return Energies(*evaluate(arm, name, (q, qd), ignore_limits, threads))


def wrench_torque(
    arm: ArmLike, q: ArrayLike, wrench: ArrayLike, *, ignore_limits: bool = False, threads: int = 1
) -> Array:
    """Return the joint torques ``J^T F`` of a wrench on the tool, (force, moment) in base axes."""
    name = rigid_body_equations.wrench_torque
    return evaluate(arm, name, (q, wrench), ignore_limits, threads)[0]


def regressor(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Return Y (..., dof, 10 rows) with ``tau = Y pi`` for links without rotors.

    ``pi`` holds per row of the chain m, m c (3), and the inertia about the link frame's origin
    Ixx Ixy Ixz Iyy Iyz Izz, all in the link's frame; ``link_parameters`` returns the arm's own.
    """
    name = rigid_body_equations.regressor
    return evaluate(arm, name, (q, qd, qdd), ignore_limits, threads, out)[0]


def link_parameters(arm: ArmLike) -> Array:
    """Return the arm's own ``pi``, (10 rows,), that ``regressor`` multiplies."""
    arm = as_arm(arm)
    arm.require_masses()
    return np.concatenate([inertial_parameters(joint.link) for joint in arm.joints])
