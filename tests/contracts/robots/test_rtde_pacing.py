"""Late and lost control cycles are counted and reported."""

import re
import signal
import socket
from collections import deque
from types import SimpleNamespace

import pytest
from virtual_robots import free_host

from armtwin.cli.main import run
from armtwin.cli.verbs.live.robot import MAX_LINES, _print_log
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller import station as stations
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.pacing import LONGEST_DEBT, Pace, Ticker
from armtwin.robots.ur_controller.ports.dashboard import Dashboard
from armtwin.robots.ur_controller.station import REPORT, Station


def test_late_ticks_are_made_up_and_counted():
    """Every tick is made and the late ones are counted when some are late."""
    made = []
    ticker = Ticker(0.002, made.append)
    for count in (1, 1, 3, 1):
        ticker.due(count)
    assert made == [1, 1, 3, 1]
    assert ticker.pace == Pace(ticks=6, late=2, lost=0)
    assert ticker.pace.share == 1.0


def test_lost_ticks_are_counted():
    """The clock's pace says so when ticks were too late to be made up."""
    made = []
    ticker = Ticker(0.002, made.append)
    for _ in range(99):
        ticker.due(1)
    many = int(LONGEST_DEBT / 0.002) + 1
    ticker.due(many)
    assert sum(made) == 100
    assert ticker.pace == Pace(ticks=100, late=0, lost=many - 1)
    assert ticker.pace.share == pytest.approx(100 / (99 + many))


@pytest.fixture
def station():
    """A station that has lost 44 % of its cycles."""
    made = Station([virtual_robot("ur5e")])
    made.pace = made.robots[0].controller.pace = Pace(ticks=560, late=3, lost=440)
    return made


def test_lost_cycles_are_reported(station):
    """Clients get one warning with the clock's pace when cycles were lost, again after a while."""
    controller = station.robots[0].controller
    station.warn_of_lost_cycles(100.0)
    station.pace.lost += 60
    station.warn_of_lost_cycles(100.0 + REPORT / 2)
    assert len(controller.texts) == 1
    station.warn_of_lost_cycles(100.0 + REPORT)
    first, second = controller.texts
    assert first.level == Level.WARNING
    assert "440 control cycles (0.9 s) were lost" in first.message
    assert "clock at 56.0 % of real time" in first.message
    assert "60 control cycles (0.1 s) were lost" in second.message


def test_dashboard_tells_the_pace(station):
    """Late and lost cycles are answered when the dashboard is asked for the pace."""
    answer = Dashboard(station.robots[0].controller).answer("armtwin pace")
    expected = "560 control cycles, 3 late, 440 lost, clock at 56.0 % of real time"
    assert answer == f"Pace: {expected}"


def test_samples_go_out_before_the_work_of_late_ticks():
    """Cycles run and are sent before the time of late ticks is spent when ticks are late."""
    done = []

    class Noted:
        controller = SimpleNamespace(dt=0.002)
        intake = SimpleNamespace(refill=lambda ticks: done.append(f"serve {ticks}"))

        def cycle(self):
            done.append("cycle")

        def send(self):
            done.append("send")

    station = Station([Noted()])
    station._tick(1)
    station._tick(3)
    assert done == ["serve 1", "cycle", "send", "serve 1", *["cycle"] * 3, "send", "serve 2"]


def test_messages_are_printed_in_portions(capsys):
    """A few messages are printed at once, the others the next time, when many wait."""
    log = deque(SimpleNamespace(message=f"message {k}") for k in range(MAX_LINES + 2))
    robot = SimpleNamespace(host="127.0.0.2", controller=SimpleNamespace(log=log))
    station = SimpleNamespace(robots=[robot])
    assert _print_log(station, MAX_LINES)
    assert capsys.readouterr().out.splitlines()[-1] == f"127.0.0.2: message {MAX_LINES - 1}"
    assert not _print_log(station)
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_robot_tells_lost_cycles_in_the_terminal(monkeypatch, capsys):
    """A warning and, at the end, the pace are printed when the machine is too slow."""
    made = []

    class Slow(Ticker):
        def due(self, count):
            made.append(count)
            super().due(1000 if len(made) == 3 else count)

    def warn_and_end(station, now):
        warn(station, now)
        station.stop()

    warn = Station.warn_of_lost_cycles
    monkeypatch.setattr(Station, "warn_of_lost_cycles", warn_and_end)
    monkeypatch.setattr(stations, "Ticker", Slow)
    monkeypatch.setattr("asyncio.unix_events._UnixSelectorEventLoop.add_signal_handler", _ignore)
    host = free_host()
    assert run(["robot", "ur5e", "--host", host, "--seconds", "180"]) == 0
    said = capsys.readouterr().out
    assert re.search(rf"{host}: \d+ control cycles \(\d+\.\d s\) were lost", said)
    assert re.search(r"ended: \d+ control cycles, \d+ late, \d+ lost, clock at ", said)


def _ignore(loop, number, callback):
    """Leave the signals of the test's own process alone."""
    assert number in (signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize(
    ("push", "words"),
    [
        ("7,40,1,0.3", "there are 1 to 6"),
        ("0,40,1,0.3", "there are 1 to 6"),
        ("2,nan,1,0.3", "at most 1000 Nm"),
        ("2,1e9,1,0.3", "at most 1000 Nm"),
        ("2,40,-1,0.3", "0 s or more"),
        ("2,40,nan,0.3", "0 s or more"),
        ("2,40,inf,0.3", "0 s or more"),
        ("2,40,1,0", "lasts up to 60 s"),
        ("2,40,1,nan", "lasts up to 60 s"),
        ("2,40,1,0.0001", "at least one control cycle, 0.002 s, got 0.0001 s"),
        ("2,40,99,0.3", "the robot ends before"),
        ("2,40,1", "joint,torque,at,seconds"),
        ("2.5,40,1,1", "joint,torque,at,seconds"),
    ],
)
def test_bad_pushes_are_refused_at_start(push, words, capsys):
    """Exit code 2 and the reason come before the robot starts when a push makes no sense."""
    line = ["robot", "ur5e", "--host", free_host(), "--seconds", "5", "--push", push]
    assert run(line) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert not said.out


def test_no_introduction_when_a_port_is_taken(capsys):
    """The reason is printed, and nothing of a robot, when it cannot listen."""
    host = free_host()
    with socket.socket() as taken:
        taken.bind((host, codec.PORT))
        taken.listen()
        assert run(["robot", "ur5e", "--host", host, "--seconds", "1"]) == 2
    printed = capsys.readouterr()
    assert f"cannot listen on {host}:{codec.PORT}" in printed.err
    assert "RTDE" not in printed.out
