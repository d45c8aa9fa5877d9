"""What ``validate`` promises: every figure right, every failure reported, causes named."""

import json

import numpy as np
import pytest
from measured_runs import run_of

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import InputError, MissingColumnError, RecordingError, UnitWarning
from armtwin.recording.recording import Recording
from armtwin.report.renderers.text import text
from armtwin.validation.limits import parse_limit
from armtwin.validation.metrics import metrics

ARM = at.load("ur10e")


@pytest.fixture(scope="module")
def good():
    """A recording that the twin agrees with to 0.1 mm."""
    return run_of(ARM, noise=1e-4)


def test_figures_follow_their_formulas():
    """Each figure equals its definition when computed by hand."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=500)
    error = 0.1 * rng.normal(size=500) + 0.05
    row = metrics("x", "m", error, real)
    assert row.mae == pytest.approx(np.mean(np.abs(error)))
    assert row.rmse == pytest.approx(np.sqrt(np.mean(error**2)))
    assert row.max == np.abs(error).max()
    assert row.p95 == pytest.approx(np.percentile(np.abs(error), 95))
    assert row.bias == pytest.approx(error.mean())
    assert row.r2 == pytest.approx(1 - (error**2).sum() / ((real - real.mean()) ** 2).sum())
    assert metrics("x", "m", error, np.ones(500)).r2 is None


def test_passes_and_holds_every_signal(good):
    """Position, Euler and quaternion signals are compared when the recording has a pose."""
    check = at.validate(ARM, good)
    names = [row.signal for row in check.table]
    assert check.passed
    assert names == ["x", "y", "z", "position", "quaternion", "angle"]
    assert check["position"].rmse == pytest.approx(np.sqrt(3) * 1e-4, rel=0.05)
    assert {judged.limit.signal for judged in check.limits} == {"position", "quaternion"}
    assert json.dumps(check.to_dict())


def test_euler_angles_do_not_jump():
    """Angles that differ by a turn count as equal when one side wraps at 180 degrees."""
    time = 0.01 * np.arange(400.0)
    q = np.zeros((400, 6))
    q[:, 1:] = (-1.2, 1.1, -0.5, 1.2, 0.3)
    q[:, 0] = np.linspace(-2 * np.pi, 2 * np.pi, 400)
    at_tool = at.tool_coordinates(ARM, q)
    assert np.abs(np.diff(at_tool.rpy[:, 2])).max() > 6
    wrapped = at_tool.rpy + 2 * np.pi
    groups = {"q": q, "position": at_tool.position, "rpy": wrapped}
    check = at.validate(ARM, Recording.of(time, groups))
    assert check["yaw"].max < 1e-12
    assert check["quaternion"].max < 1e-12
    yaw = next(signal for signal in check.signals if signal.name == "yaw")
    assert np.abs(np.diff(yaw.twin)).max() < 0.1


def test_quaternion_error_is_the_inner_product():
    """The quaternion error is 1 - |<q, q>| and its angle the turn's when a turn is planted."""
    turn = 0.02
    twin = ARM.with_(tool=at.pose(rpy=(turn, 0, 0)))
    check = at.validate(twin, run_of(ARM))
    assert check["angle"].rmse == pytest.approx(turn, rel=1e-9)
    assert check["quaternion"].rmse == pytest.approx(1 - np.cos(turn / 2), rel=1e-6)


@pytest.mark.parametrize(
    ("joint", "orientation"),
    [*[(joint, True) for joint in range(1, 7)], *[(joint, False) for joint in range(1, 6)]],
)
def test_joint_offset_is_named(joint, orientation):
    """The joint and its offset are named when it is off by one degree.

    Without orientations the last joint is left out: it does not move a point on its own axis.
    """
    offset = np.zeros(6)
    offset[joint - 1] = np.deg2rad(1.0)
    check = at.validate(ARM, run_of(ARM, offset=offset, noise=1e-4, orientation=orientation))
    cause = check.causes[0]
    assert (cause.kind, cause.joint) == ("joint offset", joint)
    assert np.rad2deg(cause.value) == pytest.approx(1.0, abs=0.02)
    assert cause.removed > 0.9
    shown = text(check.page())
    assert "with 1 free number)" in shown
    assert ("Causes are ordered by" in shown) == (len(check.causes) > 1)
    assert " --" not in shown


def test_other_mistakes_are_named():
    """A turned joint, degrees, a shifted base, another tool and a lag are each named."""
    run_ = run_of(ARM)
    flipped = run_.q.copy()
    flipped[:, 2] *= -1
    kinds = {
        "joint direction": run_.with_columns({"q": flipped}),
        "base": at.validate(ARM.with_(base=at.pose((0, 0.3, 0.1), (0, 0.2, 0))), run_),
        "tool": at.validate(ARM.with_(tool=at.pose((0.1, 0, 0.2), (0.3, 0.2, 0))), run_),
        "lag": run_of(ARM, lag=8.0),
    }
    for kind, made in kinds.items():
        check = at.validate(ARM, made) if isinstance(made, Recording) else made
        assert check.causes[0].kind == kind, kind
        assert check.causes[0].removed > 0.9


def test_degrees_read_as_radians_are_named(good):
    """The wrong unit is named when joints in degrees were said to be radians."""
    small = run_of(ARM, rows=400)
    wrong = small.with_columns({"q": np.rad2deg(small.q)})
    assert at.validate(ARM, wrong).causes[0].kind == "unit"


def test_fitted_frames_are_shown():
    """Base and tool are found and kept in the result when they are fitted."""
    base, tool = at.pose((0.5, -0.2, 1.0), (0.1, 0.2, 2.0)), at.pose((0.03, 0, 0.2), (0, 0, 1))
    run_ = run_of(ARM.with_(base=base, tool=tool))
    check = at.validate(ARM, run_, fit_base=True, fit_tool=True)
    assert check["position"].max < 1e-7
    assert np.abs(np.array(check.fitted["base"]) - base).max() < 1e-7
    assert np.abs(np.array(check.fitted["tool"]) - tool).max() < 1e-7


@pytest.mark.parametrize(
    ("text", "signal", "figure", "value"),
    [("position=1mm", "position", "rmse", 1e-3), ("angle.max = 0.5 deg", "angle", "max", 0.0087266),
     ("tau2=4Nm", "tau2", "rmse", 4.0), ("tau.r2=0.9", "tau", "r2", 0.9),
     ("quaternion.mae=0.01", "quaternion", "mae", 0.01), ("lag=0.5", "lag", "lag", 0.5),
     ("lag=2ms", "lag", "lag", 2e-3), ("x.p95<=3um", "x", "p95", 3e-6)],
)  # fmt: skip
def test_limits_are_read(text, signal, figure, value):
    """A limit means what it says when it is written with a figure and a unit."""
    limit = parse_limit(text)
    assert (limit.signal, limit.figure) == (signal, figure)
    assert limit.value == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "reported"),
    [("position", "SIGNAL=NUMBER"), ("speed=1", "no signal 'speed'"),
     ("position.mean=1mm", "no figure 'mean'"), ("position=1", "give m, cm, mm"),
     ("position=1deg", "give m, cm, mm"), ("tau.r2=0.9Nm", "no unit")],
)  # fmt: skip
def test_wrong_limits_are_refused(text, reported):
    """The message says what exists when a limit cannot be read."""
    with pytest.raises(InputError, match=reported):
        parse_limit(text)


def test_limits_replace_the_defaults_of_their_signal(good):
    """Only the named signal's defaults give way when a limit is given."""
    check = at.validate(ARM, good, limits=("position=1mm",))
    shown = {str(judged.limit) for judged in check.limits}
    assert "position rmse <= 0.001 m" in shown
    assert len(check.limits) == 4
    assert not at.validate(ARM, good, limits=("position=0.1mm",)).passed
    assert not at.validate(ARM, run_of(ARM, lag=1.0), limits=("lag=0.5",)).passed


def test_a_limit_that_cannot_be_judged_fails(good):
    """The check fails when a limit asks for a signal that was not compared."""
    check = at.validate(ARM, good, limits=("current=1A",))
    assert not check.passed
    assert "current was not compared" in check.verdict


def test_no_common_signal_fails(good):
    """The check fails and lists the columns when both sides have nothing in common."""
    check = at.validate(ARM, good.select("q"))
    assert not check.passed
    assert "no signal in common" in check.verdict
    assert "q1..q6" in check.verdict


def test_too_few_samples_fail(good):
    """The check fails when fewer than ten rows are complete."""
    check = at.validate(ARM, good.slice(0, 0.05))
    assert not check.passed
    assert "too few" in check.verdict


@pytest.mark.parametrize("column", ["q2", "x", "qw"])
def test_gaps_fail(good, column):
    """The check fails and names the first row when a value is missing."""
    values = good[column].copy()
    values[17] = np.nan
    check = at.validate(ARM, good.with_columns({column: values}))
    assert not check.passed
    assert "first in row 18" in check.verdict


def test_constant_position_fails():
    """The check fails and says so when the recorded position never changes."""
    run_ = run_of(ARM, rows=100)
    frozen = run_.with_columns({"position": np.tile(run_.group("position")[:1], (100, 1))})
    check = at.validate(ARM, frozen, limits=("position=10m", "quaternion=1"))
    assert not check.passed
    assert "constant while the joints move" in check.verdict


def test_missing_joints_are_reported(good):
    """The columns that exist are listed when the joints are missing."""
    with pytest.raises(MissingColumnError, match=r"x\.\.z|x, y, z|qw"):
        at.validate(ARM, good.select("position", "quaternion"))


def test_wrong_number_of_joints_names_arms(good):
    """Arms with as many joints are named when the recording has another number."""
    five = good.select("q1", "q2", "q3", "q4", "q5", "position")
    with pytest.raises(InputError, match="desktop5"):
        at.validate(ARM, five)


@pytest.mark.parametrize(
    ("name", "content"), [("empty.csv", b""), ("nothing.csv", b"time,q1\n"), ("none.csv", None)]
)
def test_bad_files_end_with_two(tmp_path, capsys, name, content):
    """The command exits with 2 and one line when the file is empty or not there."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert run(["validate", "ur10e", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(RecordingError):
        at.validate(ARM, path)


def test_command_line_text(good, tmp_path, capsys):
    """The table, the lag and the verdict are printed when no JSON is asked for."""
    path = good.save(tmp_path / "run.csv")
    assert run(["validate", "ur10e", str(path)]) == 0
    text = capsys.readouterr().out
    assert "position" in text
    assert "lag [samples]" in text
    assert text.rstrip().endswith("PASSED: all 6 limits are kept")
    assert run(["validate", "ur5", str(path), "--pose-only"]) == 1
    assert "'ur10e'" in capsys.readouterr().out


def test_public_function_beside_the_subpackage():
    """``armtwin.validate`` stays the function when its subpackage has been imported, too."""
    import armtwin.validation.validate  # noqa: F401

    assert callable(at.validate)
    assert callable(at.calibrate)


def table_text(recording, **changes):
    """Return a recording as CSV text, with some columns changed."""
    columns = {"time": recording.time, **recording.data, **changes}
    rows = np.column_stack(list(columns.values()))
    lines = [",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in rows]
    return "\n".join([",".join(columns), *lines]) + "\n"


@pytest.mark.parametrize("fault", ["unsorted", "repeated"])
def test_faulty_clocks_end_with_two(tmp_path, capsys, fault):
    """The command exits with 2 and points to 'prepare' when time runs backwards or stands."""
    run_ = run_of(ARM, rows=60)
    time = run_.time.copy()
    time[[20, 21]] = time[[21, 20]] if fault == "unsorted" else time[20]
    path = tmp_path / "run.csv"
    path.write_text(table_text(run_, time=time))
    assert run(["validate", "ur10e", str(path)]) == 2
    assert "prepare" in capsys.readouterr().err


def test_empty_cells_end_with_one(tmp_path, capsys):
    """The command exits with 1 and names the row when a cell of the pose is empty."""
    run_ = run_of(ARM, rows=60)
    x = run_["x"].copy()
    x[5] = np.nan
    path = tmp_path / "run.csv"
    path.write_text(table_text(run_, x=x))
    assert run(["validate", "ur10e", str(path), "--json"]) == 1
    assert "first in row 6" in json.loads(capsys.readouterr().out)["verdict"]


def test_degrees_in_a_file_are_seen(tmp_path):
    """Joints in degrees are converted, with a warning, when the file does not name their unit."""
    run_ = run_of(ARM, rows=300)
    degrees = {f"q{k}": np.rad2deg(run_[f"q{k}"]) * 1.0 for k in range(1, 7)}
    path = tmp_path / "run.csv"
    path.write_text(table_text(run_, **degrees))
    with pytest.warns(UnitWarning, match="degrees"):
        check = at.validate(ARM, path)
    assert check["position"].max < 1e-9


def test_column_of_zeros_is_no_torque():
    """A torque column of zeros is left out, with a note, when it was never measured."""
    run_ = run_of(ARM, rows=100)
    check = at.validate(ARM, run_.with_columns({"tau": np.zeros((100, 6))}))
    assert check.passed
    assert not any(row.signal.startswith("tau") for row in check.table)
    assert any("tau is constant" in note for note in check.notes)


def test_torques_are_compared_where_the_arm_has_masses():
    """Torques of the same model agree when speeds and accelerations were recorded."""
    run_ = run_of(ARM, rows=500)
    time = run_.time
    qd = np.gradient(run_.q, time, axis=0)
    qdd = np.gradient(qd, time, axis=0)
    tau = at.inverse_dynamics(ARM, run_.q, qd, qdd, ignore_limits=True)
    check = at.validate(ARM, run_.with_columns({"qd": qd, "qdd": qdd, "tau": tau}))
    assert check["tau2"].max < 1e-9
    derived = at.validate(ARM, run_.with_columns({"tau": tau}))
    assert derived["tau2"].r2 > 0.999
    assert any("derived from q" in note for note in derived.notes)
    bare = at.validate("ur10e-report", run_.with_columns({"tau": tau}), limits=("position=1m",))
    assert any("has no masses" in note for note in bare.notes)


def test_no_limit_is_not_a_verdict(good):
    """NOT JUDGED, and not passed, when no limit applies to what was compared."""
    run_ = run_of(ARM, rows=100)
    run_ = run_.with_columns({"tau": run_.q}).select("q", "tau")
    check = at.validate(ARM, run_)
    assert check.judgement.passed is None
    assert check.judgement.word == "NOT JUDGED"
    assert not check.passed and not check.to_dict()["judged"]
    assert at.validate(ARM, good).judgement.passed is True


def test_app_and_terminal_show_the_same_page(good):
    """Every fact, table cell and note of the app is in the terminal's text when both are shown."""
    from armtwin.app.jobs.outcome import outcome_of
    from armtwin.report.renderers.text import text

    page = at.validate(ARM, good, limits=("position=1mm",)).page()
    outcome, shown = outcome_of(page), text(page)
    assert outcome.passed is True and outcome.verdict in shown
    assert [fact.name for fact in outcome.facts] == [name for name, _ in page.facts]
    assert len(outcome.tables) == 3
    cells = [str(c) for t in outcome.tables for row in t.rows for c in row if c is not None]
    assert all(cell in shown for cell in (*cells, *outcome.notes))
    assert "twin over recorded" not in shown
