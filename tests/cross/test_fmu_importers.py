"""Our FMUs in other people's importers: FMPy, fmutool, ecos, libcosim."""

import importlib.util
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from fmu_files import MODELS, fmu
from vendor_fmu import foreign_controller

import armtwin
from armtwin.compile.native.toolchain import find_compiler
from armtwin.fmu.check.masters import simulate_system
from armtwin.fmu.check.trial import trial_inputs
from armtwin.fmu.check.truth import expected
from armtwin.fmu.export.system import SystemOptions, export_system
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.fmu.run.with_fmpy import run_with_fmpy

fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
EVERY = [(model, fmi) for model in MODELS for fmi in (2, 3)]


def needs(package):
    """Skip where a package is not installed; it may not load before its own libraries do."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")


@pytest.mark.parametrize(("model", "fmi"), EVERY)
def test_fmpy_finds_no_problem(model, fmi):
    """FMPy's validator has nothing to say when it reads any of our models."""
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(fmu(model, fmi))) == []


@pytest.mark.parametrize(("model", "fmi"), [("fk", 2), ("fk", 3), ("forward-dynamics", 2)])
def test_fmutool_finds_no_problem(model, fmi):
    """The manipulation toolbox finds no error when it checks a model."""
    pytest.importorskip("fmu_manipulation_toolbox", reason="fmutool is not installed")
    code = "from fmu_manipulation_toolbox.cli.fmutool import fmutool; fmutool()"
    done = subprocess.run(
        [sys.executable, "-c", code, "-input", str(fmu(model, fmi)), "-check"],
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert f"No semantic error against the FMI-{fmi} standard" in said
    assert "ERROR" not in said


@pytest.mark.parametrize(("mode", "fmi"), [("cs", 2), ("me", 2), ("cs", 3), ("me", 3)])
def test_fmpy_runs_forward_kinematics(mode, fmi):
    """FMPy gives the Python model's poses to 1e-12 when its lag is undone."""
    arm = armtwin.load("ur10e")
    inputs = trial_inputs(arm, "fk", 300)
    run = run_with_fmpy(fmu("fk", fmi), inputs, options=RunFmuOptions(mode=mode))
    truth = np.column_stack(list(expected(arm, "fk", inputs).values()))
    assert run.facts.lag.rows == int(mode == "cs")
    assert np.abs(run.values - truth).max() < 1e-12


@pytest.mark.parametrize("fmi", [2, 3])
def test_sources_inside_compile(fmi, tmp_path):
    """The FMU gives the same numbers when its library is built anew from the sources inside."""
    compiler = find_compiler() or pytest.skip("no C compiler")
    listed = fmpy.read_model_description(str(fmu("fk", fmi))).buildConfigurations[0]
    main = listed.sourceFileSets[0].sourceFiles[0]
    assert main == f"fmi{fmi}.c"
    with zipfile.ZipFile(fmu("fk", fmi)) as archive:
        archive.extractall(tmp_path / "fmu")
        names = archive.namelist()
    library = next(n for n in names if n.startswith("binaries/"))
    flags = ("-shared", "-fPIC", "-O1", "-w", "-o", library, f"sources/{main}", "-lm")
    subprocess.run([*compiler.command, *flags], check=True, cwd=tmp_path / "fmu")
    rebuilt = tmp_path / "rebuilt.fmu"
    with zipfile.ZipFile(rebuilt, "w") as archive:
        for name in names:
            archive.write(tmp_path / "fmu" / name, name)
    inputs = trial_inputs(armtwin.load("ur10e"), "fk", 50)
    difference = run_fmu(rebuilt, inputs).values - run_fmu(fmu("fk", fmi), inputs).values
    assert np.abs(difference).max() < 1e-14


ECOS = """
import sys, numpy
from armtwin.fmu.check.masters import _preload_tbb
_preload_tbb()
from ecospy import EcosSimulation, EcosSimulationStructure
from ecospy.lib import EcosLib
EcosLib.set_log_level("warn")
q = numpy.load(sys.argv[2])
found = []
with EcosSimulationStructure() as structure:
    structure.add_model("fk", sys.argv[1])
    with EcosSimulation(structure=structure, step_size=0.002) as simulation:
        simulation.init()
        for row in q:
            for k, x in enumerate(row, 1):
                simulation.set_real(f"fk::q{k}", x)
            simulation.step()
            found.append([simulation.get_real(f"fk::{n}") for n in sys.argv[3].split()])
        simulation.terminate()
numpy.save(sys.argv[4], numpy.array(found))
"""


@pytest.mark.parametrize("fmi", [2, 3])
def test_ecos_runs_forward_kinematics(fmi, tmp_path):
    """Ecos gives the Python model's poses to 1e-12 when it steps the FMU."""
    needs("ecospy")
    arm = armtwin.load("ur10e")
    inputs = trial_inputs(arm, "fk", 50)
    truth = expected(arm, "fk", inputs)
    np.save(tmp_path / "q.npy", np.column_stack(list(inputs.columns.values())))
    arguments = [str(fmu("fk", fmi)), tmp_path / "q.npy", " ".join(truth), tmp_path / "y.npy"]
    done = subprocess.run([sys.executable, "-c", ECOS, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    found = np.load(tmp_path / "y.npy")
    assert np.abs(found - np.column_stack(list(truth.values()))).max() < 1e-12


COSIM = """
import sys, numpy
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimManipulator import CosimManipulator
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave
log_output_level(CosimLogLevel.INFO)
q = numpy.load(sys.argv[2])
execution = CosimExecution.from_step_size(2_000_000)
slave = execution.add_local_slave(CosimLocalSlave(sys.argv[1], "fk"))
hand, eye = CosimManipulator.create_override(), CosimObserver.create_last_value()
execution.add_manipulator(hand), execution.add_observer(eye)
found = []
for row in q:
    hand.slave_real_values(slave, list(range(1, 7)), row.tolist())
    execution.step()
    found.append(eye.last_real_values(slave, list(range(7, 17))))
numpy.save(sys.argv[3], numpy.array(found))
"""


def test_libcosim_runs_forward_kinematics(tmp_path):
    """Libcosim gives the Python model's poses to 1e-12 when it steps the FMU.

    Its FMI Library asks for a start value of ``time``, which FMI 2.0 forbids (2.2.7).
    """
    needs("libcosimpy")
    arm = armtwin.load("ur10e")
    inputs = trial_inputs(arm, "fk", 50)
    truth = np.column_stack(list(expected(arm, "fk", inputs).values()))
    np.save(tmp_path / "q.npy", np.column_stack(list(inputs.columns.values())))
    arguments = [str(fmu("fk", 2)), tmp_path / "q.npy", tmp_path / "y.npy"]
    done = subprocess.run([sys.executable, "-c", COSIM, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert np.abs(np.load(tmp_path / "y.npy") - truth).max() < 1e-12
    lines = zipfile.ZipFile(fmu("fk", 2)).read("modelDescription.xml").decode().splitlines()
    time = next(k for k, line in enumerate(lines, 1) if 'name="time"' in line)
    named = {int(n) for n in re.findall(r"\[Line:(\d+)\]", done.stdout + done.stderr)}
    assert named <= {time, time + 1, time + 2}


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    """Return a short closed loop."""
    file = tmp_path_factory.mktemp("ssp") / "loop.ssp"
    return export_system(
        armtwin.load("ur10e"), file, options=SystemOptions(radius=0.15, duration=1.5)
    )


@pytest.mark.parametrize("master", ["fmpy", "ecos"])
def test_closed_loop_follows_the_circle(loop, master):
    """The tool stays within 2 mm of its circle when controller and plant are FMUs of one system."""
    if master == "ecos":
        needs("ecospy")
    run = simulate_system(loop.path, master=master, stop=1.8, step=loop.step)
    columns, time = run.signals.columns, run.signals.time
    tool = np.column_stack([columns[f"tool.{axis}"] for axis in "xyz"])
    late = time >= 0.5
    assert master in run.master.lower()
    assert np.ptp(tool[late], axis=0)[:2].min() > 0.29
    assert loop.circle.deviation(tool)[late].max() < 2e-3
    assert not columns["observer.alarm"][late].any()


def test_foreign_controller_moves_our_plant(loop, tmp_path):
    """The base joint follows and the shoulder sags when another maker's springs are in the loop."""
    mixed = tmp_path / "mixed.ssp"
    with zipfile.ZipFile(loop.path) as ours, zipfile.ZipFile(mixed, "w") as changed:
        for name in ours.namelist():
            foreign = name == "resources/controller.fmu"
            changed.writestr(
                name, foreign_controller().read_bytes() if foreign else ours.read(name)
            )
    run = simulate_system(mixed, stop=1.8, step=loop.step)
    columns, late = run.signals.columns, run.signals.time >= 0.5
    assert np.ptp(columns["reference.q_ref1"][late]) > 0.2
    assert np.abs(columns["plant.q1"] - columns["reference.q_ref1"])[late].max() < 0.02
    sagging = np.abs(columns["plant.q2"] - columns["reference.q_ref2"])[late].max()
    assert 0.02 < sagging < 0.2


def test_observer_finds_a_push(tmp_path):
    """The observer reports joint and torque when a system's plant is pushed."""
    options = SystemOptions(duration=0.5, push={2: 20.0})
    pushed = export_system(armtwin.load("ur10e"), tmp_path / "pushed.ssp", options=options)
    run = simulate_system(pushed.path, stop=0.8, step=pushed.step)
    residuals = [run.signals.columns[f"observer.r{k}"][-1] for k in range(1, 7)]
    assert np.allclose(residuals, [0, 20, 0, 0, 0, 0], atol=0.05)
    assert run.signals.columns["observer.alarm"][-1] == 1


def test_system_is_valid_ssp(loop):
    """FMPy reads structure and parameter sets against their schemas when it opens the system."""
    from fmpy.ssp.ssd import read_ssd, read_ssv

    structure = read_ssd(str(loop.path), validate=True)
    names = {element.name for element in structure.system.elements}
    assert names == {"reference", "controller", "plant", "observer", "tool"}
    values = read_ssv(str(loop.path), "resources/parameters.ssv")
    assert any(p.name == "plant.q1" for p in values.parameters)


def test_reference_repeats_the_circle(loop):
    """The reference starts and ends at rest at the circle's start when it is sampled."""
    time = np.linspace(0, 1.5, 301)
    file = loop.path.parent / "reference.fmu"
    file.write_bytes(zipfile.ZipFile(loop.path).read("resources/reference.fmu"))
    run = run_fmu(file, Signals(time, {}))
    q = np.column_stack([run.signals.columns[f"q_ref{k}"] for k in range(1, 7)])
    qd = np.column_stack([run.signals.columns[f"qd_ref{k}"] for k in range(1, 7)])
    points = armtwin.fk(armtwin.load("ur10e"), q)[:, :3, 3]
    assert loop.circle.deviation(points).max() < 1e-6
    assert np.abs(q[[0, -1]] - loop.circle.start).max() < 1e-6
    assert np.abs(qd[[0, -1]]).max() == 0.0
    assert np.abs(np.gradient(q, time, axis=0)[1:-1] - qd[1:-1]).max() < 2e-3
