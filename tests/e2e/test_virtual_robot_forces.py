"""Unmodified ur_rtde commands forces of a virtual robot with physics."""

import pytest
from virtual_robots import needs_mujoco, needs_ur_rtde, running, worker
from waiting import wait_until

CONNECT = """
import rtde_control, rtde_receive
r = patient(rtde_receive.RTDEReceiveInterface, HOST)
c = patient(rtde_control.RTDEControlInterface, HOST)
"""
pytestmark = [needs_ur_rtde, needs_mujoco]


@pytest.fixture(scope="module")
def station():
    """Run a robot with a dynamic body; ur_rtde knows direct torque from 5.26 on."""
    with running("ur5e", body="dynamic", version="5.26.0") as station:
        yield station


@pytest.fixture(scope="module")
def ur(station):
    """Return a process with Receive ``r`` and Control ``c`` connected."""
    with worker(station.robots[0].host) as run:
        run(CONNECT)
        yield run


def compliance(station):
    """Return the mode that the controller is in."""
    return station.call(lambda: type(station.robots[0].controller.motion.compliance).__name__)


def test_freedrive(ur, station):
    """The arm is in freedrive between its begin and its end."""
    assert ur("c.freedriveMode()")
    assert compliance(station) == "FreedriveOverlay"
    assert ur("c.getFreedriveStatus()") == 0
    assert ur("c.endFreedriveMode()")
    wait_until(lambda: compliance(station) == "NoneType")


def test_force_mode(ur, station):
    """The arm is in force mode, and the tool moves up, between forceMode and forceModeStop."""
    height = "r.getActualTCPPose()[2]"
    before = ur(height)
    assert ur("c.forceMode([0] * 6, [0, 0, 1, 0, 0, 0], [0, 0, 10, 0, 0, 0], 2, [0.1] * 6)")
    wait_until(lambda: ur(height) > before + 0.003)
    assert compliance(station) == "ForceModeOverlay"
    assert ur("c.forceModeStop()")
    wait_until(lambda: compliance(station) == "NoneType")
    assert ur("c.isProgramRunning()")


def test_direct_torque(ur, station):
    """Joint 1 turns when ur_rtde streams torques, and the program goes on."""
    q = "r.getActualQ()[0]"
    before = ur(q)
    push = "all(c.directTorque([5.0, 0, 0, 0, 0, 0]) for _ in range(5))"
    wait_until(lambda: ur(push) and ur(q) > before + 0.002)
    assert ur("c.isProgramRunning()")
