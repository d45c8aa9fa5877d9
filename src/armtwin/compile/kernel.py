"""Kernels: an equation of an arm, compiled to run on one state or any batch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.compile.derived import BY_ARM, derived
from armtwin.compile.native import cache
from armtwin.compile.native.library import Single, circumstances, native
from armtwin.compile.outputs import check_out_arrays, new_array
from armtwin.compile.program import Program
from armtwin.compile.shipped import parsed, shipped_program
from armtwin.compile.targets import numpy as numpy_target
from armtwin.compile.targets import python as python_target
from armtwin.compile.threads import checked_threads, parts_of
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.equations.equation import Build


class Kernel:
    """A callable over arrays ``(..., size)`` per input, returning ``(..., *shape)`` per output.

    Attributes:
        program: the instruction list.
        fast: runs one state whose inputs are finite float64 vectors, the first within its
            bounds. Returns None if they are not, or if there is no compiled code; the caller
            then validates the inputs and takes the general path.
    """

    def __init__(self, program: Program, bounds: tuple[Sequence[float], Sequence[float]]) -> None:
        self.program = program
        self._native = native(program, bounds)
        self._single: python_target.Single | None = None
        self._batch: numpy_target.Batch | None = None
        single = self._native.single if self._native else None
        self.fast: Single = single or _no_fast_path

    @property
    def address(self) -> int | None:
        """Address of the compiled function over rows; None without compiled code."""
        return self._native.address if self._native else None

    @property
    def library(self) -> str:
        """Name of the compiled library, by the hash of its content; empty without compiled code."""
        return self._native.path.stem if self._native else ""

    def __call__(
        self, *inputs: Array, threads: int | None = None, out: Sequence[Array] | None = None
    ) -> tuple[Array, ...]:
        """Run on one state or a batch; leading dimensions of the inputs are broadcast.

        With ``out``, one array per output, the results are written there and nothing is allocated
        for them. ``threads`` as for ``run``.
        """
        for port, x in zip(self.program.inputs, inputs, strict=True):
            if x.shape[-1:] != port.shape:
                raise InputError(
                    f"{self.program.name}: {port.name} has shape {x.shape}; "
                    f"expected (..., {port.size})"
                )
        lead = common_lead([x.shape for x in inputs])
        if not lead and out is None:
            ready = self.fast(*inputs)
            if ready is not None:
                return ready
            if self._native is None:
                return self._one(inputs)
        flat = [self._rows(x, lead) for x in inputs]
        results = self.results(lead) if out is None else tuple(out)
        if out is not None:
            check_out_arrays(self.program, results, lead, flat)
        pairs = zip(results, self.program.outputs, strict=True)
        self.run(flat, [y.reshape(-1, port.size) for y, port in pairs], threads)
        return results

    def results(self, lead: tuple[int, ...]) -> tuple[Array, ...]:
        """Return new arrays for the outputs of a batch."""
        return tuple(new_array((*lead, *port.shape)) for port in self.program.outputs)

    def run(self, inputs: list[Array], outputs: list[Array], threads: int | None = None) -> None:
        """Fill C-contiguous 2-D ``outputs`` from ``inputs``, one row per state, without copies.

        Args:
            inputs: one array (rows, size) per input of the program.
            outputs: one array (rows, size) per output, to be filled.
            threads: over which the rows are divided; None: all cores for a large batch.
        """
        rows = len(outputs[0])
        if not rows:
            return
        parts = parts_of(rows, len(self.program.steps), threads)
        if self._native is not None:
            self._native.run(inputs, outputs, parts)
            return
        if self._batch is None:
            self._batch = numpy_target.batch_function(self.program)
        self._batch(inputs, outputs, parts)

    def _one(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        if self._single is None:
            self._single = python_target.single_function(self.program)
        values = self._single(*[v for x in inputs for v in x.tolist()])
        result, start = [], 0
        for port in self.program.outputs:
            part = np.array(values[start : start + port.size])
            result.append(part.reshape(port.shape))
            start += port.size
        return tuple(result)

    @staticmethod
    def _rows(x: Array, lead: tuple[int, ...]) -> Array:
        full = x if x.shape[:-1] == lead else np.broadcast_to(x, lead + x.shape[-1:])
        return np.ascontiguousarray(full.reshape(-1, x.shape[-1]), dtype=np.float64)


def common_lead(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the broadcast batch shape of inputs with shapes (..., size)."""
    leads = [shape[:-1] for shape in shapes]
    if all(lead == leads[0] for lead in leads):
        return leads[0]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError as error:
        given = ", ".join(map(str, shapes))
        raise InputError(f"these batches do not broadcast: shapes {given}") from error


def equation_name(equation: Build) -> str:
    """Return an equation's name within ``armtwin.equations``: its module and its function."""
    module = equation.__module__.removeprefix("armtwin.equations.")
    return f"{module}.{equation.__name__}"


def program_for(arm: Arm | None, equation: Build) -> Program:
    """Return the program of an equation for an arm.

    It is cached by the arm's numbers and the equations' source, so that later processes need
    neither CasADi nor the derivation. Programs of the catalogue's arms come with the wheel.

    Raises:
        MissingDataError: it has to be derived, and CasADi is not installed.
    """
    name = program_file(arm, equation)
    cached = parsed(cache.read_text(name))
    if cached is not None:
        return cached
    program = shipped_program(name)
    if program is None:
        program = Program.from_listing((equation(arm) if arm else equation()).listing())
    cache.write_text(name, program.to_json())
    return program


def program_file(arm: Arm | None, equation: Build) -> str:
    """Return the name under which a program is cached, and shipped."""
    title = equation_name(equation)
    key = cache.digest(cache.source_digest(), arm.fingerprint if arm else "", title)
    return f"program-{title}-{key}.json"


_WITHOUT_ARM: dict[Build, Kernel] = {}
_RECENT: OrderedDict[tuple[Any, ...], Kernel] = OrderedDict()
"""Kernels with compiled code, the one used last at the end: arms of equal numbers share them."""
MAX_RECENT = 64
"""Larger: more memory; smaller: kernels are loaded from the cache again more often."""


def _shared(arm: Arm | None, equation: Build) -> Kernel:
    """Return the kernel that another arm of the same numbers has, or a new one.

    Copies of an arm and arms loaded again are frequent; to load compiled code from the cache takes
    tens of milliseconds.
    """
    numbers = None if arm is None else (arm.fingerprint, tuple(arm.lower), tuple(arm.upper))
    key = (equation, numbers, circumstances())
    found = _RECENT.pop(key, None)
    if found is None:
        program = program_for(arm, equation)
        found = Kernel(program, limits_of(arm, program))
        if found.address is None:
            return found  # a later attempt may find a compiler
    _RECENT[key] = found
    if len(_RECENT) > MAX_RECENT:
        _RECENT.popitem(last=False)
    return found


def kernel(arm: Arm | None, equation: Build) -> Kernel:
    """Return the kernel of an equation for an arm, cached for the lifetime of the arm."""
    kept: dict[Build, Kernel] = _WITHOUT_ARM if arm is None else derived(arm)
    found = kept.get(equation)
    if found is None:
        found = kept[equation] = _shared(arm, equation)
    return found


def run_single(arm: object, equation: Build, *inputs: Any) -> tuple[Array, ...] | None:
    """Return the outputs for one plain state, or None if the general path must be taken."""
    try:
        found: tuple[Array, ...] | None = BY_ARM[id(arm)][equation].fast(*inputs)
    except KeyError:
        return None  # not an Arm, or its first use
    return found


def run(
    arm: Arm, equation: Build, *inputs: Array, threads: int | None = None, out: Array | None = None
) -> tuple[Array, ...]:
    """Return an equation's outputs for arrays that were checked before.

    Args:
        arm: the arm.
        equation: a function of ``armtwin.equations`` that returns an ``Equation``.
        inputs: one array (..., size) per input.
        threads: how many cores a batch may use; None: all, where it is large.
        out: where the equation's only output goes; None: a new array.
    """
    places = None if out is None else (out,)
    return kernel(arm, equation)(*inputs, threads=checked_threads(threads), out=places)


def _no_fast_path(*inputs: Any) -> None:
    """Replace the fast path where there is no compiled code."""


def limits_of(arm: Arm | None, program: Program) -> tuple[Sequence[float], Sequence[float]]:
    """Return the limits of the first input: the joints', or none."""
    first = program.inputs[0]
    if arm is not None and first.name == "q":
        return arm.lower.tolist(), arm.upper.tolist()
    return [-np.inf] * first.size, [np.inf] * first.size
