"""Export of an arm's equations as a folder of C99, C++, CMake and facts for real-time use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armtwin.codegen import c_test_text, c_text, real_time
from armtwin.codegen.c_text import CModule
from armtwin.codegen.functions import arm_functions, check_lists
from armtwin.compile.targets.cuda import Real
from armtwin.errors import InputError
from armtwin.files import write_folder
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.progress import OnProgress, report_step
from armtwin.report.page import Page, Section, Table
from armtwin.report.result import Result

USUAL = ("fk", "jacobian", "ik", "inverse_dynamics", "observer_step")
"""Equations of an export where none are named; those that the arm cannot have are left out."""


@dataclass(frozen=True)
class CExport(Result):
    """An exported folder of C code.

    Attributes:
        path: the folder.
        arm: name of the arm.
        prefix: of the files and functions.
        real: type of all numbers.
        facts: per function flops, stack, times and code size, with their conditions.
        left_out: equations that the arm cannot have, with the reason.
        files: names of the files.
    """

    path: Path
    arm: str
    prefix: str
    real: str
    facts: dict[str, Any]
    left_out: dict[str, str]
    files: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data; the folder is ``out``."""
        return {
            "out": str(self.path), "arm": self.arm, "prefix": self.prefix, "type": self.real,
            "files": list(self.files), "left_out": self.left_out, **self.facts,
        }  # fmt: skip

    def page(self) -> Page:
        """Return what was written, and the facts of every function as a table."""
        facts = (
            ("Folder", str(self.path)),
            ("Files", ", ".join(self.files)),
            ("Numbers", self.real),
            *((f"Left out: {name}", reason) for name, reason in self.left_out.items()),
        )
        rows = tuple(
            (name, *(values.get(key) for key, _ in COLUMNS))
            for name, values in self.facts["functions"].items()
        )
        table = Table(("function", *(head for _, head in COLUMNS)), rows)
        section = Section("Real-time facts", (table,))
        return Page(title=f"C code of {self.arm}", facts=facts, sections=(section,))


COLUMNS = (
    ("flops", "flops"), ("libm_calls", "libm calls"), ("stack_bytes", "stack [bytes]"),
    ("median_us", "median [us]"), ("worst_us", "worst [us]"),
    ("cortex_m4_code_bytes", "M4 code [bytes]"), ("cortex_m4_stack_bytes", "M4 stack [bytes]"),
)  # fmt: skip


def export_c(
    arm: ArmLike,
    path: str | Path,
    *,
    equations: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
    real: str = "double",
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> CExport:
    """Write an arm's equations as plain C99: no allocation, no library but libm.

    The folder gets a header with documentation, the source, a C++ wrapper, ``CMakeLists.txt``, a
    test program with reference values, and facts for real-time use (``facts.json``, ``README.md``).

    Args:
        arm: the arm, its catalogue name or its file.
        path: the folder; made if it does not exist.
        equations: names such as ``fk``, ``inverse_dynamics``, ``ik``, ``observer_step``; None for
            the usual ones that the arm can have.
        parameters: groups of the arm's numbers that stay arguments, such as ``payload``; the other
            numbers are built in.
        real: ``double`` or ``float``.
        force: overwrite files of an earlier export.
        on_progress: called before each step; raise from it to cancel, then nothing is written.

    Raises:
        InputError: an unknown option, or an equation that the arm cannot have.
        MissingDataError: the arm lacks numbers that a named equation needs.
        OutputExistsError: a file exists and ``force`` is not set.
    """
    given, kind = as_arm(arm), _real(real)
    check_lists(equations, parameters)
    report_step(on_progress, "deriving the equations", 0.0)
    names, leave_out = (USUAL, True) if equations is None else (equations, False)
    made = arm_functions(given, names, parameters, leave_out=leave_out)
    module = c_text.c_module(made, kind)
    files = code_files(module)
    report_step(on_progress, "measuring stack and time", 0.4)
    states = {f.name: c_test_text.one_state(module, f) for f in module.functions}
    facts = real_time.facts(module, files, states)
    files["facts.json"] = json.dumps(facts, indent=2) + "\n"
    files["README.md"] = _readme(module, facts)
    report_step(on_progress, "writing the files", 0.9)
    folder = Path(path)
    write_folder(folder, {name: text.encode() for name, text in files.items()}, force=force)
    return CExport(folder, given.name, module.prefix, real, facts, made.left_out, tuple(files))


def _real(real: str) -> Real:
    if real == "double":
        return "double"
    if real == "float":
        return "float"
    raise InputError(f"real is {real!r}; give 'double' or 'float'")


def code_files(module: CModule) -> dict[str, str]:
    """Return the texts of an export by file name, facts aside."""
    name = module.prefix
    return {
        f"{name}.h": c_text.header(module),
        f"{name}.c": c_text.source(module),
        f"{name}.hpp": c_text.cpp_header(module),
        f"{name}_test.c": c_test_text.c_test(module),
        "CMakeLists.txt": CMAKE.replace("NAME", name),
    }


CMAKE = """cmake_minimum_required(VERSION 3.10)
project(NAME C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(NAME STATIC NAME.c)
target_include_directories(NAME PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
if(UNIX)
  target_link_libraries(NAME PUBLIC m)
endif()

enable_testing()
add_executable(NAME_test NAME_test.c)
target_link_libraries(NAME_test NAME)
add_test(NAME NAME_test COMMAND NAME_test)
"""


def _readme(module: CModule, facts: dict[str, Any]) -> str:
    """Return the facts as Markdown."""
    name, conditions = module.prefix, facts["conditions"]
    heads = ["function", *(head for _, head in COLUMNS)]
    compiler = conditions.get("compiler", "no compiler found")
    lines = [
        f"# {module.arm.title or module.arm.name} in C", "",
        f"Generated by armtwin. `{name}.h` describes every function, `{name}.hpp` is for C++.", "",
        "```sh", "cmake -B build && cmake --build build && ctest --test-dir build", "```", "",
        f"Numbers are of type {module.real}. Times: {conditions['host']}, "
        f"{compiler}, {real_time.CALLED:,} calls of one state, processor time of the thread; the "
        "worst includes interrupts. Stack and code without libm; Cortex-M4 with -Os.", "",
        f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}",
    ]  # fmt: skip
    for function, values in facts["functions"].items():
        cells = ["-" if values.get(key) is None else str(values[key]) for key, _ in COLUMNS]
        lines.append(f"| `{name}_{function}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
