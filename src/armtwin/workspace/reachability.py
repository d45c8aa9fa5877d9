"""Map of the positions that the tool reaches, with approach directions and manipulability."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from armtwin.equations.kinematics import manipulability as manipulability_equations
from armtwin.errors import InputError
from armtwin.kinematics.forward import fk, jacobian
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.progress import OnProgress, report_step
from armtwin.spatial import Array, as_numbers, as_seed, is_whole
from armtwin.workspace.cell_grid import FLAT, CellGrid, checked_cell
from armtwin.workspace.cell_sums import DIRECTIONS, CellSums
from armtwin.workspace.device import Device, DeviceName, Run, choose
from armtwin.workspace.joint_ranges import joint_ranges
from armtwin.workspace.reach_result import Reachability

MAX_POSES = 10**12
"""Largest number of poses that is accepted."""
CELLS_ACROSS = 48
"""Cells along the longest side of the grid where no size is given."""
PILOT, ROOM = 1 << 16, 0.04
"""Samples from which the grid's box is taken, and its margin as a share of its longest side."""


def reachability(
    arm: ArmLike,
    *,
    poses: int = 10_000_000,
    cell: float | None = None,
    box: Sequence[Sequence[float]] | None = None,
    seed: int = 0,
    device: DeviceName = "auto",
    on_progress: OnProgress | None = None,
) -> Reachability:
    """Return which cells of space the tool reaches within the joint limits.

    Joint vectors fill the joint space evenly (an additive recurrence); every one is a pose of the
    tool, counted in the cell of its position. Memory does not grow with ``poses``. The arm's
    surroundings and its own links are not checked.

    Args:
        arm: the arm, its catalogue name or its file.
        poses: number of samples.
        cell: edge of a cell [m]; None: a 48th of the workspace's longest side.
        box: smallest and largest x, y, z of the grid ((3,), (3,)) [m, base]; None: around all
            positions.
        seed: start of the sequence.
        device: "cpu", "gpu", or "auto" for a GPU where there is one (CuPy) and it is worth it.
        on_progress: called as the work goes on.

    Raises:
        InputError: no or too many poses, a cell or box of no size, too many cells, no such device,
            or a seed that is none.
    """
    arm = as_arm(arm)
    if not is_whole(poses) or not 1 <= poses <= MAX_POSES:
        raise InputError(f"{poses!r} poses; give a whole number, 1 to {MAX_POSES:g}")
    poses, seed = int(poses), as_seed(seed)
    chosen = choose(device, poses)
    low, span = joint_ranges(arm)
    shift = np.random.default_rng(seed).uniform(size=arm.dof)
    grid = _grid(
        arm, low + span * np.random.default_rng(1).uniform(size=(PILOT, arm.dof)), cell, box
    )
    start = time.perf_counter()
    sample = chosen.bind(
        arm, manipulability_equations.workspace_sample, (shift, low, span, grid.numbers)
    )
    sums = _summed(chosen, sample, grid, poses, on_progress)
    seconds = time.perf_counter() - start
    report_step(on_progress, "condition numbers")
    return _result(arm, grid, sums, chosen, sample, (poses, seed, seconds))


def _grid(
    arm: Arm, q: Array, cell: float | None, box: Sequence[Sequence[float]] | None
) -> CellGrid:
    """Return the grid: the given box, or one around the positions at random joints."""
    if box is None:
        places = fk(arm, q, ignore_limits=True)[:, :3, 3]
        low, high = places.min(axis=0), places.max(axis=0)
        wide = high - low >= FLAT
        room = ROOM * float((high - low).max())
        low, high = low - room * wide, high + room * wide
    else:
        corners = as_numbers(box, "box")
        sized = corners.shape == (2, 3) and np.isfinite(corners).all()
        if not sized or not (corners[1] > corners[0]).all():
            raise InputError(
                f"box is {np.asarray(box).tolist()}; give the smallest and the largest x, y, z [m]"
            )
        low, high = corners
    size = float((high - low).max()) / CELLS_ACROSS if cell is None else cell
    return CellGrid.over(low, high, checked_cell(size))


def _summed(
    device: Device, sample: Run, grid: CellGrid, poses: int, on_progress: OnProgress | None
) -> CellSums:
    """Return the sums over all samples, chunk by chunk."""
    sums, xp = CellSums(device, grid.count), device.xp
    for first in range(0, poses, device.rows):
        report_step(on_progress, "poses", first / poses)
        number = xp.arange(first, min(first + device.rows, poses), dtype=np.float64)
        _, cell, direction, w = sample(number[:, None])
        sums.add(number, cell[:, 0], direction[:, 0], w[:, 0])
    return sums


def _result(
    arm: Arm,
    grid: CellGrid,
    sums: CellSums,
    device: Device,
    sample: Run,
    run: tuple[int, int, float],
) -> Reachability:
    """Return the result, with the condition number at the best sample of every cell."""
    hits, best, total, numbers = (
        device.host(x) for x in (sums.hits, sums.best, sums.total, sums.best_number)
    )
    reached = np.flatnonzero(hits)
    condition = np.full(grid.count, np.nan)
    for first in range(0, len(reached), device.rows):
        cells = reached[first : first + device.rows]
        q = device.host(sample(device.xp.asarray(numbers[cells][:, None]))[0])
        condition[cells] = np.linalg.cond(jacobian(arm, q, ignore_limits=True))
    faced = device.host(sums.faced).reshape(-1, DIRECTIONS).sum(axis=1)
    poses, seed, seconds = run
    return Reachability(
        arm=arm,
        grid=grid,
        hits=hits.astype(np.int64).reshape(grid.shape),
        directions=faced.reshape(grid.shape),
        best=np.where(hits > 0, best, np.nan).reshape(grid.shape),
        mean=np.where(hits > 0, total / np.maximum(hits, 1), np.nan).reshape(grid.shape),
        condition=condition.reshape(grid.shape),
        poses=poses,
        outside=sums.outside,
        seed=seed,
        device=device.name,
        seconds=seconds,
    )
