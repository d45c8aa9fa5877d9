"""A history's files and rows: what is added once, what is refused, what survives a bad file."""

import dataclasses
import json
import subprocess
import sys
from datetime import UTC, datetime

import numpy as np
import pytest
from benchmarks.synthetic_history import synthetic
from history_rows import fleet, short_run

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import HistoryWarning, InputError
from armtwin.history import addition
from armtwin.history.cycles import count_cycles
from armtwin.history.figures import of_fit
from armtwin.history.store import Store

WHEN = "2026-05-04T13:30:00+02:00"
PLAIN = at.AddOptions(identify=False)


def add(history, recording=None, **options):
    """Add a recording of serial number S1, without identification."""
    given = {"serial": "S1", "time": WHEN, "options": PLAIN} | options
    return history.add(recording or short_run(), **given)


@pytest.fixture
def history(tmp_path):
    """An empty history."""
    return at.History(tmp_path / "h")


def test_a_recording_becomes_a_row(history):
    """Errors, temperatures, energy and time stand in the row when a recording is added."""
    row = add(history).row
    (again,) = history.table()
    assert again == row
    assert row.recorded == datetime(2026, 5, 4, 11, 30, tzinfo=UTC) and row.time_from == "given"
    assert row.temperature == (31.0,) * 6
    assert row.joint_error == pytest.approx((1e-3,) * 6)
    assert row.tool_error == pytest.approx(np.sqrt(3) * 1e-4, rel=0.2)
    assert row.energy == pytest.approx(398.0) and row.cycles == 2
    assert row.energy_per_cycle == pytest.approx(199.0)


def test_the_same_recording_is_not_added_twice(history):
    """One row stays, and the answer says so, when a recording is added again."""
    assert add(history).new
    again = add(history)
    assert not again.new and "already" in again.text
    assert len(history) == 1


def test_a_result_adds_to_its_row(history):
    """One row has the figures of both when a recording's validation is added later."""
    recording = short_run()
    bare = dataclasses.replace(recording, data={k: v for k, v in recording.data.items()})
    add(history, bare)
    check = at.validate("ur5e", recording, limits=("position=1mm",))
    added = history.add(check, serial="S1", time=WHEN)
    assert len(history) == 1
    assert added.row.tool_error == check["position"].rmse


def test_figures_of_an_identification_are_kept(history):
    """Friction with standard errors stands in the row when a Fit is added."""
    arm = at.load("ur5e-energy")
    t, w = np.arange(600) / 50, 0.7 + 0.3 * np.arange(6)
    angle = np.outer(t, w) + np.arange(6)
    q, qd, qdd = np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)
    current = at.motor_current(arm, qd, at.inverse_dynamics(arm, q, qd, qdd))
    current = current + 0.045 * np.random.default_rng(0).standard_normal(q.shape)
    recording = at.Recording.of(t, {"q": q, "current": current}, arm=arm.name)
    fit = at.identify(arm, recording, method=("gains", "friction"), friction="viscous-coulomb")
    row = history.add(fit, recording=recording, serial="S1", time=WHEN).row
    assert row.friction_unit == "A" and len(row.friction) == 6
    assert row.coulomb[1] == fit.estimate("coulomb2").value
    joint, kt = 1, fit.estimate("torque_constant2").value
    speed = row.friction_speed[joint]
    nm = 100 * fit.estimate("coulomb2").value + speed * 1e4 * fit.estimate("viscous2").value
    assert row.friction[joint] == pytest.approx(nm / (100 * kt))
    assert 0 < row.friction_se[joint] < 0.01 * row.friction[joint]
    relative = np.divide(row.friction_se, row.friction)
    for factor in (0.8, 1.25):  # no other speed is known better
        other = of_fit(fit, tuple(factor * speed for speed in row.friction_speed))
        assert np.all(np.divide(other["friction_se"], other["friction"]) > relative)
    assert not history.add(fit, recording=recording, serial="S1", time=WHEN).new
    kept = addition.figures_of(fit, history._speeds("S1", arm))
    assert kept["friction_speed"] == row.friction_speed


def test_friction_at_other_speeds_is_left_out(tmp_path):
    """Rows count from the change on when an arm's friction is given at other speeds."""
    table = synthetic(2, 30)
    place = table.column_names.index("friction_speed")
    speeds = table.column("friction_speed").to_pylist()
    speeds[:12] = [[0.5] * 6] * 12  # the first days of the first arm
    other = table.set_column(place, table.schema.field(place), [speeds])
    Store(tmp_path / "h", create=True).write(other)
    days = {(t.serial, t.figure): t.days for t in at.History(tmp_path / "h").drift()}
    assert days["A00000", "friction"] == 18 and days["A00001", "friction"] == 30
    assert days["A00000", "torque_constant"] == 30


def test_rows_without_a_column_are_read(tmp_path):
    """Rows are read and judged when their part was written before a column existed."""
    history = at.History(tmp_path / "h")
    old = synthetic(1, 12).drop_columns(["friction_speed"])
    Store(tmp_path / "h", create=True).write(old)
    assert history.table()[0].friction_speed is None
    assert {t.days for t in history.drift()} == {12}


def test_the_time_is_never_the_files(history, tmp_path):
    """A file without a date is refused, and its metadata and clock are named, when added."""
    path = short_run().save(tmp_path / "run.parquet")
    with pytest.raises(InputError, match="does not say when"):
        history.add(path, serial="S1", options=PLAIN)
    dated = dataclasses.replace(short_run(), started=WHEN, serial="S9")
    row = history.add(dated.save(tmp_path / "dated.parquet"), options=PLAIN).row
    assert (row.serial, row.time_from) == ("S9", "the recording's metadata")
    stamped = dataclasses.replace(short_run(2), time=short_run().time + 1.75e9)
    row = history.add(stamped, serial="S9", options=PLAIN).row
    assert row.time_from == "the recording's clock" and row.recorded.year == 2025


def test_preparation_keeps_the_date():
    """The start is kept when a clock since 1970 is counted from zero."""
    stamped = dataclasses.replace(short_run(), time=short_run().time + 1.75e9)
    made = at.prepare(stamped, rate=50).recording
    assert made.time[0] == 0 and made.started.startswith("2025-06-15")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"time": "2026-05-04T13:30:00"}, "without a time zone"),
        ({"time": "yesterday"}, "ISO|such as"),
        ({"time": "2199-01-01T00:00:00Z"}, "in the future"),
        ({"serial": None}, "serial number"),
        ({"arm": "ur10e"}, "not of 'ur10e'"),
    ],
)
def test_what_is_not_known_is_refused(history, options, words):
    """The error says what is missing when time, serial number or arm are not known."""
    with pytest.raises(InputError, match=words):
        add(history, **options)
    assert len(history) == 0


def test_another_arm_under_a_serial_is_refused(history):
    """Nothing is added when a serial number belongs to another arm, or a recording to another."""
    add(history)
    other = dataclasses.replace(short_run(1), arm="ur10e")
    with pytest.raises(InputError, match="of another arm"):
        add(history, other, arm="ur10e")
    with pytest.raises(InputError, match="as one of serial number 'S1'"):
        add(history, serial="S2")
    assert len(history) == 1


def test_a_folder_that_is_no_history_is_refused(tmp_path):
    """Nothing is written when the folder holds other files, or none and only reading is asked."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is no history"):
        at.History(tmp_path)
    with pytest.raises(InputError, match="no history yet"):
        at.History(tmp_path / "none", create=False)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"nothing"])
def test_a_corrupt_part_is_left_out(tmp_path, damage):
    """A warning names the part and the other rows are read when one is corrupt."""
    history = fleet(tmp_path / "h", 1, 5)
    (bad,) = (tmp_path / "h" / "rows").iterdir()
    fleet(tmp_path / "h", 1, 7, seed=1)
    bad.write_bytes(damage(bad.read_bytes()))
    with pytest.warns(HistoryWarning, match=bad.name):
        assert len(history) == 7
    assert bad.exists()


def test_compaction_keeps_every_row(tmp_path):
    """The same rows stand in one part when parts with repeated rows are compacted."""
    history = fleet(tmp_path / "h", 2, 5)
    fleet(tmp_path / "h", 2, 5)
    fleet(tmp_path / "h", 1, 3, seed=1)
    before = history.table()
    assert len(before) == 13
    assert history.compact() == 3
    assert len(list((tmp_path / "h" / "rows").iterdir())) == 1
    assert history.table() == before


def test_two_processes_add_at_once(tmp_path):
    """Every row is there once when two processes add the same rows at the same time."""
    code = (
        "import sys; sys.path[:0] = ['tests', '.']\n"
        "from history_rows import fleet\n"
        f"for seed in range(8): fleet({str(tmp_path / 'h')!r}, 1, 4, seed=seed).compact()\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) for _ in "ab"]
    assert [(p.communicate()[1][-400:], p.returncode) for p in both] == [(b"", 0)] * 2
    assert len(at.History(tmp_path / "h")) == 32


def test_a_query_sees_the_rows(tmp_path):
    """DuckDB answers over the table rows when a query is given, and a fault is named."""
    history = fleet(tmp_path / "h", 3, 4)
    found = history.query("SELECT serial, count(*) AS n FROM rows GROUP BY serial ORDER BY serial")
    assert found.column("n").to_pylist() == [4, 4, 4]
    with pytest.raises(InputError, match="nowhere"):
        history.query("SELECT * FROM nowhere")


def test_cycles_are_counted():
    """Returns to the first position are counted when a motion repeats; one that does not is one."""
    t = np.linspace(0, 3, 601)
    q = np.stack([np.sin(2 * np.pi * t), np.cos(2 * np.pi * t)], axis=1)
    assert count_cycles(at.Recording.of(t, {"q": q})) == 3
    assert count_cycles(at.Recording.of(t, {"q": np.stack([t, 2 * t], axis=1)})) == 1
    assert count_cycles(at.Recording.of(t, {"q": np.zeros((601, 2))})) == 1


def test_the_command_line(tmp_path, capsys):
    """Rows are added, shown and reported, and refusals exit with 2, when the verbs are run."""
    folder, file = tmp_path / "h", str(short_run().save(tmp_path / "run.parquet"))
    common = ["history", "add", str(folder), file, "--no-identify", "--serial", "S1"]
    assert run(common) == 2
    assert "does not say when" in capsys.readouterr().out
    assert run([*common, "--time", WHEN, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["new"]
    assert run(["history", "show", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["serial"] == "S1"
    assert run(["history", "show", str(folder), "--sql", "SELECT arm FROM rows"]) == 0
    assert "ur5e" in capsys.readouterr().out
    assert run(["history", "report", str(folder), "--serial", "S1"]) == 0
    assert "NOT JUDGED" in capsys.readouterr().out
    assert run(["history", "report", str(folder), "--serial", "none"]) == 2
    assert "it has S1" in capsys.readouterr().err


def test_reports_are_written(tmp_path, capsys):
    """HTML and JSON name the drifting joint and exit with 1 when an arm drifts."""
    from benchmarks.synthetic_history import ramp

    drift = np.zeros((1, 40, 6))
    drift[0, :, 3] = ramp(40, 30, 10, 0.1)
    fleet(tmp_path / "h", 1, 40, drift=drift)
    html = tmp_path / "arm.html"
    line = ["history", "report", str(tmp_path / "h"), "--serial", "A00000"]
    assert run([*line, "--report", str(html)]) == 1
    assert "joint 4: friction +" in capsys.readouterr().out
    assert "What to do" in html.read_text(encoding="utf-8")
    assert run(["history", "report", str(tmp_path / "h"), "--json"]) == 1
    (alarm,) = json.loads(capsys.readouterr().out)["alarms"]
    assert (alarm["serial"], alarm["joint"], alarm["figure"]) == ("A00000", 4, "friction")
