"""urx 0.11 from PyPI against the virtual robot: secondary interface, real-time interface, moves.

urx knows the secondary interface up to release 3.4. On later ones it reads joints and poses, but
takes the robot for stopped and raises after every move that it waits for, on real robots too.
"""

import collections
import collections.abc
import contextlib
import importlib.util
import logging
import socket

import numpy as np
import pytest
from virtual_robots import running, wait_until

import armtwin as at

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("urx") is None or importlib.util.find_spec("math3d") is None,
        reason="urx is not installed; requirements/test.txt pins it",
    ),
    pytest.mark.filterwarnings("ignore:notifyAll:DeprecationWarning"),
]
Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]


@pytest.fixture(autouse=True)
def older_python(monkeypatch):
    """Names that math3d 3.4 uses and Python 3.10 has removed."""
    for name in ("Iterable", "Sequence", "Callable"):
        monkeypatch.setattr(collections, name, getattr(collections.abc, name), raising=False)
    logging.getLogger("ursecmon").setLevel(logging.CRITICAL)


@pytest.fixture(autouse=True)
def patience(older_python, monkeypatch):
    """Time for a busy machine: urx gives up for good after 0.5 s without a packet."""
    from urx import ursecmon

    connect = socket.create_connection
    monkeypatch.setattr(
        ursecmon.socket, "create_connection", lambda address, timeout: connect(address, 60)
    )
    monkeypatch.setattr(ursecmon.SecondaryMonitor.wait, "__defaults__", (60,))


@contextlib.contextmanager
def connected(station, **options):
    """Yield urx's robot."""
    import urx

    robot = urx.Robot(station.robots[0].host, **options)
    try:
        yield robot
    finally:
        robot.close()


@pytest.fixture(scope="module")
def station():
    """A controller of a release that urx knows."""
    with running(version="3.4.5", start=Q) as made:
        yield made


def test_readings(station):
    """Joints, pose, force and modes are the controller's when urx reads them."""
    with connected(station, use_rt=True) as robot:
        np.testing.assert_allclose(robot.getj(), Q, atol=1e-12)
        np.testing.assert_allclose(robot.getl()[:3], at.fk("ur5e", Q)[:3, 3], atol=1e-9)
        np.testing.assert_array_equal(robot.get_tcp_force(), np.zeros(6))
        assert robot.get_force() == 0.0
        assert robot.is_running()
        assert not robot.is_program_running()
        joints = robot.rtmon.q_actual(wait=True)
        np.testing.assert_allclose(joints, Q, atol=1e-12)


def test_moves(station):
    """The arm is where urx wants it when movej, movel and translate return."""
    with connected(station) as robot:
        goal = [0.3, *Q[1:]]
        np.testing.assert_allclose(robot.movej(goal, acc=5, vel=2), goal, atol=1e-6)
        pose = robot.getl()
        pose[2] += 0.04
        robot.movel(pose, acc=3, vel=1)
        np.testing.assert_allclose(robot.getl()[:3], pose[:3], atol=1e-5)
        robot.translate((0.02, 0, 0), acc=3, vel=1)
        np.testing.assert_allclose(robot.getl()[0], pose[0] + 0.02, atol=1e-5)
        robot.movels([pose], acc=3, vel=1, radius=0)
        np.testing.assert_allclose(robot.getl()[:3], pose[:3], atol=1e-5)


def test_settings_and_speeds(station):
    """Outputs, tool, payload and speeds take effect when urx sets them."""
    controller = station.robots[0].controller
    with connected(station) as robot:
        robot.set_digital_out(2, True)
        wait_until(lambda: robot.get_digital_out(2) == 1)
        robot.set_payload(1.2, (0, 0, 0.05))
        wait_until(lambda: controller.registers.number("payload") == 1.2)
        robot.set_tcp((0, 0, 0.1, 0, 0, 0))
        wait_until(lambda: controller.tcp.vector[2] == 0.1)
        before = robot.getj()
        robot.speedj((0.2, 0, 0, 0, 0, 0), acc=2, min_time=0.3)
        wait_until(lambda: robot.getj()[0] > before[0] + 0.01)
        robot.speedl((0, 0, 0.05, 0, 0, 0), acc=1, min_time=0.2)
        robot.stop()
        wait_until(lambda: not robot.is_program_running() and controller.idle)
    said = [text.message for text in controller.log if "refused" in text.message]
    assert said == []


def test_later_release():
    """Urx reads joints and pose and starts moves when the release is later than it knows."""
    with running(start=Q) as station, connected(station) as robot:
        goal = [0.2, *Q[1:]]
        robot.movej(goal, acc=5, vel=2, wait=False)
        wait_until(lambda: np.allclose(robot.getj(), goal, atol=1e-6))
        np.testing.assert_allclose(robot.getl()[:3], at.fk("ur5e", goal)[:3, 3], atol=1e-6)
