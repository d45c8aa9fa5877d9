"""Real numbers, rotations and rigid poses as NumPy arrays.

Euler angles are extrinsic x-y-z, ``R = Rz(yaw) Ry(pitch) Rx(roll)``; quaternions are
``x, y, z, w`` with ``w >= 0``; poses are 4x4 matrices named by their frames.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import InputError

Array = NDArray[np.float64]

ORTHOGONAL_TOLERANCE = 1e-6
"""Largest entry of ``R^T R - I`` accepted as a rotation: matrices typed with seven digits pass."""
MAX_SHOWN = 60
"""Characters of a refused value that a message shows."""


def rotation_x(c: float, s: float) -> list[list[float]]:
    """Return the rows of the rotation about x with cosine ``c`` and sine ``s``."""
    return [[1, 0, 0], [0, c, -s], [0, s, c]]


def rotation_y(c: float, s: float) -> list[list[float]]:
    """Return the rows of the rotation about y with cosine ``c`` and sine ``s``."""
    return [[c, 0, s], [0, 1, 0], [-s, 0, c]]


def rotation_z(c: float, s: float) -> list[list[float]]:
    """Return the rows of the rotation about z with cosine ``c`` and sine ``s``."""
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def twist_rows(a: float, c: float, s: float) -> list[list[float]]:
    """Return the rows of ``Tx(a) Rx(alpha)``, 4x4, for the cosine and sine of alpha.

    Args:
        a: translation along x [m].
        c: cosine of the rotation alpha about x.
        s: sine of alpha.
    """
    return [[1, 0, 0, a], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]


def cos_sin(angle: float) -> tuple[float, float]:
    """Return cosine and sine, exact at multiples of a right angle.

    Table values such as ``pi/2`` then leave exact zeros, which keep poses of DH arms exact
    and their compiled equations short.
    """
    quarter = angle / (np.pi / 2)
    nearest = round(quarter)
    if abs(quarter - nearest) < 1e-15 * max(1.0, abs(quarter)):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[nearest % 4]
    return float(np.cos(angle)), float(np.sin(angle))


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Return ``R = Rz(yaw) Ry(pitch) Rx(roll)``, shape (3, 3).

    Args:
        roll: rotation about the fixed x axis [rad].
        pitch: then about the fixed y axis [rad].
        yaw: then about the fixed z axis [rad].
    """
    Rz, Ry, Rx = rotation_z(*cos_sin(yaw)), rotation_y(*cos_sin(pitch)), rotation_x(*cos_sin(roll))
    return np.array(Rz, float) @ np.array(Ry, float) @ np.array(Rx, float)


def rpy_from_rotation(R: Array) -> Array:
    r"""Return roll, pitch, yaw with ``R = Rz(yaw) Ry(pitch) Rx(roll)`` to rounding everywhere.

    Yaw comes from the first column and is removed before roll is computed, so that no digits are
    lost near pitch = +-90 deg, where only the sum or difference of roll and yaw is determined:

    .. math:: yaw = atan2(r_{21}, r_{11}), \; pitch = atan2(-r_{31}, c r_{11} + s r_{21}), \;
              roll = atan2(s r_{13} - c r_{23}, c r_{22} - s r_{12})

    with ``c, s`` the cosine and sine of yaw. (``tool_coordinates`` sets roll = 0 there instead.)
    """
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = cos_sin(float(yaw))
    pitch = np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return np.array([roll, pitch, yaw])


def as_numbers(value: ArrayLike, what: str = "value") -> Array:
    """Return real numbers as a float64 array: the one place that converts what users give.

    Integers, booleans and floats of any width are taken, and objects that convert to floats.

    Args:
        value: numbers in any nesting.
        what: the beginning of messages.

    Raises:
        InputError: text, complex numbers, dates, missing or ragged entries.
    """
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value
    try:
        array = np.asarray(value)
        kind = array.dtype.kind
        words = kind == "O" and any(isinstance(x, str | bytes | complex | None) for x in array.flat)
        if kind not in "biufO" or words:
            name = {"U": "text", "S": "bytes", "c": "complex numbers"}.get(kind, str(array.dtype))
            raise InputError(f"{what} must be real numbers, got {name}: {_beginning(value)}")
        return np.asarray(array, np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{what} must be real numbers: {error}") from error


def as_number(value: Any, what: str = "value") -> float:
    """Return one real number as a float; NaN and infinity are for the caller to judge.

    Raises:
        InputError: text, None, a complex number, or several numbers.
    """
    array = as_numbers(value, what)
    if array.shape != ():
        raise InputError(f"{what} must be one number, got shape {array.shape}")
    return float(array)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number of Python or NumPy; a boolean is none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def as_seed(value: object) -> int:
    """Return the seed of random numbers as NumPy takes it.

    Raises:
        InputError: no whole number, or a negative one.
    """
    if not is_whole(value) or value < 0:
        raise InputError(f"seed is {value!r}; give a whole number, 0 or more")
    return int(value)


def _beginning(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def pose(xyz: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> Array:
    """Return the 4x4 pose with position ``xyz`` [m] and angles ``rpy`` [rad]."""
    position, angles = as_numbers(xyz, "xyz"), as_numbers(rpy, "rpy")
    if position.shape != (3,) or angles.shape != (3,):
        raise InputError(
            f"a pose takes 3 coordinates and 3 angles, got shapes {position.shape} and "
            f"{angles.shape}; give xyz=(x, y, z) in metres and rpy=(roll, pitch, yaw) in radians"
        )
    return from_parts(rotation_from_rpy(*angles.tolist()), position)


def from_parts(rotation: ArrayLike, position: ArrayLike) -> Array:
    """Return the pose made of a rotation (3, 3) and a position (3,)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def inverse(T: Array) -> Array:
    r"""Return the inverse of rigid poses, shape (..., 4, 4).

    .. math:: T^{-1} = \begin{bmatrix} R^T & -R^T p \\ 0 & 1 \end{bmatrix}
    """
    out = np.zeros_like(T)
    R_t = np.swapaxes(T[..., :3, :3], -1, -2)
    out[..., :3, :3] = R_t
    out[..., :3, 3] = -(R_t @ T[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1.0
    return out


def skew(v: ArrayLike) -> Array:
    """Return ``[v]x`` with ``[v]x u = v x u``."""
    x, y, z = as_numbers(v, "vector")
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def screw_frame(screw: Any) -> Array:
    """Return F, a pose whose z axis is the screw's axis: ``exp([S] s) = F motion_z(s) F^-1``.

    Its origin is the axis' point nearest to the reference frame's origin (that origin itself for
    a prismatic screw). The zero screw, allowed for a fixed row, gives the identity.
    """
    omega, v = np.split(as_numbers(screw, "screw"), 2)
    turning = bool(np.linalg.norm(omega) > 0.5)
    z = omega if turning else v
    if not z.any():
        return np.eye(4)
    z = z / np.linalg.norm(z)
    origin = np.cross(omega, v) if turning else np.zeros(3)
    across = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x = across / np.linalg.norm(across)
    return from_parts(np.column_stack([x, np.cross(z, x), z]), origin)


def as_pose(value: ArrayLike, what: str = "pose") -> Array:
    """Return poses (..., 4, 4) after checking that every one is rigid.

    Raises:
        InputError: wrong shape, NaN, a last row other than 0 0 0 1, or a rotation part whose
            ``R^T R`` differs from identity by more than 1e-6 or that is a reflection.
    """
    T = as_numbers(value, what)
    if T.shape[-2:] != (4, 4):
        raise InputError(f"{what} has shape {T.shape}; expected (..., 4, 4)")
    if not np.isfinite(T).all():
        raise InputError(f"{what} holds NaN or infinity; every entry must be finite")
    if np.abs(T[..., 3, :] - [0, 0, 0, 1]).max(initial=0) > ORTHOGONAL_TOLERANCE:
        raise InputError(f"{what} must end in the row 0 0 0 1")
    R = T[..., :3, :3]
    error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0)
    if error > ORTHOGONAL_TOLERANCE:
        raise InputError(
            f"{what} is not orthogonal: R^T R differs from identity by {error:.3g} "
            f"(allowed {ORTHOGONAL_TOLERANCE:g}); its columns must be perpendicular unit vectors"
        )
    if (np.linalg.det(R) < 0).any():
        raise InputError(f"{what} is a reflection (determinant -1); swap or negate one axis")
    return T
