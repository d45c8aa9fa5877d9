"""Random states for comparing code: ordinary ones, and ones for the branches that these miss.

An equation branches where a joint stands still, where two poses are equal or half a turn apart,
and at joint limits. Ordinary random numbers never come near: friction's slope at zero speed lies
within 1e-3 rad/s.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armtwin.compile.program import Program
from armtwin.spatial import Array

STATES = 37
"""Not a multiple of the number of lanes, so that the remainder of a batch is tested too."""
ORDINARY = 8
"""The first states are ordinary ones; from there on every ``STRIDE``-th is special."""
STRIDE = 3
"""Not a divisor of a number of lanes: special states come in all lanes."""
WIDEST = 3.0
"""Joints are drawn within their limits and, where zero is within, within +-3 rad | m."""
SMALLEST = 1e-7
"""Smallest size of the numbers in special states that are not zero."""
FAR = 40.0
"""Joints of a special state may stand this far beyond their limits [rad | m]: whole turns."""
POSES = {9: np.s_[:, :3, :3], 12: np.s_[:, :3, :], 16: np.s_[:, :, :]}
"""Part of a 4x4 pose that an input of this size holds."""
POSE_NAMES = ("T", "goal", "R", "offset")
STRUCTURAL = ("form", "dimensions")
"""Inputs that hold an arm's dimensions: where they vanish, rounding decides between branches."""
ANGLES = (0.0, 1e-8, 1e-4, 0.5 * np.pi, np.pi - 1e-2, np.pi - 1e-5)
"""Angles of the rotations in special states [rad]."""
Bounds = tuple[Sequence[float], Sequence[float]]


def special_states() -> NDArray[np.int_]:
    """Return the numbers of the special states."""
    return np.arange(ORDINARY, STATES, STRIDE)


def random_inputs(program: Program, bounds: Bounds, rng: np.random.Generator) -> list[Array]:
    """Return random states: joints within limits, rotations and poses where they are expected.

    Other numbers are drawn from +-2, for half of the states from 0..2: some quantities have no
    meaning below zero. In special states they have sizes between ``SMALLEST`` and 2, or are zero.

    Args:
        program: the program, for the names and sizes of its inputs.
        bounds: lower and upper limits of the first input; infinite where there are none.
        rng: source of the random numbers.

    Returns:
        One array (STATES, size) per input.
    """
    arrays = []
    for number, port in enumerate(program.inputs):
        if port.name in POSE_NAMES and port.size in POSES:
            arrays.append(_frames(rng)[POSES[port.size]].reshape(STATES, port.size))
        elif number == 0 and port.name == "q":
            arrays.append(_joints(bounds, port.size, rng))
        else:
            arrays.append(_numbers(port.name, port.size, rng))
    return arrays


def _numbers(name: str, size: int, rng: np.random.Generator) -> Array:
    values = rng.uniform(-2, 2, (STATES, size))
    values[::2] = np.abs(values[::2])
    special = special_states()
    if name not in STRUCTURAL:
        values[special] *= _sizes((len(special), size), rng)
    if name in ("lower", "upper"):
        values = 3 * np.abs(values) * (1 if name == "upper" else -1)
    return values


def _sizes(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return factors (states, size) between ``SMALLEST`` and 1.

    A quarter of them is one and a quarter zero; all are zero in the first state.
    """
    factors = SMALLEST ** rng.uniform(0, 1, shape)
    kind = rng.uniform(0, 1, shape)
    factors = np.where(kind < 0.25, 1.0, np.where(kind < 0.5, 0.0, factors))
    factors[0] = 0.0
    return factors


def _joints(bounds: Bounds, size: int, rng: np.random.Generator) -> Array:
    """Return joint positions: within limits, near zero, and far beyond the limits."""
    lower, upper = _within(bounds)
    values = rng.uniform(lower, upper, (STATES, size))
    special = special_states()
    near = values[special] * np.maximum(_sizes((len(special), size), rng), SMALLEST)
    far = rng.uniform(-FAR, FAR, near.shape)
    values[special] = np.where(np.arange(len(special))[:, None] % 2, far, near)
    return values


def _within(bounds: Bounds) -> tuple[Array, Array]:
    """Return the part of the limits within +-WIDEST of their number nearest to zero."""
    lower, upper = (np.asarray(side, float) for side in bounds)
    centre = np.clip(0.0, lower, upper)
    return np.maximum(lower, centre - WIDEST), np.minimum(upper, centre + WIDEST)


def _frames(rng: np.random.Generator) -> Array:
    """Return random poses (STATES, 4, 4) with positions within 1 m."""
    frames = np.tile(np.eye(4), (STATES, 1, 1))
    rotations = np.linalg.qr(rng.standard_normal((STATES, 3, 3)))[0]
    frames[:, :3, :3] = rotations * np.linalg.det(rotations)[:, None, None]
    frames[special_states(), :3, :3] = _special_turns(rng)
    frames[:, :3, 3] = rng.uniform(-1, 1, (STATES, 3))
    return frames


def turn_goals(goals: Array, away: Array, rng: np.random.Generator) -> None:
    """Set the rotations of goals in special states to the tool's, turned by ``ANGLES``.

    Args:
        goals: poses (STATES, 16), changed in place.
        away: rotation vectors (STATES, 3) from the tool to the identity [rad].
        rng: source of the axes.
    """
    special = special_states()
    goals.reshape(STATES, 4, 4)[special, :3, :3] = _rotations(-away[special]) @ _special_turns(rng)


def _special_turns(rng: np.random.Generator) -> Array:
    """Return rotations (special states, 3, 3) by ``ANGLES`` about random axes."""
    angles = np.resize(ANGLES, len(special_states()))
    axes = rng.standard_normal((len(angles), 3))
    return _rotations(angles[:, None] * axes / np.linalg.norm(axes, axis=1, keepdims=True))


def _rotations(vectors: Array) -> Array:
    """Return the rotations (n, 3, 3) of rotation vectors (n, 3) [rad]; zero gives the identity."""
    angle = np.linalg.norm(vectors, axis=1)
    x, y, z = vectors.T / np.where(angle > 0, angle, 1.0)
    zero = np.zeros_like(x)
    K = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + s * K + (1 - c) * K @ K)
