"""Limits on the structure of the source tree, measured by ``docs/measure_structure.py``.

Each allow-list holds what is above its limit today. The aim is to empty them: an entry may leave a
list or get a smaller number, and no entry may be added.
"""

import ast
import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "measure_structure.py"
CONTRACTS = Path(__file__).parents[1] / "contracts"


def load_script():
    """Return the measuring script as a module; docs is no package."""
    spec = importlib.util.spec_from_file_location("measure_structure", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


structure = load_script()

MAX_MODULES = 12
LARGE_FOLDERS = {}
LONGEST_FILE = 270
LONG_FILES = {}
LONGEST_FUNCTION = 60
LONG_FUNCTIONS = {}
MAX_ARGUMENTS = 7
MANY_ARGUMENTS = {}
REPEATED_CLASSES = 2
DOCUMENTED = sorted(path.parent.name for path in structure.PACKAGE.glob("*/__init__.py"))
"""The packages; each of them, and those below, says in its docstring what it is for."""


@pytest.fixture(scope="module")
def trees():
    """Return every module with its file and its syntax tree."""
    return structure.trees()


@pytest.fixture(scope="module")
def code(trees):
    """Return every module but ``__init__.py`` with its file and its syntax tree."""
    return {name: pair for name, pair in trees.items() if pair[0].name != "__init__.py"}


@pytest.fixture(scope="module")
def functions(code):
    """Return every function with its name."""
    return list(structure.functions_of(code))


def test_no_folder_is_large(code):
    """A folder has 12 modules at most when it is no listed exception."""
    folders = Counter(
        path.parent.relative_to(structure.PACKAGE.parent).as_posix() for path, _ in code.values()
    )
    assert above(folders.items(), MAX_MODULES, LARGE_FOLDERS) == []


def test_no_import_cycle(trees):
    """No modules import each other when they are loaded."""
    known = set(trees)
    graph = {
        name: structure.imports(tree, known, only_at_load=True) for name, (_, tree) in trees.items()
    }
    assert structure.cycles(graph) == []


def test_no_file_is_long(code):
    """A file has 270 lines at most when it is no listed exception."""
    lengths = [(n, len(p.read_text(encoding="utf-8").splitlines())) for n, (p, _) in code.items()]
    assert above(lengths, LONGEST_FILE, LONG_FILES) == []


def test_no_function_is_long(functions):
    """A function has 60 lines at most when it is no listed exception."""
    lengths = [(name, structure.length(node)) for name, node in functions]
    assert above(lengths, LONGEST_FUNCTION, LONG_FUNCTIONS) == []


def test_no_library_function_has_many_arguments(functions):
    """A library function takes 7 arguments at most when it is no listed exception."""
    counts = [(n, structure.arguments(f)) for n, f in functions if structure.is_library(n)]
    assert above(counts, MAX_ARGUMENTS, MANY_ARGUMENTS) == []


def test_few_class_names_are_repeated(code):
    """Class names are unique but for a few when all modules are read."""
    assert len(structure.repeated_classes(code)) <= REPEATED_CLASSES


@pytest.mark.parametrize("package", DOCUMENTED)
def test_packages_have_contract_tests(package):
    """Every package has test files in a folder of its name when tests/contracts is read."""
    folder = CONTRACTS / package
    found = [file for file in folder.rglob("test_*.py") if "def test_" in file.read_text("utf-8")]
    assert found, f"tests/contracts/{package} has no test"


@pytest.mark.parametrize("package", DOCUMENTED)
def test_packages_say_what_they_are_for(package):
    """Every package has a docstring that names its modules when its init file is read."""
    for init in sorted((structure.PACKAGE / package).rglob("__init__.py")):
        text = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
        assert text, f"{init}: no docstring"
        if "verbs" in init.parts:
            continue
        modules = [path.stem for path in init.parent.glob("*.py") if path.stem[0] != "_"]
        assert [name for name in modules if name not in text] == [], init


def test_everything_public_has_a_docstring(trees):
    """Public modules, classes and functions have a docstring when the tree is read."""
    packages = {name for name, (path, _) in trees.items() if path.name == "__init__.py"}
    assert set(structure.undocumented(trees)) - packages == set()


def test_parameters_are_described(code):
    """Args describes the parameters when a function has three or more."""
    assert structure.without_args(code) == []


def test_limits_are_seen():
    """A size is reported when it is above its limit and its exception."""
    assert above([("a", 3), ("b", 5), ("c", 9)], 4, {"b": 5, "c": 8}) == ["c: 9"]


def above(sizes, limit, allowed):
    """Return what is above the limit, and above its own exception where it has one."""
    return [f"{name}: {size}" for name, size in sizes if size > max(limit, allowed.get(name, 0))]
