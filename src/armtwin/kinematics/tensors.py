"""Equations on arrays of PyTorch, JAX and CuPy, on the processor or a GPU, with derivatives.

Arrays in, arrays of the same library and number type out. Arrays of the processor share their
memory with the kernels; those of a GPU are computed there, on the caller's stream. PyTorch's
autograd and JAX's ``grad`` differentiate through them by kernels of the exact derivatives.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from armtwin.compile.gpu.array_libraries import common_library
from armtwin.compile.gpu.array_library import ArrayLibrary
from armtwin.compile.gpu.gradients import differentiable
from armtwin.compile.gpu.launch import run_on_gpu
from armtwin.compile.kernel import common_lead, kernel
from armtwin.equations.equation import Build
from armtwin.equations.reverse import reverse
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.model.arm import Arm
from armtwin.spatial import Array


def tensor_library(inputs: Sequence[object]) -> ArrayLibrary | None:
    """Return the array library of the inputs; None for NumPy arrays and plain numbers."""
    return common_library(inputs)


def evaluate_tensors(
    arm: Arm,
    equation: Build,
    inputs: Sequence[Any],
    library: ArrayLibrary,
    *,
    ignore_limits: bool,
    out: Any | None = None,
) -> tuple[Any, ...]:
    """Return the outputs of an equation whose first input is ``q``, after checking the inputs.

    On a GPU, with ``ignore_limits`` nothing is checked and the call does not wait for the GPU;
    without it, the first joint beyond a limit, NaN or infinity raises as for NumPy arrays.

    Args:
        arm: the arm.
        equation: a function of ``armtwin.equations``.
        inputs: one array (..., size) per input, ``q`` first.
        library: library of the arrays.
        ignore_limits: accept joints beyond their limits.
        out: array for the only output, on a GPU; None: a new one.

    Raises:
        InputError: wrong shape or number type, NaN, infinity.
        JointLimitError: ``q`` beyond a limit, unless ``ignore_limits``.
    """

    def explain(rows: list[Array]) -> None:
        _checked(arm, equation, rows, ignore_limits)

    def run_numpy(build: Build, *arrays: Array) -> tuple[Array, ...]:
        plain = _checked(arm, equation, arrays, ignore_limits) if build is equation else arrays
        return kernel(arm, build)(*plain)

    def run(build: Build, *arrays: Any) -> tuple[Any, ...]:
        if any(map(library.is_traced, arrays)):
            lead = common_lead([x.shape for x in arrays])
            shapes = [(*lead, *port.shape) for port in kernel(arm, build).program.outputs]
            return library.call_later(functools.partial(run_numpy, build), shapes, arrays)
        if library.on_gpu(arrays[0]):
            check = explain if build is equation and not ignore_limits else None
            return run_on_gpu(arm, build, arrays, library, explain=check, out=out)
        results = run_numpy(build, *map(library.to_numpy, arrays))
        return tuple(library.from_numpy(y, arrays[0]) for y in results)

    if out is not None:
        return run(equation, *inputs)
    forward, backward = (functools.partial(run, build) for build in (equation, reverse(equation)))
    return differentiable(library, forward, backward, inputs)


def _checked(
    arm: Arm, equation: Build, inputs: Sequence[Array], ignore_limits: bool
) -> list[Array]:
    """Return validated inputs."""
    ports = kernel(arm, equation).program.inputs
    joints = as_joints(arm, inputs[0], ignore_limits=ignore_limits)
    pairs = zip(ports[1:], inputs[1:], strict=True)
    return [joints, *(as_vectors(x, p.size, f"arm {arm.name!r}: {p.name}") for p, x in pairs)]
