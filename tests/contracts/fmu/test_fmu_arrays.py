"""FMUs with arrays (FMI 3), run over tables with a column for every entry."""

import numpy as np
import pytest
from fmu_files import fmu

import armtwin as at
from armtwin.errors import FmuError, InputError
from armtwin.fmu.check.trial import trial_inputs
from armtwin.fmu.loading.interface import read_interface
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.fmu.run.with_fmpy import run_with_fmpy

PLANT = "forward-dynamics"
INTERFACE = """<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<CoSimulation modelIdentifier="m"/><ModelVariables>
<UInt64 name="n" valueReference="1" causality="structuralParameter" start="3"/>
<Float64 name="v" valueReference="2" causality="input" start="{start}">
<Dimension valueReference="1"/></Float64>
<Float64 name="A" valueReference="3" causality="parameter" start="0">
<Dimension start="2"/><Dimension valueReference="1"/></Float64>
<Float64 name="w" valueReference="4" causality="output"><Dimension valueReference="9"/></Float64>
</ModelVariables></fmiModelDescription>"""


def numbered(signals):
    """Return signals with the columns of vectors named ``q[1]`` instead of ``q1``."""
    columns = {f"{name[:-1]}[{name[-1]}]": x for name, x in signals.columns.items()}
    return Signals(signals.time, columns)


@pytest.mark.parametrize("mode", ["cs", "me"])
def test_arrays_give_the_scalars_numbers(mode):
    """Outputs, their order and their lag are those of the scalar form when q is one array."""
    inputs, options = trial_inputs(at.load("ur10e"), "fk", 20), RunFmuOptions(mode=mode)
    scalars = run_fmu(fmu("fk", 3), inputs, options=options)
    for given in (inputs, numbered(inputs)):
        arrays = run_fmu(fmu("fk", "3-arrays"), given, options=options)
        assert list(arrays.signals.columns)[:4] == [
            "position[1]", "position[2]", "position[3]", "rpy[1]",
        ]  # fmt: skip
        assert (arrays.values == scalars.values).all()
        assert len(arrays.facts.lag.moved) == len(scalars.facts.lag.moved)
        assert arrays.facts.unused == arrays.facts.left_out == ()


def test_fmpy_gives_the_same_arrays():
    """FMPy gives the same numbers when it runs arrays of one size."""
    pytest.importorskip("fmpy", reason="FMPy is not installed")
    inputs = trial_inputs(at.load("ur10e"), "fk", 20)
    ours = run_fmu(fmu("fk", "3-arrays"), inputs)
    theirs = run_with_fmpy(fmu("fk", "3-arrays"), inputs)
    assert list(theirs.signals.columns) == list(ours.signals.columns)
    assert np.abs(theirs.values - ours.values).max() < 1e-12


def test_entries_of_parameters_and_states_are_set():
    """Motion equals that of the scalar form when entries of a payload and of q are start values."""
    time = 0.002 * np.arange(6)
    start = {"payload_mass": 4.0, "payload_z": 0.1, "q2": -1.2}
    named = {"payload_mass": 4.0, "payload_com[3]": 0.1, "q[2]": -1.2}
    runs = [
        run_fmu(file, Signals(time, {}), options=RunFmuOptions("cs", True, given, True)).values
        for file, given in ((fmu(PLANT, 3), start), (fmu(PLANT, "3-arrays"), named))
    ]
    assert np.ptp(runs[0], axis=0).max() > 1e-3
    assert (runs[0] == runs[1]).all()


def test_arrays_are_given_as_a_whole():
    """Errors name the columns when an array is given in part or an entry does not exist."""
    inputs = trial_inputs(at.load("ur10e"), "fk", 3)
    part = Signals(inputs.time, {"q1": inputs.columns["q1"]})
    with pytest.raises(InputError, match="an array of 6 numbers, but the table has q1 alone"):
        run_fmu(fmu("fk", "3-arrays"), part)
    with pytest.raises(InputError, match=r"no column for the inputs q\[1\], q\[2\]"):
        run_fmu(fmu("fk", "3-arrays"), Signals(inputs.time, {}))
    with pytest.raises(InputError, match=r"no variable 'q\[7\]' to set"):
        options = RunFmuOptions(start={"q[7]": 0.0})
        run_fmu(fmu("fk", "3-arrays"), inputs, options=options)


def test_sizes_come_from_structural_parameters():
    """Entries are numbered row by row when dimensions refer to a structural parameter."""
    interface = read_interface(INTERFACE.format(start="1 2 3").encode(), "m.fmu")
    _, v, a, w = interface.scalars
    assert v.entries == ("v[1]", "v[2]", "v[3]")
    assert v.starts == (1.0, 2.0, 3.0)
    assert a.entries == ("A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]")
    assert a.starts == (0.0,) * 6
    assert interface.kind(w) is None
    broken = read_interface(INTERFACE.format(start="1 2").encode(), "m.fmu")
    with pytest.raises(FmuError, match="2 start values for 3 numbers"):
        broken.settings({"v[1]": 1.0})


def test_check_compares_arrays_with_python():
    """The check passes against the Python model when the FMU has arrays."""
    done = at.check_fmu(fmu("fk", "3-arrays"), rows=30)
    outcomes = {finding.what: finding.outcome for finding in done.findings}
    assert done.passed, done.verdict
    assert outcomes["Python model against the FMU (cs)"] == "passed"
    assert Package(fmu("fk", "3-arrays")).interface.with_causality("input")[0].dimensions == (6,)
