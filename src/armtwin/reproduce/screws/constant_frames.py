"""The two constant frames between two models of the same arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array, from_parts


@dataclass(frozen=True)
class ConstantFrames:
    """``A_k = base . B_k . tool`` for every k, as nearly as two constant poses allow.

    Attributes:
        base: pose before (4, 4).
        tool: pose after (4, 4).
        position_error: largest distance left [m].
        rotation_error: largest entry left of the rotation difference.
    """

    base: Array
    tool: Array
    position_error: float
    rotation_error: float


def constant_frames(A: Array, B: Array) -> ConstantFrames:
    """Find the constant base and tool between poses ``A`` and ``B`` (n, 4, 4), n >= 3.

    Relative turns are the same turn seen from another base,
    ``log(A_k A_1^T) = R_base log(B_k B_1^T)``, which gives ``R_base`` (Kabsch); then
    ``R_tool = B_1^T R_base^T A_1``, and positions are linear in both shifts:

    .. math:: p_{A,k} - R_{base} p_{B,k} = R_{base} R_{B,k} p_{tool} + p_{base}
    """
    R_base = _turn(_relative_turns(A), _relative_turns(B))
    R_tool = B[0, :3, :3].T @ R_base.T @ A[0, :3, :3]
    turned = R_base @ B[:, :3, :3]
    columns = np.concatenate([turned, np.broadcast_to(np.eye(3), turned.shape)], axis=2)
    rest = A[:, :3, 3] - B[:, :3, 3] @ R_base.T
    shifts, *_ = np.linalg.lstsq(columns.reshape(-1, 6), rest.ravel(), rcond=None)
    base, tool = from_parts(R_base, shifts[3:]), from_parts(R_tool, shifts[:3])
    left = base @ B @ tool - A
    distances = np.linalg.norm(left[:, :3, 3], axis=1)
    return ConstantFrames(base, tool, float(distances.max()), float(np.abs(left[:, :3, :3]).max()))


def _relative_turns(T: Array) -> Array:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(T[1:, :3, :3] @ T[0, :3, :3].T).as_rotvec())


def _turn(a: Array, b: Array) -> Array:
    """Return the rotation R with ``a = R b`` in the least-squares sense, rows as vectors."""
    U, _, V = np.linalg.svd(a.T @ b)
    return np.asarray(U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V)
