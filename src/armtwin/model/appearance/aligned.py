"""Shapes of one arm in the link frames of another with the same kinematics."""

from __future__ import annotations

import numpy as np

from armtwin.model.arm import Arm
from armtwin.model.geometry import LinkShape
from armtwin.model.link import frames_at
from armtwin.spatial import Array, inverse

SAME = 1e-3
"""Largest change of a link frame's place [m] and axes [rad] that counts as none."""
TRIALS = 8
"""Random joint vectors at which link frames are compared."""


def aligned(
    shapes: tuple[LinkShape, ...], theirs: Arm, ours: Arm, *, tolerance: float = SAME
) -> tuple[LinkShape, ...]:
    """Return the shapes of another arm in the link frames of ours; none where the arms differ.

    With both arms at q = 0, ``T_ours_theirs = T_base_ours^-1 T_base_theirs`` is the pose of their
    link frame in ours. It is the same at any q if their kinematics are equal; checked at random q.

    Args:
        shapes: in the link frames of ``theirs``.
        theirs: the arm that they belong to, with the same base frame.
        ours: the arm that they are for.
        tolerance: largest change of the offsets that counts as none [m, rad].
    """
    offsets = link_offsets(theirs, ours, tolerance=tolerance)
    if offsets is None:
        return ()
    first, rows = _driven(theirs), _driven(ours)
    number = dict(zip(first, rows, strict=True))
    return tuple(s.moved(offsets[s.link], number[s.link]) for s in shapes if s.link in number)


def link_offsets(theirs: Arm, ours: Arm, *, tolerance: float = SAME) -> dict[int, Array] | None:
    """Return the pose of their link frame in ours by their row number; None where arms differ.

    Args:
        theirs: one arm.
        ours: the other, with the same base frame.
        tolerance: largest change of a pose over q that counts as none [m, rad].
    """
    kinds = [[joint.kind for joint in arm.driven] for arm in (theirs, ours)]
    if kinds[0] != kinds[1]:
        return None
    found = _offsets(theirs, ours, np.zeros(ours.dof))
    rng = np.random.default_rng(0)
    for q in rng.uniform(-2, 2, (TRIALS, ours.dof)):
        now = _offsets(theirs, ours, q)
        if any(np.abs(now[row] - T).max() > tolerance for row, T in found.items()):
            return None
    return found


def _driven(arm: Arm) -> list[int]:
    """Return the rows that move, after the base."""
    return [0, *[n for n, joint in enumerate(arm.joints, 1) if joint.kind != "fixed"]]


def _offsets(theirs: Arm, ours: Arm, q: Array) -> dict[int, Array]:
    A, B = ([np.array(arm.base), *frames_at(arm, q).links] for arm in (theirs, ours))
    pairs = zip(_driven(theirs), _driven(ours), strict=True)
    return {row: inverse(B[mine]) @ A[row] for row, mine in pairs}
