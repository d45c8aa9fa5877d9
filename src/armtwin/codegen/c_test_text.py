"""The test program of exported C functions: reference values of the NumPy target."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.codegen.c_text import CFunction, CModule, is_scalar, outputs
from armtwin.codegen.functions import IK
from armtwin.compile.kernel import limits_of, program_for
from armtwin.compile.native import self_check
from armtwin.compile.program import Program
from armtwin.compile.split import fixed
from armtwin.compile.targets.c_rows import literal
from armtwin.compile.wasm.module import CONSTANTS
from armtwin.equations.kinematics import tool_pose
from armtwin.model.arm import Arm
from armtwin.spatial import Array

STATES = 5
"""States of the test program for each function."""
FLOAT_FACTOR = 2.0**29
"""Ratio of the rounding errors of float32 and float64."""


def c_test(module: CModule) -> str:
    """Return a C99 program that compares every function with reference values."""
    by_name = {function.name: function for function in module.functions}
    checks = [_check(module, function, by_name) for function in module.functions]
    calls = [f"  wrong += check_{function.name}();" for function in module.functions]
    return "\n".join([
        f"/* Compares {module.prefix}.c with reference values of armtwin. Generated. */",
        f'#include "{module.prefix}.h"\n\n#include <math.h>\n#include <stdio.h>\n',
        COMPARE.replace("REAL", module.real), *checks,
        "int main(void) {", "  int wrong = 0;", *calls,
        '  printf(wrong ? "%d values differ\\n" : "all values agree\\n", wrong);',
        "  return wrong ? 1 : 0;", "}", "",
    ])  # fmt: skip


COMPARE = """static int compare(const char *name, const REAL *found, const double *expected,
                   const double *bound, int count) {
  int wrong = 0, k;
  for (k = 0; k < count; k++) {
    const double apart = fabs((double)found[k] - expected[k]);
    if (apart <= bound[k] || (found[k] != found[k] && expected[k] != expected[k])) continue;
    printf("%s: entry %d is %.9g, expected %.9g within %.1e\\n", name, k, (double)found[k],
           expected[k], bound[k]);
    wrong++;
  }
  return wrong;
}
"""


def one_state(module: CModule, function: CFunction) -> list[list[float]]:
    """Return one state of a function's test: its inputs, in order."""
    by_name = {other.name: other for other in module.functions}
    expected = reference(module, function.program, _given(module, function, by_name))
    return [values[0].tolist() for values in expected.inputs]


def _check(module: CModule, function: CFunction, by_name: dict[str, CFunction]) -> str:
    """Return the C function that checks one exported function."""
    program = function.program
    expected = reference(module, program, _given(module, function, by_name))
    name, real = function.name, module.real
    lines = [f"static int check_{name}(void) {{"]
    for port, values in zip(program.inputs, expected.inputs, strict=True):
        rows = _rows(values[:STATES], real)
        lines.append(f"  static const {real} {port.name}[{STATES}][{port.size}] = {rows};")
    found, passed = [], []
    for port in program.inputs:
        passed.append(f"{port.name}[i][0]" if is_scalar(port) else f"{port.name}[i]")
    results = zip(outputs(function), expected.values, expected.bounds, strict=True)
    for (port, out), values, bounds in results:
        size = f"[{STATES}][{port.size}]"
        lines.append(f"  static const double expected_{out}{size} = {_rows(values[:STATES])};")
        lines.append(f"  static const double bound_{out}{size} = {_rows(bounds[:STATES])};")
        lines.append(f"  {real} {out}[{port.size}];")
        given = f'"{name}: {out}", {out}, expected_{out}[i], bound_{out}[i], {port.size}'
        found.append(f"    wrong += compare({given});")
        passed.append(out)
    call = f"    {module.prefix}_{name}({', '.join(passed)});"
    lines += ["  int wrong = 0, i;", f"  for (i = 0; i < {STATES}; i++) {{", call, *found]
    return "\n".join([*lines, "  }", "  return wrong;", "}", ""])


def reference(module: CModule, program: Program, given: dict[str, Array]) -> self_check.Expectation:
    """Return random inputs, outputs of the NumPy target, and the bounds of their rounding.

    Args:
        module: the exported functions, for the arm's limits and the number type.
        program: the program of one of them.
        given: inputs that are not random, by name.
    """
    bounds = limits_of(module.arm, program)
    expected = self_check.expectation(program, bounds, given=given)
    if module.is_double:
        return expected
    rounded = {
        port.name: x.astype(np.float32).astype(float)
        for port, x in zip(program.inputs, expected.inputs, strict=True)
    }
    again = self_check.expectation(program, bounds, given=rounded)
    coarse = [FLOAT_FACTOR * bound for bound in again.bounds]
    return self_check.Expectation(again.inputs, again.values, coarse)


def _given(module: CModule, function: CFunction, by_name: dict[str, CFunction]) -> dict[str, Array]:
    """Return the arm's own parameters, or the constants that follow from them."""
    own = np.array([float(p["value"]) for p in module.parameters])
    ahead = by_name.get(function.name + CONSTANTS)
    given: dict[str, Array] = {"parameters": own} if len(own) else {}
    if ahead is not None:
        whole = fixed(ahead.program, {"parameters": own.tolist()})
        given["c"] = self_check.expectation(whole, ((), ())).values[0][0]
    if function.name == IK:
        given["T"] = _reachable(module.arm)
    return given


def _reachable(arm: Arm) -> Array:
    """Return poses (states, 16) that the arm reaches."""
    pose = program_for(arm, tool_pose.tool_pose)
    return self_check.expectation(pose, limits_of(arm, pose), seed=1).values[0]


def _rows(values: Any, real: str = "double") -> str:
    rows = [", ".join(_number(x, real) for x in row) for row in np.asarray(values).tolist()]
    return "{" + ",\n    ".join(f"{{{row}}}" for row in rows) + "}"


def _number(x: float, real: str) -> str:
    text = literal(x, real)
    return text.replace('__builtin_nan("")', "NAN").replace("__builtin_inf()", "INFINITY")
