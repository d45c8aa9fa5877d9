"""Warnings about a joint position: near a limit, near a singularity."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from armtwin.kinematics.forward import jacobian
from armtwin.kinematics.inverse.structure.branch_names import nearest_singularity, singularities
from armtwin.model.arm import Arm
from armtwin.motion.paths import reach
from armtwin.spatial import Array

NEAR_LIMIT = {"revolute": float(np.radians(5)), "prismatic": 0.005}
"""Distance to a limit below which there is a warning [rad | m], by the kind of joint."""
NEAR_SINGULAR = 0.05
"""Smallest singular value of the scaled Jacobian below which there is a warning; 0 is singular."""
NEAR_SINE = 0.1
"""The same for the side of wrist, elbow or shoulder (``posture``); a sine of 6 degrees."""


@dataclass(frozen=True)
class PoseWarning:
    """One warning; ``joint`` counts from 1, and is None for a singularity."""

    kind: Literal["limit", "singular"]
    joint: int | None
    text: str


def hints(arm: Arm, q: Array) -> list[PoseWarning]:
    """Return the warnings about joint positions (dof,) [rad | m]."""
    found = [hint for joint in range(arm.dof) if (hint := _limit(arm, q, joint)) is not None]
    singular = _singularity(arm, q)
    if singular:
        text = f"near {singular} singularity: the tool cannot move in some direction"
        found.append(PoseWarning("singular", None, text))
    return found


def _singularity(arm: Arm, q: Array) -> str:
    """Return the name of a singularity that is near, "a" where it has none; else an empty text."""
    if singularities(arm):
        name, sine = nearest_singularity(arm, q)
        return name if sine < NEAR_SINE else ""
    return "a" if closeness(arm, q) < NEAR_SINGULAR else ""


def closeness(arm: Arm, q: Array) -> float:
    """Return the smallest singular value of the Jacobian with lengths in units of the reach."""
    J = jacobian(arm, q, ignore_limits=True).copy()
    J[:3] /= _length(arm)
    return float(np.linalg.svd(J, compute_uv=False)[-1])


def _limit(arm: Arm, q: Array, joint: int) -> PoseWarning | None:
    value, near = float(q[joint]), NEAR_LIMIT[arm.driven[joint].kind]
    for name, left in (("lower", value - arm.lower[joint]), ("upper", arm.upper[joint] - value)):
        if left < near:
            unit, factor = ("deg", 180 / np.pi) if near == NEAR_LIMIT["revolute"] else ("mm", 1e3)
            far = f"{max(left * factor, 0.0):.1f} {unit} from"
            return PoseWarning("limit", joint + 1, f"joint {joint + 1} is {far} its {name} limit")
    return None


@functools.lru_cache(maxsize=16)
def _length(arm: Arm) -> float:
    """Return the length that scales the Jacobian [m]."""
    return max(reach(arm), 1e-6)
