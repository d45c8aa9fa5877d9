"""What the README and the docs show is what happens."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from warm_python import run_script

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PATIENCE = 180.0


def blocks(page, language):
    """Return the code blocks of a page in one language."""
    return [
        text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language
    ]


def run(command, folder):
    """Run a command in a folder and return what it printed."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path):
    """Every Python block runs, after the blocks above it, when a page is read from the top."""
    code = "\n".join(blocks(page, "python"))
    if page.name == "README.md":
        lines = [line for line in code.splitlines() if line.strip()]
        assert 5 <= len(lines) <= 10
        run([sys.executable, "-W", "error", "-c", code], tmp_path)
    elif code:
        folder = tmp_path / "empty"
        folder.mkdir()
        status, printed = run_script(code, folder)
        assert status == 0, printed


def test_readme_commands_run(tmp_path):
    """Every command of the README succeeds when it is typed as printed."""
    lines = "".join(blocks(ROOT / "README.md", "sh")).splitlines()
    assert len(lines) == 9
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "armtwin"
        assert run([sys.executable, "-m", "armtwin.cli", *arguments], tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_toml_blocks_are_arms(page, tmp_path):
    """Every TOML block loads as an arm when it is saved to a file."""
    import armtwin

    for number, text in enumerate(blocks(page, "toml")):
        file = tmp_path / f"{number}.toml"
        file.write_text(text, encoding="utf-8")
        assert armtwin.load(file).dof
