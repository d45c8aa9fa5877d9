"""Uncertainty of the tool position of a calibrated arm, by Monte Carlo.

Every draw is a possible arm: geometry, compliances, error curves and frames, drawn within the
covariance of a calibration. All draws are put to the same poses by the exact equation

    T(q, x) = base . D_base(x) . chain(q + e(q; x) - c(x) g(q); x) . D_tool(x) . tool

and compared with the fitted arm.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armtwin.calibration.fit.harmonics import deflections, harmonics
from armtwin.calibration.geometry_posterior import GeometryPosterior
from armtwin.calibration.result import Calibration
from armtwin.equations.kinematics import calibration_model as calibration_model_equations
from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress, report_step
from armtwin.spatial import Array, as_seed, is_whole
from armtwin.workspace.cell_grid import checked_cell
from armtwin.workspace.device import Device, DeviceName, Run, choose
from armtwin.workspace.joint_ranges import joint_ranges
from armtwin.workspace.uncertainty_result import ToolUncertainty, grid_over

MAX_DRAWS, MAX_POSES = 10_000_000, 100_000
"""Limits of a request: draws are computed in blocks, each over all poses."""
DRAWS_AT_ONCE = 2000
"""Draws of a block: fixed, so that a seed gives the same draws on every device."""
ROWS = {"cpu": 1 << 14, "gpu": 1 << 19}
"""Draws times poses of one call: on a processor its arrays stay in the cache."""


def tool_uncertainty(
    calibration: Calibration,
    *,
    draws: int = 2000,
    poses: int | ArrayLike = 2000,
    cell: float | None = None,
    seed: int = 0,
    device: DeviceName = "auto",
    on_progress: OnProgress | None = None,
) -> ToolUncertainty:
    """Return the tool's error over the workspace that the uncertainty of a calibration leaves.

    Args:
        calibration: from ``calibrate``.
        draws: number of possible arms.
        poses: number of random poses within the joint limits, or joint vectors (n, dof) [rad | m].
        cell: edge of the cells that poses are gathered in [m]; None: a tenth of the longest side.
        seed: of draws and poses.
        device: "cpu", "gpu", or "auto" for a GPU where there is one (CuPy) and it is worth it.
        on_progress: called as the work goes on.

    Raises:
        InputError: no calibration, nothing was fitted, or draws, poses, cell or seed of no use.
    """
    posterior = _posterior(calibration)
    if not is_whole(draws) or not 2 <= draws <= MAX_DRAWS:
        raise InputError(f"{draws!r} draws; give a whole number, 2 to {MAX_DRAWS:,}")
    cell = None if cell is None else checked_cell(cell)
    draws, seed = int(draws), as_seed(seed)
    q = _joints(calibration.arm, poses, seed)
    chosen = choose(device, draws * len(q))
    start = time.perf_counter()
    sums = _Sums(posterior, q, chosen)
    grid_over(sums.nominal[:, :3, 3], cell)  # refuses too many cells before the draws
    rng = np.random.default_rng(seed)
    for first in range(0, draws, DRAWS_AT_ONCE):
        report_step(on_progress, "draws", first / draws)
        sums.add(posterior.draws(min(DRAWS_AT_ONCE, draws - first), rng))
    covariance, turn_variance = first_order(posterior, q)
    return ToolUncertainty(
        arm=calibration.arm,
        q=q,
        position=sums.nominal[:, :3, 3],
        bias=sums.total / draws,
        second_moment=sums.products / draws,
        turn_rms=np.sqrt(sums.turns / draws),
        first_order=covariance,
        first_order_turn_rms=np.sqrt(turn_variance),
        arm_rms=np.sqrt(np.concatenate(sums.by_draw) / len(q)),
        arm_max=np.concatenate(sums.largest),
        left_out=calibration.left_out,
        cell=cell,
        seed=seed,
        device=chosen.name,
        seconds=time.perf_counter() - start,
    )


def _posterior(calibration: Calibration) -> GeometryPosterior:
    """Return the fitted parameters with their covariance; refuse what has none."""
    if not isinstance(calibration, Calibration):
        raise InputError(
            f"expected a Calibration, got {type(calibration).__name__}; make one with "
            "armtwin.calibrate(arm, recordings)"
        )
    if calibration.posterior is None:
        raise InputError("this calibration fitted no parameter, so that nothing is uncertain")
    return calibration.posterior


def _joints(arm: Arm, poses: int | ArrayLike, seed: int) -> Array:
    """Return the joint vectors (n, dof): random ones within the limits, or the given ones."""
    if is_whole(poses):
        count = int(poses)
        if not 1 <= count <= MAX_POSES:
            raise InputError(f"{count} poses; give 1 to {MAX_POSES:,}, or joint vectors")
        low, span = joint_ranges(arm)
        return low + span * np.random.default_rng([seed, 1]).uniform(size=(count, arm.dof))
    q = np.atleast_2d(as_joints(arm, poses, name="poses"))
    if q.ndim != 2 or not 1 <= len(q) <= MAX_POSES:
        raise InputError(f"poses have shape {q.shape}; give (n, {arm.dof}), n 1 to {MAX_POSES:,}")
    return q


def first_order(posterior: GeometryPosterior, q: Array) -> tuple[Array, Array]:
    r"""Return the covariance (n, 3, 3) of positions and the variance (n,) of angles.

    .. math:: C_T = J C J^T

    Args:
        posterior: parameters with their covariance C.
        q: joint vectors (n, dof).
    """
    model, free = posterior.model, list(posterior.free)
    covariance, angles = np.empty((len(q), 3, 3)), np.empty(len(q))
    for first in range(0, len(q), 256):
        rows = slice(first, first + 256)
        J = model.poses(q[rows], model.load(q[rows]), posterior.changes)[1][:, :, free]
        C = J @ posterior.covariance @ J.swapaxes(1, 2)
        covariance[rows], angles[rows] = C[:, :3, :3], np.einsum("nii->n", C[:, 3:, 3:])
    return covariance, angles


class _Sums:
    """Sums of the errors over draws, per pose, and over poses, per draw.

    Attributes:
        nominal: the fitted arm's tool (n, 4, 4).
        total: sum of the errors (n, 3) [m].
        products: sum of their products (n, 3, 3) [m2].
        turns: sum of the squared angles (n,) [rad2].
        by_draw: per block of draws, the sums of squared distances (draws,) [m2].
        largest: per block of draws, the largest distances (draws,) [m].
    """

    def __init__(self, posterior: GeometryPosterior, q: Array, device: Device) -> None:
        self._posterior, self._q, self._device = posterior, q, device
        model = posterior.model
        self._load = model.load(q)
        self.nominal = model.poses(q, self._load, posterior.changes)[0]
        self.total, self.products = np.zeros((len(q), 3)), np.zeros((len(q), 3, 3))
        self.turns = np.zeros(len(q))
        self.by_draw: list[Array] = []
        self.largest: list[Array] = []
        frames = [frame[0][:3].ravel() for frame in (model.bases, model.tools)]
        equation = calibration_model_equations.pose_by_parameters
        self._run: Run = device.bind(model.skeleton, equation, frames, ROWS[device.name])

    def add(self, changes: Array) -> None:
        """Count a block of draws (draws, parameters) at all poses."""
        device, model = self._device, self._posterior.model
        count = max(ROWS[device.name] // len(changes), 1)
        vectors = device.xp.tile(device.xp.asarray(model.vectors(changes)), (count, 1))
        flexing = [device.xp.asarray(values) for values in model.joint_values(changes)]
        squares, largest = device.xp.zeros(len(changes)), device.xp.zeros(len(changes))
        for first in range(0, len(self._q), count):
            rows = slice(first, first + count)
            errors = self._errors(vectors, flexing, rows)
            distance = (errors**2).sum(axis=2)
            squares += distance.sum(axis=0)
            largest = device.xp.maximum(largest, distance.max(axis=0))
            self.total[rows] += device.host(errors.sum(axis=1))
            products = device.xp.matmul(errors.swapaxes(1, 2), errors)
            self.products[rows] += device.host(products)
        self.by_draw.append(device.host(squares))
        self.largest.append(np.sqrt(device.host(largest)))

    def _errors(self, vectors: Any, flexing: list[Any], rows: slice) -> Any:
        """Return the errors (poses, draws, 3) of some poses; add their angles to ``turns``.

        Args:
            vectors: chain and frames of the draws, repeated for the poses (poses * draws, size).
            flexing: their compliances (draws, dof) and curves (draws, dof, 2 K).
            rows: the poses.
        """
        xp, waves = self._device.xp, harmonics(self._q[rows], flexing[1].shape[2] // 2)
        given = (self._q[rows], self._load[rows], waves, self.nominal[rows])
        q, load, waves, nominal = (xp.asarray(x) for x in given)
        joints = q[:, None] + deflections(load, waves, *flexing)
        poses, draws, dof = joints.shape
        T = self._run(joints.reshape(-1, dof), vectors[: poses * draws])[0]
        T = T.reshape(poses, draws, 4, 4)
        turned = ((T[..., :3, :3] - nominal[:, None, :3, :3]) ** 2).sum(axis=(2, 3))
        angles = 2 * xp.arcsin(xp.sqrt(turned / 8))  # |R - R0| = 2 sqrt(2) sin(angle / 2)
        self.turns[rows] += self._device.host((angles**2).sum(axis=1))
        return T[..., :3, 3] - nominal[:, None, :3, 3]
