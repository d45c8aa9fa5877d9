r"""Test whether recorded target torques contain friction.

A UR controller reports as target torque what its rigid-body model needs. Other controllers, the
simulated one among them, report the commanded torque, in which friction is contained: links and
rotors must then not be fitted to it. Every target torque is regressed on everything that a rigid
body can need, whatever its parameters, payload and mounting, and again with friction added:

.. math:: \tau_j = Y_j(q, \dot q, \ddot q)\, \pi + J_j \ddot q_j + G_j(q)\, g
          \;[\, + f_c\, \mathrm{sign}(\dot q_j) + f_v \dot q_j \,]

Friction is odd in the speeds and the torque of rigid bodies even, so that errors of the model are
not taken for friction.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armtwin.identification.data.runs import IdentificationRun, Rows, RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion
from armtwin.identification.estimation.prediction import Predictor
from armtwin.spatial import Array

MOVING = 0.02
"""Speed above which a joint's friction has a sign [rad/s]."""
MAX_ROWS = 2000
"""Rows of a regression at most, to bound the time."""
MIN_ROWS = 200
"""Rows of a moving joint at least; the regression has some 80 columns."""
EXPLAINS = 0.5
"""Share of what rigid bodies leave that friction must explain."""
MIN_SHARE = 0.01
"""Least size of friction, as a share of the target torque (both RMS)."""
RIDGE = 1e-10
"""Relative size of directions that count as undetermined."""


def without_friction_targets(
    runs: list[IdentificationRun],
    tests: list[IdentificationRun],
    predictor: Predictor,
    vector: Array,
) -> tuple[list[IdentificationRun], list[IdentificationRun], tuple[str, ...]]:
    """Return the runs without target torques where those contain friction, and a note on it.

    Args:
        runs: runs to fit.
        tests: runs to predict.
        predictor: predictor of the arm.
        vector: parameters of the arm file.
    """
    blocks = [run.target for run in runs if run.target is not None]
    found = friction_in_targets(blocks, predictor, vector)
    if found is None or 2 * int(found[0].sum()) < int(found[1].sum()) or not found[0].any():
        return runs, tests, ()
    joints = ", ".join(str(j + 1) for j in np.flatnonzero(found[0]))
    note = f"target_tau contains friction (joint {joints}): it is not the torque of rigid bodies"
    if any(run.effort is None for run in runs):
        return runs, tests, (f"{note}; no motor signal is recorded, estimates of links are biased",)
    note += ", as a UR controller's is, and is not used"
    return without_targets(runs), without_targets(tests), (note,)


def without_targets(runs: Sequence[IdentificationRun]) -> list[IdentificationRun]:
    """Return the runs without target torques."""
    return [dataclasses.replace(run, target=None) for run in runs]


def friction_in_targets(
    blocks: Sequence[RunBlock], predictor: Predictor, vector: Array
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Return which joints' target torques contain friction, and which joints were judged (dof,).

    Args:
        blocks: target torques.
        predictor: predictor of the arm.
        vector: parameters of the arm file.

    Returns:
        None without target torques.
    """
    if not blocks:
        return None
    every = max(1, -(-sum(len(block.signal) for block in blocks) // MAX_ROWS))
    parts = [_thinned(block, every, predictor, vector) for block in blocks]
    rigid, qd, signal, used = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    dof = signal.shape[1]
    contained, judged = np.zeros(dof, bool), np.zeros(dof, bool)
    for j in range(dof):
        rows = used[:, j].astype(bool)
        if rows.sum() < MIN_ROWS or np.ptp(np.sign(qd[rows, j])) < 2:
            continue
        judged[j] = True
        contained[j] = _contained(rigid[rows, j], qd[rows, j], signal[rows, j])
    return contained, judged


def _thinned(
    block: RunBlock, every: int, predictor: Predictor, vector: Array
) -> tuple[Array, Array, Array, Rows]:
    """Return rigid-body columns (n, dof, k), speeds, torques and the mask of some rows."""
    m, rows = block.motion, slice(0, None, every)
    motion = SmoothedMotion(m.q[rows], m.qd[rows], m.qdd[rows])
    Y = predictor.matrix(motion, vector[predictor.layout.gravity])
    own = motion.qdd[:, :, None] * np.eye(motion.qd.shape[1])
    rigid = np.concatenate([Y, own, predictor.by_gravity(motion, vector)], axis=2)
    moving = np.abs(motion.qd) > MOVING
    return rigid, motion.qd, block.signal[rows], block.used[rows] & moving


def _contained(rigid: Array, speed: Array, torque: Array) -> bool:
    """Return whether friction explains most of what rigid bodies leave of a torque (n,)."""
    sizes = np.sqrt((rigid**2).mean(axis=0))
    seen = sizes > RIDGE * sizes.max()
    U, s, _ = np.linalg.svd(rigid[:, seen] / sizes[seen], full_matrices=False)
    U = U[:, s > np.sqrt(RIDGE) * s[0]]
    friction = np.column_stack([np.sign(speed), speed])
    F, left = (x - U @ (U.T @ x) for x in (friction, torque))
    coefficients, *_ = np.linalg.lstsq(F, left, rcond=None)
    after = left - F @ coefficients
    size = float(np.sqrt(((friction @ coefficients) ** 2).mean()))
    explained = 1 - float(after @ after) / max(float(left @ left), 1e-300)
    return explained > EXPLAINS and size > MIN_SHARE * float(np.sqrt((torque**2).mean()))
