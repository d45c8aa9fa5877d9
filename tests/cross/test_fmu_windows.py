"""The FMUs' library for Windows, run by Wine."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fmu_files import fmu

import armtwin
from armtwin.fmu.check.trial import trial_inputs
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu

DRIVER = Path(__file__).parents[1] / "fmu_drivers" / "windows_host.c"
WINE = shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine")


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """Return a function that runs a program for Windows, with a Wine folder of its own."""
    if WINE is None:
        pytest.skip("wine64 is not installed: it runs libraries for Windows")
    pytest.importorskip("ziglang", reason="ziglang is not installed: it builds for Windows")
    quiet = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe="}
    folder = tmp_path_factory.mktemp("wine")
    environment = {**os.environ, **quiet, "WINEPREFIX": str(folder), "DISPLAY": ""}

    def run(program, data):
        how = {"capture_output": True, "env": environment, "cwd": program.parent}
        done = subprocess.run([WINE, program], input=data, check=False, **how)
        assert done.returncode == 0, (done.returncode, done.stderr[-500:])
        return np.frombuffer(done.stdout)

    yield run
    server = shutil.which("wineserver64", path="/usr/lib/wine") or shutil.which("wineserver")
    if server:
        subprocess.run([server, "-k"], env=environment, check=False)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize(("model", "outputs"), [("fk", 10), ("forward-dynamics", 28)])
def test_windows_library_gives_the_same(model, outputs, wine, tmp_path):
    """The library for Windows gives the outputs of the one for this machine when Wine runs it."""
    file = fmu(model, 2, platform="all")
    package = Package(file)
    identifier = package.interface.identifiers["cs"]
    with zipfile.ZipFile(file) as archive:
        (tmp_path / "model.dll").write_bytes(archive.read(f"binaries/win64/{identifier}.dll"))
        (tmp_path / "fmi2.h").write_bytes(archive.read("sources/fmi2.h"))
    inputs = trial_inputs(armtwin.load("ur10e"), model, 30)
    names = [scalar.name for scalar in package.interface.with_causality("input")]
    sizes = (f"-DN_IN={len(names)}", f"-DN_OUT={outputs}", f"-DFIRST_OUT={1 + len(names)}")
    texts = (f'-DTOKEN="{package.interface.token}"', '-DLIBRARY="model.dll"')
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-O1", "-w"]
    alone = ("-ffreestanding", "-nostdlib", "-I.", "-lkernel32")
    words = [*zig, *sizes, *texts, *alone, "-o", "host.exe", str(DRIVER)]
    subprocess.run(words, check=True, cwd=tmp_path)
    rows = np.column_stack([inputs.columns[name] for name in names])
    found = wine(tmp_path / "host.exe", rows.tobytes()).reshape(len(rows), outputs)
    raw = run_fmu(file, inputs, options=RunFmuOptions(mode="cs", align=False)).values
    assert np.abs(found[:-1] - raw[1:]).max() < 1e-12 * max(1.0, np.abs(raw).max())
