"""Evaluation of a dynamics equation after validating its inputs."""

from __future__ import annotations

from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel, run, run_single
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.dynamics import wrenches as wrench_equations
from armtwin.equations.equation import Build
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.kinematics.tensors import evaluate_tensors, tensor_library
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array

WITHOUT_MASSES = (
    rigid_body_equations.wrench_torque,
    rigid_body_equations.regressor,
    wrench_equations.tool_wrench,
    wrench_equations.flange_wrench,
)
"""Equations that need no masses."""


def evaluate(
    arm: ArmLike,
    equation: Build,
    inputs: tuple[ArrayLike, ...],
    ignore_limits: bool,
    threads: int | None,
    out: Array | None = None,
) -> tuple[Array, ...]:
    """Return the outputs of an equation whose first input is ``q``, after validating the inputs.

    Args:
        arm: the arm, its catalogue name or its file.
        equation: a function of ``equations.dynamics``.
        inputs: one array (..., size) per input, ``q`` first.
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array for the only output; None: a new one.

    Raises:
        InputError: wrong shape, NaN, infinity, batches that do not broadcast.
        JointLimitError: ``q`` beyond a limit, unless ``ignore_limits``.
        MissingDataError: the arm lacks masses.
    """
    if out is None:
        ready = run_single(arm, equation, *inputs)
        if ready is not None:
            return ready
    arm = as_arm(arm)
    if equation not in WITHOUT_MASSES:
        arm.require_masses()
    library = tensor_library(inputs)
    if library is not None:
        return evaluate_tensors(
            arm, equation, inputs, library, ignore_limits=ignore_limits, out=out
        )
    joints = as_joints(arm, inputs[0], ignore_limits=ignore_limits)
    pairs = zip(kernel(arm, equation).program.inputs[1:], inputs[1:], strict=True)
    vectors = [as_vectors(x, port.size, f"arm {arm.name!r}: {port.name}") for port, x in pairs]
    return run(arm, equation, joints, *vectors, threads=threads, out=out)
