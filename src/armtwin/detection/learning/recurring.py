"""Separate contacts from model errors in a run that may hold both.

What shows again whenever the arm passes the same state, at the same joints and about as strongly,
is an error of the model and no contact: contacts do not recur equally on every lap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array

NEIGHBOURS, MAX_SAMPLES = 60, 20000
"""Nearest states that are compared, and samples that are used at most: both bound the time of the
search."""
APART = 1.0
"""States belong to another pass if they lie this far apart in time [s]."""
NEAR = 0.15
"""Largest distance of states that count as the same, in standard deviations a coordinate."""
PASSES = 5
"""Fewest states of other passes whose median says what is usual in a state."""
SIMILAR = 0.5
"""Part of an error by which it may differ from the median of the other passes."""


def recurring(
    marked: NDArray[np.bool_], errors: Array, states: Array, time: Array
) -> NDArray[np.bool_]:
    """Return which of the marked samples (n,) look like those of other passes of their state.

    Args:
        marked: samples in question (n,).
        errors: external torques against their limits (n, dof).
        states: positions and speeds (n, 2 dof).
        time: (n,) [s].
    """
    from scipy.spatial import cKDTree

    own = np.zeros(marked.size, bool)
    every = max(1, marked.size // MAX_SAMPLES)
    chosen = np.flatnonzero(marked)[::every]
    if not chosen.size:
        return own
    scaled = states / np.maximum(states.std(axis=0), 1e-3 * np.ptp(states, axis=0).max())
    kept = np.arange(0, marked.size, every)
    reach = NEAR * np.sqrt(states.shape[1])
    far, near = cKDTree(scaled[kept]).query(
        scaled[chosen], min(NEIGHBOURS, kept.size), distance_upper_bound=reach
    )
    for row, distances, found in zip(chosen, far, near, strict=True):
        others = kept[found[np.isfinite(distances)]]
        others = others[np.abs(time[others] - time[row]) > APART]
        if others.size >= PASSES:
            usual = np.median(errors[others], axis=0)
            off = np.linalg.norm(errors[row] - usual)
            own[row : row + every] = off < SIMILAR * np.linalg.norm(errors[row])
    return own & marked


REVERSAL = 0.3
"""Time before and after a reversal within which its friction is uncertain [s]."""
OFTEN, REVERSALS = 0.4, 3
"""Part of a joint's reversals, and number, with an error from which on it is the model's."""


def at_reversals(marked: NDArray[np.bool_], speeds: Array, time: Array) -> NDArray[np.bool_]:
    """Return which marks of joints (n, dof) belong to errors at most reversals of the joint.

    Args:
        marked: samples and joints in question (n, dof).
        speeds: joint speeds (n, dof) [rad/s].
        time: (n,) [s].
    """
    own = np.zeros_like(marked)
    for j in range(marked.shape[1]):
        signs = np.sign(np.where(np.abs(speeds[:, j]) > REVERSED, speeds[:, j], 0.0))
        rows = np.flatnonzero(signs)
        turns = time[rows[1:][signs[rows[1:]] != signs[rows[:-1]]]]
        near = [np.abs(time - turn) < REVERSAL for turn in turns.tolist()]
        hit = [bool((marked[:, j] & rows_).any()) for rows_ in near]
        if sum(hit) >= max(REVERSALS, OFTEN * len(hit)):
            own[:, j] = marked[:, j] & np.any(near, axis=0)
    return own


REVERSED = 0.02
"""Speed on both sides of a reversal [rad/s]."""
