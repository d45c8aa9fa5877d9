"""The primary, secondary and real-time interface, as clients such as UR's own library use them."""

import contextlib
import socket
import struct

import numpy as np
import pytest
from state_streams import PrimaryClient, RobotError, ScriptFailure, connected
from virtual_robots import running, wait_until

from armtwin.robots.ur_controller.fault_injection import Faults
from armtwin.robots.ur_controller.state.modes import RobotMode, SafetyMode

SMALL = 1 << 14
"""A receive buffer that fills soon [B]."""
RUNNING, IDLE, POWER_OFF = 7, 5, 3
ENDLESS = "  while True:\n    sync()\n  end"
TALK = '  textmsg("still running")\n  sleep(0.1)\n  sync()'


@pytest.fixture(scope="module")
def station():
    """A running robot."""
    with running(unlock_after=5.0) as made:
        yield made


@pytest.fixture
def robot(station):
    """A robot that is on, unlocked and idle."""

    def ready():
        controller = station.robots[0].controller
        controller.stop_program()
        controller.modes.set(robot=RobotMode.RUNNING, safety=SafetyMode.NORMAL)

    station.call(ready)
    return station.robots[0]


@pytest.fixture
def client(robot):
    """A client of the primary interface that has got its first state."""
    with contextlib.closing(PrimaryClient(robot.host)) as made:
        made.until(lambda: made.mode is not None)
        made.messages.clear()
        yield made


@pytest.mark.parametrize("port", [30001, 30011, 30002, 30012])
def test_version_comes_first(robot, port):
    """A client gets the version, then the state with kinematics and configuration, once."""
    with contextlib.closing(PrimaryClient(robot.host, port)) as client:
        client.read()
        assert client.messages[0][0] == "version"
        assert client.messages[0][1]["version"] == (5, 25, 0, 0)
        client.read()
        assert {5, 6} < set(client.state)
        del client.state[5], client.state[6]
        client.until(lambda: client.kinds.count(16) == 3)
        assert not {5, 6} & set(client.state)


def test_safety_mode_is_not_sent_without_a_change(client):
    """No safety mode message comes when the mode has not changed."""
    client.until(lambda: client.kinds.count(16) == 4)
    assert client.of("safety mode") == []


def test_states_come_ten_times_a_second(client):
    """Robot states are 0.1 s apart on the controller's clock when the client reads."""
    times = []
    for _ in range(6):
        count = client.kinds.count(16)
        client.until(lambda count=count: client.kinds.count(16) > count)
        times.append(client.mode["time"])
    steps = [b - a for a, b in zip(times[:-1], times[1:], strict=True)]
    assert all(50_000 <= step <= 150_000 for step in steps)
    assert sum(steps) / len(steps) == pytest.approx(100_000, rel=0.1)


def test_power_cycle(client):
    """The robot mode follows when power and brakes are commanded."""
    for line, mode in (
        ("power off", POWER_OFF),
        ("power on", IDLE),
        ("set robotmode run", RUNNING),
        ("power off", POWER_OFF),
        ("set robotmode run", RUNNING),
    ):
        client.send(line)
        client.until_mode(robot_mode=mode)


@pytest.mark.parametrize(("line", "mode"), [("power on", IDLE), ("set robotmode run", RUNNING)])
def test_power_on_leaves_a_powered_robot_alone(client, line, mode):
    """The mode stays when the robot is on already."""
    client.send("power off\n" + line)
    client.until_mode(robot_mode=mode)
    client.send("power on")
    states = client.kinds.count(16)
    client.until(lambda: client.kinds.count(16) > states + 2)
    assert client.mode["robot_mode"] == mode


def test_program_is_reported(client):
    """Start, text and end come in their order when a program runs."""
    found = client.run(TALK)
    assert [kind for kind, _ in found] == ["key", "text", "key"]
    assert [m.get("title") for _, m in found] == [
        "PROGRAM_XXX_STARTED",
        None,
        "PROGRAM_XXX_STOPPED",
    ]
    assert [m["text"] for _, m in found] == ["test_fun", "still running", "test_fun"]


def test_replaced_program_is_reported(client):
    """The old program's end comes before the new one's start when a program replaces another."""
    client.send(f"def old():\n{ENDLESS}\nend")
    client.wait_for("key", title="PROGRAM_XXX_STARTED", text="old")
    client.send(f"def new():\n{TALK}\nend")
    client.wait_for("key", title="PROGRAM_XXX_STOPPED", text="new")
    keys = [(m["title"][12:], m["text"]) for m in client.of("key")]
    assert keys == [("STARTED", "old"), ("STOPPED", "old"), ("STARTED", "new"), ("STOPPED", "new")]


def test_long_names(client):
    """A name of 31 characters comes back whole when its program ends."""
    name = "this_is_a_very_long_script_name"
    client.run(TALK, name)
    assert {m["text"] for m in client.of("key")} == {name}


@pytest.mark.parametrize(
    ("body", "line", "column", "text"),
    [
        ("  calldoesntexist()", 2, 3, "compile_error_name_not_found:calldoesntexist:"),
        ("  x = = 3", 2, 7, "syntax_error_on_line:2:  x = = 3:"),
        ("  sync()\n    movej(p[10, 0, 0, 0, 0, 0])", 3, 5, "cannot reach"),
    ],
)
def test_exceptions(client, body, line, column, text):
    """Line, column and text come at once when a program cannot be compiled or fails."""
    with pytest.raises(ScriptFailure) as failure:
        client.run(body)
    assert failure.value.args[:2] == (line, column)
    assert text in failure.value.args[2]


def test_stop_program(client):
    """The running program ends when the client asks for it; without one nothing happens."""
    for _ in range(2):
        client.send(f"def endless():\n{ENDLESS}\nend")
        client.until_mode(running=1)
        client.send("stop program")
        client.until_mode(running=0, paused=0)
    client.send("stop program")
    assert client.run(TALK)[-1][1]["title"] == "PROGRAM_XXX_STOPPED"


def test_pause_and_resume(client):
    """A program holds and goes on when the client asks for it."""
    client.send(f"def endless():\n{ENDLESS}\nend")
    client.until_mode(running=1)
    client.send("pause program")
    client.until_mode(running=0, paused=1)
    client.send("resume program")
    client.until_mode(running=1, paused=0)


@pytest.mark.parametrize("lines", ["power off", "power off\npower on"])
def test_program_is_refused_without_power(client, lines):
    """A program is refused with a text and not started when the arm cannot move."""
    client.send(lines)
    client.until_mode(robot_mode=IDLE if "on" in lines.split() else POWER_OFF)
    client.send(f"def refused():\n{TALK}\nend")
    client.until(lambda: client.of("text"))
    assert "program refused" in client.of("text")[0]["text"]
    assert client.of("key") == []


def test_protective_stop_and_unlock(client):
    """State, safety mode and error code come with a stop, and it is unlocked when asked."""
    client.send("protective_stop()")
    error = client.wait_for("error code")
    assert (error["code"], error["argument"], error["level"]) == (209, 0, 2)
    assert client.mode["protective"] == 1
    assert [m["mode"] for m in client.of("safety mode")] == [SafetyMode.PROTECTIVE_STOP]
    begin = client.mode["time"]
    client.send("set unlock protective stop")
    client.until_mode(protective=0)
    assert [m["mode"] for m in client.of("safety mode")][1:] == [SafetyMode.NORMAL]
    assert client.mode["time"] - begin < 4.5e6, "the dashboard's 5 s do not count here"
    assert client.run(TALK)


def test_stopped_program_ends_after_its_error(client):
    """The end of the program comes after the error code when it stops the robot itself."""
    with pytest.raises(RobotError, match="C209A0"):
        client.run("  protective_stop()")
    client.wait_for("key", title="PROGRAM_XXX_STOPPED")
    kinds = [kind for kind, _ in client.messages]
    assert kinds.index("error code") < len(kinds) - 1 - kinds[::-1].index("key")


def test_impossible_move_is_an_error(client):
    """An error code comes when a move leaves the workspace; afterwards the arm moves again."""
    with pytest.raises(RobotError, match=r"C\d+A\d"):
        client.run("  movel(p[10, 0, 0, 0, 0, 0], a=5, v=2)")
    client.send("set unlock protective stop")
    client.until_mode(protective=0)
    client.run("  movej([0.5, -0.5, 0.5, 0, 0, 0], a=20, v=3)")
    assert client.of("error code") == []


def test_secondary_program_reports_one_error(client):
    """Exactly one error code and no start comes when a secondary program stops the robot."""
    client.send("sec setup():\n  protective_stop()\nend")
    client.wait_for("error code", code=209, argument=0)
    states = client.kinds.count(16)
    client.until(lambda: client.kinds.count(16) > states + 1)
    assert len(client.of("error code")) == 1
    assert client.of("key") == []


def test_popup_is_reported(client):
    """Title and text of a popup come when a program shows one."""
    client.run('  popup("look", title="Here", warning=True)')
    popup = client.wait_for("popup")
    assert (popup["title"], popup["text"], popup["warning"]) == ("Here", "look", True)


def test_secondary_interface_has_no_messages(robot):
    """Only states come on the secondary interface when a program runs there."""
    with contextlib.closing(PrimaryClient(robot.host, 30002)) as client:
        client.send(f"def talk():\n{TALK}\nend")
        client.until_mode(running=1)
        client.until_mode(running=0)
        assert [kind for kind, _ in client.messages] == ["version"]


@pytest.mark.parametrize("port", [30011, 30012, 30013])
def test_read_only_ports_take_nothing(station, robot, port):
    """A script has no effect when it is sent to a read-only port."""
    with socket.create_connection((robot.host, port), timeout=180) as sock:
        sock.sendall(b"set_digital_out(4, True)\npower off\n")
        got = sock.recv(1 << 16)
    assert got
    with contextlib.closing(PrimaryClient(robot.host)) as client:
        client.run("  set_digital_out(5, True)")
        client.until_mode(robot_mode=RUNNING)
        client.until(lambda: client.state[3]["outputs"] & 1 << 5)
        assert not client.state[3]["outputs"] & 1 << 4


def test_older_lines(client):
    """Speed slider and outputs change when lines of older releases are sent."""
    client.send("set speed 0.5\ndigital_out[3]=True\nset real")
    client.until_mode(speed_fraction=0.5)
    client.until(lambda: client.state[3]["outputs"] & 1 << 3)
    client.send("set speed 1.0\ndigital_out[3] = False")
    client.until_mode(speed_fraction=1.0)
    client.until(lambda: not client.state[3]["outputs"] & 1 << 3)
    client.run("  set_payload(1.5, [0, 0, 0.01])")
    assert client.of("exception") == []


def realtime_times(sock, count, size):
    """Return the times of so many real-time packets."""
    data = b""
    while len(data) < count * size:
        data += sock.recv(1 << 16)
    packets = [data[k * size : (k + 1) * size] for k in range(count)]
    assert {struct.unpack(">i", p[:4])[0] for p in packets} == {size}
    return [struct.unpack(">d", p[4:12])[0] for p in packets]


@pytest.mark.parametrize(
    ("version", "size", "dt"), [("5.25.0", 1220, 0.002), ("3.4.5", 1060, 0.008)]
)
def test_realtime_rate(version, size, dt):
    """Packets are a control cycle apart when clients read; a late reader misses whole packets."""
    with running(version=version) as station:
        for port in (30003, 30013):
            with connected(station.robots[0].host, port) as sock:
                steps = np.diff(realtime_times(sock, 100, size)) / dt
            np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
            assert np.median(steps) == pytest.approx(1.0)


def test_slow_reader_holds_up_nobody(station, robot):
    """Other clients get everything, and a silent one all messages and new states, afterwards."""
    texts, filling = 600, "x" * 900
    body = f"""  i = 0
  while i < {texts}:
    textmsg("{filling}", i)
    i = i + 1
    sync()
  end"""
    with contextlib.closing(PrimaryClient(robot.host, buffer=SMALL)) as slow:
        slow.until(lambda: slow.mode is not None)
        with contextlib.closing(PrimaryClient(robot.host)) as quick:
            quick.run(body)
            assert len(quick.of("text")) == texts
            count = quick.kinds.count(16)
            quick.until(lambda: quick.kinds.count(16) > count + 1)
            then = quick.mode["time"]
        unread = station.call(lambda: max(c.skipped for c in robot.streams.clients[30001]))
        assert unread, "the silent client missed no state: this test has not filled its buffers"
        slow.wait_for("key", title="PROGRAM_XXX_STOPPED")
        assert [int(m["text"].removeprefix(filling)) for m in slow.of("text")] == [*range(texts)]
        slow.until(lambda: slow.mode["time"] > then)


def test_client_that_never_reads_may_send(station, robot, client):
    """Scripts take effect when their sender has left all packets unread."""
    with connected(robot.host, 30003, SMALL) as sender:
        wait_until(lambda: any(c.skipped > 20 for c in [*robot.streams.clients[30003]]))
        sender.sendall(b"set_digital_out(6, True)\n")
        client.until(lambda: client.state[3]["outputs"] & 1 << 6)


def test_reconnect_after_a_restart():
    """A new connection starts with the version again when the controller was switched off."""
    with running() as station:
        robot = station.robots[0]
        with contextlib.closing(PrimaryClient(robot.host)) as client:
            client.until_mode(robot_mode=RUNNING)
            station.wait(Faults(robot).restart(0.05))
            with pytest.raises((AssertionError, OSError)):
                while True:
                    client.read()
        with contextlib.closing(PrimaryClient(robot.host)) as client:
            client.until_mode(robot_mode=RUNNING)
            assert client.messages[0][0] == "version"
            assert client.run(TALK)
