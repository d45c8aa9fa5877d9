"""An equation on arrays of PyTorch, JAX or CuPy that lie in a GPU's memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.compile.derived import derived
from armtwin.compile.gpu.array_library import REALS, ArrayLibrary, DeviceArray, cupy
from armtwin.compile.gpu.device_kernel import NO_FAULT, DeviceKernel
from armtwin.compile.kernel import common_lead, limits_of, program_for
from armtwin.compile.program import Program
from armtwin.compile.targets.cuda import Real
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.equations.equation import Build

Explain = Callable[[list[Array]], None]
"""Raises the error of a bad state, given one NumPy array (size,) per input."""


def run_on_gpu(
    arm: Arm | None,
    equation: Build,
    inputs: Sequence[Any],
    library: ArrayLibrary,
    *,
    explain: Explain | None,
    out: Any | None = None,
) -> tuple[Any, ...]:
    """Return an equation's outputs as arrays of the inputs' library, on their GPU and stream.

    Args:
        arm: the arm; None for an equation that takes none.
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
        arrays = [library.facts(x) for x in inputs]
        kernel = device_kernel(arm, equation, _real(program, arrays), arrays[0].device)
        lead = common_lead([x.shape for x in arrays])
        outputs = _outputs(program, lead, library, arrays[0], out)
        rows = [_rows(x, lead, library) for x in arrays]
        fault = None if explain is None else cupy().full(1, NO_FAULT, dtype=np.uint64)
        places = [library.facts(y).address for y in outputs]
        kernel.launch(math.prod(lead), rows, places, fault)
        if fault is not None and explain is not None:
            _raise_fault(int(fault[0]), arrays, lead, explain)
        return tuple(library.finish(y) for y in outputs)


_WITHOUT_ARM: dict[Any, Any] = {}


def _kept(arm: Arm | None) -> dict[Any, Any]:
    return _WITHOUT_ARM if arm is None else derived(arm)


def program_for_device(arm: Arm | None, equation: Build) -> Program:
    """Return the program of an equation, kept for the lifetime of the arm."""
    kept = _kept(arm).setdefault("programs", {})
    if equation not in kept:
        kept[equation] = program_for(arm, equation)
    found: Program = kept[equation]
    return found


def device_kernel(arm: Arm | None, equation: Build, real: Real, device: int) -> DeviceKernel:
    """Return the kernel of an equation on a device, kept for the lifetime of the arm.

    Args:
        arm: the arm; None for an equation that takes none.
        equation: a function of ``armtwin.equations``.
        real: number type.
        device: number of the GPU.
    """
    kept = _kept(arm).setdefault("device kernels", {})
    key = (equation, real, device)
    if key not in kept:
        program = program_for_device(arm, equation)
        kept[key] = DeviceKernel(program, real, limits_of(arm, program))
    found: DeviceKernel = kept[key]
    return found


def _real(program: Program, arrays: list[DeviceArray]) -> Real:
    """Return the number type of the inputs after checking them."""
    kinds = {x.kind for x in arrays}
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
    if len({x.device for x in arrays}) > 1:
        raise InputError(f"{program.name}: the inputs lie on several devices; move them to one")
    return REALS[kinds.pop()]


def _rows(x: DeviceArray, lead: tuple[int, ...], library: ArrayLibrary) -> tuple[int, int, Any]:
    """Return address and distance of an input's rows, and what keeps them alive.

    The distance is 0 where one row serves all. Only other broadcasts and orders are copied.
    """
    size = x.shape[-1]
    if len(x.shape) <= 2 and x.strides[-1] == 1 and x.shape[:-1] in ((), lead):
        return x.address, x.strides[0] if len(x.shape) == 2 else 0, x.owner
    if x.shape[:-1] != lead or not x.in_row_order:
        x = library.contiguous(x, (*lead, size))
    return x.address, size, x.owner


def _outputs(
    program: Program, lead: tuple[int, ...], library: ArrayLibrary, like: DeviceArray, out: Any
) -> list[Any]:
    """Return one array per output: new ones, or ``out`` after checking it."""
    shapes = [(*lead, *port.shape) for port in program.outputs]
    if out is None:
        return [library.new(shape, like) for shape in shapes]
    given = library.facts(out)
    suits = (given.shape, given.kind, given.device) == (shapes[0], like.kind, like.device)
    if not suits or not given.in_row_order or given.address % 16:
        raise InputError(
            f"{program.name}: out has shape {given.shape} and type {given.kind}; give a "
            f"C-contiguous array {shapes[0]} of {like.kind} on the same GPU, aligned to 16 bytes"
        )
    return [out]


def _raise_fault(
    row: int, inputs: list[DeviceArray], lead: tuple[int, ...], explain: Explain
) -> None:
    """Let ``explain`` raise the error of a bad state, given its number in row order."""
    if row == NO_FAULT:
        return
    place = np.unravel_index(row, lead) if lead else ()
    states = []
    for x in inputs:
        extra = len(lead) - (len(x.shape) - 1)
        own = [
            0 if length == 1 else int(k) for k, length in zip(place[extra:], x.shape, strict=False)
        ]
        states.append(np.array(x.owner[tuple(own)].tolist(), dtype=np.float64))
    explain(states)
