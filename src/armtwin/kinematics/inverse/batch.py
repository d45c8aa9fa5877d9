"""Inverse kinematics of many poses at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.compile.threads import checked_threads, parts_of, run_parts
from armtwin.kinematics.inverse.closed_form import Branches, branches, polish
from armtwin.kinematics.inverse.compiled import (
    BLOCK,
    ClosedCall,
    Scratch,
    closed_call,
    has_closed_call,
    prepare_closed_call,
)
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED
from armtwin.kinematics.inverse.one_solution import as_mask, prepare, prepared, solve
from armtwin.kinematics.inverse.redundancy import as_redundancy, grid
from armtwin.kinematics.inverse.search import CALIBRATION_MARGIN
from armtwin.kinematics.inverse.structure.forms import Form, nearest_form
from armtwin.kinematics.inverse.target import as_target, residual
from armtwin.kinematics.joint_limits import Bounds, into_limits
from armtwin.kinematics.joints import as_joints
from armtwin.kinematics.tensor_inverse import ik_tensors
from armtwin.kinematics.tensors import tensor_library
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array, as_numbers, as_pose

SolvedBatch = tuple[Array, NDArray[np.bool_]]


def ik_batch(
    arm: ArmLike,
    T: ArrayLike,
    *,
    seed: ArrayLike | None = None,
    ignore_limits: bool = False,
    mask: ArrayLike | None = None,
    redundancy: float | None = None,
    threads: int | None = None,
) -> SolvedBatch:
    """Return the solutions of many tool poses at once.

    With a closed form every branch (n = 8), in the same order at every pose. A seven-joint arm gets
    the branches of one redundancy: the given one, else the seed's own, else the nearest to it that
    has a solution. Arms without a closed form, and partial poses, get one solution as ``ik_one``
    finds it (n = 1).

    Args:
        arm: the arm, its catalogue name or its file.
        T: tool poses in base (..., 4, 4); also as an array of PyTorch, JAX or CuPy.
        seed: joint vectors (dof,) or (..., dof) that whole turns and free joints stay near, and
            where searches start; zero if not given.
        ignore_limits: also count solutions beyond the joint limits.
        mask: which of x, y, z, rx, ry, rz count (6,), in the axes of each target.
        redundancy: arm angle or q7 of a seven-joint arm [rad], as for ``ik``.
        threads: number of threads of a closed form; None: all cores where the batch is large.

    Returns:
        ``q`` (..., n, dof) [rad | m], NaN where there is no solution, and ``valid`` (..., n). On
        the workspace boundary two branches coincide and both are listed.

    Raises:
        InputError: not rigid poses, a seed or mask of the wrong size.
    """
    arm = as_arm(arm)
    arm.require_free_joints("inverse kinematics")
    library = tensor_library((T,))
    if library is not None:
        options = {"seed": seed, "ignore_limits": ignore_limits, "mask": mask, "threads": threads}
        return ik_tensors(arm, T, library, ik_batch, {**options, "redundancy": redundancy})
    most = checked_threads(threads)
    form = nearest_form(arm) if mask is None else None
    value = None if redundancy is None else as_redundancy(arm, nearest_form(arm), redundancy)
    poses = as_numbers(T, "target poses")
    if poses.shape[-2:] != (4, 4):
        as_target(poses)
    lead, dof = poses.shape[:-2], arm.dof
    start = np.zeros(dof) if seed is None else as_joints(arm, seed, ignore_limits=True, name="seed")
    flat, seeds = poses.reshape(-1, 16), np.broadcast_to(start, (*lead, dof)).reshape(-1, dof)
    if form is None:
        as_pose(poses, "target pose")
        q, valid = _searched(arm, flat, seeds, as_mask(mask), ignore_limits)
    else:
        q, valid = _Closed(arm, form, ignore_limits, value).solve(flat, seeds, most)
    return q.reshape(*lead, *q.shape[1:]), valid.reshape(*lead, valid.shape[1])


def _searched(arm: Arm, T: Array, seeds: Array, mask: Array, ignore_limits: bool) -> SolvedBatch:
    """Return one solution per pose, by descents."""
    call = prepared(arm, ignore_limits) or prepare(arm, ignore_limits)
    q, tries = np.full((len(T), 1, arm.dof), np.nan), np.zeros(len(T), int)
    for row, (pose, seed) in enumerate(zip(T, seeds, strict=True)):
        joints, _, tries[row] = solve(arm, call, pose, seed, mask)
        if tries[row]:
            q[row, 0] = joints
    later = tries > 1
    q[later, 0] = into_limits(arm, q[later, 0], call.bounds, seeds[later])[0]
    return q, (tries > 0)[:, None]


@dataclass(frozen=True, eq=False)
class _Closed:
    """The closed form of an arm over batches."""

    arm: Arm
    form: Form
    ignore_limits: bool
    redundancy: Array | None

    @property
    def bounds(self) -> Bounds:
        """The joint limits."""
        return Bounds.of(self.arm, ignore_limits=self.ignore_limits)

    def solve(self, T: Array, seeds: Array, threads: int | None) -> SolvedBatch:
        """Return every branch (n, 8, dof), and which are valid.

        Args:
            T: poses (n, 16).
            seeds: joint vectors (n, dof).
            threads: most threads; None for all cores.
        """
        q, valid = np.empty((len(T), 8, self.arm.dof)), np.empty((len(T), 8), bool)
        care = np.ones(len(T), bool)
        call = _exact_call(self.arm, self.form, self.ignore_limits)
        if call is not None and len(T):

            def fill(start: int, stop: int) -> None:
                own = slice(start, stop)
                found = q[own], valid[own], care[own]
                Scratch.of(call).fill((T[own], seeds[own]), self.redundancy, found)

            run_parts(fill, len(T), parts_of(len(T), call.steps, threads), unit=BLOCK)
        rows = np.flatnonzero(care)
        if len(rows):
            q[rows], valid[rows] = self._branches(T[rows], seeds[rows], self.redundancy)
            q[~valid] = np.nan
        if self.form.redundancy and self.redundancy is None:
            self._other_values(T, seeds, (q, valid))
        return q, valid

    def _other_values(self, T: Array, seeds: Array, found: SolvedBatch) -> None:
        """Fill in poses without a solution at the seed's redundancy: the nearest that has one."""
        q, valid = found
        for value in grid()[1:]:
            lost = np.flatnonzero(~valid.any(axis=1))
            if not len(lost):
                break
            q[lost], valid[lost] = self._branches(T[lost], seeds[lost], value)
        q[~valid] = np.nan

    def _branches(self, T: Array, seeds: Array, redundancy: Array | None) -> SolvedBatch:
        bounds = self.bounds
        found = branches(self.form, T, bounds, seeds, redundancy)
        if not (found.flaw <= ORTHOGONAL_TOLERANCE).all():
            as_target(T.reshape(-1, 4, 4))
        if not self.form.exact:
            return self._refined(found, seeds)
        return found.q, polish(self.arm, found, bounds, seeds) & (found.excess <= 0)

    def _refined(self, found: Branches, seeds: Array) -> SolvedBatch:
        """Return the branches after Newton steps on the arm's own model."""
        rows = np.nonzero(found.margin >= CALIBRATION_MARGIN)
        unlimited = Bounds.of(self.arm, ignore_limits=True)
        q, error = converge(self.arm, found.goal[rows[:-1]], found.q[rows], unlimited)
        moved, excess = into_limits(self.arm, q, self.bounds, seeds[rows[:-1]])
        valid = np.zeros(found.q.shape[:-1], bool)
        found.q[rows] = moved
        valid[rows] = (residual(error) <= SOLVED) & (excess <= 0)
        return found.q, valid


def _exact_call(arm: Arm, form: Form, ignore_limits: bool) -> ClosedCall | None:
    """Return the compiled closed form, or None without compiled code or an exact form.

    Args:
        arm: the arm.
        form: its closed form.
        ignore_limits: whether joints beyond their limits count.
    """
    if not has_closed_call(arm, ignore_limits):
        prepare_closed_call(arm, form, ignore_limits)
    call = closed_call(arm, ignore_limits)
    return call if call is not None and call.exact else None
