"""Compiled code is kept by what it was made from, survives accidents, and can be done without."""

import functools
import json
import os
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

import armtwin as at
from armtwin.compile import kernel
from armtwin.compile.native import bridge, cache, toolchain, verdicts
from armtwin.compile.native.toolchain import Compiler
from armtwin.errors import CompileError, CompileWarning
from armtwin.files import cache_folder

Q = np.array([0.3, -1.1, 0.7, -0.2, 0.9, 0.4])
STATE = (Q, 0.5 * Q, -Q)
START = """
import json, sys, warnings
warnings.simplefilter("error")
import numpy as np
import armtwin as at
from armtwin.compile.native import toolchain
built = []
original = toolchain.compile_source
toolchain.compile_source = lambda *a: (built.append(1), original(*a))[1]
q = np.array(json.loads(sys.argv[1]))
arm = at.load("ur5e")
tau = at.inverse_dynamics(arm, q, 0.5 * q, -q)
batch = at.inverse_dynamics(arm, np.tile(q, (50, 1)), 0.5 * q, -q)
print(json.dumps({"tau": tau.tolist(), "spread": float(abs(batch - tau).max()),
                  "built": len(built), "compiler": toolchain.find_compiler().identity}))
"""

needs_compiler = pytest.mark.skipif(
    toolchain.find_compiler() is None, reason="no C compiler: install gcc or clang, or ziglang"
)


@functools.cache
def compiled_values():
    """Return gravity, mass matrix and torques of compiled code, from the usual cache."""
    arm = new_arm()
    return at.gravity(arm, Q), at.mass_matrix(arm, Q), at.inverse_dynamics(arm, *STATE)


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Use an empty cache, forget past warnings; return the list of compilations."""
    bridge.load_bridge()  # kept by the process, so built before anything is counted
    compiled_values()
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(verdicts, "_WARNED", [])
    built, compile_it = [], toolchain.compile_source
    monkeypatch.setattr(toolchain, "compile_source", lambda *a: built.append(a) or compile_it(*a))
    return built


def new_arm(name="ur5e"):
    """Return a catalogue arm that has no kernels yet, nor others of its numbers."""
    kernel._RECENT.clear()
    return at.load(name).with_()


def start(cache_folder, **environment):
    """Run a new Python on an arm's dynamics and return what it found."""
    variables = {**os.environ, "ARMTWIN_CACHE": str(cache_folder), **environment}
    command = [sys.executable, "-c", START, json.dumps(Q.tolist())]
    return subprocess.Popen(
        command, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def result(process):
    """Return what a start printed, after checking that it ended well and without a warning."""
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert not error
    found = json.loads(out)
    np.testing.assert_allclose(found["tau"], compiled_values()[-1], atol=1e-12)
    assert found["spread"] < 1e-12
    return found


@needs_compiler
def test_code_is_built_once(fresh):
    """Nothing is compiled again when the numbers of an arm are the same, whatever its name."""
    at.gravity(new_arm(), Q)
    assert len(fresh) == 1
    at.gravity(new_arm(), Q)
    at.gravity(new_arm().with_(name="another", title="same numbers"), Q)
    assert len(fresh) == 1
    at.gravity(new_arm().with_(gravity=(0.0, 1.0, -9.7)), Q)
    assert len(fresh) == 2


@needs_compiler
def test_code_is_rebuilt_for_another_compiler(fresh, monkeypatch):
    """Code is compiled anew when the compiler's identity has changed."""
    at.gravity(new_arm(), Q)
    present = toolchain.find_compiler()
    newer = Compiler(present.command, present.identity + " updated")
    monkeypatch.setattr(toolchain, "find_compiler", lambda: newer)
    at.gravity(new_arm(), Q)
    assert len(fresh) == 2


@needs_compiler
def test_code_is_rebuilt_for_another_processor(fresh, monkeypatch):
    """Code is compiled anew when the processor has other features."""
    at.gravity(new_arm(), Q)
    features = toolchain.processor()
    monkeypatch.setattr(toolchain, "processor", lambda: features + " newer")
    at.gravity(new_arm(), Q)
    assert len(fresh) == 2


@needs_compiler
def test_processes_may_build_at_once(tmp_path):
    """All agree, without a warning and without litter, when three processes share a cache."""
    together = [start(tmp_path) for _ in range(3)]
    assert sum(result(process)["built"] for process in together) >= 1
    assert not list(tmp_path.glob(".*"))
    assert result(start(tmp_path))["built"] == 0


@pytest.fixture(scope="module")
def first_start(tmp_path_factory):
    """Return the cache that a first start has filled."""
    folder = tmp_path_factory.mktemp("first")
    assert result(start(folder))["built"] > 0
    return folder


@pytest.fixture
def filled(first_start, tmp_path):
    """Return a copy of a filled cache."""
    return shutil.copytree(first_start, tmp_path / "filled")


@needs_compiler
@pytest.mark.parametrize("ending", ["so", "json", "sha"])
def test_file_cut_short_is_made_again(filled, ending):
    """The next start computes the same when a cached file was cut short."""
    files = [path for path in filled.iterdir() if path.suffix in (f".{ending}", ".dylib")]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:-7])
    assert (result(start(filled))["built"] > 0) == (ending != "json")
    assert result(start(filled))["built"] == 0


@needs_compiler
def test_library_that_vanished_is_made_again(filled):
    """The next start compiles again when only the note of a library is left."""
    for path in filled.glob("*.so"):
        path.unlink()
    assert result(start(filled))["built"] > 0


def without_compiler(arm):
    """Run several equations; return the warnings they gave and their values."""
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always")
        values = [at.gravity(arm, Q), at.mass_matrix(arm, Q), at.inverse_dynamics(arm, *STATE)]
        values.append(at.inverse_dynamics(arm, np.tile(Q, (5, 1)), 0.5 * Q, -Q)[3])
    return reported, values


def assert_one_warning(reported, *texts):
    """Check that there was one CompileWarning with these texts."""
    assert [w.category for w in reported] == [CompileWarning]
    for text in ("running the slower NumPy target", *texts):
        assert text in str(reported[0].message)


def assert_values(values):
    """Check values of the fallback against those of compiled code."""
    *found, batch = values
    np.testing.assert_allclose(found[-1], batch, atol=1e-12)
    for value, compiled in zip(found, compiled_values(), strict=True):
        np.testing.assert_allclose(value, compiled, atol=1e-12)


def test_no_compiler_means_numpy_and_one_warning(fresh, monkeypatch):
    """NumPy serves, with one warning that says what to install, when there is no compiler."""
    monkeypatch.delenv("ARMTWIN_CC", raising=False)
    with monkeypatch.context() as patch:
        patch.setattr(toolchain, "find_compiler", lambda: None)
        reported, values = without_compiler(new_arm())
    assert_one_warning(reported, "no C compiler", "pip install ziglang")
    assert_values(values)


def test_named_compiler_that_is_missing(fresh, monkeypatch):
    """The warning names ARMTWIN_CC's value when that program is not there."""
    with monkeypatch.context() as patch:
        patch.setenv("ARMTWIN_CC", "no-such-compiler -O3")
        reported, values = without_compiler(new_arm())
    assert_one_warning(reported, "ARMTWIN_CC names 'no-such-compiler -O3', which is not found")
    assert_values(values)


@pytest.fixture
def failing_compiler(tmp_path):
    """Return the path of a compiler that complains in nine lines and fails."""
    path = tmp_path / "badcc"
    lines = "\n".join(f"echo 'complaint {n}' >&2" for n in range(1, 10))
    path.write_text(f"#!/bin/sh\n{lines}\nexit 1\n")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in compiler is a shell script")
def test_failing_compiler_shows_its_last_lines(fresh, monkeypatch, failing_compiler):
    """The last five lines are in the error and in the one warning when a compiler fails."""
    with monkeypatch.context() as patch:
        patch.setenv("ARMTWIN_CC", str(failing_compiler))
        with pytest.raises(CompileError, match=r"badcc failed:\ncomplaint 5\n[^9]*complaint 9$"):
            toolchain.shared_library("int x;", name="x")
        reported, values = without_compiler(new_arm())
    assert_one_warning(reported, "complaint 5", "complaint 9")
    assert "complaint 4" not in str(reported[0].message)
    assert_values(values)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in compiler is a shell script")
def test_hanging_compiler_is_given_up(fresh, monkeypatch, tmp_path):
    """An error says that the compiler took too long when it does not end."""
    path = tmp_path / "slowcc"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    monkeypatch.setenv("ARMTWIN_CC", str(path))
    monkeypatch.setattr(toolchain, "SECONDS", 0.3)
    with pytest.raises(CompileError, match="slowcc could not run: .*timed out"):
        toolchain.shared_library("int x;", name="x")


@needs_compiler
def test_cache_that_cannot_be_made(fresh, monkeypatch, tmp_path):
    """NumPy serves, with one warning that names the folder, when a file is in its way."""
    (tmp_path / "file").write_text("")
    with monkeypatch.context() as patch:
        patch.setenv("ARMTWIN_CACHE", str(tmp_path / "file" / "cache"))
        reported, values = without_compiler(new_arm())
    assert_one_warning(reported, "cannot be written", "Not a directory", "set ARMTWIN_CACHE")
    assert not fresh
    assert_values(values)


@needs_compiler
def test_cache_that_cannot_be_written(fresh, monkeypatch):
    """NumPy serves, with one warning, when writing to the cache is not permitted."""

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "replace_file", refuse)
        patch.setattr(toolchain, "replace_file", refuse)
        reported, values = without_compiler(new_arm())
    assert_one_warning(reported, "cannot be written (Permission denied)")
    assert_values(values)


def test_numpy_can_be_asked_for(fresh, monkeypatch):
    """NumPy serves without a warning or a compilation when ARMTWIN_TARGET=numpy."""
    with monkeypatch.context() as patch:
        patch.setenv("ARMTWIN_TARGET", "numpy")
        reported, values = without_compiler(new_arm())
    assert not reported
    assert not fresh
    assert_values(values)


@pytest.mark.parametrize("lanes", ["1", "2", "4"])
@needs_compiler
def test_number_of_lanes_can_be_asked_for(lanes):
    """The same torques when ARMTWIN_LANES asks for narrower vectors than the processor has."""
    result(start(cache_folder(), ARMTWIN_LANES=lanes))


@pytest.mark.skipif(
    not toolchain.importlib.util.find_spec("ziglang"), reason="ziglang is not installed"
)
def test_ziglang_serves_where_no_other_compiler_is(tmp_path):
    """The ziglang wheel compiles the same code when PATH has no compiler."""
    process = start(tmp_path, PATH=str(tmp_path), ARMTWIN_CC="")
    assert result(process)["compiler"].startswith("ziglang")


def test_cache_stays_bounded(fresh):
    """What was not used for the longest time is gone when the cache has grown too large."""
    for k in range(10):
        file = cache_folder() / f"{k}.so"
        cache.replace_file(file, bytes(1000))
        os.utime(file, (1000.0 + k, 1000.0 + k))
    assert cache.prune(most=20_000) == 0
    assert cache.prune(most=8_000) == 6
    assert sorted(path.name for path in cache_folder().iterdir()) == [
        f"{k}.so" for k in range(6, 10)
    ]


def test_cache_is_looked_at_once_a_day(fresh, monkeypatch):
    """Old files go when a text is kept for the first time in a day, and not again soon after."""
    calls = []
    monkeypatch.setattr(cache, "prune", lambda: calls.append(1))
    cache.write_text("a", "1")
    cache.write_text("b", "2")
    assert len(calls) == 1
    os.utime(cache_folder() / "pruned", (0, 0))
    cache.write_text("c", "3")
    assert len(calls) == 2
