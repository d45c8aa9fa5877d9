"""Recognition of arms with a closed form, from their joint axes, in any convention.

* ``UR structure``: ``ur_structure.py``
* ``spherical wrist``: six joints; axes 4, 5, 6 meet, and axes 2 and 3 (or 1 and 2) are parallel or
  meet. Where axes 2 and 3 are parallel and the wrist has right angles, ``elbow_form.py``
* ``spherical wrist, general shoulder``: axes 4, 5, 6 meet, the others are skew: a quartic
* ``spherical shoulder and wrist``: seven joints; axes 1, 2, 3 and axes 5, 6, 7 meet
* ``spherical shoulder, offset wrist``: seven joints; axes 1, 2, 3 and axes 5, 6 meet (Franka)

A calibrated arm, or one whose file gives rounded angles, deviates slightly; Newton steps start from
the branches of its nearest form.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armtwin.equations.equation import Build
from armtwin.equations.kinematics.inverse import (
    general_shoulder,
    parallel_elbow,
    seven_joints,
    spherical_wrist,
    ur_joints,
)
from armtwin.kinematics.inverse.structure.axis_lines import (
    EXACT,
    MIN_LINK,
    NEAR,
    AxisLine,
    joint_lines,
    meeting_point,
    unit,
)
from armtwin.kinematics.inverse.structure.elbow_form import elbow_numbers
from armtwin.kinematics.inverse.structure.ur_structure import URForm, nearest_ur_form
from armtwin.model.arm import Arm
from armtwin.spatial import Array, inverse

ARM_ANGLE, JOINT_7 = "arm angle", "q7"
SPHERICAL_WRIST, GENERAL_SHOULDER = "spherical wrist", "spherical wrist, general shoulder"


@dataclass(frozen=True, eq=False)
class Form:
    """An arm as the numbers of a closed form.

    Attributes:
        structure: name of the structure.
        equation: the equation of ``equations.kinematics.inverse`` that reads the numbers.
        regular: the same for poses that are not singular.
        numbers: the arm's ``form`` as that equation reads it.
        deviation: largest deviation from the structure, as a sine or a distance [m].
        redundancy: what the free parameter of a seven-joint arm is; empty for six joints.
        ur: the arm as a UR table, where it has that structure.
    """

    structure: str
    equation: Build
    regular: Build
    numbers: Array
    deviation: float
    redundancy: str = ""
    ur: URForm | None = None

    @property
    def exact(self) -> bool:
        """Whether the closed form needs no Newton steps."""
        return self.deviation <= EXACT


@functools.lru_cache(maxsize=256)
def nearest_form(arm: Arm) -> Form | None:
    """Return the arm's form with the least deviation, or None beyond 0.05 (sines and metres)."""
    if arm.dof not in (6, 7) or any(joint.kind != "revolute" for joint in arm.driven):
        return None
    forms = sorted(_forms(arm, arm.joint_error), key=lambda form: max(form.deviation, EXACT))
    return next((form for form in forms if form.deviation <= NEAR), None)


def exact_form(arm: Arm) -> Form | None:
    """Return the arm's form where its closed form is exact, or None."""
    form = nearest_form(arm)
    return form if form is not None and form.exact else None


def _forms(arm: Arm, least: float) -> Iterator[Form]:
    """Yield the forms of the arm, the first of equals preferred."""
    lines, T = joint_lines(arm)
    if arm.dof == 6:
        ur = nearest_ur_form(arm)
        if ur is not None:
            deviation = max(ur.deviation, least)
            equations = (ur_joints.solutions, ur_joints.regular_solutions)
            yield Form("UR structure", *equations, ur.numbers, deviation, ur=ur)
        yield from _wrist_forms(lines, T, least)
    else:
        yield from _seven_forms(lines, T, least)


def _wrist_forms(lines: list[AxisLine], T: Array, least: float) -> Iterator[Form]:
    centre, off = meeting_point(lines[3:])
    if off > NEAR or lines[2].lever_of(centre) < MIN_LINK:
        return
    elbow = elbow_numbers(lines, centre, T)
    if elbow is not None:
        equations = (parallel_elbow.solutions, parallel_elbow.regular_solutions)
        yield Form(SPHERICAL_WRIST, *equations, elbow[0], max(off, elbow[1], least))
    wrist = triple_numbers(lines[3:])
    equations = (spherical_wrist.solutions, spherical_wrist.regular_solutions)
    for backwards in (False, True):
        order = lines[2::-1] if backwards else lines[:3]
        for meeting in (False, True):
            steps = _steps(order, meeting=meeting)
            if steps is None:
                continue
            numbers, deviation = steps
            flags = [float(meeting), float(backwards)]
            form = np.concatenate([inverse(T).ravel(), flags, centre, numbers, wrist])
            deviation = max(off, deviation, least)
            yield Form(SPHERICAL_WRIST, *equations, form, deviation)
    general = shoulder_numbers(lines, centre, T)
    if general is not None:
        equations = (general_shoulder.solutions, general_shoulder.regular_solutions)
        yield Form(GENERAL_SHOULDER, *equations, np.append(general, wrist), max(off, least))


def _steps(order: list[AxisLine], *, meeting: bool) -> tuple[Array, float] | None:
    """Return axes, points, a1 and b3 of ``spherical_wrist.FIELDS`` and the deviation, or None."""
    one, two, three = order
    h2 = two.direction
    if meeting:
        if two.sine_to(three) < NEAR:
            return None
        m, deviation = meeting_point([two, three])
        points, a1, b3 = (one.point, m, m), m - one.point, h2
        levers = [one.lever_of(m)]
    else:
        deviation = two.sine_to(three)
        if deviation > NEAR or one.sine_to(two) < NEAR:
            return None
        b3 = two.across(three.point - two.point)
        points, a1 = (one.point, two.point, three.point), h2
        levers = [float(np.linalg.norm(b3))]
    if min(levers) < MIN_LINK or deviation > NEAR:
        return None
    directions = [line.direction for line in order]
    return np.concatenate([*directions, *points, a1, b3]), deviation


def _seven_forms(lines: list[AxisLine], T: Array, least: float) -> Iterator[Form]:
    shoulder, off = meeting_point(lines[:3])
    if off > NEAR or lines[4].sine_to(lines[5]) < NEAR or lines[5].sine_to(lines[6]) < NEAR:
        return
    spherical = (seven_joints.spherical_wrist, seven_joints.regular_spherical_wrist)
    offset = (seven_joints.offset_wrist, seven_joints.regular_offset_wrist)
    kinds = (
        ("spherical shoulder and wrist", spherical, ARM_ANGLE, lines[4:]),
        ("spherical shoulder, offset wrist", offset, JOINT_7, lines[4:6]),
    )
    for name, equations, redundancy, meeting in kinds:
        wrist, deviation = meeting_point(meeting)
        elbow = lines[3]
        if min(elbow.lever_of(shoulder), elbow.lever_of(wrist)) < MIN_LINK:
            continue
        points = [shoulder, wrist, elbow.point, lines[6].point]
        triples = [triple_numbers(lines[:3]), triple_numbers(lines[4:])]
        axes = [line.direction for line in lines]
        numbers = np.concatenate([inverse(T).ravel(), *points, *axes, *triples])
        yield Form(name, *equations, numbers, max(off, deviation, least), redundancy)


def triple_numbers(lines: list[AxisLine]) -> Array:
    """Return three axes as ``equations`` reads a ``Triple`` (21,)."""
    h1, h2, h3 = (line.direction for line in lines)
    x, y = float(h1 @ h2), float(h2 @ h3)
    bases = []
    for h, cosine in ((h1, x), (h3, y)):
        side = unit(h2 - cosine * h)
        bases.append(np.column_stack([side, np.cross(h, side), h]).ravel())
    middle = np.arctan2(h1 @ np.cross(h2, h3), h1 @ h3 - x * y)
    return np.concatenate([*bases, [x, y, middle]])


def shoulder_numbers(lines: list[AxisLine], centre: Array, T: Array) -> Array | None:
    """Return axes, points and vectors of the form, or None: axes 1 and 2 meet or are parallel.

    Args:
        lines: the six joint axes at q = 0.
        centre: where axes 4, 5 and 6 meet (3,).
        T: tool pose at q = 0 (4, 4).
    """
    one, two, three = lines[:3]
    if one.sine_to(two) < NEAR or one.distance_to(two) < MIN_LINK:
        return None
    h1, h2, h3 = (line.direction for line in lines[:3])
    p1, p2 = one.nearest_to(two), two.nearest_to(one)
    n = unit(two.across(h1))
    m = np.cross(h2, n)
    b, a = three.point - p2, centre - three.point
    along, gc, gs = (h3 @ a) * h3, three.across(a), np.cross(h3, a)
    square = [2 * b @ gc, 2 * b @ gs, b @ b + a @ a + 2 * b @ along]
    vectors = [centre, h1, h2, h3, p1, p2, n, m, b + along, gc, gs, square]
    numbers = [h1 @ h2, one.sine_to(two), m @ (p2 - p1)]
    return np.concatenate([inverse(T).ravel(), *vectors, numbers])
