"""One joint vector for a pose, by a compiled descent from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.derived import BY_ARM, derived
from armtwin.compile.native.library import Single
from armtwin.compile.native.loops import Loop
from armtwin.errors import InputError
from armtwin.kinematics.inverse.numeric.compiled_descent import descent_loop
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED, WHOLE, scale, starts
from armtwin.kinematics.inverse.search import around_limits
from armtwin.kinematics.inverse.target import as_one_pose, as_target, residual
from armtwin.kinematics.inverse.unreachable import nothing_found
from armtwin.kinematics.joint_limits import Bounds, into_limits
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array, as_numbers

TRIES = 200
"""Descents before a pose counts as out of reach, the seed's included."""


@dataclass(frozen=True, eq=False)
class CompiledSearch:
    """The compiled search of an arm, with the inputs that do not change.

    ``loop`` owns the memory that ``run`` reads; None without a compiler.
    """

    loop: Loop | None
    run: Single
    bounds: Bounds
    weights: Array
    starts: Array


def ik_one(
    arm: ArmLike,
    T: ArrayLike,
    *,
    seed: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    ignore_limits: bool = False,
) -> Array:
    """Return one joint vector (dof,) [rad | m] that takes the tool to the pose ``T``.

    Damped least squares on the arm's own model, from the seed and then from up to 199 fixed random
    starts until one succeeds: the first solution, not the nearest of all. For any arm, also
    calibrated ones; ``ik`` returns every branch of an arm with a closed form.

    Args:
        arm: the arm, its catalogue name or its file.
        T: target pose ``T_base_tool`` (4, 4).
        seed: joint vector (dof,) to start from; the middle of the joint limits if not given.
        mask: which of x, y, z, rx, ry, rz count (6,), in the axes of the target; all if not given.
        ignore_limits: also accept joints beyond their limits.

    Raises:
        InputError: not a rigid pose, or a seed or mask of the wrong size.
        UnreachableError: no descent succeeds; the message says how near the best came.
    """
    call = prepared(arm, ignore_limits)
    if call is not None and mask is None and type(T) is np.ndarray and T.shape == (4, 4):
        start = call.starts[0] if seed is None else seed
        bounds = call.bounds
        done = call.run(T.ravel(), start, bounds.lower, bounds.upper, call.weights)
        tries = 0 if done is None else done[2].item()
        if done is not None and tries > 0:
            near = np.asarray(start, np.float64)
            return done[0] if tries == 1 else _turned(as_arm(arm), done[0], bounds, near)
    arm = as_arm(arm)
    arm.require_free_joints("inverse kinematics")
    pose, counted = as_one_pose(T), as_mask(mask)
    call = prepared(arm, ignore_limits) or prepare(arm, ignore_limits)
    start = call.starts[0] if seed is None else _start(arm, seed)
    q, error, tries = solve(arm, call, pose, start, counted)
    if tries == 0:
        goal = as_target(pose.reshape(4, 4))
        limits = Bounds.of(arm, ignore_limits=ignore_limits)
        more, _ = around_limits(arm, goal, limits, start, counted)
        if len(more):
            return np.asarray(more[0])
        raise nothing_found(arm, error[None], TRIES, counted)
    return _turned(arm, q, call.bounds, start)


def prepared(arm: object, ignore_limits: bool) -> CompiledSearch | None:
    """Return the call prepared for this very arm, or None."""
    try:
        found: CompiledSearch | None = BY_ARM[id(arm)]["one", ignore_limits]
    except KeyError:
        return None
    return found


def prepare(arm: Arm, ignore_limits: bool) -> CompiledSearch:
    """Compile the search of an arm."""
    bounds = Bounds.of(arm, ignore_limits=ignore_limits).narrow
    table = starts(arm, bounds, TRIES, first=middle(arm, bounds))
    loop = descent_loop(arm, "first_solution", table[1:])
    run: Single = lambda *inputs: None  # noqa: E731
    if loop is not None:
        n = arm.dof
        run = loop.with_ports((16, n, n, n, 6), [(n,), (6,), ()]).fast
    call = CompiledSearch(loop, run, bounds, scale(arm), table)
    derived(arm)["one", ignore_limits] = call
    return call


def middle(arm: Arm, bounds: Bounds) -> Array:
    """Return the middle of the joint limits (dof,); 0 where there are none on both sides."""
    limited = np.isfinite(arm.lower) & np.isfinite(arm.upper)
    return np.asarray(np.where(limited, 0.5 * (bounds.lower + bounds.upper), 0.0))


def solve(
    arm: Arm, call: CompiledSearch, pose: Array, start: Array, mask: Array
) -> tuple[Array, Array, int]:
    """Return joints (dof,), the pose error (6,) and how many descents it took; 0: none succeeded.

    Args:
        arm: the arm.
        call: its compiled search.
        pose: the target (16,), not yet checked.
        start: joint vector (dof,).
        mask: 1 for entries of the error (6,) that count, 0 for the others.
    """
    bounds = call.bounds
    done = call.run(pose, start, bounds.lower, bounds.upper, call.weights * mask)
    if done is not None and done[2].item() >= 0:
        return done[0], done[1], int(done[2].item())
    goal = as_target(pose.reshape(4, 4))
    best: tuple[float, Array, Array] = (np.inf, start, np.zeros(6))
    for first in (start[None], call.starts[1:]):
        q, error = converge(arm, goal, first, bounds, mask=mask)
        left = residual(error * mask)
        good = np.flatnonzero(left <= SOLVED)
        if len(good):
            row = int(good[0])
            return q[row], error[row], row + (1 if len(first) == 1 else 2)
        row = int(np.argmin(left))
        best = min(best, (float(left[row]), q[row], error[row]), key=lambda entry: entry[0])
    return best[1], best[2], 0


def as_mask(mask: ArrayLike | None) -> Array:
    """Return which entries of a pose count, as zeros and ones (6,).

    Raises:
        InputError: not six flags, or none set.
    """
    if mask is None:
        return WHOLE
    try:
        flags = as_numbers(mask, "mask")
    except InputError as error:
        raise InputError(f"mask is {mask!r}; expected six flags for x y z rx ry rz") from error
    if flags.shape != (6,) or not np.isin(flags, (0.0, 1.0)).all() or not flags.any():
        raise InputError(
            f"mask is {mask!r}; expected six flags 0 or 1 for x, y, z, rx, ry, rz, at least one 1"
        )
    return flags


def _start(arm: Arm, seed: ArrayLike) -> Array:
    start = as_joints(arm, seed, ignore_limits=True, name="seed")
    if start.ndim != 1:
        raise InputError(f"the seed has shape {start.shape}; expected one vector ({arm.dof},)")
    return start


def _turned(arm: Arm, q: Array, bounds: Bounds, near: Array) -> Array:
    """Return a solution of another start, by whole turns as near to the seed as limits allow."""
    return into_limits(arm, q, bounds, near)[0]
