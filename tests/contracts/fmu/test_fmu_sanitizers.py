"""The FMUs' C code under AddressSanitizer and UBSan, called in random orders."""

import shutil
import subprocess
from pathlib import Path

import pytest

import armtwin
from armtwin.fmu.export.export import sources
from armtwin.fmu.export.models import build_model

DRIVERS = Path(__file__).parents[2] / "fmu_drivers"
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
CALLS = 30_000


@pytest.mark.parametrize(
    ("model", "fmi"),
    [("fk", 2), ("fk", 3), ("forward-dynamics", 2), ("momentum-observer", 3), ("ik", 2)],
)
def test_random_calls(model, fmi, tmp_path):
    """No sanitizer speaks up when functions are called in random order with bad arguments."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed: the sanitizers need it")
    for name, text in sources(build_model(armtwin.load("ur10e"), model), fmi).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    program = tmp_path / "random"
    flags = ("-std=gnu11", "-O0", "-g", "-w", "-fno-math-errno", *SANITIZE)
    source = DRIVERS / f"random{fmi}.c"
    subprocess.run([compiler, *flags, f"-I{tmp_path}", "-o", program, source], check=True)
    for seed in (1, 2):
        done = subprocess.run(
            [program, str(seed), str(CALLS)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr[-3000:]
        assert int(done.stdout.split()[0]) > CALLS / 10


@pytest.mark.parametrize("fmi", [2, 3])
def test_standard_headers(fmi, tmp_path):
    """The code compiles without a warning when the standard's own headers stand in for ours."""
    fmpy = pytest.importorskip("fmpy", reason="FMPy ships the standard's headers")
    compiler = shutil.which("gcc") or pytest.skip("gcc is not installed")
    for name, text in sources(build_model(armtwin.load("ur10e"), "fk"), fmi).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    header = Path(fmpy.__file__).parent / "c-code" / f"fmi{fmi}Functions.h"
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fsyntax-only")
    for more in ((), ("-include", str(header))):
        done = subprocess.run(
            [compiler, *flags, *more, str(tmp_path / f"fmi{fmi}.c")], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[:2000]
