"""``armtwin servo`` against the true firmware."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from simavr_runner.boards import connected
from simavr_runner.simulated_board import SimulatedBoard
from waiting import wait_until

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import LinkError, NotPermittedError
from armtwin.robots.servo.messages import Mode, Reason
from armtwin.robots.servo.servo_arm import open_arm
from armtwin.robots.servo.servo_settings import ServoSettings

pytest_plugins = ["simavr_runner.fixtures"]

SETTINGS = """
[servo]
watchdog = 30
[[servo.joints]]
inverted = true
speed = "400 deg"
[[servo.joints]]
pulse = [600, 2300]
middle = "5 deg"
speed = "400 deg"
"""
TICK = np.deg2rad(180 / 1856 / 2)


@pytest.fixture
def settings(tmp_path):
    """Return a settings file for a simulation that runs faster than the clock."""
    path = tmp_path / "servo.toml"
    path.write_text(SETTINGS, encoding="utf-8")
    return path


@pytest.fixture
def ask(uno, settings, capsys):
    """Return a function that runs a servo command and reads its JSON."""

    def go(line, code=0):
        options = ["--port", uno.port, "--settings", str(settings), "--deg", "--json"]
        assert run(["servo", *line.split(), *options]) == code
        out = capsys.readouterr()
        return json.loads(out.out) if code == 0 else out.err

    return go


def test_the_way_of_a_user(uno, ask):
    """Move, save, jog, run, list and status work when typed one after the other."""
    assert ask("status")["switched_on"] is False
    got = ask("move 30 -20 10 90 5 --gripper 1 --simulated")
    np.testing.assert_allclose(got["q"], [30, -20, 10, 90, 5], atol=0.06)
    assert (got["gripper"], got["came_to_rest"]) == (1.0, "arrived")
    widths = [uno.log().widths(axis)[-1] for axis in range(6)]
    expected = [1472 - 30 * 1856 / 180, 1450 - 25 * 1700 / 180, 1472 + 10 * 1856 / 180,
                1472 + 60 * 1856 / 180, 1472 + 5 * 1856 / 180, 2000]  # fmt: skip
    np.testing.assert_allclose(widths, expected, atol=0.76)
    assert ask("save")["saved"] == 1
    jogged = ask("jog 1 -200 --seconds 0.05 --simulated")
    assert jogged["q"][0] < 25
    assert ask("save")["saved"] == 2
    ran = ask("run --rounds 2 --percent 90 --simulated")
    np.testing.assert_allclose(ran["q"], jogged["q"], atol=1e-9)
    saved = ask("list")["saved"]
    np.testing.assert_allclose(saved, [got["q"], jogged["q"]], atol=1e-9)
    assert ask("reset")["saved"] == 0
    assert ask("relax")["switched_on"] is False
    assert ask("stop")["mode"] == "holding"


def test_nothing_moves_without_permission(uno, ask):
    """No pulse comes when neither --simulated nor --i-mean-it is given."""
    for line in ("move 0 0 0 0 0", "jog 1 10", "run"):
        assert "--simulated" in ask(line, code=2)
    assert len(uno.log().edges) == 0 or not any(level for _, _, level in uno.log().edges)


def test_config_gives_permission(uno):
    """The arm moves when its settings say i_mean_it, and not when simulated is a lie."""
    arm = at.load("desktop5")
    with open_arm(uno.port, arm, ServoSettings(i_mean_it=True, watchdog=30)) as servo:
        np.testing.assert_allclose(servo.move([0.2, 0, 0, 0, 0]).q, [0.2, 0, 0, 0, 0], atol=TICK)
    with pytest.raises(NotPermittedError, match="no pseudo terminal"):
        open_arm("/dev/null", arm, simulated=True)


def test_workspace_and_limits_keep_the_arm(uno):
    """A motion is refused and nothing moves when the tool would leave its box on the way."""
    box = {"low": (-1, -1, 0.25), "high": (1, 1, 1)}
    settings = ServoSettings(watchdog=30, workspace=box)
    with open_arm(uno.port, at.load("desktop5"), settings, simulated=True) as servo:
        with pytest.raises(NotPermittedError, match="z = "):
            servo.move([0, -1.5, 0, 0, 0])
        with pytest.raises(at.errors.JointLimitError):
            servo.move([0, 0, 0, 2.2, 0])
        assert servo.status().board.switched_on is False


def test_another_host_stops_it(uno):
    """The port is taken when a second process opens it."""
    with connected(uno), pytest.raises(LinkError, match="cannot be opened"):
        open_arm(uno.port, at.load("desktop5"))


def slow_move(board, folder, watchdog):
    """Start a process that moves the arm for six seconds; the board waits for it [s]."""
    settings = folder / "servo.toml"
    settings.write_text(f"[servo]\nwatchdog = {watchdog}\n", encoding="utf-8")
    move = ["servo", "move", "80", *"0000", "--deg", "--simulated", "--seconds", "6"]
    command = [sys.executable, "-m", "armtwin.cli", *move, "--port", board.port]
    return subprocess.Popen([*command, "--settings", str(settings)], stderr=subprocess.PIPE)


def wait_for_pulses(board, process, count):
    """Wait until a board has made some pulses while a process moves its arm."""

    def made():
        assert process.poll() is None, process.stderr.read()
        return len(board.log().pulses(5)) >= count

    wait_until(made, what=f"{count} pulses")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_stops_the_arm_first(built, tmp_path, sign):
    """The arm stands still on its way and the code is 130 when Ctrl-C or SIGTERM comes."""
    real_time = SimulatedBoard(built, tmp_path, speed=1.0).start()
    try:
        process = slow_move(real_time, tmp_path, 30.0)
        wait_for_pulses(real_time, process, 110)
        process.send_signal(sign)
        process.communicate(timeout=180)
        assert process.returncode == 130
        with connected(real_time) as host:
            status = host.status()
        assert (status.mode, status.reason) == (Mode.HOLDING, Reason.STOPPED)
        assert 1480 < real_time.log().widths(0)[-1] < 2250
    finally:
        real_time.cut_power()


def test_killed_host_is_noticed(built, tmp_path):
    """The watchdog stops the arm within its time when the host is killed."""
    real_time = SimulatedBoard(built, tmp_path, speed=1.0).start()
    try:
        process = slow_move(real_time, tmp_path, 3.0)  # a busy machine may hold a host up for 1 s
        wait_for_pulses(real_time, process, 60)
        process.kill()
        process.communicate()
        real_time.pass_time(3.5)
        log = real_time.log()
        assert log.last_change(0) < log.received[-1][0] + 3.0 + 0.06
        with connected(real_time) as host:
            assert host.status().reason == Reason.WATCHDOG
    finally:
        real_time.cut_power()


def test_brown_out_is_reported(uno):
    """The error names the supply when the board restarts while the arm moves."""
    settings = ServoSettings(watchdog=30)
    with open_arm(uno.port, at.load("desktop5"), settings, simulated=True) as servo:
        servo.board.configure(servo.mapping.config)
        servo.board.move(servo.mapping.ticks([1.5, 0, 0, 0, 0]), 60_000)
        original, looks = servo.status, []

        def status():
            looks.append(original())
            if len(looks) == 3:
                servo.board.relax()
            return looks[-1]

        uno.pass_time(1.0)
        servo.status = status
        with pytest.raises(LinkError, match="supply"):
            servo._wait()
