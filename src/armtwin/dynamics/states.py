"""Running a dynamics kernel on checked states."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel, quick
from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.model.arm import Arm
from armtwin.spatial import Array


def evaluate(
    arm: Arm, equation: str, q: ArrayLike, *others: ArrayLike, ignore_limits: bool, threads: int
) -> tuple[Array, ...]:
    """Return the outputs of an equation whose first input is ``q``, after checking everything.

    Raises:
        InputError: wrong shape, NaN, infinity, batches that do not go together.
        JointLimitError: ``q`` beyond a limit, unless ``ignore_limits``.
        MissingDataError: the arm lacks masses.
    """
    if isinstance(arm, Arm) and equation not in arm.kernels:
        arm.require_masses()
    ready = quick(arm, equation, q, *others)
    if ready is not None:
        return tuple(ready)
    ports = kernel(arm, equation).program.inputs[1:]
    joints = as_joints(arm, q, ignore_limits=ignore_limits)
    pairs = zip(ports, others, strict=True)
    vectors = [as_vectors(x, port.size, f"arm {arm.name!r}: {port.name}") for port, x in pairs]
    return run(arm, equation, joints, *vectors, threads=threads)


def run(arm: Arm, equation: str, *inputs: Array, threads: int = 1) -> tuple[Array, ...]:
    """Return an equation's outputs for arrays that were checked before."""
    if threads < 1:
        raise InputError(f"threads is {threads}; give 1 or more")
    try:
        np.broadcast_shapes(*[x.shape[:-1] for x in inputs])
    except ValueError as error:
        shapes = ", ".join(str(x.shape) for x in inputs)
        raise InputError(f"these batches do not go together: shapes {shapes}") from error
    return kernel(arm, equation)(*inputs, threads=threads)
