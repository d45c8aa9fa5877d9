"""Exported C code: clean under every compiler, right on every processor, honest in its facts."""

import ctypes
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.codegen import c_test_text, c_text
from armtwin.codegen.functions import arm_functions
from armtwin.errors import InputError, MissingDataError, OutputExistsError

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2")
ZIG = [sys.executable, "-m", "ziglang", "cc"]
EQUATIONS = ["fk", "inverse_dynamics", "ik", "observer_step"]
LIBM = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "exp", "floor", "sqrt"}
PROCESSORS = {
    "aarch64": ("aarch64-linux-gnu.2.31", (), "qemu-aarch64-static", "/usr/aarch64-linux-gnu"),
    "armv7": (
        "arm-linux-gnueabihf.2.31", ("-mcpu=cortex_a7", "-mthumb"), "qemu-arm-static",
        "/usr/arm-linux-gnueabihf",
    ),
}  # fmt: skip
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Return exports of one arm in double and float, by type."""
    place = tmp_path_factory.mktemp("export")
    return {
        real: at.export_c("ur10e", place / real, equations=EQUATIONS, real=real)
        for real in ("double", "float")
    }


def compiled(command, folder, *flags, out="test"):
    """Return the program of an export's test, compiled without a warning."""
    (name,) = (path.stem for path in folder.glob("*.h"))
    words = [*command, "-std=c99", *STRICT, *flags, "-o", str(folder / out)]
    words += [str(folder / f"{name}.c"), str(folder / f"{name}_test.c"), "-lm"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / out


def answer(*command):
    """Return exit code and last line of a program."""
    words = list(map(str, command))
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, (done.stdout.strip().splitlines() or [done.stderr])[-1]


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_take_it_and_values_agree(folders, compiler, real):
    """No warning under gcc and clang, and reference values are met, when the program runs here."""
    command = shutil.which(compiler) or shutil.which(f"{compiler}-14")
    if command is None:
        pytest.skip(f"no {compiler} on this machine (requirements/apt.txt)")
    program = compiled([command], folders[real].path, out=f"test_{compiler}")
    assert answer(program) == (0, "all values agree")


@needs_gcc
def test_the_test_program_can_fail(folders, tmp_path):
    """Differing values are printed and the exit code is 1 when one number of the code is wrong."""
    for file in folders["double"].path.iterdir():
        if file.suffix in (".c", ".h"):
            shutil.copy(file, tmp_path)
    text = (tmp_path / "ur10e.c").read_text()
    digits = re.search(r"0x1\.[0-9a-f]{13}p-1\b", text)[0]
    (tmp_path / "ur10e.c").write_text(text.replace(digits, f"({digits} * 1.00000001)"))
    code, line = answer(compiled(["gcc"], tmp_path))
    assert code == 1
    assert re.fullmatch(r"\d+ values differ", line)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_zig_takes_it_and_values_agree_under_qemu(folders, processor):
    """No warning under clang, and reference values are met, when an emulated processor runs it."""
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    triple, flags, emulator, root = PROCESSORS[processor]
    if shutil.which(emulator) is None or not Path(root).exists():
        pytest.skip(f"no {emulator} or no C library for {processor} (requirements/apt.txt)")
    folder = folders["float" if processor == "armv7" else "double"].path
    program = compiled(ZIG, folder, "-target", triple, *flags, out=f"test_{processor}")
    assert answer(emulator, "-L", root, program) == (0, "all values agree")


@needs_gcc
def test_nothing_but_libm_is_called(folders, tmp_path):
    """Undefined symbols are libm's when the code is compiled."""
    for real, suffix in (("double", ""), ("float", "f")):
        text, target = folders[real].path / "ur10e.c", tmp_path / f"{real}.o"
        subprocess.run(["gcc", "-std=c99", "-O2", "-c", "-o", target, text], check=True)
        listed = subprocess.run(["nm", "-u", target], capture_output=True, text=True, check=True)
        found = {line.split()[-1] for line in listed.stdout.splitlines()}
        known = {name + suffix for name in LIBM} | {"sincos" + suffix, "_GLOBAL_OFFSET_TABLE_"}
        assert found <= known


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ on this machine")
def test_cpp_wrapper_gives_the_pose(folders, tmp_path):
    """std::array in and out, no warning as C++11, when a C++ program calls the wrapper."""
    folder = folders["double"].path
    (tmp_path / "main.cpp").write_text(
        '#include "ur10e.hpp"\n#include <cstdio>\nint main() {\n'
        "  const std::array<double, 6> q{{0.1, -1.2, 1.3, 0.2, 0.5, 0.6}};\n"
        "  const std::array<double, 16> T = ur10e::fk(q);\n"
        "  const ur10e::IkResult all = ur10e::ik(T, q);\n"
        '  std::printf("%.15g %.15g %.15g %.15g\\n", T[3], T[7], T[11], all.q[24]);\n}\n'
    )
    words = ["g++", "-std=c++11", *STRICT, f"-I{folder}", "-o", tmp_path / "main"]
    subprocess.run(
        ["gcc", "-std=c99", "-c", "-o", tmp_path / "a.o", folder / "ur10e.c"], check=True
    )
    subprocess.run([*words, tmp_path / "main.cpp", tmp_path / "a.o", "-lm"], check=True)
    code, line = answer(tmp_path / "main")
    expected = at.fk("ur10e", [0.1, -1.2, 1.3, 0.2, 0.5, 0.6])[:3, 3]
    assert code == 0
    np.testing.assert_allclose([float(x) for x in line.split()], [*expected, 0.1], atol=1e-12)


@needs_gcc
def test_payload_stays_an_argument(tmp_path):
    """Torques equal those of the loaded arm when the payload is a parameter of the C code."""
    done = at.export_c(
        "ur10e", tmp_path / "c", equations=["inverse_dynamics"], parameters=["payload"]
    )
    library = tmp_path / "arm.so"
    words = ["gcc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", library, done.path / "ur10e.c"]
    subprocess.run([*words, "-lm"], check=True)
    arm = ctypes.CDLL(str(library))
    p = np.zeros(10)
    p[:4] = 2.0, 0.01, 0.02, 0.1
    count = int(re.search(r"double c\[(\d+)\]", (done.path / "ur10e.h").read_text())[1])
    c, tau = np.zeros(count), np.zeros(6)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    pointer = lambda x: x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))  # noqa: E731
    arm.ur10e_inverse_dynamics_constants(pointer(p), pointer(c))
    arm.ur10e_inverse_dynamics(*map(pointer, (q, qd, qdd, c, tau)))
    loaded = at.with_payload("ur10e", 2.0, com=(0.01, 0.02, 0.1))
    np.testing.assert_allclose(tau, at.inverse_dynamics(loaded, q, qd, qdd), atol=1e-10)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake on this machine")
def test_cmake_builds_and_tests(folders, tmp_path):
    """The library is built and its test passes when CMake reads the folder."""
    folder = folders["float"].path
    subprocess.run(["cmake", "-S", folder, "-B", tmp_path], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path], check=True, capture_output=True)
    subprocess.run(["ctest", "--test-dir", tmp_path], check=True, capture_output=True)


def test_facts_are_measured(folders):
    """Flops, stack, times and sizes are numbers, smaller in float, when the facts are read."""
    facts = {}
    for real, done in folders.items():
        facts[real] = json.loads((done.path / "facts.json").read_text())["functions"]
        assert facts[real] == done.facts["functions"]
    for name in EQUATIONS:
        double, single = facts["double"][name], facts["float"][name]
        assert double["flops"] == single["flops"] > 50
        assert 0 < double["median_us"] <= double["p99_9_us"] <= double["worst_us"]
        assert 0 < single["stack_bytes"] < double["stack_bytes"] < 4096
        assert 0 < single["cortex_m4_code_bytes"] < double["cortex_m4_code_bytes"]
        assert 0 < single["cortex_m4_stack_bytes"] < 4096
    assert facts["double"]["fk"]["libm_calls"] == 12


@pytest.mark.parametrize(("real", "most"), [("double", 1e-9), ("float", 0.05)])
def test_reference_values_bind(real, most):
    """Bounds are far below the values when the test program's tolerances are computed."""
    arm = at.load("ur10e")
    module = c_text.c_module(arm_functions(arm, ["fk", "inverse_dynamics", "ik"]), real)
    for function in module.functions:
        by_name = {other.name: other for other in module.functions}
        given = c_test_text._given(module, function, by_name)
        expected = c_test_text.reference(module, function.program, given)
        values, bounds = expected.values[0], expected.bounds[0]
        assert np.median(bounds / np.abs(values).max()) < most


def test_doxygen_names_every_argument(folders):
    """Each argument of each function is described when the header is read."""
    text = (folders["double"].path / "ur10e.h").read_text()
    declared = re.findall(r"/\*\*((?:(?!\*/).)*)\*/\nvoid ur10e_(\w+)\(([^)]*)\);", text, re.S)
    assert [name for _, name, _ in declared] == EQUATIONS
    for comment, _, arguments in declared:
        names = re.findall(r"(\w+)(?:\[\d+\])?(?:,|$)", arguments)
        assert re.findall(r"@param\[(?:in|out)\] (\w+)", comment) == names


def test_the_command_writes_c_and_webassembly(tmp_path, capsys):
    """Folders with code appear, and facts are printed, when the command exports."""
    assert (
        run(["export", "desktop5", "--out", f"{tmp_path}/c/", "--equations", "fk", "--json"]) == 0
    )
    reported = json.loads(capsys.readouterr().out)
    assert reported["functions"]["fk"]["flops"] > 20
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == sorted(reported["files"])
    assert run(["export", "desktop5", "--out", f"{tmp_path}/c/", "--equations", "fk"]) == 2
    assert "exists" in capsys.readouterr().err
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    words = ["--out", f"{tmp_path}/w/", "--wasm", "--equations", "fk", "--parameters", "tool"]
    assert run(["export", "desktop5", *words]) == 0
    files = {path.name for path in (tmp_path / "w").iterdir()}
    assert files == {"desktop5.wasm", "desktop5.json", "armtwin.js", "armtwin.d.ts"}


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"equations": ["fk", "fk"]}, InputError, "different names"),
        ({"equations": ["walk"]}, InputError, "no equation 'walk'"),
        ({"real": "half"}, InputError, "'double' or 'float'"),
        ({"parameters": ["colour"]}, InputError, "no parameters 'colour'"),
        ({"parameters": ["payload"]}, InputError, "payload need the links' masses"),
        ({"equations": ["gravity"]}, MissingDataError, "lacks numbers"),
    ],
)
def test_impossible_exports_write_nothing(tmp_path, given, error, text):
    """No folder appears when an option or the arm does not fit."""
    with pytest.raises(error, match=text):
        at.export_c("desktop5", tmp_path / "c", **given)
    assert not (tmp_path / "c").exists()


def test_files_of_the_user_stay(tmp_path):
    """Other files stay, and are not overwritten without force, when a folder is exported again."""
    (tmp_path / "notes.txt").write_text("mine")
    at.export_c("desktop5", tmp_path, equations=["fk"])
    with pytest.raises(OutputExistsError, match=r"desktop5\.h exists"):
        at.export_c("desktop5", tmp_path, equations=["fk"])
    at.export_c("desktop5", tmp_path, equations=["fk"], force=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
