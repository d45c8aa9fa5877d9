"""A serial line that loses, garbles or invents characters, against the true firmware."""

import random

import pytest
from simavr_runner.boards import config, connected, rest
from simavr_runner.faulty_line import FaultyLine

from armtwin.errors import ArmTwinError, RefusedError
from armtwin.robots.servo.board import Board
from armtwin.robots.servo.line import SerialLine
from armtwin.robots.servo.messages import AXES, BoardCommand, Mode
from armtwin.robots.servo.serial_frames import END, START, SerialFrame

pytest_plugins = ["simavr_runner.fixtures"]


def test_everything_is_done_once(uno):
    """Each of 20 saves and 5 moves is done exactly once when 2 % of characters are spoilt."""
    with connected(uno, configuration=config(speed=10_000)):
        pass
    line = FaultyLine(SerialLine(uno.port), seed=5, lost=0.01, garbled=0.01)
    host = Board(line, timeout=0.08, attempts=400)
    try:
        host.hello()
        goals = [(2000 + 300 * n,) * 6 for n in range(5)]
        for goal in goals:
            host.move(goal)
            assert rest(host).position == goal
            assert [host.save() for _ in range(4)][-1] == 4 * (goals.index(goal) + 1)
        assert [host.step(4 * n) for n in range(5)] == goals
    finally:
        line.close()
    assert line.faults > 20
    assert host.repeats > 5


def test_a_wrong_checksum_moves_nothing(uno):
    """No answer and no motion come when any one bit of a move's frame is flipped."""
    with connected(uno, configuration=config()) as host:
        start = host.status()
        frame = SerialFrame(77, BoardCommand.MOVE, bytes([0xC4, 9] * 6 + [0, 0])).encode()
        cases = [(place, bit) for place in range(1, len(frame) - 1) for bit in range(8)]
        chosen = random.Random(1).sample(cases, 60)
        for place, bit in chosen:
            spoilt = bytearray(frame)
            spoilt[place] ^= 1 << bit
            host.line.write(bytes(spoilt))
        uno.pass_time(len(chosen) * len(frame) * 0.0012 + 0.2)
        status = host.status()
        assert (status.mode, status.switched_on) == (Mode.HOLDING, False)
        assert status.bad_frames - start.bad_frames == len(chosen)
        host.line.write(frame)
        uno.pass_time(0.1)
        assert rest(host).position == (0x09C4,) * 6


@pytest.mark.parametrize(
    "rubbish",
    [b"", bytes([START]), bytes([START] * 50), bytes([START, END] * 20), bytes([END] * 20),
     bytes([START]) + b"\x20" * 500, SerialFrame(1, 0xEE).encode(),
     SerialFrame(1, BoardCommand.MOVE).encode(),
     SerialFrame(9, BoardCommand.AXIS, bytes(13)).encode(),
     SerialFrame(9, BoardCommand.RUN, bytes(3)).encode(),
     SerialFrame(9, BoardCommand.GENERAL, bytes(3)).encode(),
     SerialFrame(9, BoardCommand.JOG, b"\x09\x10\x00").encode()],
)  # fmt: skip
def test_rubbish_leaves_the_board_alive(uno, rubbish):
    """The board still answers and has not moved when rubbish came in between."""
    with connected(uno, configuration=config()) as host:
        check = host.status().config_check
        host.line.write(rubbish)
        uno.pass_time(0.06 + 0.0011 * len(rubbish))
        status = host.status()
        assert (status.switched_on, status.config_check, status.steps) == (False, check, 0)


def test_random_bytes_beside_a_host(uno):
    """Nothing moves and nothing is saved when noise fills the line of a host."""
    noise = random.Random(2)
    with connected(uno, configuration=config()) as host:
        for _ in range(10):
            host.line.write(noise.randbytes(200))
            uno.pass_time(0.3)
            host.status()
        status = host.status()
        assert (status.switched_on, status.steps, status.mode) == (False, 0, Mode.HOLDING)
        assert status.config_check == config().check


def test_random_phones_stay_within_limits(uno):
    """Every axis reaches both limits and passes none when noise and wild commands come."""
    chance = random.Random(3)
    set_up = config(low=2500, high=3500, speed=10_000)
    with connected(uno, configuration=set_up) as host:
        uno.pass_time(3.1)
        wild = [f"s{axis}{angle}" for axis in range(1, 7) for angle in (0, 180, 999)]
        for command in chance.sample(wild, len(wild)):
            host.line.write(b"PAUSE" * 4 + b"ss1" + command.encode())
            uno.pass_time(0.7)
            host.line.write(chance.randbytes(30))
            uno.pass_time(0.1)
        host.stop()
        assert host.status().config_check == set_up.check
    for axis in range(AXES):
        widths = uno.log().widths(axis)
        assert widths.min() == pytest.approx(1250, abs=0.5)
        assert widths.max() == pytest.approx(1750, abs=0.5)


def test_an_answer_lost_is_repeated(uno):
    """A position is saved once when the same numbered question comes three times."""
    with connected(uno, configuration=config()) as host:
        question = SerialFrame(200, BoardCommand.SAVE).encode()
        for _ in range(3):
            host.line.write(question)
            uno.pass_time(0.05)
        assert host.status().steps == 1


def test_values_out_of_range_are_refused(uno):
    """The board says no when a host that checks nothing sends wrong values."""
    bad = [
        (BoardCommand.AXIS, bytes(13)),
        (BoardCommand.AXIS, b"\x06" + config().axes[0].encode()),
        (BoardCommand.JOG, b"\x06\x10\x00"),
        (BoardCommand.RUN, b"\x01\x65\x00"),
        (BoardCommand.GENERAL, b"\x01\x00\x01"),
        (BoardCommand.STEP, b""),
    ]
    with connected(uno, configuration=config()) as host:
        for command, payload in bad:
            with pytest.raises(RefusedError):
                host.request(command, payload)
        assert host.status().config_check == config().check


def test_nobody_answers(uno):
    """A clear error comes in time when the board is gone."""
    with connected(uno) as host:
        uno.cut_power()
        host.attempts = 2
        with pytest.raises(ArmTwinError, match="no answer|is disconnected"):
            host.status()
