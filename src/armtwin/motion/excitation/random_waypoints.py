"""Random waypoints with collision-free legs between them."""

from __future__ import annotations

import numpy as np

from armtwin.errors import PlanError
from armtwin.model.arm import Arm
from armtwin.motion.clearance.clearance import Environment, is_free
from armtwin.spatial import Array

STEPS = 25
"""Points of a leg at which its clearance is checked."""
TRIES = 4000
"""Random points that are tried before the request is refused."""


def random_points(
    arm: Arm,
    rng: np.random.Generator,
    count: int,
    low: Array | float,
    high: Array | float,
    around: Environment,
) -> Array:
    """Return points (count, dof), uniform between limits, whose straight legs keep clear.

    The leg from the last point to the first keeps clear, too.

    Args:
        arm: the arm.
        rng: source of random numbers.
        count: number of points.
        low: lower limits, one or (dof,) [rad | m].
        high: upper limits, one or (dof,) [rad | m].
        around: floor, obstacles and margin to keep clear of.

    Raises:
        PlanError: none was found.
    """
    points: list[Array] = []
    for _ in range(TRIES):
        point = rng.uniform(low, high, arm.dof)
        legs = [point[None]] + [np.linspace(points[-1], point, STEPS) for _ in points[-1:]]
        if len(points) == count - 1 and count > 2:
            legs.append(np.linspace(point, points[0], STEPS))
        if is_free(arm, np.concatenate(legs), around).all():
            points.append(point)
        if len(points) == count:
            return np.array(points)
    raise PlanError(
        f"arm {arm.name!r}: no {count} random points with collision-free legs were found in "
        f"{TRIES} tries; lower the floor, move obstacles or narrow the margin"
    )


def random_cycle(
    arm: Arm,
    rng: np.random.Generator,
    count: int = 6,
    spread: float = np.deg2rad(150),
    around: Environment = Environment(),  # noqa: B008 - frozen
) -> Array:
    """Return random points, the first one again at the end (count + 1, dof) [rad | m].

    Args:
        arm: the arm.
        rng: source of random numbers.
        count: number of different points.
        spread: largest joint position, either way [rad | m].
        around: floor, obstacles and margin to keep clear of.
    """
    low, high = np.maximum(arm.lower, -spread), np.minimum(arm.upper, spread)
    points = random_points(arm, rng, count, low, high, around)
    return np.vstack([points, points[:1]])
