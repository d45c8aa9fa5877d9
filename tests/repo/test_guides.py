"""Every command and script of the guides runs, in the order of the page, in an empty folder."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer

from armtwin.cli.main import application, run

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
PAGES = [*GUIDES, *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    (armtwin (?:.*\\\n)*.*)$", re.MULTILINE)


def fences(page):
    """Return language, file name and text of every block."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def play(line):
    """Run a command line of a guide."""
    program, *arguments = shlex.split(line)
    if program == "armtwin":
        assert run(arguments) == 0, line
    else:
        assert program == "python", line
        subprocess.run([sys.executable, *arguments], check=True, timeout=180)


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_guide_works_as_written(page, tmp_path, monkeypatch):
    """Files, commands and scripts work when a reader follows the page from the top."""
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "guide"}
    for language, title, text in fences(page):
        if title:
            Path(title).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, page.name, "exec"), names)
        elif language == "sh":
            for line in text.splitlines():
                play(line)


def commands(page):
    """Return the words of the command lines that are shown and not run: fenced or indented."""
    text = "".join(text for language, _, text in fences(page) if language == "bash")
    outside = FENCE.sub("", page.read_text(encoding="utf-8"))
    text += "".join(f"{line}\n" for line in INDENTED.findall(outside))
    lines = text.replace("\\\n", " ").splitlines()
    found = [shlex.split(line, comments=True) for line in lines]
    return [words[1:] for words in found if words and words[0] == "armtwin"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_for_robots_are_known(page):
    """Verbs, options and values are accepted when a command needs a robot or a reader's files."""
    for words in commands(page):
        command = typer.main.get_command(application(words))
        context = command.make_context("armtwin", list(words))
        while hasattr(command, "resolve_command"):
            rest = [*context._protected_args, *context.args]
            name, command, rest = command.resolve_command(context, rest)
            context = command.make_context(name, rest, parent=context)


def test_every_guide_is_in_the_site():
    """The navigation names each guide when the site is built."""
    text = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)
    assert [page.stem for page in GUIDES if f'"guides/{page.name}"' not in text] == []
