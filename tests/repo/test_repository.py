"""The repository checks itself: versions, pins, scripts, paths."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import armtwin

ROOT = Path(__file__).parents[2]
LISTS = ("base", "test", "bench")
PIN = re.compile(r'[a-z0-9][a-z0-9.-]*==[A-Za-z0-9.]+(; python_version < "[0-9.]+")?')
MACHINE_PATH = re.compile(r"""(?<![\w.~/}-])/(work|root|home|tmp|Users)/""")


def pins(name):
    """Return the pin lines of a requirements list."""
    lines = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def repository_files():
    """Return every text file of the repository, also where git is not at hand."""
    skipped = {".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
    skipped |= {"__pycache__", "reports", "build", "dist", "node_modules"}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = {name for name in folders if not name.endswith(".egg-info")} - skipped
        for path in (Path(folder) / name for name in files if name not in skipped):
            try:
                yield path, path.read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError):
                continue


def test_version_heads_the_changelog():
    """The package's version is the changelog's first when both are read."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", text, re.MULTILINE)[1] == armtwin.__version__


@pytest.mark.parametrize("name", LISTS)
def test_requirements_are_plain_pins(name):
    """Each line is one pin without address or path when a list is read."""
    lines = pins(name)
    assert lines
    assert [line for line in lines if not PIN.fullmatch(line)] == []


def test_no_package_is_pinned_twice():
    """Every package has one pin when all lists are put together."""
    names = [line.split("==")[0] for name in LISTS for line in pins(name)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("group", "lists"),
    [("dependencies", ["base"]), ("test", ["base", "test"]), ("bench", list(LISTS))],
)
def test_declared_packages_are_pinned(group, lists):
    """Every package that pyproject.toml names is pinned when its group is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project.get(group) or project["optional-dependencies"][group]
    names = {re.split(r"[^\w-]", text.lower())[0].replace("_", "-") for text in wanted}
    pinned = {line.split("==")[0] for name in lists for line in pins(name)}
    assert names <= pinned


@pytest.mark.parametrize("script", ["run", "test", ".ci/run", "requirements/install.sh"])
def test_scripts_are_executable_and_parse(script):
    """A script can be started and parses when bash reads it."""
    path = ROOT / script
    assert path.stat().st_mode & 0o100
    subprocess.run(["bash", "-n", str(path)], check=True)


def test_no_machine_path_in_any_file():
    """No file names a folder of somebody's machine when the repository is searched."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path, text in repository_files()
        if path != Path(__file__)
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert found == []


def test_first_pictures_are_film_and_app():
    """The README opens with the film and the app's picture, both small, when it is looked at."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    film, app = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)[:2]
    assert (film, app) == ("docs/pictures/demo.gif", "docs/pictures/app.webp")
    assert (ROOT / film).stat().st_size < 1_000_000
    assert (ROOT / app).stat().st_size < 200_000


def test_picture_is_small_and_drawn_by_the_software(tmp_path):
    """The docs' picture is under 200 kB and redrawn the same size when its script runs."""
    kept = ROOT / "docs" / "pictures" / "ur10e.png"
    assert kept.stat().st_size < 200_000
    assert "(pictures/ur10e.png)" in (ROOT / "docs" / "kinematics.md").read_text(encoding="utf-8")
    script = [sys.executable, str(ROOT / "docs" / "make_pictures.py"), str(tmp_path)]
    subprocess.run(script, check=True)
    drawn = (tmp_path / "ur10e.png").stat().st_size
    assert abs(drawn - kept.stat().st_size) < 0.2 * kept.stat().st_size


@pytest.mark.parametrize("folder", ["web", "tests/jco"])
def test_lock_files_of_node_name_no_address(folder):
    """Packages are pinned by version and hash only when a lock file is written."""
    lock = (ROOT / folder / "package-lock.json").read_text("utf-8")
    assert '"integrity"' in lock
    assert "://" not in lock
