"""The wheel holds everything: installed away from the sources, it runs the demo."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import armtwin as at

ROOT = Path(__file__).parents[2]


def run(*command, **options):
    """Run a command and return its output; fail with what it printed.

    ``PYTHONPATH`` is left out: it could lead to the sources instead of the wheel.
    """
    words = [str(part) for part in command]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the folder of an environment with the wheel; other packages come from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    sources.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources / name)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", sources / "src", ignore=ignored)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sources)
    (wheel,) = folder.glob("armtwin-*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env")
    python = folder / "env" / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    # A path in a .pth file is added as it is: the editable install beside the packages is not read.
    (site / "packages.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return folder


def test_installed_package_is_the_wheels(installed):
    """The package comes from the wheel when the environment imports it away from the sources."""
    code = "import armtwin; print(armtwin.__file__)"
    place = run(installed / "env/bin/python", "-c", code, cwd=installed).strip()
    assert Path(place).is_relative_to(installed / "env")


def test_demo_runs_from_the_wheel(installed):
    """The demo names and writes its files, with circle and push, when only the wheel is there."""
    python = installed / "env/bin/python"
    text = run(python, "-W", "error", "-m", "armtwin.cli", "demo", cwd=installed)
    assert "FAILED" not in text
    listed = text.split("Written\n")[1].split("\n\n")[0].split("\n")
    named = [Path(line.strip()) for line in listed]
    names = {"demo.html", "demo.pdf", "demo.parquet", "demo.png", "UR10e_FK.fmu"}
    assert {path.name for path in named} == names
    assert all((installed / path).stat().st_size > 1000 for path in named)
    assert str(installed / "reports" / "demo.html") in text
    assert {path.name for path in (installed / "reports").iterdir()} == names
    check_circle_and_push(at.read_recording(installed / "reports" / "demo.parquet"))


def check_circle_and_push(recording):
    """Check that the tool goes round a circle of 0.2 m and that joint 2 is pushed at 6 s."""
    wanted = recording.group("target_position")
    turned = wanted[recording.time >= 4]
    centre = (turned.max(axis=0) + turned.min(axis=0)) / 2
    np.testing.assert_allclose(np.linalg.norm(wanted - centre, axis=1), 0.2, atol=1e-4)
    pushed = recording.time[np.abs(recording["tau_ext2"]) > 1]
    assert (pushed.min(), pushed.max()) == pytest.approx((6.002, 6.5))


def test_command_is_installed(installed):
    """The command prints its version when it is started from the wheel's environment."""
    assert run(installed / "env/bin/armtwin", "--version", cwd=installed).startswith("armtwin ")
