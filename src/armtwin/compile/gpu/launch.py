"""An equation on arrays of PyTorch, JAX or CuPy that lie in a GPU's memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.compile.derived import derived
from armtwin.compile.gpu.array_libraries import REALS, ArrayLibrary, cupy
from armtwin.compile.gpu.device_kernel import NO_FAULT, DeviceKernel
from armtwin.compile.kernel import common_lead, limits_of, program_for
from armtwin.compile.program import Program
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.equations.equation import Build

Explain = Callable[[list[Array]], None]
"""Raises the error of a bad state, given one NumPy array (size,) per input."""


def run_on_gpu(
    arm: Arm,
    equation: Build,
    inputs: Sequence[Any],
    library: ArrayLibrary,
    *,
    explain: Explain | None,
    out: Any | None = None,
) -> tuple[Any, ...]:
    """Return an equation's outputs as arrays of the inputs' library, on their GPU and stream.

    Args:
        arm: the arm.
        equation: a function of ``armtwin.equations``.
        inputs: one array (..., size) per input.
        library: the library of the arrays.
        explain: raises the error of the first bad state; the call then waits for the GPU. None:
            nothing is checked and the call returns at once.
        out: array for the only output; None: a new one.

    Raises:
        InputError: wrong shape or number type, arrays on two devices, an unsuitable ``out``.
    """
    program = program_for_device(arm, equation)
    with library.stream(inputs[0]):
        arrays = [library.to_cupy(x) for x in inputs]
        real = _real(program, arrays)
        lead = common_lead(arrays)
        kernel = device_kernel(arm, equation, real, arrays[0].device.id)
        pairs = _outputs(program, lead, library, inputs[0], out)
        flat = [
            y.reshape(-1, port.size) for (_, y), port in zip(pairs, program.outputs, strict=True)
        ]
        rows = [_rows(x, lead) for x in arrays]
        fault = None if explain is None else cupy().full(1, NO_FAULT, dtype=np.uint64)
        kernel.launch(rows, flat, fault)
        if fault is not None and explain is not None:
            _raise_fault(int(fault[0]), rows, explain)
        return tuple(library.finish(made) for made, _ in pairs)


def program_for_device(arm: Arm, equation: Build) -> Program:
    """Return the program of an equation, kept for the lifetime of the arm."""
    kept = derived(arm).setdefault("programs", {})
    if equation not in kept:
        kept[equation] = program_for(arm, equation)
    found: Program = kept[equation]
    return found


def device_kernel(arm: Arm, equation: Build, real: Any, device: int) -> DeviceKernel:
    """Return the kernel of an equation on a device, kept for the lifetime of the arm."""
    kept = derived(arm).setdefault("device kernels", {})
    key = (equation, real, device)
    if key not in kept:
        program = program_for_device(arm, equation)
        kept[key] = DeviceKernel(program, real, limits_of(arm, program))
    found: DeviceKernel = kept[key]
    return found


def _real(program: Program, arrays: list[Any]) -> str:
    """Return the number type of the inputs after checking them."""
    kinds = {str(x.dtype) for x in arrays}
    if len(kinds) != 1 or not kinds <= set(REALS):
        raise InputError(
            f"{program.name}: the inputs have types {sorted(kinds)}; give float64 or float32, one "
            "type for all"
        )
    for port, x in zip(program.inputs, arrays, strict=True):
        if x.shape[-1:] != port.shape:
            raise InputError(
                f"{program.name}: {port.name} has shape {x.shape}; expected (..., {port.size})"
            )
    if len({x.device.id for x in arrays}) > 1:
        raise InputError(f"{program.name}: the inputs lie on several devices; move them to one")
    return REALS[kinds.pop()]


def _rows(x: Any, lead: tuple[int, ...]) -> Any:
    """Return an input as rows (n, size), or (size,) where one row serves all; copies if it must."""
    if x.ndim == 1:
        return cupy().ascontiguousarray(x)
    full = x if x.shape[:-1] == lead else cupy().broadcast_to(x, lead + x.shape[-1:])
    flat = full.reshape(-1, x.shape[-1])
    return flat if flat.strides[-1] == flat.itemsize else cupy().ascontiguousarray(flat)


def _outputs(
    program: Program, lead: tuple[int, ...], library: ArrayLibrary, like: Any, out: Any | None
) -> list[tuple[Any, Any]]:
    """Return for every output the caller's array and the same memory as a CuPy array."""
    shapes = [(*lead, *port.shape) for port in program.outputs]
    if out is None:
        return [library.new(shape, like) for shape in shapes]
    given = library.to_cupy(out)
    suits = given.shape == shapes[0] and given.dtype == library.to_cupy(like).dtype
    if not suits or not given.flags.c_contiguous or given.data.ptr % 16:
        raise InputError(
            f"{program.name}: out has shape {given.shape} and type {given.dtype}; give a "
            f"C-contiguous array {shapes[0]} of the inputs' type, aligned to 16 bytes"
        )
    return [(out, given)]


def _raise_fault(row: int, inputs: list[Any], explain: Explain) -> None:
    if row != NO_FAULT:
        explain([cupy().asnumpy(x if x.ndim == 1 else x[row]) for x in inputs])
