"""Nothing moves hardware without permission, beyond limits, or after Ctrl-C."""

import os
import signal
import threading

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import InputError, JointLimitError, LinkError, NotPermittedError
from armtwin.robots.safety import (
    SafetyLimits,
    Workspace,
    is_loopback,
    is_pseudo_terminal,
    permit_motion,
    stopping_first,
)
from armtwin.robots.ur_controller.build import parse_version, virtual_robot
from armtwin.robots.ur_controller.motion.commands import Commands
from armtwin.robots.ur_controller.station import Station
from armtwin.robots.ur_controller.virtual_robot import VirtualRobot

Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.8.9.10", True), ("::1", True), ("localhost", True),
     ("192.168.0.10", False), ("8.8.8.8", False), ("0.0.0.0", False), ("::", False)],
)  # fmt: skip
def test_loopback(host, local):
    """Only addresses of this machine count as loopback when hosts are distinguished."""
    assert is_loopback(host) is local


def test_unknown_host():
    """A LinkError names the host when it does not resolve."""
    with pytest.raises(LinkError, match="no such host"):
        is_loopback("no such host")


def test_pseudo_terminal():
    """A terminal of this machine is no hardware, a serial device may be one."""
    ours, theirs = os.openpty()
    assert is_pseudo_terminal(os.ttyname(theirs))
    assert not is_pseudo_terminal("/dev/ttyUSB0")
    os.close(ours)
    os.close(theirs)


def test_permission():
    """Hardware moves only when a person said so; simulations move freely."""
    permit_motion("robot", simulated=True, i_mean_it=False)
    permit_motion("robot", simulated=False, i_mean_it=True)
    with pytest.raises(NotPermittedError, match="--i-mean-it"):
        permit_motion("192.168.0.10", simulated=False, i_mean_it=False)


def test_limits():
    """Positions, speeds and places beyond the limits are refused when they are commanded."""
    arm = at.load("ur5e")
    tool = at.fk(arm, Q)[:3, 3]
    box = Workspace(tuple(tool - 0.1), tuple(tool + 0.1))
    limits = SafetyLimits(speed=0.5, workspace=box)
    limits.check(arm, Q, np.full(6, 0.5))
    np.testing.assert_allclose(limits.top_speeds(arm), np.pi / 2)
    with pytest.raises(NotPermittedError, match="joint 3"):
        limits.check(arm, Q, [0, 0, 2.0, 0, 0, 0])
    with pytest.raises(NotPermittedError, match="joint 1"):
        limits.check(arm, Q, [float("nan"), 0, 0, 0, 0, 0])
    with pytest.raises(NotPermittedError, match="workspace"):
        limits.check(arm, [1.0, *Q[1:]])
    with pytest.raises(JointLimitError):
        limits.check(arm, [7.0, *Q[1:]])


@pytest.mark.parametrize("speed", [0.0, -1.0, 1.5, float("nan")])
def test_bad_share(speed):
    """An InputError comes when the share of the top speed is none."""
    with pytest.raises(InputError):
        SafetyLimits(speed=speed)


def test_bad_workspace():
    """An InputError comes when a workspace has no inside."""
    with pytest.raises(InputError):
        Workspace((0, 0, 0), (1, 0, 1))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_first(number):
    """The arm is stopped once, before anything else, when a signal ends the block."""
    order = []
    with pytest.raises(KeyboardInterrupt), stopping_first(lambda: order.append("stop")):
        os.kill(os.getpid(), number)
        order.append("after")
    assert order == ["stop"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_error_stops_first():
    """The arm is stopped when the block ends in an error, and not when it ends well."""
    order = []
    with pytest.raises(ZeroDivisionError), stopping_first(lambda: order.append("stop")):
        _ = 1 / 0
    with stopping_first(lambda: order.append("never")):
        pass
    assert order == ["stop"]


def test_in_another_thread():
    """The block works without signals when it is not the main thread's."""
    order = []

    def work():
        with stopping_first(lambda: order.append("stop")):
            order.append("work")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert order == ["work"]


def test_station_ends_at_rest():
    """The arm has come to rest when its robot is switched off amid a move."""
    robot = virtual_robot("ur5e", "127.88.1.1", start=Q)
    with Station([robot]) as station:
        goal = np.array([1.5, *Q[1:]])
        station.call(Commands(robot.controller).movej, goal, 3.0, 1.0)
        station.call(lambda: [robot.cycle() for _ in range(200)])
        assert station.call(lambda: robot.controller.reference.qd.any())
    assert not robot.controller.reference.qd.any()
    assert robot.controller.idle


def test_robot_listens_on_loopback_only():
    """A NotPermittedError comes when a robot would be open to other machines."""
    controller = virtual_robot("ur5e").controller
    with pytest.raises(NotPermittedError, match="exposed"):
        VirtualRobot(controller, "0.0.0.0")
    assert VirtualRobot(controller, "0.0.0.0", exposed=True).host == "0.0.0.0"


@pytest.mark.parametrize(
    "options",
    [{"arm": "desktop5"}, {"body": "jelly"}, {"start": [0, 0, 0]}, {"start": [9.0, 0, 0, 0, 0, 0]},
     {"version": "new"}, {"version": "5"}, {"posts": [1]}],
)  # fmt: skip
def test_bad_robots(options):
    """An InputError says what is possible when a robot cannot be made."""
    with pytest.raises(InputError):
        virtual_robot(**options)


def test_stations_refuse():
    """An InputError comes when there is no robot, or robots of different cycles."""
    with pytest.raises(InputError):
        Station([])
    old, new = virtual_robot(version="3.15.0"), virtual_robot(version="5.25.0")
    with pytest.raises(InputError):
        Station([old, new])


def test_version():
    """Four numbers come out when a version is read."""
    assert parse_version("5.25.0") == (5, 25, 0, 0)
    assert parse_version("3.15.8.1234") == (3, 15, 8, 1234)
