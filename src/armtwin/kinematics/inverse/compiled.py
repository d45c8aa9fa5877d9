"""The compiled calls of inverse kinematics: kernels of an arm inside the loops of inverse.c."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armtwin.compile.derived import BY_ARM, derived
from armtwin.compile.kernel import kernel
from armtwin.compile.native.loops import (
    MAX_BRANCHES,
    MAX_JOINTS,
    ClosedPlan,
    Loop,
    Solver,
    available,
)
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.kinematics.inverse.closed_form import BORDER_MARGIN, EXACT_MARGIN
from armtwin.kinematics.inverse.numeric import SOLVED, descent_loop
from armtwin.kinematics.inverse.solutions import SINGULAR
from armtwin.kinematics.inverse.structure.forms import Form
from armtwin.kinematics.joint_limits import Bounds
from armtwin.model.arm import Arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array

CLEARLY = 10.0
"""Branches of a nominal arm are clear of a border when this many deviations from it."""
BLOCK = 256
"""Poses of a batch per call of the kernel, so that its arrays stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class ClosedCall:
    """The compiled calls of an arm's closed form, with the inputs that do not change.

    ``loop`` and ``constants`` own the memory that ``run`` reads. ``room`` keeps working arrays of
    batches that no thread uses: new pages cost as much as the solutions.

    Attributes:
        run: ``solutions`` of bridge.c: from T, a seed or None and a redundancy or None.
        batch: ``closed_batch`` of inverse.c.
        constants: form, lower and upper limits.
        sizes: entries per pose of the kernel's outputs.
        steps: operations per pose of the kernel.
        method: of the solutions.
        redundant: whether the arm has a redundancy.
        exact: whether no Newton steps are needed.
    """

    loop: Loop
    run: Solver
    batch: Loop
    constants: tuple[Array, Array, Array]
    sizes: tuple[int, ...]
    steps: int
    method: str
    redundant: bool
    exact: bool
    room: list[Any] = field(default_factory=list)


def closed_call(arm: object, ignore_limits: bool) -> ClosedCall | None:
    """Return the call prepared for this very arm, or None; costs 0.1 us."""
    try:
        found: ClosedCall | None = BY_ARM[id(arm)]["closed", ignore_limits]
    except KeyError:
        return None
    return found


def has_closed_call(arm: Arm, ignore_limits: bool) -> bool:
    """Return whether the call was prepared, be it that it cannot be compiled."""
    return ("closed", ignore_limits) in derived(arm)


def prepare_closed_call(arm: Arm, form: Form, ignore_limits: bool) -> None:
    """Compile the call of an arm's closed form, for ``closed_call``.

    Args:
        arm: the arm.
        form: its closed form.
        ignore_limits: whether joints beyond their limits count.
    """
    derived(arm)["closed", ignore_limits] = _closed_call(arm, form, ignore_limits)


def _closed_call(arm: Arm, form: Form, ignore_limits: bool) -> ClosedCall | None:
    if not available():
        return None
    branches, pose = kernel(None, form.regular), kernel(arm, tool_pose_equations.tool_pose)
    ports = {port.name: port for port in branches.program.outputs}
    count, dof = ports["q"].shape
    if branches.address is None or pose.address is None:
        return None
    if count > MAX_BRANCHES or dof > MAX_JOINTS:
        return None
    refine = None if form.exact else descent_loop(arm, "descend")
    if not form.exact and refine is None:
        return None
    clear = 0.0 if form.exact else CLEARLY * form.deviation
    plan = ClosedPlan(
        branches=branches.address,
        pose=pose.address,
        refine=refine.plan_address if refine else None,
        joints=dof,
        count=count,
        block=BLOCK,
        exact_margin=EXACT_MARGIN + clear,
        border_margin=BORDER_MARGIN - clear,
        singular=max(10 * SINGULAR, clear),
        flaw=ORTHOGONAL_TOLERANCE,
        solved=SOLVED,
    )
    loop = Loop("closed_form", plan, (branches, pose, refine))
    bounds = Bounds.of(arm, ignore_limits=ignore_limits)
    constants = (np.ascontiguousarray(form.numbers), bounds.lower, bounds.upper)
    return ClosedCall(
        loop=loop,
        run=loop.solver(constants, dof, count) or _general_path,
        batch=Loop("closed_batch", plan, ()),
        constants=constants,
        sizes=tuple(port.size for port in branches.program.outputs),
        steps=len(branches.program.steps),
        method="closed form" if form.exact else "Newton steps",
        redundant=bool(form.redundancy),
        exact=form.exact,
    )


def _general_path(*inputs: Any) -> None:
    """Replace ``run`` where Python cannot call compiled code directly."""
