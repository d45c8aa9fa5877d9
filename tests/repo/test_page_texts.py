"""No text of a page names an option of the command line."""

import ast
import re
from pathlib import Path

import pytest

from armtwin.app.server.plain_text import for_clients, without_flags

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "armtwin"
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
STYLE = re.compile(
    r"""<style>.*?</style>|var\(--[^)]*\)|style:--[\w-]+|//[^\n]*|<!--.*?-->"""
    r"""|["'`]--[\w-]+(["'`]|\$\{)""",
    re.DOTALL,
)
"""Styles with their custom properties, which begin with two dashes as well, and comments."""
TERMINAL = ("choose_robot.py", "server.py")
"""Modules of the app whose texts go to the terminal that it was started in."""


def texts(file):
    """Return the strings of a module, without docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone
    ]


def test_front_end_names_no_flag():
    """No flag is in the front end's sources when styles are left out."""
    files = [file for kind in ("svelte", "ts", "html") for file in (ROOT / "web").glob(f"*.{kind}")]
    files += [f for kind in ("svelte", "ts") for f in (ROOT / "web" / "src").rglob(f"*.{kind}")]
    assert len(files) > 50
    found = {}
    for file in files:
        if flags := FLAG.findall(STYLE.sub("", file.read_text(encoding="utf-8"))):
            found[file.name] = flags
    assert found == {}


def test_app_and_pages_name_no_flag():
    """No flag is in the app's texts and in those of result pages when terminals are left out."""
    files = [file for file in (SOURCE / "app").rglob("*.py") if file.name not in TERMINAL]
    files += [*SOURCE.rglob("page.py"), *SOURCE.rglob("*_page.py")]
    files += (SOURCE / "report").rglob("*.py")
    assert len(files) > 60
    found = {f.name: [t for t in texts(f) if FLAG.search(t)] for f in files}
    assert {name: listed for name, listed in found.items() if listed} == {}


def test_library_errors_lose_their_flags():
    """No flag is left when any text of the library goes through the app to a page."""
    named = [text for file in SOURCE.rglob("*.py") for text in texts(file) if FLAG.search(text)]
    assert len(named) > 20
    assert [text for text in named if FLAG.search(for_clients(text))] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("run.html exists; allow overwriting (force=True, --force)",
         "run.html exists; allow overwriting (force=True)"),
        ("give its name (--nominal), please", "give its name, please"),
        ("choose one (run=, --run) or all", "choose one (run=) or all"),
        ("give angles='deg' (--deg, --rad), or a file", "give angles='deg', or a file"),
        ("a real one with --i-mean-it", "a real one with i-mean-it"),
        ("2 -- 3, a--b and -x stay", "2 -- 3, a--b and -x stay"),
    ],
)  # fmt: skip
def test_flags_leave_a_sentence(text, shown):
    """What stands around a flag still reads well when the flag is taken out."""
    assert without_flags(text) == shown
