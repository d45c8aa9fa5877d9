"""Errors for unreachable poses: why, and by how much."""

from __future__ import annotations

import numpy as np

from armtwin.errors import UnreachableError
from armtwin.kinematics.inverse.closed_form import BORDER_MARGIN, Branches
from armtwin.kinematics.inverse.structure.forms import Form
from armtwin.kinematics.inverse.structure.ur_structure import URForm
from armtwin.kinematics.inverse.target import error_and_jacobian, residual
from armtwin.model.arm import Arm
from armtwin.spatial import Array


def out_of_reach(arm: Arm, form: Form, found: Branches) -> UnreachableError:
    """Return the error for the branch that comes nearest to the pose.

    Args:
        arm: the arm, for its name.
        form: its closed form.
        found: its branches, with their margins to the workspace's border.
    """
    if form.ur is not None:
        return _out_of_ur_reach(arm, form.ur, found)
    error, _ = error_and_jacobian(arm, found.q, found.goal)
    nearest = int(np.argmin(residual(error)))
    worst = int(np.argmin(found.margins[nearest]))
    shift = float(np.linalg.norm(error[nearest, :3]))
    turn = float(np.rad2deg(np.linalg.norm(error[nearest, 3:])))
    which = REASONS[form.structure][worst]
    return UnreachableError(
        f"arm {arm.name!r} cannot reach the pose: {which}; the nearest of {len(found.q)} branches "
        f"ends {shift:.3g} m and {turn:.3g} deg away; move the target or turn the tool"
    )


FAR = "the wrist centre is further from the {0} than the links reach, or too near to it"
WRIST = "the axes of the wrist cannot turn the tool so far"
REASONS = {
    "spherical wrist": (FAR.format("axis of joint 1"), FAR.format("shoulder"), WRIST),
    "spherical wrist, general shoulder": ("joints 1 to 3 do not reach the wrist centre", WRIST),
    "spherical shoulder and wrist": (
        FAR.format("shoulder"),
        "the axes of the shoulder cannot turn the arm so far",
        WRIST,
    ),
    "spherical shoulder, offset wrist": (
        f"at this angle of joint 7, {FAR.format('shoulder')}",
        "at this angle of joint 7, joints 5 and 6 cannot turn the forearm so far",
        "the axes of the shoulder cannot turn the arm so far",
    ),
}
"""What a negative margin means, by structure and number of the margin."""


def _out_of_ur_reach(arm: Arm, form: URForm, found: Branches) -> UnreachableError:
    nearest = int(np.argmax(found.margin))
    shoulder, elbow = found.margins[nearest].tolist()
    _, a2, a3, d4, _, _ = np.abs(form.dimensions).tolist()
    start = f"arm {arm.name!r} cannot reach the pose: "
    if shoulder < BORDER_MARGIN:
        return UnreachableError(
            f"{start}the wrist centre is {d4 + shoulder:.4g} m from the axis of joint 1 and cannot "
            f"come nearer than {d4:.4g} m: {-shoulder:.3g} m too close; move the target outwards "
            "or turn the tool"
        )
    folded = np.cos(form.angles(found.q[nearest])[2]) < 0
    reach, word = (abs(a2 - a3), "least") if folded else (a2 + a3, "most")
    distance = reach + elbow if folded else reach - elbow
    return UnreachableError(
        f"{start}the wrist (joint 4) is {distance:.4g} m from the shoulder (joint 2), at {word} "
        f"{reach:.4g} m can be reached: {-elbow:.3g} m too {'near' if folded else 'far'}; "
        f"move the target {'outwards' if folded else 'nearer'} or turn the tool"
    )


def nothing_found(arm: Arm, errors: Array, tries: int, mask: Array) -> UnreachableError:
    """Return the error for a search that ended with pose errors, of which some entries count.

    Args:
        arm: the arm, for its name.
        errors: pose errors at the ends of the searches (n, 6) [m, rad].
        tries: number of searches.
        mask: 1 for entries that count (6,).
    """
    counted = errors * mask
    e = counted[np.argmin(residual(counted))]
    parts = []
    if mask[:3].any():
        parts.append(f"{np.linalg.norm(e[:3]):.3g} m")
    if mask[3:].any():
        parts.append(f"{np.rad2deg(np.linalg.norm(e[3:])):.3g} deg")
    return UnreachableError(
        f"arm {arm.name!r} cannot reach the pose: the nearest of {tries} searches ends "
        f"{' and '.join(parts)} away; move the target, or give a seed near a known solution"
    )


def beyond_limits(arm: Arm, q: Array) -> UnreachableError:
    """Return the error for solutions (n, dof) that all have a joint beyond its limits."""
    excess = np.maximum(arm.lower - q, q - arm.upper)
    row = int(np.argmin(np.maximum(excess, 0.0).sum(axis=1)))
    joint = int(np.argmax(excess[row]))
    return UnreachableError(
        f"arm {arm.name!r} reaches the pose only beyond its joint limits: the nearest of "
        f"{len(q)} solutions needs joint {joint + 1} ({arm.driven[joint].name}) at "
        f"{q[row, joint]:.6g}, its limits are {arm.lower[joint]:.6g} to {arm.upper[joint]:.6g}; "
        "move the target, or ignore the limits (ignore_limits=True, --ignore-limits)"
    )
