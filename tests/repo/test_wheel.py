"""The wheel holds everything: installed away from the sources, it runs the demo."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

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
    for name in ("pyproject.toml", "README.md", "LICENSE"):
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
    """The demo runs to its end and writes its report when only the wheel is there."""
    run(installed / "env/bin/armtwin", "demo", "--out", installed / "demo", cwd=installed)
    assert list((installed / "demo").glob("*.html"))
