"""Clearance of an arm: distances between its links, to the floor and to obstacles.

Links are capsules (``equations/capsules.py``), approximate where the arm file gives no radii. Pairs
of links that overlap in nearly every posture are neighbours by design and are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.compile.derived import derived
from armtwin.compile.kernel import run
from armtwin.equations.dynamics import drive_regressor as drive_regressor_equations
from armtwin.equations.kinematics import capsules as capsules_equations
from armtwin.errors import PlanError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.clearance.obstacles import Capsule
from armtwin.motion.motion import Motion
from armtwin.spatial import Array

POSTURES, ALWAYS, FIXED = 1000, 0.9, 1e-3
"""Random postures; share of them in which overlapping links are neighbours by design; range of the
distance below which a pair counts as rigidly connected [m]."""


@dataclass(frozen=True, eq=False)
class Environment:
    """Obstacles that an arm must keep clear of.

    Attributes:
        floor: height of a plane along the mounting plane [m], 0 where the arm stands on it,
            negative below; None where there is none.
        obstacles: capsules in base.
        margin: distance to keep [m].
        itself: whether the arm's own links count.
    """

    floor: float | None = 0.0
    obstacles: tuple[Capsule, ...] = ()
    margin: float = 0.01
    itself: bool = True


def clearances(arm: Arm, q: ArrayLike, around: Environment) -> tuple[Array, tuple[str, ...]]:
    """Return the distances of an arm's links (n, k) [m], and the names of the k pairs.

    Args:
        arm: the arm.
        q: joint positions (n, dof) [rad | m].
        around: floor, obstacles and margin to keep clear of.
    """
    joints = np.atleast_2d(as_joints(arm, q, ignore_limits=True))
    parts = list(_parts(arm, joints, around))
    if not parts:
        return np.full((len(joints), 1), np.inf), ("nothing",)
    return np.hstack([d for d, _ in parts]), tuple(name for _, names in parts for name in names)


def is_free(arm: Arm, q: ArrayLike, around: Environment) -> NDArray[np.bool_]:
    """Return for every posture (n,) whether it keeps the margin.

    Args:
        arm: the arm.
        q: joint positions (n, dof) [rad | m].
        around: floor, obstacles and margin to keep clear of.
    """
    distances, _ = clearances(arm, q, around)
    return np.asarray((distances >= around.margin).all(axis=1))


def check_free(arm: Arm, motion: Motion, around: Environment) -> float:
    """Return the smallest distance along a motion [m].

    Args:
        arm: the arm.
        motion: the joint motion.
        around: floor, obstacles and margin to keep clear of.

    Raises:
        PlanError: the margin is not kept; with time and the names of the pair.
    """
    distances, names = clearances(arm, motion.q, around)
    row, place = np.unravel_index(int(distances.argmin()), distances.shape)
    smallest = float(distances[row, place])
    if smallest < around.margin:
        raise PlanError(
            f"{motion.name}: {names[place]} come within {smallest:.3f} m at t = "
            f"{motion.time[row]:.3f} s; {around.margin:g} m is required; move the path, or "
            "change floor, obstacles or margin"
        )
    return smallest


@dataclass(frozen=True)
class Contacts:
    """Pairs below the margin: of capsules, of capsules and the floor, of (obstacle, capsule)."""

    pairs: tuple[tuple[int, int], ...] = ()
    low: tuple[int, ...] = ()
    near: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self.pairs or self.low or self.near)

    def __or__(self, other: Contacts) -> Contacts:
        """Return the union of both."""
        return Contacts(
            tuple(sorted({*self.pairs, *other.pairs})),
            tuple(sorted({*self.low, *other.low})),
            tuple(sorted({*self.near, *other.near})),
        )


def contacts(arm: Arm, q: ArrayLike, around: Environment) -> Contacts:
    """Return the pairs that come nearer than the margin in any posture.

    Args:
        arm: the arm.
        q: joint positions (n, dof) [rad | m].
        around: floor, obstacles and margin to keep clear of.
    """
    distances, _ = clearances(arm, q, around)
    close = iter(np.any(distances < around.margin, axis=0))
    pairs, low, names = comparable(arm)
    own = [(i, j) for _, i, j in pairs if next(close)] if around.itself else []
    sunk = [i for i in low if next(close)] if around.floor is not None else []
    bodies = range(len(names))
    near = [(k, i) for k in range(len(around.obstacles)) for i in bodies if next(close)]
    return Contacts(tuple(own), tuple(sunk), tuple(near))


def _parts(arm: Arm, q: Array, around: Environment) -> Iterator[tuple[Array, list[str]]]:
    pairs, low, names = comparable(arm)
    if around.itself and pairs:
        numbers = [k for k, _, _ in pairs]
        between = run(arm, capsules_equations.self_distances, q)[0].reshape(len(q), -1)[:, numbers]
        yield between, [f"{names[i]} and {names[j]}" for _, i, j in pairs]
    if around.floor is not None and low:
        heights = run(arm, capsules_equations.heights, q)[0].reshape(len(q), -1)
        heights = heights[:, list(low)] - around.floor
        yield heights, [f"{names[i]} and the floor" for i in low]
    for number, obstacle in enumerate(around.obstacles, 1):
        distances = run(arm, capsules_equations.obstacle_distances, q, obstacle.numbers)[0]
        yield distances.reshape(len(q), -1), [f"{name} and obstacle {number}" for name in names]


def clearance_gradient(arm: Arm, q: Array, around: Environment, slope: Array) -> Array:
    """Return the gradient (n, dof) of a weighted sum of clearances.

    Args:
        arm: the arm.
        q: joint positions (n, dof) [rad | m].
        around: floor, obstacles and margin to keep clear of. Distances to obstacles are
            differentiated numerically.
        slope: weight of every clearance (n, k), in the order of ``clearances``.
    """
    pairs, low, names = comparable(arm)
    total, start = np.zeros_like(q), 0
    if around.itself and pairs:
        start = len(pairs)
        count = run(arm, capsules_equations.self_distances, q[:1])[0].size
        w = _spread(slope[:, :start], [k for k, _, _ in pairs], count)
        gradient = run(arm, drive_regressor_equations.self_distances_gradient, q, w)[0]
        total += gradient.reshape(q.shape)
    if around.floor is not None and low:
        w = _spread(slope[:, start : start + len(low)], list(low), len(names))
        total += run(arm, drive_regressor_equations.heights_gradient, q, w)[0].reshape(q.shape)
        start += len(low)
    for obstacle in around.obstacles:
        part = slope[:, start : start + len(names)]
        total += _differences(arm, q, obstacle.numbers, part)
        start += len(names)
    return total


def _spread(values: Array, places: list[int], count: int) -> Array:
    wide = np.zeros((len(values), max(count, 1)))
    wide[:, places] = values
    return wide


def _differences(arm: Arm, q: Array, obstacle: Array, slope: Array) -> Array:
    step = 1e-6 * np.eye(arm.dof)
    sides = [
        run(arm, capsules_equations.obstacle_distances, q[:, None] + s * step, obstacle)[0]
        for s in (1, -1)
    ]
    return np.asarray(np.einsum("nk,njk->nj", slope, (sides[0] - sides[1]) / 2e-6))


Comparable = tuple[tuple[tuple[int, int, int], ...], tuple[int, ...], tuple[str, ...]]


def comparable(arm: Arm) -> Comparable:
    """Return pairs to compare ``(number, capsule, capsule)``, capsules above the floor, and names.

    Computed once per arm and kept with it.
    """
    kept: Comparable | None = derived(arm).get("capsules.comparable")
    if kept is None:
        kept = derived(arm)["capsules.comparable"] = _comparable(arm)
    return kept


def _comparable(arm: Arm) -> Comparable:
    from armtwin.equations.kinematics.capsules import link_capsules, pairs

    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    q = np.random.default_rng(0).uniform(low, high, (POSTURES, arm.dof))
    both = pairs(arm)
    none = np.zeros(0, bool)
    apart = _moving(run(arm, capsules_equations.self_distances, q)[0]) if both else none
    above = _moving(run(arm, capsules_equations.heights, q)[0].reshape(POSTURES, -1))
    found = [(k, i, j) for k, (i, j) in enumerate(both) if apart[k]]
    names = tuple(f"link {c.body}" for c in link_capsules(arm))
    return tuple(found), tuple(np.flatnonzero(above).tolist()), names


def _moving(distances: Array) -> NDArray[np.bool_]:
    """Return which distances (n, k) change, and are not below zero nearly always."""
    span = np.ptp(distances, axis=0)
    return np.asarray((span > FIXED) & ((distances < 0).mean(axis=0) < ALWAYS))
