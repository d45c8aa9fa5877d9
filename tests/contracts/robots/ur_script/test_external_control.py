"""External control: a program on the robot takes setpoints and trajectories from a PC.

The program is ours (control_program.py), the protocol that of UR's client library.
"""

import contextlib

import numpy as np
import pytest
from external_control import (
    CANCELED,
    SUCCESS,
    ZEROS,
    Action,
    Command,
    ExternalPc,
    Mode,
    control_program,
    controlled,
)
from state_streams import connected
from virtual_robots import needs_mujoco, running
from waiting import wait_until

STEP = np.array([0.2, 0.1, -0.1, 0.1, 0.05, -0.1])


@pytest.fixture
def robot():
    """Return a robot with a kinematic body."""
    with controlled() as made:
        yield made


def test_servo(robot):
    """The arm follows setpoints that come every cycle, a lookahead time late."""
    start, count = robot.q, 0

    def send():
        nonlocal count
        count += 1
        robot.pc.write(start + 0.2 * STEP * count * 0.002, Mode.SERVOJ)

    robot.cycle(500, send)
    assert robot.qd == pytest.approx(0.2 * STEP, abs=1e-3)
    assert robot.q == pytest.approx(start + 0.2 * STEP, abs=0.04 * 0.03)


def test_speeds(robot):
    """The arm takes up joint speeds, then a twist of the tool, and rests in between."""
    robot.cycle(50, lambda: robot.pc.write((0.3, 0, 0, 0, 0, -0.2), Mode.SPEEDJ))
    assert robot.qd == pytest.approx([0.3, 0, 0, 0, 0, -0.2], abs=1e-9)
    robot.cycle(100, lambda: robot.pc.write((0, 0, 0.05, 0, 0, 0), Mode.SPEEDL))
    twist = robot.controller.registers["target_TCP_speed"]
    assert twist == pytest.approx([0, 0, 0.05, 0, 0, 0], abs=1e-6)
    robot.until(lambda: not robot.qd.any(), 1.0, lambda: robot.pc.write(ZEROS, Mode.IDLE))


def test_poses(robot):
    """The tool follows poses that come every cycle."""
    start, count = robot.pose, 0

    def send():
        nonlocal count
        count = min(count + 1, 250)
        robot.pc.write(start + np.array([0, 0, 2e-4 * count, 0, 0, 0]), Mode.POSE)

    robot.cycle(400, send)
    assert robot.pose[:3] - start[:3] == pytest.approx([0, 0, 0.05], abs=1e-4)


def test_missing_messages_end_the_program(robot):
    """The arm brakes and the program ends when no message comes within the timeout."""
    robot.cycle(20, lambda: robot.pc.write((0.2, 0, 0, 0, 0, 0), Mode.SPEEDJ, timeout=0.04))
    took = robot.until(lambda: not robot.running, 1.0)
    assert 0.04 <= took <= 0.04 + 0.2 / 4.0 + 0.02
    assert robot.texts[-1] == "no message in time"
    assert not robot.qd.any()


def test_keepalive(robot):
    """The program goes on when keepalives come in time, or without them when none are asked."""
    for _ in range(5):
        robot.pc.write(ZEROS, Mode.IDLE, timeout=0.1)
        robot.cycle(45)
    robot.pc.write(ZEROS, Mode.IDLE, timeout=0.0)
    robot.cycle(500)
    assert robot.running


def test_stop(robot):
    """The program leaves its loop and ends of itself when control is stopped."""
    robot.cycle(20, lambda: robot.pc.write((0.2, 0, 0, 0, 0, 0), Mode.SPEEDJ))
    robot.pc.write(ZEROS, Mode.STOPPED)
    robot.until(lambda: not robot.running, 1.0)
    assert robot.texts[-1] == "control has ended"
    assert not robot.qd.any()


def test_settings(robot):
    """Payload, tool voltage and tool centre point arrive beside the motion."""
    pc, registers = robot.pc, robot.controller.registers
    pc.command(Command.ZERO_FTSENSOR)
    pc.command(Command.SET_PAYLOAD, 0.5, 0.01, 0.02, 0.03)
    pc.command(Command.SET_TOOL_VOLTAGE, 24.0)
    pc.command(Command.SET_TCP_OFFSET, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    robot.cycle(20, lambda: pc.write((0.1, 0, 0, 0, 0, 0), Mode.SPEEDJ))
    assert registers["payload"] == 0.5
    assert registers["payload_cog"] == pytest.approx([0.01, 0.02, 0.03])
    assert registers["tool_output_voltage"] == 24
    assert registers["tcp_offset"] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert robot.qd[0] == pytest.approx(0.1)


@needs_mujoco
def test_forces():
    """Force mode presses on, freedrive lets the arm be pushed, torques move a joint."""
    with controlled(body="dynamic", arm="ur5e-energy") as robot:
        pc, body = robot.pc, robot.controller.body
        idle, start = (lambda: pc.write(ZEROS, Mode.IDLE)), robot.pose
        limits = (0.1, 0.1, 0.15, 0.17, 0.17, 0.17)
        down = (0, 0, 1, 0, 0, 0), (0, 0, -20, 0, 0, 0)
        pc.command(Command.START_FORCE_MODE, *ZEROS, *down[0], *down[1], 2, *limits, 0.005, 0.5)
        robot.cycle(150, idle)
        assert robot.controller.registers["actual_TCP_pose"][2] < start[2] - 0.01
        pc.command(Command.END_FORCE_MODE)
        robot.cycle(100, idle)
        assert np.abs(body.qd).max() < 1e-2

        before = body.q.copy()
        pc.freedrive(Action.START)
        robot.controller.push[0] = 30.0
        robot.cycle(100, lambda: pc.freedrive(Action.NOTHING))
        robot.controller.push[0] = 0.0
        assert body.q[0] > before[0] + 0.02
        pc.freedrive(Action.CANCEL)
        robot.cycle(100, lambda: pc.freedrive(Action.NOTHING))
        robot.cycle(20, idle)

        pc.command(Command.SET_FRICTION_SCALES, *(0.5,) * 12)
        before = body.q.copy()
        robot.cycle(100, lambda: pc.write((0, 0, 0, 0, 0, 5.0), Mode.TORQUE))
        assert body.q[5] > before[5] + 0.01
        robot.until(lambda: np.abs(body.qd).max() < 1e-2, 2.0, idle)
        assert robot.running, robot.texts


@needs_mujoco
def test_tool_contact():
    """The arm stops and goes back to where it met an obstacle, and reports that."""
    from armtwin.simulation.pushes import Post

    floor = Post((-0.49, -0.13, 0.34), size=(0.4, 0.4, 0.2))
    with controlled(body="dynamic", posts=[floor]) as robot:
        pc = robot.pc
        pc.command(Command.START_TOOL_CONTACT)
        robot.until(
            lambda: pc.results("commands"), 3.0, lambda: pc.write((0, 0, -0.03, 0, 0, 0), 4)
        )
        assert pc.results("commands") == [SUCCESS]
        assert robot.controller.registers["actual_TCP_pose"][2] < 0.48
        robot.cycle(20, lambda: pc.write((0, 0, -0.03, 0, 0, 0), Mode.SPEEDL))
        assert not robot.qd.any()
        pc.command(Command.END_TOOL_CONTACT)
        robot.cycle(5, lambda: pc.write(ZEROS, Mode.IDLE))
        pc.command(Command.START_TOOL_CONTACT)
        pc.command(Command.END_TOOL_CONTACT)
        robot.cycle(5, lambda: pc.write(ZEROS, Mode.IDLE))
        assert pc.results("commands") == [SUCCESS, CANCELED]


def test_on_a_running_robot():
    """The program runs when it comes to the secondary interface, as UR's driver sends it."""
    pc = ExternalPc()
    with contextlib.closing(pc), running() as station:
        robot = station.robots[0]
        goal = np.array(robot.controller.body.q) + STEP
        text = "stop program\n" + control_program(pc.ports)
        with contextlib.closing(connected(robot.host, 30002)) as link:
            link.sendall(text.encode() + b"\n")
            wait_until(pc.accept, what="the robot's connections")
            pc.write(ZEROS, Mode.IDLE, timeout=0.0)
            pc.trajectory(Action.START, 1, timeout=0.0)
            pc.spline(goal, ZEROS, 0.4)
            wait_until(pc.results, what="the result of the trajectory")
            pc.write(ZEROS, Mode.STOPPED)
            wait_until(lambda: robot.controller.program is None, what="the program's end")
        assert pc.results() == [SUCCESS]
        assert robot.controller.body.q == pytest.approx(goal, abs=1e-3)
