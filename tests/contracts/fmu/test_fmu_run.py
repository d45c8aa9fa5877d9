"""The runner: rows, lag, steps, delimiters, and FMUs of other makers."""

import numpy as np
import pytest
from fmu_files import fmu
from vendor_fmu import DESCRIPTION, vendor_fmu

import armtwin
from armtwin.errors import ClockError, FmuError, InputError
from armtwin.fmu.check.trial import trial_inputs
from armtwin.fmu.check.truth import expected
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals, read_signals, write_signals

ARM = "ur10e"


def fast_inputs(rows=200):
    """Return smooth joints that move by far more than rounding from row to row."""
    time = 0.002 * np.arange(rows)
    return Signals(time, {f"q{k}": np.sin(3 * time + k) for k in range(1, 7)})


def truth(inputs):
    """Return the poses of the Python model."""
    return np.column_stack(list(expected(armtwin.load(ARM), "fk", inputs).values()))


@pytest.mark.parametrize("fmi", [2, 3])
def test_lag_is_undone_and_stated(fmi):
    """Rows agree to 1e-12 when aligned; unaligned they are those of the row before."""
    inputs = fast_inputs()
    aligned = run_fmu(fmu("fk", fmi), inputs)
    raw = run_fmu(fmu("fk", fmi), inputs, options=RunFmuOptions(align=False))
    assert np.abs(aligned.values - truth(inputs)).max() < 1e-12
    assert np.abs(raw.values[1:] - truth(inputs)[:-1]).max() < 1e-12
    assert np.abs(raw.values - truth(inputs)).max() > 1e-3
    assert aligned.facts.lag.rows == 1
    assert "declares" in aligned.facts.lag.why
    assert "one row late" in raw.facts.lag.why


def test_model_exchange_has_no_lag():
    """Nothing is moved when the FMU is run by model exchange."""
    run = run_fmu(fmu(), fast_inputs(), options=RunFmuOptions(mode="me"))
    assert np.abs(run.values - truth(fast_inputs())).max() < 1e-12
    assert run.facts.lag.moved == ()


def test_states_are_not_moved():
    """A plant's positions stay where they were read when the lag is looked for."""
    inputs = trial_inputs(armtwin.load(ARM), "forward-dynamics", 5)
    run = run_fmu(fmu("forward-dynamics"), inputs)
    assert run.facts.lag.moved == ()
    assert run.signals.columns["q1"][0] == 0.0


def test_variable_steps():
    """Rows agree when they are at unequal distances."""
    rng = np.random.default_rng(1)
    time = np.cumsum(rng.uniform(1e-4, 1e-2, 100))
    inputs = Signals(time, {f"q{k}": rng.uniform(-1, 1, 100) for k in range(1, 7)})
    run = run_fmu(fmu(), inputs)
    assert (run.signals.time == time).all()
    assert np.abs(run.values - truth(inputs)).max() < 1e-12


def test_another_step():
    """Inputs are taken by straight lines when a step is given that the rows do not have."""
    inputs = fast_inputs(101)
    run = run_fmu(fmu(), inputs, step=0.001)
    assert run.signals.time.size == 201
    assert np.abs(run.values[::2] - truth(inputs)).max() < 1e-12


def test_one_row():
    """A table of one row gives one row when it is run."""
    inputs = fast_inputs(1)
    assert np.abs(run_fmu(fmu(), inputs).values - truth(inputs)).max() < 1e-12


@pytest.mark.parametrize(
    ("delimiter", "decimal"), [(",", "."), (";", "."), (";", ","), ("\t", ".")]
)
def test_delimiters(delimiter, decimal, tmp_path):
    """A table reads the same when it is written with other delimiters."""
    inputs, file = fast_inputs(20), tmp_path / "in.csv"
    names = ["time", *inputs.columns]
    rows = np.column_stack([inputs.time, *inputs.columns.values()])
    lines = [delimiter.join(repr(float(x)).replace(".", decimal) for x in row) for row in rows]
    file.write_text("\n".join([delimiter.join(names), *lines]) + "\n", encoding="utf-8")
    read = read_signals(file)
    assert (read.time == inputs.time).all()
    assert all((read.columns[name] == x).all() for name, x in inputs.columns.items())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_results_read_back(ending, tmp_path):
    """Results have all their digits when they are read back."""
    run = run_fmu(fmu(), fast_inputs(20))
    file = tmp_path / f"out.{ending}"
    write_signals(file, run.signals)
    back = read_signals(file)
    assert (back.time == run.signals.time).all()
    assert all((back.columns[name] == x).all() for name, x in run.signals.columns.items())


def ball_inputs(rows=101):
    """Return inputs of the other maker's FMU."""
    time = 0.01 * np.arange(rows)
    truths = (np.arange(rows) % 2).astype(float)
    return Signals(time, {"u": np.sin(time), "i": np.floor(time * 10), "b": truths, "extra": time})


def test_other_maker_cosimulation():
    """Only the outputs without memory are moved when the file declares no dependencies."""
    inputs = ball_inputs()
    run = run_fmu(vendor_fmu(), inputs, options=RunFmuOptions(mode="cs"))
    c = run.signals.columns
    assert set(run.facts.lag.moved) == {"y", "ten", "not_b"}
    assert "repeating inputs" in run.facts.lag.why
    assert run.facts.unused == ("extra",)
    assert (c["y"] == 2 * inputs.columns["u"] + 1).all()
    assert (c["ten"] == 10 * inputs.columns["i"]).all()
    assert (c["not_b"] == 1 - inputs.columns["b"]).all()
    total = np.concatenate([[0], np.cumsum(inputs.columns["u"][:-1] * 0.01)])
    assert np.allclose(c["sum"], total, atol=1e-12)


def test_other_maker_model_exchange():
    """The ball bounces at its times when state and time events happen."""
    run = run_fmu(vendor_fmu(), ball_inputs(), options=RunFmuOptions(mode="me", solver_step=1e-4))
    c, time = run.signals.columns, run.signals.time
    falls = np.sqrt(2 / 9.81)
    free = time < falls
    assert np.allclose(c["h"][free], 1 - 9.81 * time[free] ** 2 / 2, atol=1e-9)
    assert c["bounces"][-1] == 1
    flight = time[(time > falls + 0.01) & (time < falls * 2.5)] - falls
    up = 0.8 * 9.81 * falls * flight - 9.81 * flight**2 / 2
    assert np.allclose(c["h"][(time > falls + 0.01) & (time < falls * 2.5)], up, atol=2e-3)
    assert (c["late"] == (time >= 0.5)).all()
    assert (c["not_b"] == 1 - ball_inputs().columns["b"]).all()


def test_state_events_are_located():
    """Height and speed are exact to 1e-7 after three bounces when steps are of 10 ms."""
    time = 0.01 * np.arange(251)
    inputs = Signals(time, {"u": 0 * time, "i": 0 * time, "b": 0 * time})
    options = RunFmuOptions(mode="me", solver_step=1e-2)
    run = run_fmu(vendor_fmu(), inputs, options=options)
    fall, height = np.sqrt(2 / 9.81), np.full(time.size, np.nan)
    begins, speed = fall, 0.8 * 9.81 * fall
    height[time < fall] = 1 - 9.81 * time[time < fall] ** 2 / 2
    for _ in range(5):
        ends = begins + 2 * speed / 9.81
        inside = (time >= begins) & (time < ends)
        height[inside] = speed * (time - begins)[inside] - 9.81 * (time - begins)[inside] ** 2 / 2
        begins, speed = ends, 0.8 * speed
    known = np.isfinite(height)
    assert run.signals.columns["bounces"][-1] >= 3
    assert np.abs(run.signals.columns["h"] - height)[known].max() < 1e-7


def test_text_outputs_are_named():
    """An output is named as left out when it is a text."""
    text = '<ScalarVariable name="late" valueReference="21" causality="output"><String/>'
    at = DESCRIPTION.index('<ScalarVariable name="late"')
    end = DESCRIPTION.index("</ScalarVariable>", at)
    file = vendor_fmu(DESCRIPTION[:at] + text + DESCRIPTION[end:])
    run = run_fmu(file, ball_inputs(), options=RunFmuOptions(mode="cs"))
    assert run.facts.left_out == ("late",)
    assert "late" not in run.signals.columns


def test_failing_step_is_named():
    """Row, time, inputs and the FMU's own words are reported when a step fails."""
    inputs = ball_inputs()
    inputs.columns["u"][40] = 123.0
    with pytest.raises(FmuError) as caught:
        run_fmu(vendor_fmu(), inputs, options=RunFmuOptions(mode="cs"))
    text = str(caught.value)
    for part in (
        "doStep failed (error) in row 41",
        "t = 0.4 s",
        "u = 123",
        "u is 123, more than 100",
    ):
        assert part in text


def test_equal_steps_only():
    """Unequal rows are refused when the FMU cannot vary its step."""
    rigid = vendor_fmu(DESCRIPTION.replace('canHandleVariableCommunicationStepSize="true"', ""))
    inputs = ball_inputs()
    uneven = Signals(inputs.time**1.1, inputs.columns)
    with pytest.raises(InputError, match="equal steps only"):
        run_fmu(rigid, uneven, options=RunFmuOptions(mode="cs"))
    assert run_fmu(rigid, inputs, options=RunFmuOptions(mode="cs")).facts.rows == 101


def test_missing_inputs_are_listed():
    """Every missing input is named when the table lacks some; they can be set or kept."""
    inputs = fast_inputs(5)
    some = Signals(inputs.time, {k: inputs.columns[k] for k in ("q1", "q2", "q4")})
    with pytest.raises(InputError, match="q3, q5, q6"):
        run_fmu(fmu(), some)
    run = run_fmu(fmu(), some, options=RunFmuOptions(start={"q3": 0.5, "q5": 0.0}, defaults=True))
    assert run.facts.kept == ("q6",)
    whole = Signals(some.time, {**some.columns, "q3": 0 * some.time + 0.5, "q5": 0 * some.time,
                                "q6": 0 * some.time})  # fmt: skip
    order = {f"q{k}": whole.columns[f"q{k}"] for k in range(1, 7)}
    assert np.abs(run.values - truth(Signals(some.time, order))).max() < 1e-12


def test_nan_in_a_row_is_reported():
    """Row and name are reported when an input cell is not a number."""
    inputs = fast_inputs(20)
    inputs.columns["q4"][7] = np.nan
    with pytest.raises(FmuError, match=r"row 8 .*q4 = nan.*q4 is set to no number"):
        run_fmu(fmu(), inputs)


def test_whole_numbers_are_whole():
    """A fraction is refused when the input is an integer."""
    inputs = ball_inputs()
    inputs.columns["i"][3] = 0.5
    with pytest.raises(InputError, match=r"input i is a Integer, but row 4 has 0.5"):
        run_fmu(vendor_fmu(), inputs)


@pytest.mark.parametrize("time", [[0.0, 0.1, 0.1], [0.0, 0.2, 0.1], [0.0, np.nan, 0.2]])
def test_time_that_does_not_increase(time):
    """A clock that stops, runs back or has gaps is refused when a table is made."""
    with pytest.raises(ClockError):
        Signals(np.array(time), {"q1": np.zeros(3)})
