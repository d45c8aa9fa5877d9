"""FMUs as files: reproducible, small, for every platform, and what their libraries need."""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fmu_files import fmu

import armtwin
from armtwin.fmu.build.binaries import inspect_binary
from armtwin.fmu.build.platforms import TARGETS
from armtwin.fmu.check.trial import trial_inputs
from armtwin.fmu.export.export import export_fmu, sources
from armtwin.fmu.export.models import build_model
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu

HOST = Path(__file__).parents[1] / "fmu_drivers" / "linux_host.c"
MAX_BYTES = 120_000
FUNCTIONS = {2: 44, 3: 75}
STANDARD = {2: "fmi2", 3: "fmi3"}


def every_platform(fmi):
    """Return the fk FMU for all platforms; skip where ziglang is missing."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: it builds for other platforms")
    return fmu("fk", fmi, platform="all")


@pytest.mark.parametrize("fmi", [2, 3])
def test_same_input_same_bytes(fmi, tmp_path, monkeypatch):
    """A file has the same bytes when it is exported again without any cache."""
    first = fmu("fk", fmi).read_bytes()
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / "cache"))
    again = export_fmu(armtwin.load("ur10e"), tmp_path / "again.fmu", fmi=fmi)
    assert hashlib.sha256(again.path.read_bytes()).digest() == hashlib.sha256(first).digest()


def test_other_numbers_other_identity(tmp_path):
    """The identity changes when a number of the arm does."""
    arm = armtwin.load("ur10e")
    moved = arm.with_(tool=armtwin.pose([0, 0, 1e-9]))
    other = Package(export_fmu(moved, tmp_path / "moved.fmu").path)
    assert other.interface.token != Package(fmu()).interface.token


@pytest.mark.parametrize("fmi", [2, 3])
def test_all_platforms_in_little_room(fmi):
    """Forward kinematics takes at most 120 kB when it serves five platforms."""
    file = every_platform(fmi)
    assert file.stat().st_size <= MAX_BYTES
    folders = {target.folder(fmi) for target in TARGETS}
    assert set(Package(file).platforms()) == folders


@pytest.mark.parametrize("fmi", [2, 3])
def test_libraries_are_what_they_say(fmi):
    """Each library exports every FMI function and needs no C runtime when it is inspected."""
    pytest.importorskip("lief", reason="lief is not installed: it reads libraries")
    kinds = []
    for place, data in Package(every_platform(fmi)).binaries().items():
        binary = inspect_binary(place, data)
        kinds += binary.kinds
        assert binary.is_as_named
        names = [name for name in binary.functions if name.startswith(STANDARD[fmi])]
        assert len(names) == FUNCTIONS[fmi], binary.place
        allowed = {"KERNEL32.dll", "/usr/lib/libSystem.B.dylib"}
        assert set(binary.needs) <= allowed, binary.place
    assert sorted(kinds) == [
        "ELF aarch64", "ELF x86_64", "Mach-O aarch64", "Mach-O x86_64", "PE x86_64",
    ]  # fmt: skip


@pytest.mark.parametrize("model", ["fk", "forward-dynamics"])
def test_host_library_needs_no_library(model):
    """A library for this platform alone names no other library when it is inspected."""
    pytest.importorskip("lief", reason="lief is not installed: it reads libraries")
    if sys.platform != "linux":
        pytest.skip("libraries of other systems name their system's library")
    for place, data in Package(fmu(model)).binaries().items():
        assert inspect_binary(place, data).needs == ()


def test_large_models_for_all_platforms():
    """A model with large stack frames is built for every platform when it is exported."""
    every_platform(2)
    package = Package(fmu("forward-dynamics", 2, platform="all"))
    kinds = {k for b in package.binaries().items() for k in inspect_binary(*b).kinds}
    assert len(kinds) == 5


def test_arm_macs_get_signed_libraries():
    """The library for ARM Macs is signed when it is built, or they would not load it."""
    lief = pytest.importorskip("lief", reason="lief is not installed: it reads libraries")
    data = Package(every_platform(3)).binaries()["binaries/aarch64-darwin/ur10e_fk.dylib"]
    libraries = lief.MachO.parse(list(data))
    assert libraries.at(0).has_code_signature


def test_no_python_and_no_tool_is_needed():
    """The description says so when no execution tool is needed; the archive has no Python."""
    for fmi in (2, 3):
        package = Package(fmu("fk", fmi))
        assert all(
            flags["needsExecutionTool"] == "false" for flags in package.interface.flags.values()
        )
        assert not any(name.endswith((".py", ".pyc")) for name in package.names)
        assert {"documentation/index.html", f"sources/fmi{fmi}.c"} <= set(package.names)


def test_no_heap_while_stepping():
    """The code that steps names no allocation when its source is read."""
    text = sources(build_model(armtwin.load("ur10e"), "forward-dynamics"), 2)
    for name in ("instance.c", "model.c"):
        body = text[name]
        assert body.count("new_memory(") == (1 if name == "instance.c" else 0)
    assert "new_memory" in text["instance.c"].split("static void free_instance")[0]


@pytest.mark.parametrize(("model", "outputs"), [("fk", 10), ("forward-dynamics", 28)])
def test_arm_linux_library_runs_in_an_emulator(model, outputs, tmp_path):
    """The library for 64-bit ARM Linux gives the outputs of ours when QEMU co-simulates it."""
    qemu, root = shutil.which("qemu-aarch64-static"), Path("/usr/aarch64-linux-gnu")
    every_platform(2)
    if qemu is None or not root.is_dir():
        pytest.skip("qemu-user-static and libc6-arm64-cross are not installed")
    file = fmu(model, 2, platform="all")
    package = Package(file)
    identifier = package.interface.identifiers["cs"]
    with zipfile.ZipFile(file) as archive:
        library = archive.read(f"binaries/aarch64-linux/{identifier}.so")
        (tmp_path / "model.so").write_bytes(library)
        (tmp_path / "fmi2.h").write_bytes(archive.read("sources/fmi2.h"))
    names = [scalar.name for scalar in package.interface.with_causality("input")]
    sizes = (f"-DN_IN={len(names)}", f"-DN_OUT={outputs}", f"-DFIRST_OUT={1 + len(names)}")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.28", "-O1", "-w"]
    words = [*zig, *sizes, "-I.", "-o", "host", str(HOST), "-ldl"]
    subprocess.run(words, cwd=tmp_path, check=True)
    inputs = trial_inputs(armtwin.load("ur10e"), model, 30)
    rows = np.column_stack([inputs.columns[name] for name in names])
    command = [qemu, "-L", root, tmp_path / "host", tmp_path / "model.so", package.interface.token]
    done = subprocess.run(command, input=rows.tobytes(), capture_output=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    found = np.frombuffer(done.stdout).reshape(len(rows), outputs)
    raw = run_fmu(file, inputs, options=RunFmuOptions(mode="cs", align=False)).values
    assert np.ptp(raw, axis=0).max() > 1e-3
    assert np.abs(found[:-1] - raw[1:]).max() < 1e-12 * max(1.0, np.abs(raw).max())


def test_cache_is_not_needed(tmp_path, monkeypatch):
    """An FMU is made when the cache cannot be written."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("ARMTWIN_CACHE", str(blocked / "cache"))
    made = export_fmu(armtwin.load("desktop5"), tmp_path / "x.fmu")
    assert made.size > 10_000
