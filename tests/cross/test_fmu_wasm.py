"""FMUs with a WebAssembly component (draft fmi-ls-wasm), run by wasmtime and by jco in Node."""

import hashlib
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest
from fmu_files import fmu
from jco_host import in_jco

import armtwin as at
from armtwin.compile.wasm.component import WasmComponent
from armtwin.errors import FmuError, InputError
from armtwin.fmu.check.trial import trial_inputs
from armtwin.fmu.export.export import sources
from armtwin.fmu.export.models import build_model
from armtwin.fmu.loading.instance import Instance
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.signals import Signals
from armtwin.fmu.run.with_fmpy import run_with_fmpy
from armtwin.fmu.wasm.build import compile_component, wasm_sources
from armtwin.fmu.wasm.wasm_library import WasmLibrary
from armtwin.fmu.wasm.wit import PACKAGE

pytest.importorskip("ziglang", reason="ziglang is not installed: it compiles WebAssembly")
wasmtime = pytest.importorskip("wasmtime", reason="wasmtime is not installed")
DRAFT = "6e45cc0417fc6f0b185382bdf86bb2d52107c0dd081076341648d81f4c0c4bb0"
"""SHA-256 of the exported functions and types, as ``described`` writes them. The same text comes
from components that wit-component makes of the draft's own WIT files, revision 77277f4."""
PLANT = "forward-dynamics"


def made(model="fk", fmi=3):
    """Return an FMU with a library for this platform and a component."""
    return fmu(model, fmi, platform="host,wasm")


def component(file):
    """Return the component's bytes."""
    with zipfile.ZipFile(file) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".wasm"))
        assert name.startswith("binaries/wasm32-wasip2/")
        return archive.read(name)


def type_text(kind):
    """Return a type of wasmtime as text."""
    from wasmtime.component import _types as types

    if isinstance(kind, types.ListType):
        return f"list<{type_text(kind.element)}>"
    if isinstance(kind, types.RecordType):
        return "record{" + ",".join(f"{a}:{type_text(b)}" for a, b in kind.fields) + "}"
    if isinstance(kind, types.TupleType):
        return "tuple<" + ",".join(map(type_text, kind.elements)) + ">"
    if isinstance(kind, types.EnumType):
        return "enum{" + ",".join(kind.names) + "}"
    if isinstance(kind, types.OptionType):
        return f"option<{type_text(kind.payload)}>"
    if isinstance(kind, types.ResultType):
        return f"result<{type_text(kind.ok)},{type_text(kind.err)}>"
    return type(kind).__name__.lower()


def described(data):
    """Return imports and exports of a component, one line for each function and type."""
    from wasmtime.component import Component, FuncType, ResourceType

    engine, lines = wasmtime.Engine(), {"import": [], "export": []}
    whole = Component(engine, data).type
    for side, items in (("import", whole.imports(engine)), ("export", whole.exports(engine))):
        for interface, item in items.items():
            for name, inner in item.ty.exports(engine).items():
                kind = inner.ty
                if isinstance(kind, FuncType):
                    given = ",".join(f"{a}:{type_text(b)}" for a, b in kind.params)
                    result = type_text(kind.result) if kind.result else "nothing"
                    text = f"({given})->{result}"
                else:
                    is_resource = isinstance(kind, ResourceType)
                    text = "resource" if is_resource else f"type {type_text(kind)}"
                lines[side].append(f"{interface} {name} {text}")
    return lines


def test_component_implements_the_drafts_worlds():
    """Exports are those of both worlds, and nothing but the log is imported, when it is read."""
    found = described(component(made()))
    text = "\n".join(sorted(found["export"]))
    assert hashlib.sha256(text.encode()).hexdigest() == DRAFT
    functions = [line for line in found["import"] if "->" in line]
    assert [line.split()[:2] for line in functions] == [
        [PACKAGE.format("callbacks"), "log-message"]
    ]
    assert {line.split()[0] for line in found["import"]} == {
        PACKAGE.format("types"), PACKAGE.format("callbacks"),
    }  # fmt: skip


def test_sampled_models_have_co_simulation_alone():
    """The world of model exchange is left out when a model has none."""
    texts = sources(build_model(at.load("ur10e"), "fk"), 3) | wasm_sources()
    texts["model.h"] = texts["model.h"].replace("HAS_MODEL_EXCHANGE 1", "HAS_MODEL_EXCHANGE 0")
    data = compile_component(texts, "-Os", has_model_exchange=False)
    interfaces = {line.split()[0] for line in described(data)["export"]}
    assert interfaces == {PACKAGE.format("common"), PACKAGE.format("co-simulation")}


def test_archive_has_what_the_draft_asks_for():
    """Manifest, component and its source are inside, and FMPy finds no fault, when it is opened."""
    with zipfile.ZipFile(made()) as archive:
        root = ET.fromstring(archive.read("extra/org.modelica.fmi-ls-wasm/manifest.xml"))
        assert {"sources/wasm.c", "sources/wasm_memory.c"} <= set(archive.namelist())
    space = "{http://fmi-standard.org/fmi-ls-manifest}"
    assert root.tag == "fmiLayeredStandardManifest"
    assert root.attrib == {
        f"{space}fmi-ls-name": "org.modelica.fmi-ls-wasm", f"{space}fmi-ls-version": "0.1.0",
        f"{space}fmi-ls-description": "FMI Layered Standard for WebAssembly",
    }  # fmt: skip
    validation = pytest.importorskip("fmpy.validation", reason="FMPy is not installed")
    assert validation.validate_fmu(str(made())) == []


@pytest.mark.parametrize(
    ("model", "mode", "fmi"),
    [("fk", "me", 3), (PLANT, "cs", 3), (PLANT, "me", 3), ("fk", "cs", "3-arrays")],
)
def test_wasmtime_gives_the_same_bits(model, mode, fmi):
    """Every output has the bits of the native library when wasmtime runs the component."""
    inputs = trial_inputs(at.load("ur10e"), model, 12)
    how = {"mode": mode, "start": {}, "defaults": True}
    native = at.run_fmu(made(model, fmi), inputs, options=RunFmuOptions(**how))
    run = at.run_fmu(made(model, fmi), inputs, options=RunFmuOptions(**how, wasm=True))
    assert list(run.signals.columns) == list(native.signals.columns)
    assert run.facts.lag == native.facts.lag
    assert np.ptp(native.values, axis=0).max() > 1e-3
    assert (run.values == native.values).all()


def test_jco_gives_the_trajectories_of_the_library(tmp_path):
    """Co-simulation and model exchange agree with the library and FMPy when Node runs them."""
    file, rows = made(PLANT), 12
    interface = Package(file).interface
    inputs = trial_inputs(at.load("ur10e"), PLANT, rows)
    names = [s.name for s in interface.with_causality("input")]
    table = np.column_stack([inputs.columns[name] for name in names])
    into = {"u32": [s.reference for s in interface.with_causality("input")]}
    out = {"u32": [s.reference for s in interface.with_causality("output")]}
    ends = [*inputs.time[1:], inputs.time[-1] + 0.002]
    begin = [["enterInitializationMode", None, 0.0, None], ["exitInitializationMode"]]
    steps = []
    for k in range(rows):
        steps += [["setFloat64", into, {"f64": table[k].tolist()}]]
        length = float(ends[k] - inputs.time[k])
        steps += [["doStep", float(inputs.time[k]), length, True], ["getFloat64", out]]
    exchange = {"inputs": into["u32"], "outputs": out["u32"], "rows": table.tolist()}
    exchange |= {"times": inputs.time.tolist(), "longest": 5e-4}
    named = ["a", interface.token, False, True]
    first = [["setFloat64", into, {"f64": table[0].tolist()}]]
    continuous = [["updateDiscreteStates"], ["enterContinuousTimeMode"], ["rungeKutta", exchange]]
    task = [
        {"mode": "cs", "made": [*named, False, False, {"u32": []}], "calls": [*begin, *steps]},
        {"mode": "me", "made": named, "calls": [begin[0], *first, begin[1], *continuous]},
    ]
    found = in_jco(file, task, tmp_path)
    assert found["version"] == "3.0"
    assert found["log"] == []
    stepped = np.array(found["runs"][0][4::3])
    raw = at.run_fmu(file, inputs, options=RunFmuOptions(mode="cs", align=False)).values
    assert (stepped[:-1] == raw[1:]).all()
    fmpy = run_with_fmpy(file, inputs, options=RunFmuOptions(mode="cs", align=False)).values
    assert np.abs(stepped[:-1] - fmpy[1:]).max() < 1e-9
    solved = np.array(found["runs"][1][-1])
    expected = at.run_fmu(file, inputs, options=RunFmuOptions(mode="me")).values
    assert np.abs(solved - expected).max() < 1e-9


def test_jco_reports_errors_as_the_draft_says(tmp_path):
    """Statuses, refusals and log messages arrive when Node calls wrongly."""
    file = made()
    interface = Package(file).interface
    q1 = {"u32": [interface.with_causality("input")[0].reference]}
    made_of = ["a", interface.token, False, True, False, False, {"u32": []}]
    calls = [
        ["getFloat64", {"u32": [4_000_000_000]}], ["getString", q1], ["getString", {"u32": []}],
        ["doStep", 0.0, 0.1, True], ["setFloat64", q1, {"f64": [1.0, 2.0]}], ["reset"],
        ["enterConfigurationMode"],
    ]  # fmt: skip
    task = [
        {"mode": "cs", "made": made_of, "calls": calls},
        {"mode": "cs", "made": ["a", "{other}", *made_of[2:]], "calls": []},
    ]
    found = in_jco(file, task, tmp_path)
    assert found["runs"] == [["error", "error", [], "error", "error", "ok", "error"], None]
    messages = [words[3] for words in found["log"]]
    assert all(words[:3] == ["a", "error", "logStatusError"] for words in found["log"])
    assert "no variable has this value reference" in messages
    assert messages[-1].startswith("not instantiated")


@pytest.fixture
def opened():
    """Return a function that makes a component's interface callable; its log is collected."""
    log = []

    def make(file=None, limit=None):
        functions = {"log-message": lambda _, *words: log.append(words)}
        whole = WasmComponent(component(file or made()), {PACKAGE.format("callbacks"): functions})
        if limit:
            whole._store.set_limits(memory_size=limit)
        return whole

    make.log = log
    return make


CS = PACKAGE.format("co-simulation")
METHOD = "[method]co-simulation-instance."


def new(whole, token, name="a"):
    """Return an instance for co-simulation, or None."""
    label = "[static]co-simulation-instance.instantiate-co-simulation"
    return whole.call(CS, label, name, token, False, True, False, False, [])


def test_memory_is_given_back(opened):
    """2 MB last for 1500 instances and their lists when each is dropped."""
    whole, token = opened(limit=2 << 20), Package(made()).interface.token
    references = list(range(1, 17))
    for _ in range(1500):
        one = new(whole, token)
        assert len(whole.call(CS, METHOD + "get-float64", one, references)) == 16
        whole.drop(one)


def test_many_instances_at_once(opened):
    """Instances keep their own values when many live side by side and some are dropped."""
    whole, token = opened(), Package(made()).interface.token
    alive = {k: new(whole, token) for k in range(60)}
    for k, one in alive.items():
        assert whole.call(CS, METHOD + "set-float64", one, [1], [0.01 * k]) == "ok"
    for k in range(0, 60, 2):
        whole.drop(alive.pop(k))
    for k, one in alive.items():
        assert whole.call(CS, METHOD + "get-float64", one, [1]) == [0.01 * k]
        whole.drop(one)


def test_states_are_restored_bit_by_bit(opened):
    """A state restores bit by bit when it is set again; foreign bytes are refused."""
    whole, token = opened(), Package(made()).interface.token
    one, other = new(whole, token), new(whole, token)
    assert whole.call(CS, METHOD + "set-float64", one, [1, 2], [0.3, -1.2]) == "ok"
    state = whole.call(CS, METHOD + "get-fmu-state", one)
    assert whole.call(CS, METHOD + "set-fmu-state", other, state) == "ok"
    assert whole.call(CS, METHOD + "get-fmu-state", other) == state
    assert whole.call(CS, METHOD + "get-float64", other, [1, 2]) == [0.3, -1.2]
    assert whole.call(CS, METHOD + "set-fmu-state", other, state[:-1]) == "error"
    assert whole.call(CS, METHOD + "set-fmu-state", other, b"x" + state[1:]) == "error"


def test_names_are_cut_between_characters(opened):
    """A message arrives when a long name is cut within a character of several bytes."""
    whole, token = opened(), Package(made()).interface.token
    for name in ("x" * 62 + "é", "x" * 61 + "€", "x" * 60 + "𝄞", "é" * 40):
        one = new(whole, token, name)
        assert whole.call(CS, METHOD + "enter-configuration-mode", one) == "error"
        said = opened.log[-1][0]
        assert name.startswith(said)
        assert len(said) >= min(len(name), 31)
    assert new(whole, token, "") is None


def test_parameters_outside_their_range_are_discarded(opened):
    """The status is discard and nothing changes when a parameter is set beyond its bounds."""
    file = made(PLANT)
    interface, whole = Package(file).interface, opened(file)
    mass = next(s.reference for s in interface.scalars if s.name == "payload_mass")
    one = new(whole, interface.token)
    assert whole.call(CS, METHOD + "set-float64", one, [mass], [-1.0]) == "discard"
    assert whole.call(CS, METHOD + "set-float64", one, [mass], [float("nan")]) == "error"
    assert whole.call(CS, METHOD + "get-float64", one, [mass]) == [0.0]


def test_component_alone_is_run_and_checked(tmp_path):
    """A file without any library runs, and its check passes, when it has a component."""
    file = at.export_fmu("ur10e", tmp_path / "fk.fmu", fmi=3, platform="wasm").path
    assert Package(file).platforms() == ["wasm32-wasip2"]
    done = at.check_fmu(file, rows=20)
    assert done.passed, done.verdict
    outcomes = {finding.what: finding.outcome for finding in done.findings}
    assert outcomes["Python model against the FMU (cs)"] == "passed"
    with pytest.raises(FmuError, match="no binary for this platform"):
        at.run_fmu(file, trial_inputs(at.load("ur10e"), "fk", 3))


def test_bad_files_and_options_are_refused(tmp_path):
    """Errors say what to do when there is no component, a broken one, or FMI 2 is asked for."""
    inputs = trial_inputs(at.load("ur10e"), "fk", 3)
    with pytest.raises(FmuError, match="no WebAssembly component"):
        at.run_fmu(fmu("fk", 3), inputs, options=RunFmuOptions(wasm=True))
    with pytest.raises(InputError, match="for FMI 3"):
        at.export_fmu("ur10e", tmp_path / "a.fmu", fmi=2, platform="wasm")
    with pytest.raises(InputError, match="platform 'wasm32'"):
        at.export_fmu("ur10e", tmp_path / "a.fmu", fmi=3, platform="wasm32")
    broken = tmp_path / "broken.fmu"
    with zipfile.ZipFile(made()) as whole, zipfile.ZipFile(broken, "w") as cut:
        for name in whole.namelist():
            data = whole.read(name)
            cut.writestr(name, data[:-100] if name.endswith(".wasm") else data)
    with pytest.raises(FmuError, match="cannot be instantiated"):
        at.run_fmu(broken, inputs, options=RunFmuOptions(wasm=True))
    far = Signals(inputs.time, inputs.columns | {"q1": np.full(3, np.nan)})
    with pytest.raises(FmuError, match="q1 is set to no number"):
        at.run_fmu(made(), far, options=RunFmuOptions(wasm=True))


def test_interrupts_pass_through_the_component(monkeypatch):
    """Ctrl-C ends the run when it comes while the component is called."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(WasmLibrary, "method", interrupted)
    with (
        pytest.raises(KeyboardInterrupt),
        WasmLibrary(Package(made()), "cs") as library,
        Instance(library) as instance,
    ):
        instance.initialize(0.0, 1.0)
