"""C code without warnings: what the compiler targets write, and what the package ships.

The firmware is compiled with the same flags for its own processor by ``build.sh`` there.
"""

import functools
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from armtwin import load
from armtwin.compile.kernel import program_for
from armtwin.compile.native import library
from armtwin.compile.targets import c as c_target
from armtwin.equations.dynamics import rigid_body
from armtwin.equations.kinematics import tool_pose
from armtwin.fmu.export.export import sources
from armtwin.fmu.export.models import build_model
from armtwin.fmu.run import host
from armtwin.fmu.wasm.build import wasm_sources

STRICT = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-psabi")
"""Functions over 8 lanes are static: no ABI matters to them."""
UNUSED = "-Wno-unused-function"
"""Kernels hold the whole text of vector_math.h; clang excuses unused functions of headers only."""
COMPILERS = {
    "gcc": (["gcc"], ["-fsyntax-only"]),
    "zig cc": ([sys.executable, "-m", "ziglang", "cc"], ["-c", "-o", "text.o", UNUSED]),
}
WASM = ("-target", "wasm32-freestanding", "-mbulk-memory", "-DFREESTANDING", "-ffreestanding")
KERNELS = {"pose": tool_pose.tool_pose, "torques": rigid_body.inverse_dynamics}
LANES = (1, 4, 8)


@functools.cache
def c_texts():
    """Return every C text by name, each as its files and the one to compile."""
    arm = load("ur10e")
    made = {
        f"kernel {name}, {lanes} lanes": {
            "kernel.c": c_target.function_source(program_for(arm, build), lanes)
        }
        for name, build in KERNELS.items()
        for lanes in LANES
    }
    made["bridge"] = {"bridge.c": Path(library.__file__).with_name("bridge.c").read_text("utf-8")}
    made["FMU host"] = {"host.c": host.source()}
    for fmi in (2, 3):
        files = sources(build_model(arm, "forward-dynamics"), fmi)
        made[f"FMI {fmi}"] = {f"fmi{fmi}.c": files.pop(f"fmi{fmi}.c"), **files}
    return made


def warnings_of(compiler, texts, *more):
    """Return what a compiler says about each text that it does not accept; ``more`` are flags."""
    found = {}
    command, others = COMPILERS[compiler]
    for name, files in texts.items():
        with tempfile.TemporaryDirectory() as place:
            for file, text in files.items():
                Path(place, file).write_text(text, encoding="utf-8")
            words = [*command, *STRICT, *others, *more, next(iter(files))]
            done = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            found[name] = done.stderr
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_generated_and_shipped_c_has_no_warning(compiler):
    """Kernels, bridge, FMU sources and FMU host give no warning when compilers look for all."""
    assert warnings_of(compiler, c_texts()) == {}


def test_webassembly_text_has_no_warning():
    """The functions of a component give no warning when they are compiled for WebAssembly."""
    files = sources(build_model(load("ur10e"), "fk"), 3) | wasm_sources()
    texts = {"component": {"wasm.c": files.pop("wasm.c"), **files}}
    assert warnings_of("zig cc", texts, *WASM) == {}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_warning_is_seen(compiler):
    """The text is named when it has an unused parameter."""
    found = warnings_of(compiler, {"planted": {"planted.c": "int f(int a) { return 1; }\n"}})
    assert "unused parameter" in found["planted"]
