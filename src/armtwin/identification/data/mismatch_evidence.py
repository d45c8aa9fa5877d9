"""Signals, reference torques and their possible causes, all through one low-pass.

Every column of the regression passes the same filter as the signals. Where only the signals do, an
acceleration that changes within a filter's length looks like a load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import CHUNK, IdentificationRun, Rows, RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion, low_pass
from armtwin.identification.estimation.prediction import Predictor
from armtwin.spatial import Array

THINNED_RATE = 20.0
"""Samples per second that are used, four times the band."""
MAX_ROWS = 6000
"""Rows of all runs together, to bound the time."""
FOLDS = 8
"""Blocks of time of the cross-validation and the jackknife."""
FILTER_LENGTHS = 6.0
"""Periods of the band after which the low-pass has forgotten where a chunk began."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Signals, reference torques and motion of all runs, below the band and thinned.

    Attributes:
        signal: motors' signals (n, dof) [A or Nm].
        reference: torques of the tested model (n, dof) [Nm].
        qd: (n, dof) [rad/s].
        qdd: (n, dof) [rad/s2].
        direction: sign of the speed (n, dof).
        by_payload: torque by mass and first moment of a payload on the last link (n, dof, 4).
        by_gravity: torque by gravity in the base frame (n, dof, 3).
        by_both: derivatives of ``by_payload`` by gravity (n, dof, 4, 3).
        used: mask of the used samples (n, dof).
        gravity: gravity of the model in the base frame (3,) [m/s2].
        fold: number of the block of time, 0 to FOLDS - 1 (n,).
    """

    signal: Array
    reference: Array
    qd: Array
    qdd: Array
    direction: Array
    by_payload: Array
    by_gravity: Array
    by_both: Array
    used: Rows
    gravity: Array
    fold: Array


def gather_evidence(
    runs: Sequence[IdentificationRun], predictor: Predictor, vector: Array, band: float
) -> Evidence | None:
    """Return the evidence of some runs; None where no motor signal is recorded.

    The reference is ``target_tau`` where every run has it, else the torque of the arm file.

    Args:
        runs: runs with motor signals.
        predictor: predictor of the arm.
        vector: parameters of the arm file.
        band: of the low-pass [Hz].
    """
    blocks = [
        (run.effort.averaged(), run.target.averaged() if run.target else None)
        for run in runs
        if run.effort is not None
    ]
    if not blocks:
        return None
    if any(target is None for _, target in blocks):
        blocks = [(effort, None) for effort, _ in blocks]
    total = sum(len(effort.signal) for effort, _ in blocks)
    step = max(1, round(blocks[0][0].rate / THINNED_RATE), -(-total // MAX_ROWS))
    columns = np.concatenate(
        [
            part
            for effort, target in blocks
            for part in _filtered(effort, target, (predictor, vector), (band, step))
        ]
    )
    signal, reference, qd, qdd, direction = np.moveaxis(columns[:, :, :5], 2, 0)
    by_payload, by_gravity, by_both = np.split(columns[:, :, 5:], [4, 7], axis=2)
    return Evidence(
        signal=signal,
        reference=reference,
        qd=qd,
        qdd=qdd,
        direction=direction,
        by_payload=by_payload,
        by_gravity=by_gravity,
        by_both=by_both.reshape(*by_payload.shape, 3),
        used=np.concatenate([effort.used[::step] for effort, _ in blocks]),
        gravity=vector[predictor.layout.gravity],
        fold=_folds(len(columns)),
    )


def _folds(rows: int) -> Array:
    """Return the number of the block of time of every row of all runs together."""
    return np.minimum(np.arange(rows) * FOLDS // max(rows, 1), FOLDS - 1)


def _filtered(
    effort: RunBlock,
    target: RunBlock | None,
    model: tuple[Predictor, Array],
    thinning: tuple[float, int],
) -> Iterator[Array]:
    """Yield a run's columns (n, dof, 24), low-passed and thinned, in chunks that overlap.

    Args:
        effort: motor signals.
        target: target torques; None where the reference is the arm file.
        model: predictor of the arm, and the parameters of its file.
        thinning: band of the low-pass [Hz], and every how many rows one is kept.
    """
    (band, step), total = thinning, len(effort.signal)
    overlap = int(np.ceil(FILTER_LENGTHS * effort.rate / band))
    for start in range(0, total, CHUNK):
        first, end = max(start - overlap, 0), min(start + CHUNK, total)
        rows = slice(first, min(end + overlap, total))
        columns = _columns(effort, target, rows, model)
        smooth = low_pass(columns, effort.rate, band)
        kept = np.arange(-(-start // step) * step, end, step)
        yield smooth[kept - first]


def _columns(
    effort: RunBlock, target: RunBlock | None, rows: slice, model: tuple[Predictor, Array]
) -> Array:
    """Return some rows of a run's columns (n, dof, 24), in the order of ``Evidence``."""
    (predictor, vector), motion = model, effort.motion.rows(rows)
    reference = target.signal[rows] if target else predictor.torques(motion, vector)[1]
    still = SmoothedMotion(motion.q, np.zeros_like(motion.q), np.zeros_like(motion.q))
    by_payload = predictor.matrix(motion, vector[predictor.layout.gravity])[:, :, -10:-6]
    by_both = [predictor.matrix(still, unit)[:, :, -10:-6] for unit in np.eye(3)]
    single = (effort.signal[rows], reference, motion.qd, motion.qdd, np.sign(motion.qd))
    wide = (by_payload, predictor.by_gravity(motion, vector))
    both = np.stack(by_both, axis=-1).reshape(*by_payload.shape[:2], 12)
    return np.concatenate([np.stack(single, axis=2), *wide, both], axis=2)
