r"""Lag of the recorded pose behind the joints, separated from errors of the geometry.

A joint that is off by a few degrees shifts the tool in a direction that changes along the motion,
as a lag does. So the lag L is estimated together with every number of the geometry: joint zeros,
lengths, twists, base and tool, each with a tolerance, as a calibration does,

.. math:: T^{real}(t) = X \; T(q(t - L) + \delta; a, \alpha, d) \; Z + noise

and is separated from them by what they cannot imitate: an error that follows the speed. The last
steps use a smoothed speed as the instrument, which noise of the recorded joints does not bias:

.. math:: [z \; N]^T W \left( e + [s \; N] [\Delta L \; \Delta x]^T \right) + [0 \; S^{-2} x]^T = 0

with z and s the smooth and the sharp derivative by the lag, N those by the geometry x, and S its
tolerances.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.initial_fit import prepared
from armtwin.calibration.fit.robust import robust_weights, solve, spreads
from armtwin.calibration.fit.uncertainty import block_sums
from armtwin.calibration.options import CalibrateOptions
from armtwin.model.arm import Arm
from armtwin.model.convert import with_dh_rows
from armtwin.recording.slopes import local_slopes
from armtwin.spatial import Array
from armtwin.validation.lags.pose_lag_problem import PoseLagProblem, RecordedMotion, RowClock
from armtwin.validation.lags.signal_lag import (
    BLOCKS,
    FARTHEST,
    MIN_ROWS,
    ROUNDS,
    SETTLED,
    SMOOTHING,
    Lag,
    shift_costs,
    shifted_products,
)
from armtwin.validation.recorded_poses import RecordedPoses, continuous_signs, twin_coordinates

MAX_ROWS, MIDDLE_ROWS, SEARCH_ROWS = 30_000, 1500, 300
"""Rows, evenly spread, of the final steps, of those before and of the search.

The search needs few rows; noise is averaged over many in the end. Speeds come from all rows.
"""
UNSEEN = 1e-13
"""Smallest singular value, relative to the largest, that is used when a step goes too far.

Where a recording fits exactly, its weights are so large that the prior of what it does not show
is lost in rounding."""
FINAL_ROUNDS = 2
"""Steps over all rows, from the solution over ``MIDDLE_ROWS``, which is near."""
OFFSET_TOLERANCE = 0.1
"""Joint zeros may be off by several degrees [rad]; other numbers as in a calibration."""
MARGIN = 10
"""Samples at both ends that are left out, so that the lag may change during the search."""
STILL = 1e-9
"""Joints, positions and quaternions that vary less do not move [rad | m | 1]."""


def estimate_pose_lag(arm: Arm, time: Array, poses: RecordedPoses) -> Lag | None:
    """Return the lag of the recorded pose behind the recorded joints, or None where it is unknown.

    It is unknown where the joints do not move, or not what was recorded of the pose, or where no
    geometry near the arm's explains the recorded poses, so that they are of another arm, in
    another unit or in another convention.

    Args:
        arm: the twin.
        time: stamps of the poses (n,) [s], increasing.
        poses: the recorded poses.
    """
    if time.size < MIN_ROWS or float(poses.q.std(axis=0).max()) < STILL:
        return None
    arm = with_dh_rows(arm, "modified-dh")
    twin = twin_coordinates(arm, poses.q)
    kinds = [
        kind
        for kind in ("position", "quaternion")
        if getattr(poses, kind) is not None and _signal(twin, kind).std(axis=0).max() > STILL
    ]
    while kinds:
        problem = _problem(arm, time, poses, kinds)
        if problem is None:
            return None
        search = problem.thinned(SEARCH_ROWS)
        x = solve(search.errors, search.tolerances).x
        good = search.explained(x)
        if len(good) == len(kinds):
            return _refined(problem, x)
        kinds = good
    return None


def _problem(
    arm: Arm, time: Array, poses: RecordedPoses, kinds: Sequence[str]
) -> PoseLagProblem | None:
    """Return the problem at a coarse lag, its rows thinned."""
    step = float(np.median(np.diff(time)))
    start = _coarse(arm, poses, kinds, min(int(FARTHEST / step), time.size // 4)) * step
    slopes = [local_slopes(time, poses.q, half) for half in (1, SMOOTHING)]
    at, margin = time - start, MARGIN * step
    inside = np.flatnonzero((at >= time[0] + margin) & (at <= time[-1] - margin))
    if inside.size < MIN_ROWS // 2:
        return None
    rows = inside[np.linspace(0, inside.size - 1, min(inside.size, MAX_ROWS)).astype(int)]
    motion = RecordedMotion(time, poses.q, slopes[0], slopes[1])
    measured = _measured(poses, rows, motion.joints(time[rows] - start))
    few = np.linspace(0, rows.size - 1, min(rows.size, SEARCH_ROWS)).astype(int)
    trials = prepared(arm, measured.take(few), CalibrateOptions(parameters="geometry"))
    offsets = trials.model.indices(("offsets",))
    tolerances = trials.tolerances.copy()
    tolerances[offsets] = OFFSET_TOLERANCE
    columns = [c for c, kind in ((0, "position"), (3, "quaternion")) if kind in kinds]
    return PoseLagProblem(
        trials.model,
        measured,
        motion,
        RowClock(time[rows], start, step),
        np.append(FARTHEST, tolerances),
        np.concatenate([np.arange(c, c + 3) for c in columns]),
        tuple(kinds),
    )


def _coarse(arm: Arm, poses: RecordedPoses, kinds: Sequence[str], most: int) -> int:
    """Return the whole number of samples that fits best where the geometry is right.

    A quaternion and its negative are one orientation. Without jumps from row to row, one sign of
    all recorded quaternions remains open. It is chosen at each shift so that they agree with the
    twin's there: single rows do not tell it where w is about 0, nor do unshifted ones.
    """
    twin = twin_coordinates(arm, poses.q)
    y, z = ([_signal(side, kind) for kind in kinds] for side in (twin, poses))
    costs = _shift_costs(y, z, most)
    if "quaternion" in kinds:
        k = kinds.index("quaternion")
        opposite = shifted_products(y[k], z[k], most) < 0
        z[k] = -z[k]
        costs = np.where(opposite, _shift_costs(y, z, most), costs)
    return int(np.argmin(costs)) - most


def _shift_costs(twin: Sequence[Array], real: Sequence[Array], most: int) -> Array:
    """Return the cost of every shift (2 most + 1,), all moving columns with equal weight."""
    y, z = np.hstack(twin), np.hstack(real)
    size = y.std(axis=0)
    moving = size > STILL
    return shift_costs(y[:, moving] / size[moving], z[:, moving] / size[moving], most)


def _signal(side: object, kind: str) -> Array:
    """Return positions (n, 3), or quaternions (n, 4) without jumps of their sign."""
    values: Array = getattr(side, kind)
    return values if kind == "position" else values * continuous_signs(values)[:, None]


def _measured(poses: RecordedPoses, rows: Array, q: Array) -> PoseMeasurements:
    """Return some recorded poses beside the joints that they belong to."""
    from scipy.spatial.transform import Rotation

    position = np.zeros((rows.size, 3)) if poses.position is None else poses.position[rows]
    rotation = None
    if poses.quaternion is not None:
        rotation = np.asarray(Rotation.from_quat(poses.quaternion[rows]).as_matrix())
    return PoseMeasurements(q, position, rotation, np.arange(rows.size) * BLOCKS // rows.size)


def _refined(problem: PoseLagProblem, x: Array) -> Lag | None:
    """Return the lag with its interval, from a solution near to it."""
    middle = problem.thinned(MIDDLE_ROWS)
    x = _steps(middle, x, ROUNDS)
    if len(problem.measured) > MIDDLE_ROWS:
        x = _steps(problem, x, FINAL_ROUNDS)
    if not np.isfinite(x).all() or abs(x[0] + problem.clock.start) > FARTHEST + 1.0:
        return None
    deviation = _deviation(problem, x)
    seconds, step = problem.clock.start + float(x[0]), problem.clock.step
    samples, half = seconds / step, 1.96 * deviation / step
    return Lag(samples, seconds, (samples - half, samples + half), middle.removed(x))


def _steps(problem: PoseLagProblem, x: Array, rounds: int) -> Array:
    """Return the solution after some steps with the smoothed speed as the instrument."""
    prior = problem.prior
    e = problem.residuals(x)
    weights = robust_weights(e, spreads(e))
    for _ in range(rounds):
        M, scores = _normal(problem, x, weights)
        scale = np.sqrt(1 / np.maximum(np.abs(np.diag(M)), 1e-300))
        score = scores.sum(axis=0) + prior * x
        scaled, right = M * np.outer(scale, scale), score * scale
        change = -_solved(scaled, right) * scale
        if not abs(x[0] + change[0] + problem.clock.start) <= FARTHEST + 1.0:
            change = -_solved(scaled, right, UNSEEN) * scale
        x = x + change
        if not np.isfinite(x).all() or abs(change[0]) < SETTLED * problem.clock.step:
            break
    return x


def _normal(problem: PoseLagProblem, x: Array, weights: Array) -> tuple[Array, Array]:
    """Return the matrix of a step (k, k) and the weighted score of every row (n, k).

    Args:
        problem: the problem.
        x: where it is linearised (k,).
        weights: of every error (n, m).
    """
    M, scores = np.diag(problem.prior), np.empty((len(weights), x.size))
    for rows, part in problem.parts():
        e, smooth, sharp = part.both(x)
        w = weights[rows, :, None]
        Z, X = smooth * w, sharp * w
        M += Z.reshape(e.size, x.size).T @ X.reshape(e.size, x.size)
        scores[rows] = np.einsum("nmk,nm->nk", Z, e * weights[rows])
    return M, scores


def _solved(M: Array, right: Array, unseen: float = 1e-15) -> Array:
    """Return the solution of ``M x = right``; where M is singular, the one of least norm.

    Args:
        M: scaled matrix (k, k).
        right: (k,).
        unseen: smallest singular value that is used, relative to the largest, if M is singular
            or this is above its default.
    """
    if unseen <= 1e-15:
        with contextlib.suppress(np.linalg.LinAlgError):
            return np.asarray(np.linalg.solve(M, right), np.float64)
    return np.asarray(np.linalg.lstsq(M, right, rcond=unseen)[0], np.float64)


def _deviation(problem: PoseLagProblem, x: Array) -> float:
    """Return the standard deviation of the lag [s], for noise that may last for a while."""
    e, prior = problem.residuals(x), problem.prior
    M, scores = _normal(problem, x, robust_weights(e, spreads(e)))
    inverse = np.linalg.pinv(M, rcond=1e-15)
    sums = block_sums(scores, problem.measured.block)
    small_sample = e.size / max(e.size - x.size, 1)
    C = inverse @ (small_sample * sums.T @ sums + np.diag(prior)) @ inverse.T
    return float(np.sqrt(max(C[0, 0], 0.0)))
