"""A live twin adds rows to a history: one an interval, with the figures of that interval alone."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from virtual_robots import running

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import InputError
from armtwin.history.live_rows import LiveRows
from armtwin.robots.sample import Sample
from armtwin.robots.ur.live_twin import Twin
from armtwin.robots.ur.monitor import Monitor

START = datetime(2026, 5, 4, 8, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved on."""

    now = START

    def __call__(self):
        """Return the time."""
        return self.now


@pytest.fixture
def twin():
    """The twin of a UR5e that has seen no sample."""
    arm = at.load("ur5e")
    return Twin(arm, Monitor(arm))


def sample(twin, temperature, error):
    """Give a twin's follower one sample."""
    six = np.zeros(6)
    twin.on_sample(
        Sample(0.0, six, six, six + error, six, six, six, six, six + temperature, (1e-3, 0.0),
               100.0, 0.0, 7, 1)
    )  # fmt: skip


def test_a_row_an_interval(twin, tmp_path):
    """Two rows with the means of their own hour are there when the clock passes two hours."""
    clock, history = Clock(), at.History(tmp_path / "h")
    rows = LiveRows(history, twin, serial="S1", clock=clock)
    for hour, (temperature, error) in enumerate([(30.0, 1.0), (40.0, 2.0)]):
        sample(twin, temperature, error)
        clock.now = START + timedelta(hours=hour, minutes=59)
        rows.add()
        assert rows.added == hour
        twin.energy += 5000.0
        twin.monitor.contacts += 1
        clock.now = START + timedelta(hours=hour + 1)
        rows.add()
    first, second = history.table()
    assert (first.recorded, second.recorded) == (START, START + timedelta(hours=1))
    assert (first.temperature[0], second.temperature[0]) == (30.0, 40.0)
    assert (first.torque_error[0], second.torque_error[0]) == (1.0, 2.0)
    assert (first.energy, first.contacts, first.duration) == (5000.0, 1, 3600.0)
    assert first.tool_error == pytest.approx(1e-3) and first.kind == "live"


def test_no_row_without_samples(twin, tmp_path):
    """Nothing is added when the robot sent nothing for hours."""
    clock, history = Clock(), at.History(tmp_path / "h")
    rows = LiveRows(history, twin, serial="S1", clock=clock)
    clock.now = START + timedelta(hours=3)
    rows.add()
    assert len(history) == 0


def test_the_mirror_goes_on_without_a_row(twin, tmp_path):
    """The problem is noted and nothing raised when a row cannot be added."""
    clock, history = Clock(), at.History(tmp_path / "h")
    other = at.load("ur10e")
    before = LiveRows(history, Twin(other, Monitor(other)), serial="S1", clock=clock)
    sample(before._twin, 30.0, 1.0)
    clock.now = START + timedelta(hours=1)
    before.add()
    rows = LiveRows(history, twin, serial="S1", clock=clock)
    sample(twin, 30.0, 1.0)
    clock.now = START + timedelta(hours=2)
    rows.add()
    assert rows.added == 0 and "another arm" in rows.problems[0]
    with pytest.raises(InputError, match="interval"):
        LiveRows(history, twin, serial="S1", interval=0.0)


def test_mirror_adds_rows(tmp_path, capsys):
    """Rows with the dashboard's serial number are there when a virtual robot is mirrored."""
    with running("ur5e") as station:
        host = station.robots[0].host
        line = f"mirror {host} --arm ur5e --seconds 2.5 --share 0 --every 1 --json"
        run([*line.split(), "--history", str(tmp_path / "h")])
    reported = json.loads(capsys.readouterr().out)["history"]
    rows = at.History(tmp_path / "h").table()
    assert reported["rows"] == len(rows) >= 1 and reported["problems"] == []
    assert {row.serial for row in rows} == {reported["serial"]} and reported["serial"]
    assert all(row.tool_error < 1e-3 and len(row.temperature) == 6 for row in rows)
    assert all(row.energy > 0 for row in rows)
