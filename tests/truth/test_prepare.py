"""Planted faults are found, mended and accounted for; the truth comes back."""

import json

import numpy as np
import pytest
from table_files import motion, write_table

import armtwin as at
from armtwin.cli.main import run as command_line
from armtwin.errors import ClockError, InputError, RecordingError, UnitWarning

RATE = 100.0
T, Q, _ = motion(rows=300, rate=RATE)
NAMES = ["time", *(f"q{k}" for k in range(1, 7))]


def prepared(folder, t=T, q=Q, *, names=NAMES, **options):
    """Write a file and prepare it."""
    path = write_table(folder / "raw.csv", names, [t, *np.asarray(q).T])
    return at.prepare(path, **{"rate": RATE, **options})


def steps(result, name):
    """Return the steps of one name."""
    return [step for step in result.steps if step.name == name]


def check(result, tolerance=1e-12, rows=300):
    """Assert that the truth came back on an even clock from zero."""
    recording = result.recording
    assert np.array_equal(recording.time, np.arange(rows) / RATE)
    assert np.abs(recording.q - Q[:rows]).max() < tolerance


def test_clean_recording_is_left_as_it_is(tmp_path):
    """Nothing changes and it says so when there is nothing to mend."""
    result = prepared(tmp_path)
    check(result)
    assert [step.name for step in result.steps] == ["resampling"]
    assert "not needed" in result.steps[0].what


def test_clock_counts_from_zero(tmp_path):
    """Time begins at zero and the first stamp is reported when stamps count from 1970."""
    result = prepared(tmp_path, T + 1_749_035_303.5)
    check(result)
    assert "1749035303.5" in steps(result, "clock")[0].what


def test_degrees_become_radians(tmp_path):
    """Angles are radians when they are said, or seen, to be degrees."""
    check(prepared(tmp_path, q=np.rad2deg(Q), angles="deg"))
    with pytest.warns(UnitWarning):
        result = prepared(tmp_path, q=np.rad2deg(Q))
    check(result)
    assert any("converted deg to rad: q1" in step.what for step in steps(result, "read"))


def test_shuffled_rows_are_sorted(tmp_path):
    """Rows are put in order and counted when some are swapped."""
    order = np.arange(len(T))
    order[[10, 11, 50, 53]] = order[[11, 10, 53, 50]]
    result = prepared(tmp_path, T[order], Q[order])
    check(result)
    assert steps(result, "order")[0].count == 4


def test_repeated_rows_are_left_out(tmp_path):
    """Copies are left out and counted when rows were written twice."""
    rows = np.sort(np.concatenate([np.arange(len(T)), [5, 5, 80]]))
    result = prepared(tmp_path, T[rows], Q[rows])
    check(result)
    assert steps(result, "repeated stamps")[0].count == 3


def test_same_stamp_with_other_values_keeps_the_first(tmp_path):
    """The first row stays when two rows with other values share a stamp."""
    t, q = np.insert(T, 8, T[7]), np.insert(Q, 8, 9.9, axis=0)
    result = prepared(tmp_path, t, q, angles="rad")
    check(result)
    assert "the first is kept" in steps(result, "repeated stamps")[0].what


def test_bunched_stamps_become_one_step_a_row(tmp_path):
    """Each row gets the same step when rows came in bursts of ten."""
    bunched = np.repeat(T[::10], 10) + np.tile(np.arange(10) * 1e-5, len(T) // 10)
    for stamps in (bunched, np.repeat(T[::10], 10)):
        result = prepared(tmp_path, stamps)
        check(result)
        assert "took 10 ms a row" in steps(result, "clock")[0].what


def test_pauses_are_no_bursts(tmp_path):
    """The clock is believed when a recording pauses for a minute now and then."""
    paused = T + 60.0 * (np.arange(len(T)) // 60)
    result = prepared(tmp_path, paused)
    assert result.recording.duration == pytest.approx(paused[-1], abs=1 / RATE)
    assert "4 gaps between rows, the longest 60.01 s" in steps(result, "missing rows")[0].what


def test_bunched_stamps_are_not_squeezed_into_another_rate(tmp_path):
    """The duration stays when rows in bursts are asked for at another rate than their own."""
    bunched = np.repeat(T[::10], 10) + np.tile(np.arange(10) * 1e-5, len(T) // 10)
    result = prepared(tmp_path, bunched, rate=500.0)
    assert result.recording.duration == pytest.approx(T[-1], abs=2e-3)
    assert np.abs(result.recording.q[::5] - Q).max() < 1e-9


def test_empty_cells_are_interpolated(tmp_path):
    """Gaps are closed close to the truth, and counted, when cells are empty."""
    q = Q.copy()
    q[40:45, 2] = np.nan
    q[90, 0] = np.nan
    result = prepared(tmp_path, q=q)
    check(result, tolerance=1e-3)
    step = steps(result, "gaps")[0]
    assert step.count == 6
    assert "interpolated 6 cells in q1, q3" in step.what


def test_rows_with_gaps_are_removed_on_demand(tmp_path):
    """Rows are removed, counted and bridged when gaps are to be removed."""
    q = Q.copy()
    q[40:45, 2] = np.nan
    result = prepared(tmp_path, q=q, gaps="remove")
    check(result, tolerance=1e-3)
    assert "removed 5 rows without a value in q3" in steps(result, "gaps")[0].what
    assert (
        "1 gap between rows, the longest 0.06 s: 5 new rows"
        in steps(result, "missing rows")[0].what
    )


def test_ends_without_values_are_cut(tmp_path):
    """Rows at the ends are removed when joints have no value there yet."""
    q = Q.copy()
    q[:10, 0] = np.nan
    result = prepared(tmp_path, q=q)
    assert np.allclose(result.recording.q, Q[10:])
    assert steps(result, "gaps")[0].count == 10


def test_mostly_empty_column_is_left_out(tmp_path):
    """A column is left out by name when half of it is empty."""
    force = np.where(np.arange(len(T)) % 5 == 0, 1.0, np.nan)
    path = write_table(tmp_path / "raw.csv", [*NAMES, "fx"], [T, *Q.T, force])
    result = at.prepare(path, rate=RATE)
    check(result)
    assert not result.recording.has("fx")
    assert "left out columns with few values: fx" in steps(result, "gaps")[0].what


def test_missing_rows_are_bridged_and_counted(tmp_path):
    """The new rows across a gap are counted when rows are missing."""
    kept = np.r_[0:100, 120 : len(T)]
    result = prepared(tmp_path, T[kept], Q[kept])
    check(result, tolerance=0.1)
    assert steps(result, "missing rows")[0].count == 20


def test_misprinted_and_missing_stamps_are_mended(tmp_path):
    """Rows without a time are left out when stamps are empty or misprinted."""
    path = write_table(tmp_path / "raw.csv", NAMES, [T, *Q.T])
    lines = path.read_text().splitlines()
    lines[20], lines[30] = "," + lines[20].split(",", 1)[1], "O.3," + lines[30].split(",", 1)[1]
    path.write_text("\n".join(lines) + "\n")
    result = at.prepare(path, rate=RATE)
    check(result, tolerance=1e-3)
    assert steps(result, "time")[0].count == 2


def test_clock_that_starts_again_is_refused(tmp_path):
    """The row is named when a second run begins in the same file."""
    with pytest.raises(ClockError, match="time starts again at row 301: the file holds 2 runs"):
        prepared(tmp_path, np.tile(T, 2), np.tile(Q, (2, 1)))


def test_wild_stamp_is_refused_before_memory_runs_out(tmp_path):
    """Jump and row are named when one misprinted stamp would make billions of rows."""
    wild = T.copy()
    wild[-1] = 9e12
    with pytest.raises(ClockError, match=r"the clock jumps by 9e\+12 s before row 300"):
        prepared(tmp_path, wild)


def test_no_clock_needs_a_rate(tmp_path):
    """Rows get the step of the rate when there is no time, and none is guessed."""
    path = write_table(tmp_path / "raw.csv", NAMES[1:], list(Q.T))
    with pytest.raises(ClockError, match="give their rate"):
        at.prepare(path)
    check(at.prepare(path, rate=RATE))


@pytest.mark.parametrize("method", ["auto", "pchip", "cubic", "linear"])
def test_resampling_tells_an_honest_error(method, tmp_path):
    """The true error lies below the estimated bound when rows are drawn between rows."""
    result = prepared(tmp_path, rate=500.0, method=method)
    times = result.recording.time
    truth = np.sin(np.outer(times, np.arange(1, 7) * 0.7)) - 0.4
    worst = np.abs(result.recording.q - truth).max()
    bound = next(error for error in result.bounds if error.group == "q")
    assert 0 < worst < bound.worst
    back = next(error for error in result.errors if error.group == "q")
    assert back.worst < 1e-12
    assert f"({method})" in steps(result, "resampling")[0].what


def test_thinning_tells_what_is_lost(tmp_path):
    """The error back at the old rows is real when rows are thinned out."""
    fast = np.sin(2 * np.pi * 20 * T)
    path = write_table(tmp_path / "raw.csv", ["time", "q1", "q2"], [T, fast, 0 * T])
    result = at.prepare(path, rate=25)
    assert next(error for error in result.errors if error.group == "q").worst > 0.3


def test_smooth_motion_is_drawn_smoothly():
    """Positions are a thousand times closer to the truth when splines draw them, not PCHIP."""
    fine = np.arange(1496) / 500
    truth = np.sin(np.outer(fine, np.arange(1, 7) * 0.7)) - 0.4
    made = at.Recording.of(T, {"q": Q})
    off = {m: np.abs(at.resample(made, 500, method=m).q - truth).max() for m in ("auto", "pchip")}
    assert off["auto"] < 1e-7
    assert off["pchip"] > 1000 * off["auto"]


def test_what_jumps_stays_within_its_neighbours():
    """No torque beyond the recorded ones is invented when it jumps, unless splines are chosen."""
    jump = np.repeat([0.0, 1.0], 20)
    made = at.Recording(np.arange(40) / 10, {"tau1": jump})
    default, spline = (at.resample(made, 100, method=method) for method in ("auto", "cubic"))
    assert default["tau1"].min() >= 0 and default["tau1"].max() <= 1
    assert spline["tau1"].max() > 1.05


def test_long_gaps_are_bridged_within_their_ends():
    """No swing is invented when a joint moves fast on both sides of a long gap."""
    t = np.r_[np.arange(100), np.arange(300, 400)] / 100
    q = np.where(t < 1.5, t, 1.0 + (t - 3.0))
    made = at.Recording(t, {"q1": q})
    inside = slice(101, 299)
    bridge, spline = (at.resample(made, 100, method=m)["q1"][inside] for m in ("auto", "cubic"))
    assert q[99] - 1e-9 <= bridge.min() and bridge.max() <= q[100] + 1e-9
    assert spline.max() > q[100] + 0.1


def test_wrapped_angles_and_orientations_are_resampled_the_short_way():
    """No value passes through zero when an angle wraps or a quaternion changes sign."""
    t = np.arange(60) / 10
    yaw = (3.0 + t * 0.5 + np.pi) % (2 * np.pi) - np.pi
    made = at.Recording.of(t, {"rpy": np.column_stack([0 * t, 0 * t, yaw]), "position":
                               np.zeros((60, 3))})  # fmt: skip
    half = np.column_stack([0 * t, 0 * t, np.sin(yaw / 2), np.cos(yaw / 2)])
    made = made.with_columns({"quaternion": half * np.sign(half[:, 3:])})
    fine = at.resample(made, 100)
    truth = 3.0 + fine.time * 0.5
    assert np.allclose(np.exp(1j * fine["yaw"]), np.exp(1j * truth), atol=1e-9)
    assert np.allclose(np.abs(fine["qz"]), np.abs(np.sin(truth / 2)), atol=1e-9)
    assert (fine["qw"] >= 0).all()


def test_flags_are_held_not_blended():
    """Whole numbers stay whole when a file's own column of modes is resampled."""
    made = at.Recording(np.arange(10.0), {"q1": np.arange(10.0), "mode": np.repeat([3.0, 7.0], 5)})
    assert set(at.resample(made, 10)["mode"]) == {3.0, 7.0}


def test_resampling_refuses_what_it_cannot_do():
    """The reason is reported when rate, method, rows, range or gaps forbid resampling."""
    made = at.Recording(np.arange(5.0), {"q1": np.arange(5.0)})
    for rate in (0, -1, np.nan):
        with pytest.raises(InputError, match="positive"):
            at.resample(made, rate)
    with pytest.raises(InputError, match="no method 'magic'"):
        at.resample(made, 10, method="magic")
    with pytest.raises(InputError, match="close the gaps"):
        at.resample(made.with_columns({"q1": [0, 1, np.nan, 3, 4]}), 10)
    with pytest.raises(InputError, match="one row"):
        at.resample(made.slice(0, 0), 10)
    with pytest.raises(InputError, match="'interpolate' or 'remove'"):
        at.prepare(made, gaps="ignore")


def test_nothing_left_is_refused(tmp_path):
    """The file is named when every row lacks a value."""
    q = np.where(np.arange(len(T))[:, None] % 2 == np.arange(6) % 2, np.nan, Q)
    with pytest.raises(RecordingError, match="every row lacks a value"):
        prepared(tmp_path, q=q, gaps="remove")


def test_export_is_what_fmpy_reads(tmp_path):
    """Names and numbers come back exactly when FMPy reads the exported inputs."""
    fmpy = pytest.importorskip("fmpy.util", reason="FMPy is not installed")
    path = prepared(tmp_path, rate=500.0).save(tmp_path / "inputs.csv")
    table = fmpy.read_csv(path)
    assert table.dtype.names == tuple(NAMES)
    assert np.array_equal(table["time"], np.arange(len(table)) / 500)
    assert np.allclose(table["q4"][::5], Q[:, 3], atol=1e-12)


def test_report_size_comes_out(tmp_path):
    """29,051 rows from 0 to 58.1 s come out when 58.1 s are prepared at the default rate."""
    t, q, _ = motion(rows=7264, rate=125.0)
    t[-1] = 58.1
    path = write_table(tmp_path / "raw.csv", NAMES, [t, *q.T])
    recording = at.prepare(path).recording
    assert len(recording) == 29_051
    assert recording.time[-1] == 58.1


def test_command_writes_and_tells(tmp_path, capsys):
    """The mapping, the steps and the file are shown when the command prepares a recording."""
    raw = write_table(tmp_path / "raw.csv", ["timestamp", *(f"actual_q_{k}" for k in range(6))],
                      [T + 40, *Q.T])  # fmt: skip
    out = tmp_path / "inputs.csv"
    assert command_line(["prepare", str(raw), "--out", str(out), "--rate", "100"]) == 0
    text = capsys.readouterr().out
    assert "actual_q_0 .. actual_q_5" in text
    assert "clock: counted from zero" in text
    assert f"written to {out}" in text
    assert all(fact in text for fact in ("300", "2.99 s", "100 Hz"))
    assert out.read_text().startswith("time,q1,q2,q3,q4,q5,q6\n0,")
    assert command_line(["prepare", str(raw), "--out", str(out)]) == 2
    assert "--force" in capsys.readouterr().err


def test_command_speaks_json(tmp_path, capsys):
    """Rows, steps and errors are machine readable when JSON is asked for."""
    raw = write_table(tmp_path / "raw.csv", NAMES, [T, *Q.T])
    out = tmp_path / "all.parquet"
    words = ["prepare", str(raw), "--out", str(out), "--columns", "all", "--json", "--rad"]
    assert command_line(words) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rows"] == 1496
    assert answer["columns"]["q6"] == "rad"
    assert answer["steps"][-1]["name"] == "resampling"
    assert answer["left_out_errors"][0]["max"] > 0
    assert len(at.read_recording(out)) == 1496


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["missing.csv"], "no such file"),
        (["raw.csv", "--deg", "--rad"], "exclude each other"),
        (["raw.csv", "--rate", "-5"], "positive"),
        (["raw.csv", "--mapping", "nothing"], "neither a file nor a line"),
        (["raw.csv", "--arm", "ur99"], "no arm named"),
        (["raw.csv", "--out", "x.csv", "--columns", "tau"], "no column tau1"),
    ],
)
def test_command_refuses_with_exit_code_2(words, complaint, tmp_path, capsys, monkeypatch):
    """One line on standard error says why, with exit code 2, when the input is bad."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "raw.csv", NAMES, [T, *Q.T])
    assert command_line(["prepare", *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_files_are_taken_in_place_of_recordings(tmp_path):
    """Resampling a file, and naming an arm by its file, give the same as the values themselves."""
    t = np.arange(0, 1, 0.01)
    made = at.Recording.of(t, {"q": np.outer(np.sin(t), np.ones(6))}, arm="ur10e")
    path = made.save(tmp_path / "run.csv")
    np.testing.assert_array_equal(at.resample(path, 50).q, at.resample(made, 50).q)
    arm = at.export(at.load("ur10e"), tmp_path / "arm.toml")
    assert at.read_recording(path, arm).dof == 6
    assert len(at.prepare(path, arm=arm, rate=50).recording) == 50
