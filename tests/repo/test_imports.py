"""Names that scripts and tests import from the package exist; a rename leaves none behind."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
FOLDERS = ("src", "tests", "benchmarks", "docs", "examples", "notebooks")


def modules(folder, files):
    """Return the files of a folder by their dotted names."""
    found = {}
    for path in folder.glob(files):
        place = path.parent if path.name == "__init__.py" else path.with_suffix("")
        found[".".join(place.relative_to(folder).parts)] = path
    return found


MODULES = {
    **modules(SOURCE, "**/*.py"),
    **modules(ROOT, "benchmarks/*.py"),
    **modules(ROOT / "docs", "*.py"),
    **modules(ROOT / "tests", "*.py"),
    **modules(ROOT / "tests", "e2e/*.py"),
}
"""The package, and the scripts and helpers that import one another."""


@cache
def defined(module):
    """Return every name that a module defines or imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(name.asname or name.name).split(".")[0] for name in node.names}
    return found


def is_ours(module):
    """Return whether a module should be among ours; names of armtwin itself load when used."""
    named = module.startswith(("armtwin.", "benchmarks.", "e2e."))
    return named or (module in MODULES and module != "armtwin")


def missing(text):
    """Yield what a text imports from our own modules and does not exist there."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
            if node.module not in MODULES:
                yield node.module
                continue
            names = [f"{node.module}.{name.name}" for name in node.names]
            known = {f"{node.module}.{name}" for name in defined(node.module)}
            yield from (name for name in names if name not in known and name not in MODULES)


def test_imported_names_exist():
    """Every name imported from a module of the package is there when all files are read."""
    faults = [
        f"{path.relative_to(ROOT)}: {name}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if "node_modules" not in path.parts
        for name in missing(path.read_text(encoding="utf-8"))
    ]
    assert faults == []


def test_stale_import_is_found():
    """Renamed modules and names are reported when a text imports them."""
    text = "from armtwin.spatial import inverse, turned\nfrom armtwin.energy.course import Course\n"
    assert list(missing(text)) == ["armtwin.spatial.turned", "armtwin.energy.course"]
