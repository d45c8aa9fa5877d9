"""Inverse kinematics of many poses in arrays of PyTorch, JAX and CuPy.

On a GPU the closed form runs there and decides for each branch whether it is a solution. The few
poses that are singular, too near to a border or not rigid are solved on the processor, as are arms
without an exact closed form, partial poses, and seven joints without a given redundancy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armtwin.compile.gpu.array_library import ArrayLibrary
from armtwin.compile.gpu.launch import run_on_gpu
from armtwin.equations.kinematics.inverse.judged import judged
from armtwin.kinematics.inverse.closed_form import BORDER_MARGIN, EXACT_MARGIN
from armtwin.kinematics.inverse.redundancy import as_redundancy
from armtwin.kinematics.inverse.solutions import SINGULAR
from armtwin.kinematics.inverse.structure.forms import Form, exact_form
from armtwin.kinematics.inverse.target import as_target
from armtwin.kinematics.joint_limits import Bounds
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array

THRESHOLDS = np.array([EXACT_MARGIN, BORDER_MARGIN, 10 * SINGULAR, ORTHOGONAL_TOLERANCE])
"""Limits of ``judged``, the same as those of inverse.c."""
SolvedTensors = tuple[Any, Any]


def ik_tensors(
    arm: Arm,
    T: Any,
    library: ArrayLibrary,
    by_numpy: Callable[..., SolvedTensors],
    options: dict[str, Any],
) -> SolvedTensors:
    """Return the solutions of tool poses as arrays of their library, on their device.

    Args:
        arm: the arm.
        T: poses (..., 4, 4).
        library: library of ``T``.
        by_numpy: ``ik_batch``.
        options: its keyword arguments; ``seed`` as a NumPy array or numbers.
    """
    if tuple(T.shape[-2:]) != (4, 4):
        as_target(np.empty(T.shape))
    form = exact_form(arm)
    redundant = form is not None and bool(form.redundancy)
    closed = form is not None and options["mask"] is None
    if not library.on_gpu(T) or not closed or (redundant and options["redundancy"] is None):
        q, valid = by_numpy(arm, library.host(T), **options)
        return _like(library.send(q, T), T), library.send(valid, T)
    assert form is not None
    lead, n = tuple(T.shape[:-2]), arm.dof
    flat = _double(T.reshape(-1, 16))
    q, valid, care = run_on_gpu(
        None,
        judged(form.regular),
        _inputs(arm, form, flat, library, options),
        library,
        explain=None,
    )
    rows = library.rows_of(care)
    valid = valid != 0
    if len(rows):
        poses = library.host(flat[library.send(rows, flat)])
        seeds = _seeds(arm, lead, options["seed"])
        options = {**options, "seed": seeds[rows] if seeds.ndim == 2 else seeds}
        found = by_numpy(arm, poses.reshape(-1, 4, 4), **options)
        q, valid = (library.put(x, rows, y) for x, y in zip((q, valid), found, strict=True))
    return _like(q.reshape(*lead, 8, n), T), valid.reshape(*lead, 8)


def _inputs(
    arm: Arm, form: Form, T: Any, library: ArrayLibrary, options: dict[str, Any]
) -> list[Any]:
    """Return the inputs of ``judged`` on the GPU."""
    bounds = Bounds.of(arm, ignore_limits=options["ignore_limits"])
    seeds = _seeds(arm, (len(T),), options["seed"])
    rows: list[Array] = [np.asarray(form.numbers), bounds.lower, bounds.upper, seeds]
    if options["redundancy"] is not None:
        rows.append(as_redundancy(arm, form, options["redundancy"]))
    return [T, *(library.send(np.ascontiguousarray(x, float), T) for x in (*rows, THRESHOLDS))]


def _seeds(arm: Arm, lead: tuple[int, ...], seed: Any) -> Array:
    """Return the seed (dof,), or one per pose (n, dof)."""
    if seed is None:
        return np.zeros(arm.dof)
    start = as_joints(arm, seed, ignore_limits=True, name="seed")
    return (
        start if start.ndim == 1 else np.broadcast_to(start, (*lead, arm.dof)).reshape(-1, arm.dof)
    )


def _double(x: Any) -> Any:
    """Return an array in float64."""
    return x.double() if hasattr(x, "double") else x.astype("float64")


def _like(q: Any, T: Any) -> Any:
    """Return joint vectors in the number type of the poses."""
    return q.to(T.dtype) if hasattr(q, "to") and hasattr(q, "double") else q.astype(T.dtype)
