"""Command-line verbs stand alone: what two of them need is in ``armtwin.cli``."""

import ast
import importlib
from pathlib import Path

import pytest

from armtwin.cli.main import VERBS, run
from armtwin.cli.verbs.fmu.fmu import VERBS as FMU_VERBS
from armtwin.cli.verbs.history.history import VERBS as HISTORY_VERBS

FOLDER = Path(__file__).parents[2] / "src" / "armtwin" / "cli"
MODULES = {f"armtwin.cli.verbs.{folder}.{verb}" for verb, folder in VERBS.items()}
MODULES |= {f"armtwin.cli.verbs.fmu.fmu_{verb}" for verb in FMU_VERBS}
MODULES |= {f"armtwin.cli.verbs.history.history_{verb}" for verb in HISTORY_VERBS}
FILES = sorted(FOLDER.rglob("*.py"))


def imported_modules(path):
    """Return the modules that a file imports from, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module, *[f"{node.module}.{alias.name}" for alias in node.names]}
    return names


def test_every_verb_has_its_module():
    """The module of each verb exists when the list of verbs is read."""
    missing = [name for name in MODULES if not (FOLDER.parents[1] / _file(name)).is_file()]
    assert missing == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_no_verb_is_imported(path):
    """A file of the command line imports no verb when its imports are read."""
    assert imported_modules(path) & MODULES == set()


@pytest.mark.parametrize("name", sorted(MODULES))
def test_help_has_an_example(name):
    """An example of the verb itself is in the help when the verb is read."""
    module = importlib.import_module(name)
    verb = name.rsplit(".", 1)[1].replace("fmu_", "fmu ").replace("history_", "history ")
    assert f"armtwin {verb}" in module.EXAMPLES


def test_options_are_shown_in_groups(capsys):
    """Each group has its heading and its own options when the help of simulate is printed."""
    assert run(["simulate", "--help"]) == 0
    text = capsys.readouterr().out
    at = [text.index(f"\n{words}:") for words in ("The path to follow", "Files to write")]
    assert at[0] < text.index("--radius") < at[1] < text.index("--video")
    assert text.count("--radius <float>") == 1


def _file(name):
    return name.replace(".", "/") + ".py"
