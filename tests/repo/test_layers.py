"""Imports point backwards only, dynamic ones included, and each heavy library has one owner."""

import ast
import functools
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "armtwin"

LAYERS = [
    "errors", "options", "progress", "extras", "files", "processes", "storage", "units", "spatial",
    "model", "equations", "compile", "kinematics", "report", "recording", "dynamics", "motion",
    "control", "detection", "simulation", "robots", "testing", "calibration", "workspace",
    "identification", "validation", "energy", "history", "codegen", "fmu", "viewer", "reproduce",
    "demo", "studies", "app", "cli",
]  # fmt: skip

OWNERS = {
    "casadi": {"equations"},
    "duckdb": {"history"},
    "mujoco": {"simulation"},
    "fmpy": {"fmu"},
    "ziglang": {"fmu", "compile"},
    "wasmtime": {"compile"},
    "matplotlib": {"report"},
    "mpl_toolkits": {"report"},
    "plotly": {"report"},
    "typst": {"report"},
    "serial": {"robots"},
    "lark": {"robots"},
    "h11": {"robots"},
    "typer": {"cli"},
    "anywidget": {"viewer"},
    "joblib": {"studies"},
    "ray": {"studies"},
}

DYNAMIC = {
    # Loads the verb that was asked for, so that a command starts without the libraries of others.
    ("cli/main.py", "armtwin.cli.verbs."),
    # Loads the module of the job's kind inside the job's own process.
    ("app/jobs/process.py", "armtwin.app.jobs.work."),
    # The app's back end and the frame renderer run in processes of their own.
    ("app/backend/backend.py", "armtwin.app.backend.backend_process"),
    ("simulation/rendering/drawing.py", "armtwin.simulation.rendering.draw_frames"),
    # A virtual robot runs in a process of its own, so that the app's load does not delay it.
    ("robots/robot_process.py", "armtwin.robots.robot_process"),
    # Long URScript programs are compiled in a process of their own, beside the control cycle.
    (
        "robots/ur_controller/script/compiler_process.py",
        "armtwin.robots.ur_controller.script.compiler_process",
    ),
    # A spreadsheet's reader runs in a process with a memory limit.
    ("recording/files/xlsx.py", "armtwin.recording.files.xlsx"),
    # A result loads its page, which imports the result's class, when the page is asked for.
    ("identification/result/fit.py", "armtwin.identification.page"),
    ("calibration/result.py", "armtwin.calibration.page"),
}
"""Modules loaded by name or started with ``-m``, by file; each with its reason."""

LOADERS = ("import_module", "__import__", "run_module", "module_command")

FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def layer_of(path: Path) -> str:
    """Return the layer that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imported(path: Path) -> set[str]:
    """Return the dotted names that a file imports, wherever in the file."""
    names = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def loaded_by_name(tree: ast.AST) -> set[str]:
    """Return the modules of armtwin that code loads by name or starts with ``python -m``.

    A name that is put together at run time is returned up to its first variable part.
    """
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in LOADERS:
            names |= {constant_start(value) for value in node.args[:1]}
        elif isinstance(node, ast.List | ast.Tuple):
            pairs = zip(node.elts, node.elts[1:], strict=False)
            names |= {constant_start(b) for a, b in pairs if constant_start(a) == "-m"}
    return {name for name in names if name.split(".")[0] in ("armtwin", "")}


def constant_start(node: ast.AST) -> str:
    """Return the constant text that an expression starts with; empty where it has none."""
    if isinstance(node, ast.JoinedStr) and node.values:
        return constant_start(node.values[0])
    return str(node.value) if isinstance(node, ast.Constant) else ""


def test_every_layer_is_listed():
    """Each file's layer stands in the list when the package is walked."""
    assert {layer_of(path) for path in FILES} <= set(LAYERS)


def backward_faults(path):
    """Yield what a file imports from a later layer, or as a whole where it may not."""
    own = LAYERS.index(layer_of(path))
    for name in imported(path):
        root, _, rest = name.partition(".")
        layer = rest.split(".")[0]
        if root != "armtwin" or name == "armtwin.__version__":
            continue
        if layer not in LAYERS:
            if layer_of(path) not in ("app", "cli"):
                yield f"{path}: {name}: only app and cli import the package"
        elif LAYERS.index(layer) > own:
            yield f"{path} imports {name} from a later layer"


def test_imports_point_backwards():
    """A file imports from its own or an earlier layer only when it imports from armtwin."""
    assert [fault for path in FILES for fault in backward_faults(path)] == []


def test_heavy_libraries_stay_with_their_owner():
    """A heavy library is imported by its owner's folder when it is imported at all."""
    roots = [(path, name.split(".")[0]) for path in FILES for name in imported(path)]
    faults = [(p, root) for p, root in roots if layer_of(p) not in OWNERS.get(root, {layer_of(p)})]
    assert faults == []


def named_faults(path):
    """Yield the modules that a file loads by name without being listed, or from a later layer."""
    file = path.relative_to(PACKAGE).as_posix()
    if file == "processes.py":  # makes the command lines of the others
        return
    for name in loaded_by_name(tree_of(path)):
        if (file, name) not in DYNAMIC:
            yield f"{file} loads {name or 'a computed name'}"
            continue
        later = LAYERS.index(name.split(".")[1]) > LAYERS.index(layer_of(path))
        if later:
            yield f"{file} loads {name} from a later layer"


def test_modules_loaded_by_name_are_listed():
    """A module is listed, and of no later layer, when a file loads it by name or starts it."""
    assert [fault for path in FILES for fault in named_faults(path)] == []


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("importlib.import_module('armtwin.report.page')", "armtwin.report.page"),
        ("import_module(f'armtwin.cli.verbs.{verb}')", "armtwin.cli.verbs."),
        ("import_module(name)", ""),
        ("__import__('armtwin.app')", "armtwin.app"),
        ("subprocess.run([sys.executable, '-m', 'armtwin.cli', 'fk'])", "armtwin.cli"),
        ("command = (python, '-m', 'armtwin.cli', *words)", "armtwin.cli"),
        ("import_module('casadi'); run([python, '-m', 'ziglang'])", None),
    ],
)
def test_names_are_found(code, name):
    """The name of the module is found when code loads or starts it."""
    assert loaded_by_name(ast.parse(code)) == (set() if name is None else {name})
