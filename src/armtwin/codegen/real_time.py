"""Facts for real-time use of exported C functions: operations, stack, time, size on a Cortex-M4."""

from __future__ import annotations

import contextlib
import platform
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armtwin.codegen.c_text import CFunction, CModule, is_scalar, outputs
from armtwin.compile.native import toolchain
from armtwin.compile.targets.c_rows import literal
from armtwin.extras import installed
from armtwin.processes import module_command

SECONDS = 120
"""Limit of one compiler run or measurement."""
CALLED = 20_000
"""Calls whose time is measured."""
LIBM = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "exp",
}  # fmt: skip
FREE = {"const", "input", "copysign", "fabs", "neg"}
"""Steps that are no floating-point operation."""
CORTEX_M4 = ("-target", "thumb-linux-musleabihf", "-mcpu=cortex_m4", "-Os", "-ffunction-sections")
"""An object file needs headers alone; the C library is the firmware's."""
FRAME = re.compile(r"stack frame size \((\d+)\) exceeds limit \(0\) in '(\w+)'")
USAGE = re.compile(r"^.*:(\w+)\t(\d+)\t", re.MULTILINE)
"""Format in which clang and gcc report the stack of a function."""


def facts(module: CModule, files: dict[str, str], states: dict[str, list[Any]]) -> dict[str, Any]:
    """Return what is known of every function, as plain data.

    Args:
        module: the exported functions.
        files: texts of the exported files by name.
        states: one state (inputs, in order) for every function, at which its time is measured.
    """
    found = {function.name: _operations(function) for function in module.functions}
    conditions = {"host": f"{platform.machine()}, {platform.system()}", "type": module.real}
    with tempfile.TemporaryDirectory(prefix="armtwin-") as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        compiler = toolchain.find_compiler()
        if compiler is not None:
            conditions["compiler"] = f"{Path(compiler.command[0]).name} -O2"
            _add(found, module, _stack([*compiler.command, "-O2"], module, folder), "stack_bytes")
            for name, times in _times(list(compiler.command), module, folder, states).items():
                found[name] |= times
        if installed("ziglang"):
            zig = module_command("ziglang", "cc", *CORTEX_M4)
            _add(found, module, _stack(zig, module, folder), "cortex_m4_stack_bytes")
            _add(found, module, _sizes(Path(folder, "object.o")), "cortex_m4_code_bytes")
    return {"conditions": conditions, "functions": found}


def _operations(function: CFunction) -> dict[str, Any]:
    operations = [step[0] for step in function.program.steps]
    calls = [name for name in operations if name in LIBM]
    flops = [name for name in operations if name not in LIBM and name not in FREE]
    return {"flops": len(flops), "libm_calls": len(calls)}


def _add(found: dict[str, Any], module: CModule, values: dict[str, int], key: str) -> None:
    """Add what a compiler says of C functions, the body of each counted with it."""
    for function in module.functions:
        names = (f"{module.prefix}_{function.name}", f"{function.name}_body")
        known = [values[name] for name in names if name in values]
        found[function.name][key] = sum(known) if known else None


def _run(command: Sequence[str], folder: str) -> str | None:
    """Return what a command prints, warnings included, or None if it fails."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout + done.stderr if done.returncode == 0 else None


def _stack(compiler: Sequence[str], module: CModule, folder: str) -> dict[str, int]:
    """Return the stack of every C function [bytes], as the compiler reports it.

    gcc writes a file; clang warns of every frame, if the text was not compiled before: the macro
    makes it new.
    """
    new = f"-DRUN_{Path(folder).name.replace('-', '_')}"
    flags = ("-std=c99", new, "-fstack-usage", "-Wframe-larger-than=0", "-c", "-o", "object.o")
    printed = _run([*compiler, *flags, f"{module.prefix}.c"], folder)
    if printed is None:
        return {}
    found = [(name, size) for size, name in FRAME.findall(printed)]
    for path in Path(folder).glob("*.su"):
        found += USAGE.findall(path.read_text(encoding="utf-8"))
        path.unlink()
    return {name: int(size) for name, size in found}


def _sizes(path: Path) -> dict[str, int]:
    """Return the size of every function's code in a 32-bit ELF object, by its own section."""
    import struct

    try:
        data = path.read_bytes()
    except OSError:
        return {}
    if data[:5] != b"\x7fELF\x01":
        return {}
    table, count, names = (
        struct.unpack_from("<I", data, 32)[0], *struct.unpack_from("<HH", data, 48)
    )  # fmt: skip
    heads = [struct.unpack_from("<IIIIIIIIII", data, table + 40 * k) for k in range(count)]
    strings = heads[names][4]
    found = {}
    for head in heads:
        end = data.index(b"\0", strings + head[0])
        name = data[strings + head[0] : end].decode()
        if name.startswith(".text."):
            found[name.removeprefix(".text.")] = head[5]
    return found


def _times(
    compiler: list[str], module: CModule, folder: str, states: dict[str, list[Any]]
) -> dict[str, dict[str, float]]:
    """Return median and worst time of every function [us]."""
    Path(folder, "times.c").write_text(_timer(module, states), encoding="utf-8")
    command = [*compiler, "-O2", "-w", "-o", "times", "times.c", f"{module.prefix}.c", "-lm"]
    if _run(command, folder) is None:
        return {}
    printed = _run([str(Path(folder, "times"))], folder) or ""
    found = {}
    with contextlib.suppress(ValueError):
        for line in printed.splitlines():
            name, median, late, worst = line.split()
            found[name] = {
                "median_us": float(median), "p99_9_us": float(late), "worst_us": float(worst)
            }  # fmt: skip
    return found


def _timer(module: CModule, states: dict[str, list[Any]]) -> str:
    """Return a program that prints the times of every function, of this thread alone.

    The time that reading the clock takes is measured before every call and subtracted: it changes
    with the processor's frequency.
    """
    lines = [
        "#define _POSIX_C_SOURCE 200112L", "#include <stdio.h>", "#include <stdlib.h>",
        "#include <time.h>", f'#include "{module.prefix}.h"', f"static double took[{CALLED}];",
        "static int by_size(const void *a, const void *b) {",
        "  const double x = *(const double *)a, y = *(const double *)b;",
        "  return (x > y) - (x < y); }",
        "static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);",
        "  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec; }", "int main(void) {",
    ]  # fmt: skip
    for function in module.functions:
        lines += _timed(module, function, states[function.name])
    return "\n".join([*lines, "return 0; }"]) + "\n"


def _timed(module: CModule, function: CFunction, state: list[Any]) -> list[str]:
    declared, passed = [], []
    for port, values in zip(function.program.inputs, state, strict=True):
        numbers = ", ".join(literal(float(x), module.real) for x in values)
        declared.append(f"static {module.real} {port.name}[] = {{{numbers}}};")
        passed.append(f"{port.name}[0]" if is_scalar(port) else port.name)
    for port, name in outputs(function):
        declared.append(f"static {module.real} {name}[{port.size}];")
        passed.append(name)
    call = f"{module.prefix}_{function.name}({', '.join(passed)});"
    return [
        "{", *declared, f"for (int i = 0; i < {CALLED}; i++) {{ const double first = now();",
        f"const double start = now(); {call} took[i] = (now() - start) - (start - first); }}",
        f"qsort(took, {CALLED}, sizeof *took, by_size);",
        f'printf("{function.name} %.4g %.4g %.4g\\n", took[{CALLED // 2}], '
        f"took[{CALLED * 999 // 1000}], took[{CALLED - 1}]); }}",
    ]  # fmt: skip
