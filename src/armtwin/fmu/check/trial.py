"""Random inputs for a model, within the limits of its arm."""

from __future__ import annotations

import numpy as np

from armtwin.fmu.loading.interface import Interface
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Arm
from armtwin.spatial import Array

STEP = 0.002
"""Time between rows [s] where the FMU states none: 500 Hz, the cycle of UR's e-Series."""
WRENCH = ("fx", "fy", "fz", "nx", "ny", "nz")
"""Inputs of a plant: force and moment on the tool in base axes."""


def columns(**vectors: Array) -> dict[str, Array]:
    """Return vectors (n, k) as columns ``name1 ... namek``."""
    return {
        f"{name}{i + 1}": np.ascontiguousarray(values[:, i])
        for name, values in vectors.items()
        for i in range(values.shape[1])
    }


def vectors(signals: Signals, name: str, count: int) -> Array:
    """Return the columns ``name1 ... namek`` side by side, (n, k).

    Args:
        signals: the table.
        name: start of the column names.
        count: number of columns k.
    """
    return np.column_stack([signals.columns[f"{name}{i}"] for i in range(1, count + 1)])


def trial_inputs(arm: Arm, model: str, rows: int = 1000, seed: int = 0) -> Signals:
    """Return random inputs of one of our models, at steps of 2 ms.

    Args:
        arm: the arm.
        model: the model's name.
        rows: number of rows.
        seed: of the random numbers.
    """
    rng = np.random.default_rng(seed)
    q, q_ref = (_positions(arm, rng, rows) for _ in range(2))
    qd, qdd, qd_ref, qdd_ref = rng.uniform(-2, 2, (4, rows, arm.dof))
    tau = 40 * rng.uniform(-1, 1, (rows, arm.dof))
    made = {
        "fk": lambda: columns(q=q),
        "ik": lambda: _poses(arm, q, rng),
        "inverse-dynamics": lambda: columns(q=q, qd=qd, qdd=qdd),
        "forward-dynamics": lambda: _torques(arm, qdd, rng),
        "computed-torque": lambda: columns(q=q, qd=qd, q_ref=q_ref, qd_ref=qd_ref, qdd_ref=qdd_ref),
        "momentum-observer": lambda: columns(q=q, qd=qd, tau=tau),
    }[model]()
    return Signals(STEP * np.arange(rows, dtype=np.float64), made)


def _positions(arm: Arm, rng: np.random.Generator, rows: int) -> Array:
    bounds = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    return rng.uniform(*bounds, (rows, arm.dof))


def _poses(arm: Arm, q: Array, rng: np.random.Generator) -> dict[str, Array]:
    from armtwin.kinematics.forward import tool_coordinates

    where = tool_coordinates(arm, q, ignore_limits=True)
    found = dict(zip("xyz", where.position.T, strict=True))
    found |= dict(zip(("qx", "qy", "qz", "qw"), where.quaternion.T, strict=True))
    branch = rng.integers(1, 9, len(q)).astype(np.float64)
    return {name: np.ascontiguousarray(values) for name, values in found.items()} | {
        "branch": branch
    }


def _torques(arm: Arm, qdd: Array, rng: np.random.Generator) -> dict[str, Array]:
    """Return torques that would give these accelerations at q = 0, and a small wrench.

    Args:
        arm: the arm.
        qdd: accelerations (rows, dof).
        rng: for the wrench.
    """
    from armtwin.dynamics.rigid_body import inverse_dynamics

    still = np.zeros_like(qdd)
    tau = inverse_dynamics(arm, still, still, qdd, ignore_limits=True)
    found = columns(tau=tau, tau_ext=0.1 * (tau - tau.mean(axis=0)))
    wrench = 0.02 * np.abs(tau).max() * rng.uniform(-1, 1, (len(tau), 6))
    return found | dict(zip(WRENCH, np.ascontiguousarray(wrench.T), strict=True))


def any_inputs(interface: Interface, rows: int = 200, seed: int = 0) -> Signals:
    """Return inputs for an FMU that is not ours: its start values, moved a little at random.

    Args:
        interface: the FMU's interface.
        rows: number of rows.
        seed: of the random numbers.
    """
    rng = np.random.default_rng(seed)
    made = {}
    for scalar in interface.with_causality("input"):
        kind = interface.kind(scalar)
        if kind is None:
            continue
        for name, value in zip(scalar.entries, scalar.starts, strict=True):
            noise = 0.1 * np.cumsum(rng.normal(size=rows)) if kind[0] == "F" else np.zeros(rows)
            made[name] = value + noise
    step = interface.step or STEP
    return Signals(step * np.arange(rows, dtype=np.float64), made)
