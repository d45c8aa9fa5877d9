"""Reference pages of the site, generated from the code: Python, commands, errors."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path

import armtwin
from armtwin import errors
from armtwin.cli.main import VERBS

ROOT = Path(__file__).parents[1]
TITLES = {
    "model": "Arms", "kinematics": "Kinematics", "dynamics": "Dynamics", "recording": "Recordings",
    "validation": "Validation", "calibration": "Calibration", "workspace": "Workspace",
    "identification": "Identification",
    "motion": "Motions", "control": "Controllers", "simulation": "Simulation",
    "detection": "Contact detection", "energy": "Energy", "studies": "Studies",
    "fmu": "FMUs", "robots": "Robots", "report": "Results and reports",
}  # fmt: skip
"""Packages with a page of their own, in the order of the site; other names are under "Basics"."""
VARIABLE = re.compile(r"ARMTWIN_[A-Z_]+")


def pages() -> dict[str, str]:
    """Return the text of every generated page by its file name."""
    return {
        **python_pages(),
        "commands.md": commands_page(),
        "errors.md": errors_page(),
        "examples.md": examples_page(),
    }


def python_pages() -> dict[str, str]:
    """Return a page per package with the public names that it holds, and an index of all."""
    packages: dict[str, list[str]] = {}
    for name, module in armtwin._PUBLIC.items():
        packages.setdefault(_topic(module), []).append(f"{module}.{name}")
    made, index = {}, ["# Python", "", "Every name is imported from `armtwin`.", ""]
    for topic in ("basics", *TITLES):
        if topic not in packages:
            continue
        title = TITLES.get(topic, "Basics")
        blocks = [f"::: {path}" for path in packages[topic]]
        made[f"{topic}.md"] = f"# {title}\n\n" + "\n\n".join(blocks) + "\n"
        names = ", ".join(f"`{path.rsplit('.', 1)[1]}`" for path in packages[topic])
        index += [f"- [{title}]({topic}.md): {names}"]
    return {**made, "python.md": "\n".join(index) + "\n"}


def _topic(module: str) -> str:
    package = module.split(".")[1]
    return package if package in TITLES else "basics"


def commands_page() -> str:
    """Return the help of every verb."""
    parts = ["# Commands", "", "`armtwin VERB --help` prints the same.", ""]
    for words in _all_verbs():
        parts += [f"## armtwin {' '.join(words)}", "", "```text", _help(words).strip(), "```", ""]
    return "\n".join(parts)


def _all_verbs() -> list[list[str]]:
    found = []
    for verb, folder in VERBS.items():
        module = __import__(f"armtwin.cli.verbs.{folder}.{verb}", fromlist=["VERBS"])
        found += [[verb, part] for part in getattr(module, "VERBS", ())] or [[verb]]
    return found


def _help(words: list[str]) -> str:
    """Return what ``armtwin VERB --help`` prints, 80 columns wide."""
    from typer.testing import CliRunner

    from armtwin.cli.main import application

    os.environ["COLUMNS"] = "80"
    return CliRunner().invoke(application(words), [*words, "--help"], prog_name="armtwin").output


def errors_page() -> str:
    """Return the tree of errors, and the environment variables that the source reads."""
    lines = ["# Errors and environment variables", "", "## Errors", ""]
    lines += ["All errors are importable from `armtwin.errors`.", "", "| Error | Bases | Meaning |"]
    lines += ["|---|---|---|"]
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and kind.__module__ == errors.__name__:
            bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
            meaning = (kind.__doc__ or "").strip().splitlines()[0]
            lines.append(f"| `{name}` | {bases} | {meaning} |")
    lines += ["", "## Environment variables", "", "| Variable | Meaning |", "|---|---|"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in VARIABLES.items()]
    return "\n".join(lines) + "\n"


VARIABLES = {
    "ARMTWIN_CACHE": "folder of compiled programs; by default the cache folder of the platform",
    "ARMTWIN_CC": "C compiler for native code, such as `gcc` or `zig cc`",
    "ARMTWIN_DEBUG": "`1` prints the traceback of an error",
    "ARMTWIN_HOME": "folder of the app's programs and recordings; by default the data folder",
    "ARMTWIN_LANES": "SIMD lanes of batch code: 1, 4 or 8; by default what the processor has",
    "ARMTWIN_TARGET": "`numpy` evaluates without a compiler",
    "ARMTWIN_THREADS": "most threads of a batch; by default the cores that this process may use",
}
"""Environment variables; a test compares them with those that the source reads."""


def variables_read() -> set[str]:
    """Return the environment variables that appear in the source."""
    sources = (ROOT / "src").rglob("*.py")
    return {name for path in sources for name in VARIABLE.findall(path.read_text("utf-8"))}


def examples_page() -> str:
    """Return every script of examples/ with its text."""
    parts = ["# Examples", "", "Each script runs from a clone: `python examples/NAME.py`.", ""]
    for path in sorted((ROOT / "examples").glob("*.py")):
        parts += [f"## {path.name}", "", "```python", path.read_text("utf-8").strip(), "```", ""]
    return "\n".join(parts)
