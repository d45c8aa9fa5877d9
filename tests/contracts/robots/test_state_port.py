"""What waits for a client of the state streams that does not read."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_clients import Transport, connect

from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.ports.controller_lines import (
    controller_line,
    current_syntax,
)
from armtwin.robots.ur_controller.ports.intake import Intake
from armtwin.robots.ur_controller.ports.state_port import MAX_UNREAD, StatePort
from armtwin.robots.ur_controller.streams import realtime, robot_state
from armtwin.robots.ur_controller.streams.broadcast import PRIMARY, REALTIME


@given(
    st.one_of(
        st.text(max_size=100),
        st.from_regex(r"(set speed |digital_out\[)[0-9.\-e]{0,30}\]?(=true)?", fullmatch=True),
    )
)
@settings(max_examples=200, deadline=None)
def test_any_line_is_taken_or_left(shared, text):
    """A line is carried out or left to the interpreter, without an error, whatever it says."""
    for _ in controller_line(shared, text) or ():
        pass
    assert isinstance(current_syntax(text), str)
    assert 0 <= shared.registers.number("target_speed_fraction") <= 1


@pytest.fixture(scope="module")
def shared():
    """A controller that hostile lines go to."""
    return virtual_robot("ur5e").controller


@pytest.fixture
def robot():
    """A robot that does not listen."""
    return virtual_robot("ur5e")


def test_newest_state_wins():
    """A state is left out while something waits, and the next one sent, when a client is slow."""
    client, transport = StatePort(set(), Intake(), None), Transport()
    client.connection_made(transport)
    transport.reads = False
    assert client.send_state(b"old")
    assert not client.send_state(b"older")
    transport.waiting, transport.reads = b"", True
    assert client.send_state(b"new")
    assert (transport.read, client.skipped) == ([b"new"], 1)


def test_messages_wait_up_to_a_limit():
    """Messages wait behind what is unread, and are lost beyond a limit, when nobody reads."""
    client, transport = StatePort(set(), Intake(), None), Transport()
    client.connection_made(transport)
    transport.reads = False
    for _ in range(3):
        client.send_message(b"x" * (MAX_UNREAD // 2))
    transport.reads = True
    while transport.waiting:
        transport.read.append(transport.waiting)
        transport.waiting = b""
        client.resume_writing()
    assert len(b"".join(transport.read)) == MAX_UNREAD


def test_packets_are_encoded_once(robot, monkeypatch):
    """One packet is encoded per cycle and kind when there are several clients."""
    counts = {"realtime": 0, "state": 0}

    def counted(kind, function):
        def call(*arguments, **options):
            counts[kind] += 1
            return function(*arguments, **options)

        return call

    encode = counted("realtime", realtime.Realtime.packet)
    monkeypatch.setattr(realtime.Realtime, "packet", encode)
    encode = counted("state", robot_state.RobotStateMessage.packet)
    monkeypatch.setattr(robot_state.RobotStateMessage, "packet", encode)
    ends = [connect(robot, port)[1] for port in (*PRIMARY, *REALTIME) for _ in range(3)]
    robot.streams.send()
    assert counts == {"realtime": 1, "state": 1}
    assert {len(end.read) for end in ends[:6]} == {2}, "version and state"
    assert {len(end.read) for end in ends[6:]} == {1}
    assert len({id(end.read[-1]) for end in ends[:6]}) == 1


def test_nothing_is_encoded_without_clients(robot, monkeypatch):
    """No packet is encoded when nobody is connected."""
    monkeypatch.setattr(realtime.Realtime, "packet", lambda self: pytest.fail("encoded"))
    monkeypatch.setattr(
        robot_state.RobotStateMessage, "packet", lambda self: pytest.fail("encoded")
    )
    for _ in range(100):
        robot.cycle()


@pytest.mark.parametrize(("version", "dt"), [("5.25.0", 0.002), ("3.15.8", 0.008)])
def test_rates(version, dt):
    """A real-time packet comes every cycle and a robot state every 0.1 s when clients read."""
    robot = virtual_robot("ur5e", version=version)
    (_, fast), (_, slow) = connect(robot, REALTIME[0]), connect(robot, PRIMARY[0])
    cycles = round(2.0 / dt)
    for _ in range(cycles):
        robot.cycle()
    times = [struct.unpack(">d", packet[4:12])[0] for packet in fast.read]
    np.testing.assert_allclose(np.diff(times), dt, atol=1e-9)
    assert len(times) == cycles
    assert len(slow.read) - 1 == pytest.approx(20, abs=1)
