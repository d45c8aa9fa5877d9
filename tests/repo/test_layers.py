"""Imports point backwards only, and each heavy library has one owner."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "armtwin"

LAYERS = [
    "errors", "progress", "extras", "files", "spatial", "model", "equations", "compile",
    "recording", "kinematics", "report", "dynamics", "motion", "control", "detection",
    "simulation", "robots", "calibration", "identification", "validation", "energy", "fmu",
    "reproduce", "demo", "app", "cli",
]  # fmt: skip

OWNERS = {
    "casadi": {"equations"},
    "mujoco": {"simulation"},
    "fmpy": {"fmu"},
    "ziglang": {"fmu", "compile"},
    "matplotlib": {"report"},
    "mpl_toolkits": {"report"},
    "plotly": {"report"},
    "typst": {"report"},
    "nicegui": {"app"},
    "serial": {"robots"},
    "lark": {"robots"},
    "typer": {"cli"},
}

FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def layer_of(path: Path) -> str:
    """Return the layer that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Return the dotted names that a file imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_every_layer_is_listed():
    """Each file's layer stands in the list when the package is walked."""
    assert {layer_of(path) for path in FILES} <= set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_backwards(path):
    """A file imports from its own or an earlier layer only when it imports from armtwin."""
    own = LAYERS.index(layer_of(path))
    for name in imported(path):
        root, _, rest = name.partition(".")
        layer = rest.split(".")[0]
        if root != "armtwin" or name == "armtwin.__version__":
            continue
        if layer not in LAYERS:
            assert layer_of(path) in ("app", "cli"), f"{name}: only app and cli import the package"
            continue
        assert LAYERS.index(layer) <= own, f"{path.name} imports {name} from a later layer"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_libraries_stay_with_their_owner(path):
    """A heavy library is imported by its owner's folder when it is imported at all."""
    for name in imported(path):
        root = name.split(".")[0]
        if root in OWNERS:
            assert layer_of(path) in OWNERS[root], f"{root} belongs to {OWNERS[root]}"
