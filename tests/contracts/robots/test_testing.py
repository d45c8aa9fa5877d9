"""``armtwin.testing``: robots for the tests of clients."""

import socket

import pytest

from armtwin.errors import InputError, LinkError
from armtwin.testing import robot_fixture, virtual_robot

robot = robot_fixture("ur5e", version="5.15.2")


def test_fixture(robot):
    """A test gets a robot of the version asked for when it uses the fixture."""
    assert robot.dashboard("version") == ["5.15.2.0"]
    robot.call(robot.controller.io.set_digital, 3, True)
    assert robot.call(lambda: int(robot.controller.registers["actual_digital_output_bits"][0])) == 8


def test_robots_beside_each_other():
    """Two robots have addresses of their own, and leave them, when they run at the same time."""
    with virtual_robot("ur5e") as one, virtual_robot("ur10e", version="3.15.8") as other:
        assert one.host != other.host
        one.dashboard("power off")
        assert other.dashboard("robotmode", "get robot model") == ["Robotmode: RUNNING", "UR10"]
    for host in (one.host, other.host):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, 29999), timeout=180)


def test_condition_is_waited_for(robot):
    """Waiting ends when the condition holds, and in an error naming the robot if not in time."""
    robot.call(robot.controller.io.set_digital, 1, True)
    robot.wait_for(lambda: robot.controller.registers["actual_digital_output_bits"][0] == 2)
    with pytest.raises(LinkError, match=f"{robot.host}: the condition did not hold within 0.01 s"):
        robot.wait_for(lambda: False, seconds=0.01)


def test_wrong_options():
    """The error of the options is raised when a robot cannot be built."""
    with pytest.raises(InputError, match="kinematic, dynamic"), virtual_robot(body="paper"):
        pass
