"""The compiled calls of inverse kinematics: kernels of an arm inside the loops of inverse.c."""

from __future__ import annotations

import contextlib
import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.compile.derived import BY_ARM, derived
from armtwin.compile.kernel import kernel
from armtwin.compile.native.loops import (
    MAX_BRANCHES,
    MAX_JOINTS,
    ClosedPlan,
    Loop,
    Solver,
    proved,
)
from armtwin.compile.native.self_check import numpy_outputs
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.kinematics.inverse.closed_form import BORDER_MARGIN, EXACT_MARGIN, OWN
from armtwin.kinematics.inverse.numeric.compiled_descent import (
    check_states,
    descent_loop,
    exact_error,
)
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED
from armtwin.kinematics.inverse.solutions import SINGULAR
from armtwin.kinematics.inverse.structure.forms import Form
from armtwin.kinematics.inverse.target import residual
from armtwin.kinematics.joint_limits import Bounds
from armtwin.model.arm import Arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array

CLEARLY = 10.0
"""Branches of a nominal arm are clear of a border when this many deviations from it."""
SAME = 1e-6
"""Largest difference between equal joint vectors [rad | m]: two methods near a singularity."""
BLOCK = 256
"""Poses of a batch per call of the kernel, so that its arrays stay in the processor's cache."""

Solved = tuple[Array, Array, Array, float]
"""Solutions (n, dof), their residuals and turns (n,), and the redundancy."""


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
    table, pose = kernel(None, form.regular), kernel(arm, tool_pose_equations.tool_pose)
    ports = {port.name: port for port in table.program.outputs}
    count, dof = ports["q"].shape
    if table.address is None or pose.address is None:
        return None
    if count > MAX_BRANCHES or dof > MAX_JOINTS:
        return None
    refine = None if form.exact else descent_loop(arm, "descend")
    if not form.exact and refine is None:
        return None
    clear = 0.0 if form.exact else CLEARLY * form.deviation
    plan = ClosedPlan(
        branches=table.address,
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
    bounds = Bounds.of(arm, ignore_limits=ignore_limits)
    constants = (np.ascontiguousarray(form.numbers), bounds.lower, bounds.upper)

    def build(library: ctypes.CDLL) -> ClosedCall:
        loop = Loop(library, "closed_form", plan, (table, pose, refine))
        return ClosedCall(
            loop=loop,
            run=loop.solver(constants, dof, count) or _general_path,
            batch=Loop(library, "closed_batch", plan, ()),
            constants=constants,
            sizes=tuple(port.size for port in table.program.outputs),
            steps=len(table.program.steps),
            method="closed form" if form.exact else "Newton steps",
            redundant=bool(form.redundancy),
            exact=form.exact,
        )

    kind = f"closed form {count} {dof} {form.exact} {bool(form.redundancy)}"
    return proved((kind, table.library), build, lambda call: _fault(arm, form, call))


def _general_path(*inputs: Any) -> None:
    """Replace ``run`` where Python cannot call compiled code directly."""


@dataclass(frozen=True, eq=False)
class Scratch:
    """Inputs and outputs of the kernel for a block of poses, used again by the next batch."""

    call: ClosedCall
    constant: list[Array]
    redundancy: Array
    outputs: list[Array]

    @classmethod
    def of(cls, call: ClosedCall) -> Scratch:
        """Return room for a block of poses that no other thread uses."""
        with contextlib.suppress(IndexError):  # another thread may have taken the last
            found: Scratch = call.room.pop()
            return found
        constant = [np.tile(x, (BLOCK, 1)) for x in call.constants]
        outputs = [np.empty((BLOCK, size)) for size in call.sizes[1:]]
        return cls(call, constant, np.empty((BLOCK, 2)), outputs)

    def fill(
        self,
        given: tuple[Array, Array],
        redundancy: Array | None,
        found: tuple[Array, NDArray[np.bool_], NDArray[np.bool_]],
    ) -> None:
        """Solve poses.

        Args:
            given: poses (n, 16) and seeds (n, dof).
            redundancy: as for ``branches``.
            found: where joint vectors (n, 8, dof), flags (n, 8) and whether a pose needs the
                careful path (n,) go.
        """
        T, seeds = (np.ascontiguousarray(x) for x in given)
        self.redundancy[:] = OWN if redundancy is None else redundancy
        inputs = [T, *self.constant, seeds, self.redundancy]
        self.call.batch.run(inputs, [*found, *self.outputs])
        self.call.room.append(self)


def _fault(arm: Arm, form: Form, call: ClosedCall) -> str | None:
    """Return what is wrong with the compiled call at poses of random joint vectors, or None.

    Poses that the call leaves to the general path are not compared.
    """
    seeds, T = check_states(arm)
    own = [np.array(OWN)] if call.redundant else []
    program = kernel(None, form.regular).program
    inputs = [np.broadcast_to(x, (len(T), x.shape[-1])) for x in (T, *call.constants, seeds, *own)]
    found = zip(program.outputs, numpy_outputs(program, inputs), strict=True)
    q, margins, _, excess, _, goals, *_ = (y.reshape(-1, *port.shape) for port, y in found)
    valid = (margins >= EXACT_MARGIN) & (excess <= 0)
    calls = [call.run(pose.reshape(4, 4), seed, None) for pose, seed in zip(T, seeds, strict=True)]
    solved = [(row, done) for row, done in enumerate(calls) if done is not None]
    for (row, done), error in zip(solved, _true_errors(arm, goals, solved), strict=True):
        wrong = _wrong_solutions(call, seeds[row], done, error)
        if call.exact and len(done[0]) != valid[row].sum():
            wrong = f"{len(done[0])} solutions where NumPy finds {valid[row].sum()}"
        if wrong is not None:
            return f"inverse.c: {wrong}"
    return _wrong_batch(call, T, seeds, (q, valid)) if call.exact else None


def _true_errors(arm: Arm, goals: Array, solved: list[tuple[int, Solved]]) -> list[Array]:
    """Return the pose errors (n, 6) of the solutions of each solved row."""
    if not solved:
        return []
    counts = [len(done[0]) for _, done in solved]
    rows = np.repeat([row for row, _ in solved], counts)
    errors = exact_error(arm, np.concatenate([done[0] for _, done in solved]), goals[rows])
    return np.split(errors, np.cumsum(counts)[:-1])


def _wrong_solutions(call: ClosedCall, seed: Array, done: Solved, error: Array) -> str | None:
    """Return how solutions miss their pose or their order, or None.

    Args:
        call: what computed them.
        seed: a joint vector (dof,) with their pose; its redundancy is that of the nearest
            structure.
        done: solutions (n, dof), their residuals and turns (n,), and the redundancy.
        error: true pose errors of the solutions (n, 6).
    """
    q, residuals, turns, _ = done
    true = np.stack([residual(error), residual(error[:, 3:])])
    if not (true <= SOLVED).all() or not (np.abs(true - (residuals, turns)) <= SOLVED).all():
        return f"the pose error of solutions is {true[0]}, stated as {residuals}"
    distance = residual(q - seed)
    if not (np.diff(distance) >= -SAME).all():
        return f"solutions are {distance} from the seed, not nearest first"
    if not distance[0] <= SAME and (call.exact or not call.redundant):
        return f"the nearest solution is {distance[0]:g} from the seed, which is one"
    return None


def _wrong_batch(
    call: ClosedCall, T: Array, seeds: Array, expected: tuple[Array, NDArray[np.bool_]]
) -> str | None:
    """Return how solutions of a batch differ from those of NumPy, or None.

    Joints half a turn from the seed may differ by a whole turn: rounding decides which is nearer.
    """
    q, valid = np.empty_like(expected[0]), np.empty(expected[1].shape, bool)
    care = np.ones(len(T), bool)
    Scratch.of(call).fill((T, seeds), None, (q, valid, care))
    clear = ~care
    equally_near = np.abs(np.abs(q - seeds[:, None]) - np.abs(expected[0] - seeds[:, None])) <= SAME
    whole_turns = np.abs(np.sin(0.5 * (q - expected[0]))) <= SAME
    same = np.where(expected[1][..., None], equally_near & whole_turns, np.isnan(q))
    if (valid[clear] == expected[1][clear]).all() and same[clear].all():
        return None
    return "inverse.c: solutions of a batch differ from those of NumPy"
