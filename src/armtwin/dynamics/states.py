"""Running a dynamics kernel on checked states."""

from __future__ import annotations

from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel, quick, run
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.model.arm import Arm
from armtwin.spatial import Array

WITHOUT_MASSES = ("rigid_body.wrench_torque", "rigid_body.regressor")


def evaluate(
    arm: Arm,
    equation: str,
    inputs: tuple[ArrayLike, ...],
    ignore_limits: bool,
    threads: int,
    out: Array | None = None,
) -> tuple[Array, ...]:
    """Return the outputs of an equation whose first input is ``q``, after checking everything.

    Raises:
        InputError: wrong shape, NaN, infinity, batches that do not go together.
        JointLimitError: ``q`` beyond a limit, unless ``ignore_limits``.
        MissingDataError: the arm lacks masses.
    """
    if out is None:
        ready = quick(arm, equation, *inputs)
        if ready is not None:
            return ready
    joints = as_joints(arm, inputs[0], ignore_limits=ignore_limits)
    if equation not in WITHOUT_MASSES:
        arm.require_masses()
    pairs = zip(kernel(arm, equation).program.inputs[1:], inputs[1:], strict=True)
    vectors = [as_vectors(x, port.size, f"arm {arm.name!r}: {port.name}") for port, x in pairs]
    return run(arm, equation, joints, *vectors, threads=threads, out=out)
