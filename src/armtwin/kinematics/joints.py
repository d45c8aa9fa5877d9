"""Validation of joint vectors: shape, finite numbers, limits, unit."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.native.bridge import inside
from armtwin.errors import InputError, JointLimitError, UnitWarning
from armtwin.model.arm import Arm
from armtwin.spatial import Array, as_numbers

LIMIT_TOLERANCE = 1e-9
"""Excess beyond a joint limit that counts as rounding [rad | m]."""
LIKE_DEGREES = 4 * np.pi
"""Angle that no joint turns to by a small mistake, but a joint in degrees usually does [rad]."""
MAX_RADIANS = 1e6
"""Range of the compiled sine; see compile/targets/vector_math.h."""


def as_joints(arm: Arm, q: ArrayLike, *, ignore_limits: bool = False, name: str = "q") -> Array:
    """Return validated joint vectors (..., dof) as float64.

    Args:
        arm: the arm.
        q: joint vectors (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
        name: the name of ``q`` in messages.

    Raises:
        InputError: wrong number of joints, text, NaN, infinity, more than 1e6 rad.
        JointLimitError: a joint beyond its limit, unless ``ignore_limits``.
    """
    limits = () if ignore_limits else (arm.lower, arm.upper)
    if isinstance(q, np.ndarray) and q.shape[-1:] == (arm.dof,) and inside(q, arm.dof, *limits):
        return q
    values = as_vectors(q, arm.dof, f"arm {arm.name!r}: {name}")
    if not ignore_limits and values.size:
        _check_limits(arm, values)
    _check_turns(arm, values, name)
    return values


def as_vectors(value: ArrayLike, size: int, what: str) -> Array:
    """Return a finite float64 array whose last dimension has ``size`` entries.

    Args:
        value: array (..., size).
        size: entries of the last dimension.
        what: the beginning of messages.
    """
    if isinstance(value, np.ndarray) and value.shape[-1:] == (size,) and inside(value, size):
        return value
    try:
        array = as_numbers(value, "each")
    except InputError as error:
        raise InputError(f"{what} must be {size} numbers per state: {error}") from error
    if array.shape[-1:] != (size,):
        given = array.shape[-1] if array.ndim else 1
        raise InputError(
            f"{what} takes {size} numbers per state, got {given} (shape {array.shape}); "
            f"give an array of shape (..., {size})"
        )
    if not np.isfinite(array).all():
        flat = array.reshape(-1, size)
        row, column = np.argwhere(~np.isfinite(flat))[0]
        raise InputError(
            f"{what} holds {flat[row, column]} at row {row}, joint {column + 1}; "
            "every entry must be finite"
        )
    return array


def _check_turns(arm: Arm, values: Array, name: str) -> None:
    turning = np.array([joint.kind == "revolute" for joint in arm.driven])
    widest = np.abs(values[..., turning]).max(initial=0.0)
    if widest > MAX_RADIANS:
        raise InputError(
            f"arm {arm.name!r}: {name} rotates a joint by {widest:.6g} rad; sines are exact up to "
            f"{MAX_RADIANS:g} rad; remove whole turns first"
        )


def _check_limits(arm: Arm, values: Array) -> None:
    flat = values.reshape(-1, arm.dof)
    low, high = flat.min(axis=0), flat.max(axis=0)
    lower, upper = arm.lower - LIMIT_TOLERANCE, arm.upper + LIMIT_TOLERANCE
    if (low >= lower).all() and (high <= upper).all():
        return
    warn_if_degrees(arm, flat)
    row, joint = np.argwhere((flat < lower) | (flat > upper))[0]
    hint = degrees_hint(arm, flat, int(joint), float(flat[row, joint]))
    raise JointLimitError(
        f"arm {arm.name!r}: joint {joint + 1} ({arm.driven[joint].name}) at row {row} is "
        f"{flat[row, joint]:.6g}; its limits are {arm.lower[joint]:.6g} to {arm.upper[joint]:.6g}; "
        f"{hint}correct the value, or ignore the limits (ignore_limits=True, --ignore-limits)"
    )


def degrees_hint(arm: Arm, flat: Array, joint: int, value: float) -> str:
    """Return a suggestion for values beyond their limits that look like degrees; else no text.

    They do if the joint is revolute, the value is beyond 4 pi, and all values (rows, dof) would be
    within the joints' limits as degrees.

    Args:
        arm: the arm.
        flat: joint vectors (rows, dof).
        joint: index of a joint beyond its limit.
        value: its value.
    """
    turning = np.array([joint.kind == "revolute" for joint in arm.driven])
    if not turning[joint] or abs(value) <= LIKE_DEGREES:
        return ""
    angles = np.where(turning, np.deg2rad(flat), flat)
    if (angles < arm.lower - LIMIT_TOLERANCE).any() or (angles > arm.upper + LIMIT_TOLERANCE).any():
        return ""
    return (
        f"these look like degrees ({value:g} degrees are {np.deg2rad(value):.4g} rad): give "
        "radians (numpy.deg2rad, --deg on the command line); "
    )


def warn_if_degrees(arm: Arm, flat: Array) -> None:
    """Warn if every revolute joint of a state (rows, dof) is beyond 2 pi."""
    turning = np.array([joint.kind == "revolute" for joint in arm.driven])
    if turning.any() and (np.abs(flat[:, turning]) > 2 * np.pi).all(axis=1).any():
        message = (
            f"arm {arm.name!r}: every joint of a state is beyond 2 pi; these look like degrees, "
            "but radians are expected (use --deg on the command line, or numpy.deg2rad)"
        )
        warnings.warn(message, UnitWarning, stacklevel=4)
