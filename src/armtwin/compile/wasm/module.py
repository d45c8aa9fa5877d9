"""Programs as one WebAssembly module, compared with the NumPy target before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata

import numpy as np

from armtwin.compile.native import cache, self_check, toolchain
from armtwin.compile.native.random_states import STATES, Bounds
from armtwin.compile.native.toolchain import Compiler
from armtwin.compile.program import Program
from armtwin.compile.targets import numpy as numpy_target
from armtwin.compile.targets.wasm import RowFunction, module_source
from armtwin.compile.wasm.wasm_instance import WasmInstance
from armtwin.errors import CompileError
from armtwin.extras import require
from armtwin.processes import module_command
from armtwin.spatial import Array

CONSTANTS = "_constants"
"""Ending of the function that computes another one's constants from the parameters."""
FLAGS = (
    "-target", "wasm32-freestanding", "-msimd128", "-mbulk-memory", "-std=gnu11", "-O2",
    "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-nostdlib", "-w", "-s",
    "-Wl,--no-entry", "-Wl,--export=__heap_base", "-Wl,-z,stack-size=1048576",
)  # fmt: skip
"""Products are not fused, so that every engine rounds in the same way."""


@dataclass(frozen=True, eq=False)
class ModuleFunction:
    """A function of a module.

    Attributes:
        name: of the exported function.
        program: what it computes; its input ``c``, if any, is the output of ``constants``.
        bounds: limits of the program's first input, within which it is checked.
        shared: for inputs with one row for all states, the arm's own values.
        constants: from parameters to constants ``c``; None without parameters.
        parameters: the arm's own parameters, where ``constants`` reads them.
    """

    name: str
    program: Program
    bounds: Bounds
    shared: dict[str, Array] = field(default_factory=dict)
    constants: Program | None = None
    parameters: Array | None = None

    def row_functions(self) -> list[RowFunction]:
        """Return the function, and the one of its constants."""
        shared = {*self.shared, "c"} if self.constants else set(self.shared)
        own = RowFunction(self.name, self.program, frozenset(shared))
        if self.constants is None:
            return [own]
        return [own, RowFunction(self.name + CONSTANTS, self.constants)]


def wasm_bytes(functions: Sequence[ModuleFunction], more: str = "") -> bytes:
    """Return a module with the functions, built or from the cache.

    Args:
        functions: the functions.
        more: further C text that may call them.

    Raises:
        MissingDataError: ziglang or wasmtime is not installed.
        CompileError: the compiler fails, or its code computes other numbers than NumPy.
    """
    rows = [row for function in functions for row in function.row_functions()]
    data = compiled(module_source(rows, more), "module")
    name = f"{cache.content_digest(data)[:32]}.proof"
    if cache.read_text(name) != "right":
        check(data, functions)
        cache.write_text(name, "right")
    return data


def check(data: bytes, functions: Sequence[ModuleFunction]) -> None:
    """Run every function in wasmtime and in NumPy on random states; raise where they differ.

    Raises:
        CompileError: an output differs by more than rounding explains.
    """
    instance = WasmInstance(data)
    for function in functions:
        given = {name: values for name, values in function.shared.items()}
        if function.constants is not None and function.parameters is not None:
            given["c"] = _constants(function.constants, function.parameters)
            near = {function.constants.inputs[0].name: _near(function.parameters)}
            _compare(instance, function.name + CONSTANTS, function.constants, near, set())
        _compare(instance, function.name, function.program, given, set(given), function.bounds)


def _near(values: Array) -> Array:
    """Return random numbers (states, size) around given ones, by up to a tenth."""
    rng = np.random.default_rng(0)
    spread = rng.uniform(-0.1, 0.1, (STATES, len(values)))
    return np.asarray(values * (1 + spread) + 0.1 * spread * (values == 0))


def _constants(program: Program, parameters: Array) -> Array:
    outputs = [np.empty((1, port.size)) for port in program.outputs]
    numpy_target.batch_function(program)([parameters[None, :]], outputs)
    return outputs[0][0]


def _compare(
    instance: WasmInstance,
    name: str,
    program: Program,
    given: dict[str, Array],
    shared: set[str],
    bounds: Bounds = ((), ()),
) -> None:
    """Compare a function as a batch and state by state; raise CompileError where it differs.

    Args:
        instance: the module.
        name: of the function.
        program: what it computes.
        given: inputs that are not drawn at random, (size,) or (states, size).
        shared: names of inputs with one row for all states.
        bounds: limits of the first input.
    """
    expected = self_check.expectation(program, bounds, given=given)
    sizes = [port.size for port in program.outputs]

    def rows(inputs: list[Array], first: int, last: int) -> list[Array]:
        pairs = zip(program.inputs, inputs, strict=True)
        parts = [x[:1] if port.name in shared else x[first:last] for port, x in pairs]
        return instance.run(name, last - first, parts, sizes)

    def by_state(inputs: list[Array]) -> list[Array]:
        single = [rows(inputs, k, k + 1) for k in range(STATES)]
        return [np.concatenate(parts) for parts in zip(*single, strict=True)]

    for run in (lambda inputs: rows(inputs, 0, STATES), by_state):
        fault = self_check.difference(program, expected, run)
        if fault is not None:
            raise CompileError(f"WebAssembly code computes wrong numbers: {fault}")


def compiled(source: str, name: str) -> bytes:
    """Return the module of a C text, from the cache if possible.

    Args:
        source: the C text.
        name: prefix of the cached file's name.

    Raises:
        MissingDataError: ziglang is not installed.
        CompileError: the compiler fails.
    """
    require("compiling WebAssembly", "ziglang")
    zig = Compiler(tuple(module_command("ziglang", "cc")), f"ziglang {metadata.version('ziglang')}")
    key = f"{name}-{cache.digest(source, zig.identity, ' '.join(FLAGS))}.wasm"
    known = cache.read_blob(key)
    if known is None:
        known = toolchain.compile_source(zig, FLAGS, source)
        cache.write_blob(key, known)
    return known
