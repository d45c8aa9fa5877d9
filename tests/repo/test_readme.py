"""What the README and the docs show is what happens."""

import re
import shlex
from pathlib import Path

import pytest
from warm_python import run_script

from armtwin.cli.main import run

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page, language):
    """Return the code blocks of a page in one language."""
    return [
        text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path):
    """Every Python block runs, after the blocks above it, when a page is read from the top."""
    code = "\n".join(blocks(page, "python"))
    if page.name == "README.md":
        lines = [line for line in code.splitlines() if line.strip()]
        assert 5 <= len(lines) <= 10
    if code:
        folder = tmp_path / "empty"
        folder.mkdir()
        status, printed = run_script(code, folder)
        assert status == 0, printed


def test_readme_commands_run(tmp_path, monkeypatch, capsys):
    """Every command of the README succeeds, and prints something, when it is given as printed."""
    monkeypatch.chdir(tmp_path)
    lines = "".join(blocks(ROOT / "README.md", "sh")).splitlines()
    assert len(lines) == 9
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "armtwin"
        assert run(arguments) == 0, line
        assert capsys.readouterr().out.strip(), line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_toml_blocks_are_arms(page, tmp_path):
    """Every TOML block loads as an arm when it is saved to a file."""
    import armtwin

    for number, text in enumerate(blocks(page, "toml")):
        file = tmp_path / f"{number}.toml"
        file.write_text(text, encoding="utf-8")
        assert armtwin.load(file).dof
