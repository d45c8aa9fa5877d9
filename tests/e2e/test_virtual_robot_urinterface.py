"""urinterface 0.0.5 and the RTDE client of UR that it brings along, against a virtual robot."""

import csv
import socket

import numpy as np
import pytest
from virtual_robots import running, wait_until

urinterface = pytest.importorskip("urinterface.robot_connection")

GOAL = np.array([0.2, -1.4, 1.5, -1.6, -1.5, 0.1])
CONFIG = """<?xml version="1.0"?>
<rtde_config><recipe key="out">
<field name="timestamp" type="DOUBLE"/><field name="actual_q" type="VECTOR6D"/>
<field name="robot_mode" type="INT32"/>
</recipe></rtde_config>
"""


@pytest.fixture(scope="module")
def station(tmp_path_factory):
    """A robot with a program in its folder."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "wait.script").write_text("def wait():\n sleep(60)\nend\n", encoding="utf-8")
    with running(programs=folder) as made:
        yield made


@pytest.fixture
def connection(station):
    """A connection of urinterface; its own default sockets can be used only once."""
    sockets = [socket.socket(), socket.socket()]
    made = urinterface.RobotConnection(station.robots[0].host, *sockets)
    yield made
    del made


def test_moves(station, connection):
    """The arm goes to its goal when urinterface commands a movej and waits for its end."""
    controller = station.robots[0].controller
    connection.movej(GOAL, v=2.0, a=8.0)
    wait_until(lambda: np.allclose(controller.body.q, GOAL, atol=1e-6), what="the goal")


def test_other_lines(station, connection):
    """Each line runs as a program and its end is seen when urinterface waits for it."""
    controller = station.robots[0].controller
    before = controller.clock
    connection.sleep(0.2)
    assert controller.clock > before
    connection.zero_ftsensor()
    assert controller.modes.safety.name == "NORMAL"


def test_programs(connection):
    """A program of the robot's folder is loaded, played and stopped over the dashboard."""
    assert connection.load_program("wait.script")
    assert connection.play_program()
    assert connection.stop_program()


def test_recording_with_the_rtde_client_of_ur(tmp_path, station, connection):
    """Samples come in order and unchanged when UR's RTDE client records.

    Of samples that come in one piece, on a busy machine, that client keeps the last one only.
    """
    config, log = tmp_path / "config.xml", tmp_path / "log.csv"
    config.write_text(CONFIG, encoding="utf-8")
    connection.record_samples(str(config), str(log), samples=100)
    with log.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=" "))
    times = np.array([float(row["timestamp"]) for row in rows])
    assert len(times) == 100
    cycles = np.diff(times) / 0.002
    assert (cycles > 0.5).all()
    np.testing.assert_allclose(cycles, np.rint(cycles), atol=1e-3)
    assert {int(row["robot_mode"]) for row in rows} == {7}
    q = [float(rows[-1][f"actual_q_{k}"]) for k in range(6)]
    np.testing.assert_allclose(q, station.robots[0].controller.body.q, atol=1e-6)
