"""The interface rules hold for everything that is importable from ``armtwin``."""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import ArmTwinError, InputError, UnknownArmError
from armtwin.report.result import Result

ROOT = Path(__file__).parents[2]
FUNCTIONS = {n: f for n in at.__all__ if inspect.isfunction(f := getattr(at, n))}
CLASSES = {n: c for n in at.__all__ if inspect.isclass(c := getattr(at, n))}
OF_AN_ARM = [n for n, f in FUNCTIONS.items() if "arm" in [*inspect.signature(f).parameters][:1]]

ARM = {"ArmLike", "Arm | str | Path"}
RECORDING = {"RecordingLike", "Recording | str | Path"}
STATE = {"qd", "qdd", "tau", "theta", "thetad", "wrench"}
"""Joint vectors follow the arm and q by position, in the order in which equations name them."""
LONG = [
    "calibrate", "calibrate_detector", "check_fmu", "compensate", "detect", "excite", "export_c",
    "export_fmu", "export_system", "export_wasm", "identify", "ledger", "optimize", "plan_poses",
    "prepare", "reachability", "read_recording", "read_recordings", "recorded_energy", "resample",
    "run_fmu", "simulate", "study",
    "tool_uncertainty", "validate", "view", "wasm_module",
]  # fmt: skip
"""Functions that can take more than two seconds."""

RESULTS = [
    "ArmHistory", "CExport", "Calibration", "Check", "Detection", "Excitation", "Fit",
    "FleetHistory", "FmuCheck", "FmuExport", "FmuRun", "Ledger", "OptimizedMotion",
    "PreparedRecording", "Reachability", "Study", "SupplyResult", "System", "ToolUncertainty",
    "WasmExport",
]  # fmt: skip

PUBLIC_MODULES = {"armtwin.testing"}
"""Modules that are public beside ``armtwin``: fixtures for the tests of others."""
CONTRIBUTORS = {"compiler.md", "urscript.md"}
"""Pages that explain how a part works inside, and so name its modules."""

TIME = 0.01 * np.arange(200)
RUN = at.Recording.of(
    TIME, {"q": 0.1 * np.sin(TIME[:, None] + np.arange(6)), "tau": np.ones((200, 6))}, arm="ur10e"
)


class CancelledError(Exception):
    """Raised from a callback."""


def cancel(progress):
    """Cancel at the first report, which has a text and a share."""
    assert progress.step
    assert progress.done is None or 0 <= progress.done <= 1
    raise CancelledError


def parameters(name):
    """Return a function's parameters but those that collect further keywords."""
    given = inspect.signature(FUNCTIONS[name]).parameters.values()
    return [p for p in given if p.kind is not inspect.Parameter.VAR_KEYWORD]


def test_everything_public_is_documented():
    """Every public name can be imported and says what it is when the package is read."""
    assert {*FUNCTIONS, *CLASSES} == set(at.__all__)
    assert [n for n in at.__all__ if not (getattr(at, n).__doc__ or "").strip()] == []


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_parameters_keep_the_rules(name):
    """At most 7 parameters, keywords after two, arms and recordings in any form, when called."""
    given = parameters(name)
    by_position = [p.name for p in given if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert len(given) <= 7
    assert set(by_position[2:]) <= STATE, f"{by_position} by position"
    for parameter in given:
        forms = {part.removesuffix(" | None") for part in [str(parameter.annotation)]}
        if parameter.name == "arm":
            assert forms <= ARM
        if parameter.name == "recording":
            assert forms <= RECORDING


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_parameters_are_described(name):
    """Args describes every parameter when a function has three or more."""
    given, text = parameters(name), inspect.getdoc(FUNCTIONS[name])
    if len(given) >= 3:
        described = set(re.findall(r"^ {4}\**(\w+):", text.partition("Args:")[2], re.MULTILINE))
        assert {p.name for p in given} - described == set()


@pytest.mark.parametrize("name", sorted(OF_AN_ARM))
def test_a_wrong_arm_is_refused(name):
    """The error says what an arm may be when something else, or an unknown name, is given."""
    needed = [p for p in parameters(name)[1:] if p.default is inspect.Parameter.empty]
    rest = {p.name: np.zeros(6) for p in needed}
    for key in ("path", "recording", "source"):
        rest |= {key: RUN} if key in rest else {}
    if name in ("export", "export_fmu", "export_system", "with_factory_calibration"):
        rest["path"] = {"export_fmu": "x.fmu", "export_system": "x.ssp"}.get(name, "x.toml")
    with pytest.raises(InputError, match="expected an Arm, a catalogue name or a file"):
        FUNCTIONS[name](3.14, **rest)
    with pytest.raises(UnknownArmError, match="the catalogue has"):
        FUNCTIONS[name]("no_such_arm", **rest)


@pytest.mark.parametrize("name", LONG)
def test_long_work_reports_progress(name):
    """A callback can be given when the work can take more than two seconds."""
    (found,) = (p for p in parameters(name) if p.name == "on_progress")
    assert found.kind is inspect.Parameter.KEYWORD_ONLY
    assert found.default is None


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("validate", ("ur10e", RUN)), ("view", ("ur10e", RUN)),
        ("prepare", (RUN,)), ("resample", (RUN, 50.0)),
        ("ledger", ("ur5e-energy", RUN)), ("recorded_energy", ("ur5e-energy", RUN)),
        ("compensate", (RUN, "ur10e")),
        ("detect", ("ur10e", RUN)), ("calibrate_detector", ("ur10e", RUN)), ("excite", ("ur10e",)),
        ("identify", ("ur10e", RUN)), ("plan_poses", ("ur10e", 3)),
        ("simulate", ("ur10e", at.Circle(seconds=2))),
        ("optimize", ("ur5e-energy", [[0, -1.5, 1, -0.5, 1, 0], [0.2, -1.5, 1, -0.5, 1, 0]])),
    ],
)  # fmt: skip
def test_long_work_can_be_cancelled(name, given):
    """The caller's error comes through when the callback raises."""
    with pytest.raises(CancelledError):
        FUNCTIONS[name](*given, on_progress=cancel)


@pytest.mark.parametrize("name", RESULTS)
def test_results_print_usefully(name):
    """A verb's result has page, JSON, report and the one-line repr when it is shown."""
    assert issubclass(CLASSES[name], Result)
    assert "armtwin" in CLASSES[name].__repr__.__code__.co_filename, "a dataclass's own repr"
    assert CLASSES[name].__dataclass_params__.frozen


def test_values_print_on_one_line():
    """The repr is one short line when an arm, a motion, solutions or a recording is shown."""
    arm = at.load("ur10e")
    values = [arm, at.Circle(seconds=2).motion(arm), at.ik(arm, at.fk(arm, RUN.q[0])), RUN]
    for value in values:
        assert repr(value).startswith(f"<{type(value).__name__}")
        assert len(repr(value).splitlines()) == 1 and len(repr(value)) < 120


def test_errors_have_one_root():
    """Every error is an ArmTwinError when it is caught by that name."""
    import armtwin.errors as errors

    kinds = [x for x in vars(errors).values() if inspect.isclass(x) and issubclass(x, Exception)]
    assert [k for k in kinds if not issubclass(k, (ArmTwinError, UserWarning))] == []


def examples():
    """Yield every example of the documentation: its file and its Python text."""
    for page in sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]):
        if page.name not in CONTRIBUTORS:
            for text in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
                yield page.name, text
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield path.name, path.read_text("utf-8")


def imported(node):
    """Return the modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def test_documentation_imports_from_the_package_alone():
    """Everything comes from ``armtwin`` itself when the examples are read."""
    found = list(examples())
    assert len(found) > 20
    deep = [
        f"{name}: {ast.unparse(node)}"
        for name, text in found
        for node in ast.walk(ast.parse(text))
        for module in imported(node)
        if module.startswith("armtwin.") and module not in PUBLIC_MODULES
    ]
    assert deep == []
