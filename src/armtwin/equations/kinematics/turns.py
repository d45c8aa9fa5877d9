"""Whole turns: joint angles moved by multiples of 2 pi into the limits."""

from __future__ import annotations

import math
from typing import Any

from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

TURN = 2 * math.pi


def into_limits(arm: Arm) -> Equation:
    """Joint vectors moved by whole turns as near to ``near`` as ``lower`` and ``upper`` allow.

    ``excess`` is the largest distance of a joint beyond its limits [rad | m], negative if all are
    within. Prismatic joints do not change.
    """
    q, near, lower, upper = (ca.SX.sym(name, arm.dof) for name in ("q", "near", "lower", "upper"))
    moved = [
        nearest_turn(q[i], near[i], lower[i], upper[i]) if joint.kind == "revolute" else q[i]
        for i, joint in enumerate(arm.driven)
    ]
    result = ca.vertcat(*moved)
    inputs = {"angle": q, "near": near, "lower": lower, "upper": upper}
    return Equation("into_limits", inputs, {"q": result, "excess": excess(result, lower, upper)})


def nearest_turn(angle: Any, near: Any, lower: Any, upper: Any) -> Any:
    """Return ``angle + 2 pi k`` nearest to ``near`` among those within the limits.

    If no k brings it within, one of the two next to the limits is returned. One division serves
    all: the turn nearest to ``near`` clipped to the limits is within them, or its neighbour is.

    Args:
        angle: any representative of the angle [rad].
        near: the angle to stay near [rad].
        lower: lower limit [rad].
        upper: upper limit [rad].
    """
    inside = ca.fmin(ca.fmax(near, lower), upper)
    k = ca.floor((inside - angle) * (1 / TURN) + 0.5)
    moved = angle + TURN * k
    return angle + TURN * (k + (moved < lower) - (upper < moved))


def excess(q: Any, lower: Any, upper: Any) -> Any:
    """Return the largest distance of an entry of ``q`` beyond its limits.

    Args:
        q: joint positions (dof,) [rad | m].
        lower: lower limits (dof,) [rad | m].
        upper: upper limits (dof,) [rad | m].
    """
    return ca.mmax(ca.fmax(lower - q, q - upper))


def violations(q: Any, lower: Any, upper: Any) -> Any:
    """Return how many entries of ``q`` are beyond their limits; cheaper than ``excess``.

    Args:
        q: joint positions (dof,) [rad | m].
        lower: lower limits (dof,) [rad | m].
        upper: upper limits (dof,) [rad | m].
    """
    return ca.sum1((q < lower) + (upper < q))


def wrapped(angle: Any) -> Any:
    """Return the angle less whole turns, in [-pi, pi)."""
    return angle - TURN * ca.floor((angle + ca.pi) * (1 / TURN))
