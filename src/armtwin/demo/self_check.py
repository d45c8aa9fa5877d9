"""A few laws that must hold on this machine, measured in a second."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.kinematics.forward import fk, jacobian
from armtwin.model.arm import Arm
from armtwin.reproduce.documents import DOCUMENTS
from armtwin.reproduce.figure import DocumentResult
from armtwin.spatial import Array


def self_check(arm: Arm, states: int = 200) -> Iterator[DocumentResult]:
    """Yield laws of kinematics with the largest violation found over random states of an arm."""
    rng = np.random.default_rng(1)
    q = rng.uniform(np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi), (states, arm.dof))
    T = fk(arm, q)
    yield DocumentResult("batch equals one call at a time", _single_calls(arm, q, T), "", 1e-13)
    R = T[:, :3, :3]
    off = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max()
    yield DocumentResult("rotations are orthogonal", float(off), "", 1e-13)
    yield DocumentResult("Jacobian equals the differences of poses", _differences(arm, q), "", 1e-8)
    yield DocumentResult(
        "inverse then forward returns the pose", _round_trip(arm, T[:50]), "", 1e-9
    )
    for name, reproduce in DOCUMENTS.items():
        yield DocumentResult(
            f"figures of {name!r} not reproduced", reproduce().count("off"), "", 0.0
        )


def _single_calls(arm: Arm, q: Array, T: Array) -> float:
    return float(max(np.abs(fk(arm, row) - pose).max() for row, pose in zip(q, T, strict=True)))


def _differences(arm: Arm, q: Array, step: float = 1e-5) -> float:
    """Return the largest difference between linear rows and central differences of positions."""
    J = jacobian(arm, q)[:, :3]
    shifts = step * np.eye(arm.dof)
    ahead, behind = (
        fk(arm, q[:, None] + sign * shifts, ignore_limits=True)[..., :3, 3] for sign in (1, -1)
    )
    return float(np.abs((ahead - behind) / (2 * step) - np.swapaxes(J, 1, 2)).max())


def _round_trip(arm: Arm, T: Array) -> float:
    from armtwin.kinematics.inverse.ik import ik

    return float(max(ik(arm, pose).residuals.max() for pose in T))
