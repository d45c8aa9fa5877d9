"""Conversion between the orientation formats of recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError, MissingColumnError
from armtwin.recording.columns.names import listed
from armtwin.spatial import Array

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

    from armtwin.recording.recording import Recording

FORMS = ("quaternion", "rotation_vector", "rpy")
UNIT_TOLERANCE = 1e-2
"""Difference of a quaternion's length from 1 that rounding of a log can make."""


def poses(recording: Recording, prefix: str = "") -> Array:
    """Return the poses (n, 4, 4) that position and orientation columns hold."""
    T = np.zeros((len(recording), 4, 4))
    T[:, :3, 3] = recording.group(prefix + "position")
    T[:, :3, :3] = rotations(recording, prefix).as_matrix()
    T[:, 3, 3] = 1.0
    return T


def rotations(recording: Recording, prefix: str = "") -> Rotation:
    """Return the orientations, from the first of quaternion, rotation vector and angles."""
    for form in FORMS:
        if recording.has(prefix + form):
            return to_rotation(form, recording.group(prefix + form))
    raise MissingColumnError(
        "the recording has no orientation: neither qx qy qz qw, nor rx ry rz, nor roll pitch yaw "
        f"(prefix {prefix!r}); it has {listed(recording.columns)}"
    )


def to_rotation(form: str, values: Array) -> Rotation:
    """Return rotations of one form's columns (n, 3 or 4)."""
    from scipy.spatial.transform import Rotation

    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise InputError(
            f"the orientation ({form}) has no value at row {row + 1}; close the gaps first with "
            "'armtwin prepare'"
        )
    writable = values.copy()  # SciPy refuses locked arrays
    if form == "quaternion":
        return Rotation.from_quat(writable)
    if form == "rotation_vector":
        return Rotation.from_rotvec(writable)
    return Rotation.from_euler("xyz", writable)


def from_rotation(form: str, rotation: Rotation) -> Array:
    """Return one form's columns of rotations; quaternions with w >= 0."""
    if form == "quaternion":
        return np.asarray(rotation.as_quat(canonical=True))
    if form == "rotation_vector":
        return np.asarray(rotation.as_rotvec())
    return np.asarray(rotation.as_euler("xyz"))


def euler_to_quaternion(axes: str, angles: Array) -> Array:
    """Return quaternions (n, 4), w >= 0, of Euler angles (n, 3) [rad]; NaN rows stay NaN.

    Args:
        axes: three letters; capitals turn about the moving axes (intrinsic), ``XYZ`` is
            ``R = Rx(a) Ry(b) Rz(c)``; small ones about the fixed axes (extrinsic).
        angles: (n, 3) [rad], in the order of the letters.
    """
    from scipy.spatial.transform import Rotation

    whole = np.isfinite(angles).all(axis=1)
    out = np.full((len(angles), 4), np.nan)
    if whole.any():
        out[whole] = Rotation.from_euler(axes, angles[whole]).as_quat(canonical=True)
    return out


def canonical_quaternions(values: Array, origin: str) -> tuple[Array, int]:
    """Return unit quaternions (n, 4) with w >= 0, and how many rows changed sign.

    Raises:
        InputError: a row that is no unit quaternion.
    """
    length = np.linalg.norm(values, axis=1)
    off = np.abs(length - 1) > UNIT_TOLERANCE
    if off.any():
        row = int(off.argmax())
        raise InputError(
            f"{origin}: qx qy qz qw at row {row + 1} has length {length[row]:.4g}; "
            "a quaternion has length 1 (is the order x, y, z, w? name the columns in a mapping)"
        )
    negative = values[:, 3] < 0
    sign = np.where(negative, -1.0, 1.0)
    return values * (sign / length)[:, None], int(negative.sum())
