"""Names of the branches of inverse kinematics, and of the singularities between them.

An arm with axes 2 and 3 parallel has a shoulder (left or right of axis 1, front or back where the
arm's plane has no offset from it), an elbow (up or down) and a wrist (flipped where joint 5 is
negative). A seven-joint arm's branches differ by the signs of joints 2, 4 and 6. ``equations.
kinematics.posture`` measures which side each is on; it is 0 where two branches meet.
"""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import run
from armtwin.equations.kinematics.inverse import parallel_elbow
from armtwin.equations.kinematics.posture import OFFSET, posture
from armtwin.kinematics.inverse.structure.forms import nearest_form
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.spatial import Array

PARTS = ("shoulder", "elbow", "wrist")
"""What the three sides belong to, in the order of ``posture``."""
Sides = tuple[str, str]
LEFT_RIGHT: Sides = ("shoulder left", "shoulder right")
FRONT_BACK: Sides = ("shoulder front", "shoulder back")
ELBOW: Sides = ("elbow up", "elbow down")
WRIST: Sides = ("", "wrist flipped")
SIGNS = tuple((f"joint {n} positive", f"joint {n} negative") for n in (2, 4, 6))


@functools.lru_cache(maxsize=64)
def side_names(arm: Arm) -> tuple[Sides, ...]:
    """Return the names of a positive and a negative side of shoulder, elbow and wrist.

    Empty where the arm's branches have no such names.
    """
    form = nearest_form(arm)
    if form is None:
        return ()
    if arm.dof == 7:
        return SIGNS
    if form.ur is None and form.equation is not parallel_elbow.solutions:
        return ()
    _, offset = run(arm, posture, np.zeros(arm.dof))
    return (LEFT_RIGHT if abs(float(offset)) > OFFSET else FRONT_BACK, ELBOW, WRIST)


def branch_names(arm: Arm, q: ArrayLike) -> list[str]:
    """Return a different name for each of some joint vectors (n, dof) [rad | m] of one pose.

    Such as "shoulder left, elbow up, wrist flipped"; "solution 1" where the arm has no such names.
    Vectors that differ by whole turns, or by more than the names say, are numbered.
    """
    joints = np.atleast_2d(as_joints(arm, q, ignore_limits=True))
    names = side_names(arm)
    if not names:
        return [f"solution {n}" for n in range(1, len(joints) + 1)]
    found = [_joined(names, row) for row in sides(arm, joints)]
    repeated, count = Counter(found), Counter[str]()
    for k, name in enumerate(found):
        count[name] += 1
        if repeated[name] > 1:
            found[k] = f"{name} ({count[name]})"
    return found


def sides(arm: Arm, q: Array) -> Array:
    """Return the sides of shoulder, elbow and wrist (..., 3) of an arm with ``side_names``."""
    return np.asarray(run(arm, posture, q)[0]).reshape(*q.shape[:-1], len(PARTS))


def singularities(arm: Arm) -> tuple[str, ...]:
    """Return the names of the arm's singularities, in the order of ``sides``; empty without names.

    A seven-joint arm can be between two branches without being singular.
    """
    return PARTS if arm.dof == 6 and side_names(arm) else ()


def nearest_singularity(arm: Arm, q: Array) -> tuple[str, float]:
    """Return the nearest of an arm's ``singularities`` at ``q`` (dof,), and how far its side is."""
    distance = np.abs(sides(arm, q))
    k = int(np.argmin(distance))
    return PARTS[k], float(distance[k])


def _joined(names: tuple[Sides, ...], row: Array) -> str:
    return ", ".join(filter(None, (pair[int(x < 0)] for pair, x in zip(names, row, strict=True))))
