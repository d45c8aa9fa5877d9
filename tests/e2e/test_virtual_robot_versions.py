"""Other controllers, several robots, and the ports that take lines of text."""

import socket

import numpy as np
import pytest
from virtual_robots import (
    free_host,
    needs_mujoco,
    needs_ur_rtde,
    running,
    wait_for,
    wait_until,
    worker,
)

from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.state.modes import SafetyMode
from armtwin.robots.ur_controller.station import Station
from armtwin.robots.ur_controller.virtual_robot import DASHBOARD, SCRIPTS

Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]
CONNECT = (
    "import rtde_control, rtde_receive\nr = patient(rtde_receive.RTDEReceiveInterface, HOST)\n"
)


@needs_ur_rtde
@pytest.mark.parametrize("version", ["3.15.8", "5.5.0", "5.15.2"])
def test_ur_rtde_connects_to(version):
    """Receive and Control work when the controller is of another generation."""
    with running(version=version) as station, worker(station.robots[0].host) as ur:
        ur(CONNECT + "c = patient(rtde_control.RTDEControlInterface, HOST)")
        assert ur(f"c.moveJ({Q}, 3.0, 20.0)")
        wait_for(ur, "r.getActualQ()", Q, atol=1e-12)
        first = ur("r.getTimestamp()")
        wait_until(lambda: ur("r.getTimestamp()") > first)
        ur("c.disconnect()\nr.disconnect()")


@needs_ur_rtde
def test_ur_rtde_reads_polyscope_x():
    """Receive works when the controller is a PolyScope X, to which Control uploads nothing."""
    with running(version="10.7.0") as station, worker(station.robots[0].host) as ur:
        ur(CONNECT)
        assert ur("r.getRobotMode()") == 7


@needs_ur_rtde
def test_upper_range_registers():
    """Control uses registers from 24 on when it is told to (ur_rtde 1.6.5: below 5.23 only)."""
    with running(version="5.15.2") as station, worker(station.robots[0].host) as ur:
        ur("import rtde_control\nC = rtde_control.RTDEControlInterface")
        ur("c = C(HOST, 500.0, C.FLAG_UPLOAD_SCRIPT | C.FLAG_UPPER_RANGE_REGISTERS)")
        assert ur(f"c.moveJ({Q}, 3.0, 20.0)")
        registers = station.robots[0].controller.registers
        assert registers.number("output_int_register_24") in (1, 2)
        assert registers.number("output_int_register_0") == 0
        ur("c.disconnect()")


@needs_ur_rtde
def test_several_robots():
    """Each robot moves by itself when a station runs several."""
    robots = [virtual_robot("ur5e", free_host()) for _ in range(3)]
    with Station(robots), worker(robots[0].host) as ur:
        hosts = [robot.host for robot in robots]
        make = "patient(rtde_control.RTDEControlInterface, h)"
        ur(f"import rtde_control\ncs = [{make} for h in {hosts}]")
        rest = "-1.4, 1.5, -1.6, -1.5, 0"
        ur(f"for k, c in enumerate(cs):\n    c.moveJ([0.1 * k, {rest}], 3, 20, True)")
        for k, robot in enumerate(robots):
            wait_until(lambda k=k, robot=robot: abs(robot.controller.body.q[0] - 0.1 * k) < 1e-9)
            wait_until(lambda robot=robot: robot.controller.idle)
        ur("[c.disconnect() for c in cs] and None")


@needs_ur_rtde
@needs_mujoco
def test_dynamic_body_with_ur_rtde():
    """A body with mass moves, arrives and stops at a push when ur_rtde leads it."""
    options = {"arm": "ur5e-energy", "body": "dynamic"}
    with running(**options) as station, worker(station.robots[0].host) as ur:
        ur(CONNECT + "c = patient(rtde_control.RTDEControlInterface, HOST)")
        assert ur(f"c.moveJ({Q}, 2.0, 5.0)")
        wait_for(ur, "r.getActualQ()", Q, atol=2e-3)
        wait_until(lambda: max(map(abs, ur("r.getActualCurrent()"))) > 0.1)
        controller = station.robots[0].controller
        station.call(setattr, controller, "push", np.array([0, 80.0, 0, 0, 0, 0]))
        wait_until(lambda: controller.modes.safety == SafetyMode.PROTECTIVE_STOP)
        ur("c.disconnect()\nr.disconnect()")


@pytest.fixture(scope="module")
def station():
    """A robot for lines of text."""
    with running() as made:
        yield made


@pytest.mark.parametrize("port", SCRIPTS)
def test_lines_on_every_script_port(station, port):
    """The arm moves when a movej line comes in pieces on any script port."""
    robot = station.robots[0]
    goal = [0.1 * (port - 30000), -1.4, 1.5, -1.6, -1.5, 0.2]
    with socket.create_connection((robot.host, port)) as sock:
        line = f"movej({goal}, a=20, v=3)\n".encode()
        sock.sendall(line[:10])
        clients = robot._texts[port]
        wait_until(lambda: any(client._framer.size == 10 for client in tuple(clients)))
        sock.sendall(line[10:])
        wait_until(lambda: np.allclose(robot.controller.body.q, goal, atol=1e-9))


def test_stopj_line(station):
    """The arm stops when a stopj line follows a speedj line."""
    robot = station.robots[0]
    with socket.create_connection((robot.host, 30002)) as sock:
        sock.sendall(b"speedj([0.3, 0, 0, 0, 0, 0], 5, 10)\n")
        wait_until(lambda: robot.controller.reference.qd[0] > 0.29)
        sock.sendall(b"stopj(10)\n")
        wait_until(lambda: not robot.controller.reference.qd.any())


def test_dashboard_over_the_network(station):
    """Greeting and answers come line by line when a client speaks to the dashboard."""
    with socket.create_connection((station.robots[0].host, DASHBOARD), timeout=180) as sock:
        file = sock.makefile("rw", newline="\n")
        assert file.readline() == "Connected: Universal Robots Dashboard Server\n"
        for question, answer in (("robotmode", "Robotmode: RUNNING"), ("stop", "Stopped")):
            file.write(question + "\n")
            file.flush()
            assert file.readline() == answer + "\n"
        file.write("quit\n")
        file.flush()
        assert file.readline() == "Disconnected\n"
        assert file.readline() == ""
        file.close()
