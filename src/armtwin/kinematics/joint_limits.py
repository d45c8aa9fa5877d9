"""Joint limits: clipping, distinct solutions, copies by whole turns."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import turns as turns_equations
from armtwin.kinematics.joints import LIMIT_TOLERANCE
from armtwin.model.arm import Arm
from armtwin.spatial import Array

Rows = NDArray[np.int64]

TURN = 2 * np.pi
UNLIMITED = 1e5
"""Stands for a missing limit [rad | m]: compiled code takes no infinity."""

SAME = 1e-6
"""Solutions closer than this in every joint [rad | m] count as one."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Joint limits (dof,), widened by the tolerance of 1e-9; 1e5 where there is none."""

    lower: Array
    upper: Array

    @classmethod
    def of(cls, arm: Arm, *, ignore_limits: bool = False) -> Bounds:
        """Return the arm's limits, or none at all."""
        if ignore_limits:
            return cls(np.full(arm.dof, -UNLIMITED), np.full(arm.dof, UNLIMITED))
        lower = np.maximum(arm.lower, -UNLIMITED) - LIMIT_TOLERANCE
        return cls(lower, np.minimum(arm.upper, UNLIMITED) + LIMIT_TOLERANCE)

    @property
    def narrow(self) -> Bounds:
        """The limits without the tolerance, for searches that end at them."""
        return Bounds(self.lower + LIMIT_TOLERANCE, self.upper - LIMIT_TOLERANCE)

    def clip(self, q: Array) -> Array:
        """Return joint vectors clipped to the limits."""
        return np.asarray(np.minimum(np.maximum(q, self.lower), self.upper))


def is_revolute(arm: Arm) -> NDArray[np.bool_]:
    """Return which driven joints are revolute (dof,)."""
    return np.array([joint.kind == "revolute" for joint in arm.driven])


def into_limits(arm: Arm, q: Array, bounds: Bounds, near: Array) -> tuple[Array, Array]:
    """Return joint vectors moved by whole turns into the limits (..., dof), and the excess (...).

    Args:
        arm: the arm.
        q: joint vectors (..., dof) [rad | m].
        bounds: joint limits.
        near: joint vectors (..., dof) to stay near to.
    """
    moved, excess = kernel(arm, turns_equations.into_limits)(q, near, bounds.lower, bounds.upper)
    return moved, excess


def distinct(arm: Arm, q: Array, rank: Array, *, same: float = SAME) -> Rows:
    """Return the distinct rows of ``q`` (n, dof): of equal ones the one of lowest rank (n,).

    Args:
        arm: the arm, for the kinds of its joints.
        q: joint vectors (n, dof) [rad | m].
        rank: order of preference (n,), the lowest first.
        same: largest difference of equal joints [rad | m]; whole turns do not count.
    """
    order = np.argsort(rank, kind="stable")
    difference = q[order, None] - q[order]
    turned = difference - TURN * np.round(difference / TURN)
    difference = np.where(is_revolute(arm), turned, difference)
    equal = (np.abs(difference) < same).all(axis=-1)
    return np.asarray(np.sort(order[~np.tril(equal, -1).any(axis=1)]))


def images(arm: Arm, q: Array) -> tuple[Array, Rows]:
    """Return every joint vector within limits that is a row of ``q`` (n, dof) up to whole turns.

    A joint without limits, or beyond them, keeps its angle. The second array holds the row of ``q``
    that each came from.
    """
    found: list[tuple[float, ...]] = []
    rows: list[int] = []
    bounds = Bounds.of(arm)
    limited = is_revolute(arm) & (np.maximum(-bounds.lower, bounds.upper) < UNLIMITED / 2)
    for row, vector in enumerate(q):
        limits = zip(vector, bounds.lower, bounds.upper, limited, strict=True)
        product = list(itertools.product(*[_turned(*entry) for entry in limits]))
        found += product
        rows += [row] * len(product)
    return np.array(found), np.array(rows)


def _turned(angle: float, lower: float, upper: float, limited: bool) -> list[float]:
    if not limited:
        return [angle]
    first, last = int(np.ceil((lower - angle) / TURN)), int(np.floor((upper - angle) / TURN))
    return [angle + TURN * k for k in range(first, last + 1)] or [angle]
