"""Measure the structure of the source tree: ``python docs/measure_structure.py [--json]``.

``--list without_args`` (or another list) prints that list, an entry a line.

The figures are those that the project keeps to: size of files and functions, repeated names,
modules with one importer, import cycles, imports against the layers, missing docstrings.
``tests/repo/test_structure.py`` holds the limits.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "armtwin"
STUB = PACKAGE / "__init__.pyi"
"""Names the modules that the package itself imports on first use."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Structure:
    """Figures of the source tree.

    Attributes:
        modules: number of Python files, ``__init__.py`` not counted.
        lines: lines of all of them.
        median_file: median length of a file [lines].
        longest_file: length and name of the longest file.
        longest_function: length and name of the longest function.
        most_arguments: number of arguments and name of the library function with most of them.
        largest_folder: number of modules and name of the folder with most of them.
        repeated_stems: file names that occur in more than one folder.
        repeated_classes: class names that occur in more than one module.
        one_importer: modules that exactly one other module imports.
        cycles: groups of modules that import each other when they are loaded.
        undocumented: public modules, classes and functions without a docstring.
        without_args: public functions of three or more parameters that no ``Args:`` section
            describes.
    """

    modules: int
    lines: int
    median_file: float
    longest_file: tuple[int, str]
    longest_function: tuple[int, str]
    most_arguments: tuple[int, str]
    largest_folder: tuple[int, str]
    repeated_stems: list[str]
    repeated_classes: list[str]
    one_importer: int
    cycles: list[list[str]]
    undocumented: list[str]
    without_args: list[str]


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def trees() -> dict[str, tuple[Path, ast.Module]]:
    """Return every module of the package with its file and its syntax tree."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {
        module_name(path): (path, ast.parse(path.read_text(encoding="utf-8"))) for path in files
    }


def imports(tree: ast.AST, known: set[str], *, only_at_load: bool) -> set[str]:
    """Return the modules of the package that a module imports.

    Args:
        tree: the module's syntax tree.
        known: names of all modules.
        only_at_load: leave out imports inside functions and under ``TYPE_CHECKING``.
    """
    found = set()
    for node in _load_time(tree) if only_at_load else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in known}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in known else node.module)
    return found & known


def _load_time(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        checking = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if not isinstance(child, FUNCTIONS) and not checking:
            yield child
            yield from _load_time(child)


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of a function's parameters, ``self`` and ``cls`` not counted."""
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def measure() -> Structure:
    """Return the figures of the source tree as it is."""
    found = trees()
    known = set(found)
    importers = Counter(
        other
        for name, (_, tree) in found.items()
        for other in imports(tree, known, only_at_load=False) - {name}
    )
    importers.update(
        imports(ast.parse(STUB.read_text(encoding="utf-8")), known, only_at_load=False)
    )
    graph = {name: imports(tree, known, only_at_load=True) for name, (_, tree) in found.items()}
    code = {name: pair for name, pair in found.items() if pair[0].name != "__init__.py"}
    lengths = {name: len(path.read_text().splitlines()) for name, (path, _) in code.items()}
    folders = Counter(str(path.parent.relative_to(PACKAGE.parent)) for path, _ in code.values())
    stems = Counter(path.stem for path, _ in code.values())
    functions = list(functions_of(code))
    return Structure(
        modules=len(code),
        lines=sum(lengths.values()),
        median_file=statistics.median(lengths.values()),
        longest_file=_largest(lengths),
        longest_function=_largest({name: length(node) for name, node in functions}),
        most_arguments=_largest({name: arguments(n) for name, n in functions if is_library(name)}),
        largest_folder=_largest(dict(folders)),
        repeated_stems=sorted(stem for stem, count in stems.items() if count > 1),
        repeated_classes=repeated_classes(code),
        one_importer=sum(importers[name] == 1 for name in code),
        cycles=cycles(graph),
        undocumented=list(undocumented(found)),
        without_args=without_args(code),
    )


def _largest(sizes: dict[str, int]) -> tuple[int, str]:
    name = max(sizes, key=lambda key: sizes[key])
    return sizes[name], name


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of a function's lines, its docstring included."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def is_library(name: str) -> bool:
    """Return False for commands, whose arguments are options of the command line."""
    return not name.startswith("armtwin.cli.")


def is_command(name: str) -> bool:
    """Return whether a function is a verb of the command line."""
    return name.startswith("armtwin.cli.verbs.") and name.endswith(".command")


def functions_of(
    code: dict[str, tuple[Path, ast.Module]],
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function and method with its module and its name."""
    for name, (_, tree) in code.items():
        for node in ast.walk(tree):
            if isinstance(node, FUNCTIONS):
                yield f"{name}.{node.name}", node


def repeated_classes(code: dict[str, tuple[Path, ast.Module]]) -> list[str]:
    """Return the public class names that occur in more than one module, with these modules."""
    places = defaultdict(list)
    for name, (_, tree) in code.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return sorted(f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1)


def without_args(code: dict[str, tuple[Path, ast.Module]]) -> list[str]:
    """Return the functions of three or more parameters whose docstring has no ``Args:``.

    Not counted: names with an underscore, functions inside functions and methods of classes with an
    underscore (no interface); methods whose ``Args:`` stand in a base class; commands, whose
    parameters are options with a help text each.
    """
    nodes = [node for _, tree in code.values() for node in ast.walk(tree)]
    inside = {
        id(inner)
        for outer in nodes
        if isinstance(outer, FUNCTIONS) or is_private_class(outer)
        for inner in ast.walk(outer)
        if inner is not outer
    }
    left_out = inside | described_in_base([n for n in nodes if isinstance(n, ast.ClassDef)])
    return sorted(
        name
        for name, node in functions_of(code)
        if arguments(node) >= 3
        and not has_args(node)
        and not name.rsplit(".", 1)[1].startswith("_")
        and id(node) not in left_out
        and not is_command(name)
    )


def is_private_class(node: ast.AST) -> bool:
    """Return whether a node is a class whose name begins with an underscore."""
    return isinstance(node, ast.ClassDef) and node.name.startswith("_")


def has_args(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function's docstring has an ``Args:`` section."""
    return "Args:" in (ast.get_docstring(node) or "")


def described_in_base(classes: list[ast.ClassDef]) -> set[int]:
    """Return the ids of methods that a direct base class describes with ``Args:``."""
    methods = {
        kind.name: {n.name: n for n in kind.body if isinstance(n, FUNCTIONS)} for kind in classes
    }
    bases = {kind.name: [ast.unparse(b).split("[")[0] for b in kind.bases] for kind in classes}
    return {
        id(method)
        for kind, own in methods.items()
        for method in own.values()
        for base in bases[kind]
        if method.name in methods.get(base, {}) and has_args(methods[base][method.name])
    }


def undocumented(found: dict[str, tuple[Path, ast.Module]]) -> Iterator[str]:
    """Yield the public modules, classes and functions without a docstring."""
    for name, (_, tree) in found.items():
        if not ast.get_docstring(tree):
            yield name
        for node in tree.body:
            kinds = (ast.ClassDef, *FUNCTIONS)
            public = isinstance(node, kinds) and not node.name.startswith("_")
            if public and not ast.get_docstring(node):
                yield f"{name}.{node.name}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--list", metavar="NAME", help="print one list, an entry a line")
    given, figures = parser.parse_args(), asdict(measure())
    if given.list:
        lists = {name for name, value in figures.items() if isinstance(value, list)}
        if given.list not in lists:
            parser.error(f"no list {given.list}; there are {', '.join(sorted(lists))}")
        sys.stdout.write("".join(f"{entry}\n" for entry in figures[given.list]))
        return
    if given.json:
        sys.stdout.write(json.dumps(figures, indent=2) + "\n")
        return
    for name, value in figures.items():
        shown = f"{len(value)}: {'; '.join(map(str, value))}" if isinstance(value, list) else value
        shown = len(value) if name == "without_args" else shown
        sys.stdout.write(f"{name.replace('_', ' '):20} {shown}\n")


if __name__ == "__main__":
    main()
