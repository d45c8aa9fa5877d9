"""Warnings about a joint position: near a limit, near a singularity."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from armtwin.kinematics.forward import jacobian
from armtwin.model.arm import Arm
from armtwin.motion.paths import reach
from armtwin.spatial import Array

NEAR_LIMIT = 0.05
"""Distance to a limit below which there is a warning [rad | m]."""
NEAR_SINGULAR = 0.05
"""Smallest singular value of the scaled Jacobian below which there is a warning; 0 is singular."""


@dataclass(frozen=True)
class Hint:
    """One warning; ``joint`` counts from 1, and is None for a singularity."""

    kind: Literal["limit", "singular"]
    joint: int | None
    text: str


def hints(arm: Arm, q: Array) -> list[Hint]:
    """Return the warnings about joint positions (dof,) [rad | m]."""
    found = [hint for joint in range(arm.dof) if (hint := _limit(arm, q, joint)) is not None]
    if closeness(arm, q) < NEAR_SINGULAR:
        found.append(
            Hint("singular", None, "near a singularity: the tool cannot move in some direction")
        )
    return found


def closeness(arm: Arm, q: Array) -> float:
    """Return the smallest singular value of the Jacobian with lengths in units of the reach."""
    J = jacobian(arm, q, ignore_limits=True).copy()
    J[:3] /= _length(arm)
    return float(np.linalg.svd(J, compute_uv=False)[-1])


def _limit(arm: Arm, q: Array, joint: int) -> Hint | None:
    value, low, high = float(q[joint]), float(arm.lower[joint]), float(arm.upper[joint])
    if value - low < NEAR_LIMIT:
        return Hint("limit", joint + 1, f"joint {joint + 1} is at its lower limit")
    if high - value < NEAR_LIMIT:
        return Hint("limit", joint + 1, f"joint {joint + 1} is at its upper limit")
    return None


@functools.lru_cache(maxsize=16)
def _length(arm: Arm) -> float:
    """Return the length that scales the Jacobian [m]."""
    return max(reach(arm), 1e-6)
