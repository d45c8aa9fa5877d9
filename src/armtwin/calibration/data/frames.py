r"""Base and tool frames from measured poses, in closed form.

The frames X (base) and Z (tool) of

.. math:: T^{measured}_i = X \, T_i \, Z

where ``T`` is the chain alone, without the arm's own base and tool.
"""

from __future__ import annotations

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.errors import InputError
from armtwin.kinematics.forward import fk
from armtwin.model.arm import IDENTITY, Arm
from armtwin.spatial import Array, from_parts

SMALL_TOOL = 1e-4
"""Weight of the tool's translation: a metre of it counts as 0.1 mm of error."""
ROUNDS, SETTLED = 200, 1e-10
"""Most alternations of base and tool, and the change [m, 1] that ends them."""


def aligned(arm: Arm, measured: PoseMeasurements, *, base: bool = True, tool: bool = True) -> Arm:
    """Return the arm with the base, the tool or both that fit the measured poses best.

    Args:
        arm: the arm; a frame that is not fitted stays as it is.
        measured: the poses; three at least.
        base: whether the base frame is free.
        tool: whether the tool frame is free; positions alone determine its translation only.

    Raises:
        InputError: fewer than three poses.
    """
    if len(measured) < 3:
        raise InputError(f"{len(measured)} poses cannot determine a base or a tool; give 3 or more")
    chain = fk(arm.with_(base=IDENTITY, tool=IDENTITY), measured.q, ignore_limits=True)
    X, Z = np.array(arm.base), np.array(arm.tool)
    if base and tool:
        X, Z = _both(chain, Z, measured)
    elif base:
        X = _base(chain @ Z, measured)
    elif tool:
        Z = _tool(X @ chain, Z, measured)
    return placed(arm, X, Z)


def placed(arm: Arm, base: Array, tool: Array) -> Arm:
    """Return the arm with other frames (4, 4); gravity rotates with the base.

    Args:
        arm: the arm.
        base: pose of the arm's base in the world (4, 4) [m].
        tool: pose of the tool in the flange frame (4, 4) [m].
    """
    rotation = base[:3, :3] @ np.array(arm.base)[:3, :3].T
    down = rotation @ np.array(arm.gravity)
    return arm.with_(base=base, tool=tool, gravity=tuple(down.tolist()))


def _tool(T: Array, before: Array, measured: PoseMeasurements) -> Array:
    r"""Return Z: its translation by least squares, its rotation as the mean of what is left.

    .. math:: R_i t = p^{measured}_i - p_i, \qquad R_Z = \mathrm{mean}(R_i^T R^{measured}_i)
    """
    R = T[:, :3, :3]
    translation = np.einsum("nij,ni->nj", R, measured.position - T[:, :3, 3]).mean(axis=0)
    if measured.rotation is None:
        return from_parts(before[:3, :3], translation)
    rotation = nearest_rotation(np.einsum("nji,njk->ik", R, measured.rotation))
    return from_parts(rotation, translation)


def _base(T: Array, measured: PoseMeasurements) -> Array:
    """Return X from the positions alone: the rotation between two clouds of points (Kabsch)."""
    p, m = T[:, :3, 3], measured.position
    centre_p, centre_m = p.mean(axis=0), m.mean(axis=0)
    rotation = nearest_rotation((m - centre_m).T @ (p - centre_p))
    return from_parts(rotation, centre_m - rotation @ centre_p)


def _both(chain: Array, Z: Array, measured: PoseMeasurements) -> tuple[Array, Array]:
    """Return the better of two solutions: rotations from the orientations, or from the positions.

    Orientations that hardly change leave a rotation open, and so do positions on a small arc.
    """
    X, Z = _both_from_positions(chain, Z, measured)
    if measured.rotation is None:
        return X, Z
    R = chain[:, :3, :3]
    seen = np.einsum("nji,kj,nkl->il", R, X[:3, :3], measured.rotation)
    rotations = [_turns(R, measured.rotation), (X[:3, :3], nearest_rotation(seen))]
    base, tool, _ = min((_placed(chain, measured, *pair) for pair in rotations), key=lambda w: w[2])
    return base, tool


def _both_from_positions(chain: Array, Z: Array, measured: PoseMeasurements) -> tuple[Array, Array]:
    r"""Fit the base and the tool's translation alternately: each step lowers the error.

    The base is that of ``_base``, the translation that of ``_tool``; both need the rows only in
    sums, which are formed once:

    .. math:: \sum_i (m_i - \bar m)(p_i + R_i t_Z - \ldots)^T, \qquad
        t_Z = \mathrm{mean}(R_i^T R_X^T (m_i - t_X) - R_i^T p_i)
    """
    R, p, m = chain[:, :3, :3], chain[:, :3, 3], measured.position
    mean_R, mean_p, mean_m = R.mean(axis=0), p.mean(axis=0), m.mean(axis=0)
    from_chain = (m - mean_m).T @ (p - mean_p)
    from_tool = np.einsum("ni,njk->ijk", m - mean_m, R - mean_R)
    seen = np.einsum("nij,nk->jik", R, m) / len(R)
    own = np.einsum("nij,ni->j", R, p) / len(R)
    X, t = np.eye(4), Z[:3, 3].copy()
    for _ in range(ROUNDS):
        before, last = X, t
        R_base = nearest_rotation(from_chain + from_tool @ t)
        X = from_parts(R_base, mean_m - R_base @ (mean_p + mean_R @ t))
        t = np.einsum("jik,ki->j", seen, R_base) - mean_R.T @ R_base.T @ X[:3, 3] - own
        if max(np.abs(X - before).max(), np.abs(t - last).max()) < SETTLED:
            break
    return X, from_parts(Z[:3, :3], t)


def _turns(R: Array, measured: Array) -> tuple[Array, Array]:
    r"""Return the rotations of base and tool with ``R_measured = R_X R R_Z`` (Shah, 2013).

    .. math:: K = \sum_i R^{measured}_i \otimes R_i

    has vec(R_X) and vec(R_Z^T) as its first singular vectors.
    """
    K = np.einsum("nij,nkl->ikjl", measured, R).reshape(9, 9)
    U, _, Vt = np.linalg.svd(K)
    left, right = U[:, 0].reshape(3, 3), Vt[0].reshape(3, 3)
    R_base = nearest_rotation(left * np.sign(np.linalg.det(left)))
    R_tool = nearest_rotation(right * np.sign(np.linalg.det(right))).T
    return R_base, R_tool


def _placed(
    T: Array, measured: PoseMeasurements, R_base: Array, R_tool: Array
) -> tuple[Array, Array, float]:
    r"""Return base and tool with given rotations, and the RMS distance that is left [m].

    .. math:: p^{measured}_i = t_X + R_X p_i + R_X R_i t_Z

    A metre of ``t_Z`` counts as 0.1 mm of error, so that directions in which both translations have
    the same effect (orientations that hardly change) stay small.
    """
    R = T[:, :3, :3]
    reach = np.broadcast_to(np.eye(3), R.shape)
    A = np.concatenate([reach, R_base @ R], axis=2).reshape(-1, 6)
    b = (measured.position - T[:, :3, 3] @ R_base.T).ravel()
    weak = SMALL_TOOL * np.sqrt(len(T)) * np.eye(6)[3:]
    translations = np.linalg.lstsq(np.vstack([A, weak]), np.append(b, np.zeros(3)), rcond=None)[0]
    rest = (b - A @ translations).reshape(-1, 3)
    distance = float(np.sqrt((rest**2).sum(axis=1).mean()))
    return from_parts(R_base, translations[:3]), from_parts(R_tool, translations[3:]), distance


def nearest_rotation(M: Array) -> Array:
    """Return the rotation R that maximises trace(R^T M)."""
    U, _, Vt = np.linalg.svd(M)
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))])
    return np.asarray(U @ flip @ Vt)
