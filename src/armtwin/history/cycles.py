"""Repetitions of a motion, counted by its returns to the position where it began."""

from __future__ import annotations

import numpy as np

from armtwin.recording.recording import Recording

NEAR, FAR = 0.02, 0.2
"""Shares of the largest distance from the first position: below the first the arm is back, beyond
the second it has left."""


def count_cycles(recording: Recording) -> int:
    """Return how often the arm leaves its first position and comes back; at least 1.

    The distance is that of the joint positions, each in units of its range. A motion that does not
    come back counts as one cycle.
    """
    if not recording.has("q"):
        return 1
    q = recording.q[np.isfinite(recording.q).all(axis=1)]
    if len(q) < 3:
        return 1
    span = np.ptp(q, axis=0)
    moving = span > 1e-3 * max(float(span.max()), 1e-12)
    if not moving.any() or float(span.max()) < 1e-4:
        return 1
    distance = np.linalg.norm((q - q[0])[:, moving] / span[moving], axis=1)
    largest = float(distance.max())
    state = np.where(distance < NEAR * largest, 1, np.where(distance > FAR * largest, -1, 0))
    changes = state[state != 0]
    returns = int(np.count_nonzero((changes[1:] == 1) & (changes[:-1] == -1)))
    return max(1, returns)
