"""Saved positions, restarts, the watchdog and phones, on a simulated UNO."""

import itertools

import numpy as np
import pytest
from simavr_runner.boards import config, connected, rest, send, unlock

from armtwin.errors import RefusedError
from armtwin.robots.servo.messages import AXES, Mode, Reason

pytest_plugins = ["simavr_runner.fixtures"]

PLACES = [(2000, 2500, 3000, 3500, 4000, 2222), (4000, 3500, 3000, 2500, 2000, 3333), (3000,) * 6]


def save_places(host):
    """Save three positions."""
    for number, place in enumerate(PLACES, 1):
        host.move(place)
        rest(host)
        assert host.save() == number


def written(host):
    """Wait until nothing is on its way into the EEPROM."""
    while host.status().writing:
        pass


def test_saved_positions_outlive_a_power_cut(uno):
    """Positions and limits are the same when the board comes back; erased ones stay erased."""
    set_up = config(low=1500, high=4500, watchdog_ms=5000)
    with connected(uno, configuration=set_up) as host:
        save_places(host)
        written(host)
    uno.cut_power()
    uno.start()
    with connected(uno) as host:
        status = host.status()
        assert (status.steps, status.config_check) == (3, set_up.check)
        assert not status.default_config
        assert [host.step(n) for n in range(3)] == PLACES
        with pytest.raises(RefusedError, match="no position is saved"):
            host.step(3)
        host.erase()
        assert host.save() == 1
        written(host)
    uno.cut_power()
    uno.start()
    with connected(uno) as host:
        assert host.status().steps == 1
        assert host.step(0) == (3000,) * 6


def test_power_cut_while_writing(uno):
    """Only the position being written is lost when power is cut at any moment of it."""
    with connected(uno, configuration=config()) as host:
        host.move(PLACES[0])
        rest(host)
        host.save()
        written(host)
        host.move(PLACES[1])
        rest(host)
        host.save()
    uno.cut_power()
    uno.start()
    with connected(uno) as host:
        steps = host.status().steps
        assert steps in (1, 2)
        assert [host.step(n) for n in range(steps)] == PLACES[:steps]


def test_memory_full(uno):
    """Fifty positions are kept and the next is refused when a host keeps saving."""
    with connected(uno, configuration=config()) as host:
        assert [host.save() for _ in range(50)] == list(range(1, 51))
        with pytest.raises(RefusedError, match="full"):
            host.save()


def test_program_runs_pauses_and_goes_on(uno):
    """Every saved position is reached in turn when a program is run, paused and run on."""
    with connected(uno, configuration=config(speed=4000)) as host:
        with pytest.raises(RefusedError, match="no position is saved"):
            host.run()
        save_places(host)
        begun = uno.now
        host.run(2, 50)
        uno.pass_time(1.0)
        host.pause()
        paused = host.status()
        assert paused.mode == Mode.PAUSED
        uno.pass_time(0.5)
        assert host.status().position == paused.position
        host.run(2, 100)
        status = rest(host)
        assert (status.reason, status.position) == (Reason.ARRIVED, PLACES[2])
    widths = uno.log().widths(0, begun)
    visits = [name for name, _ in itertools.groupby(map(_place, widths)) if name]
    assert visits == ["low", "high", "low", "high"]
    assert np.abs(np.diff(widths)).max() <= 4000 / 2 * 0.02 * 1.03 + 1


def _place(width):
    return "low" if width < 1001 else "high" if width > 1999 else ""


def test_watchdog_stops_a_forgotten_arm(uno):
    """A move, a jog and a run stop in time when the host falls silent."""
    with connected(uno, configuration=config(watchdog_ms=400, speed=400)) as host:
        host.save()
        starts = [lambda: host.move((4500,) * 6), lambda: host.jog(0, -400), lambda: host.run(0)]
        for start in starts:
            start()
            uno.pass_time(1.5)
            log, status = uno.log(), host.status()
            assert (status.mode, status.reason) == (Mode.HOLDING, Reason.WATCHDOG)
            heard = [when for when, _ in log.received if when < log.now][-1]
            assert log.last_change(0) < heard + 0.4 + 0.06


def test_watchdog_needs_silence(uno):
    """A move arrives when the host keeps asking; a run goes on alone when it was told to."""
    with connected(uno, configuration=config(watchdog_ms=3000, speed=500)) as host:
        host.move((4500, 0, 0, 0, 0, 0))
        assert rest(host).reason == Reason.ARRIVED
        host.save()
        host.move((3000, 0, 0, 0, 0, 0))
        rest(host)
        host.save()
        host.run(0, 100, alone=True)
        uno.pass_time(4.0)
        assert host.status().mode == Mode.RUNNING


def test_text_dialect(uno):
    """Each slider goes to its angle, within limits, when a phone sends text without line ends."""
    with connected(uno, configuration=config(low=1500, speed=10_000)):
        pass
    uno.pass_time(3.2)
    unlock(uno, dialect="text")
    send(uno, b"ss5", b"s190\r\n", b"s245s3120", b"s4180", b"s50s6100", b"s1", pause=1.0)
    log = uno.log()
    expected = [2944, 2016, 3562, 4800, 1500, 3150]
    got = [2 * log.widths(axis)[-1] for axis in range(AXES)]
    np.testing.assert_allclose(got, expected, atol=1.5)


def cruising(widths):
    """Return the speed [us/s] that an axis keeps up once it has gathered it."""
    steps = np.abs(np.diff(widths))
    return steps[steps > 0.8 * steps.max()].mean() / 0.02


def test_text_speed(uno):
    """An axis takes the delay per degree that ssNN sets when its slider is moved."""
    with connected(uno, configuration=config(speed=20_000)):
        pass
    uno.pass_time(3.2)
    unlock(uno, dialect="text")
    send(uno, b"s190", pause=1.5)
    for delay in (5, 20):
        begun = uno.now
        send(uno, f"ss{delay}".encode(), b"s1130", pause=1.4)
        speed = cruising(uno.log().widths(0, begun))
        assert speed == pytest.approx(1856 / 180 * 1000 / delay, rel=0.06)
        send(uno, b"s190", pause=1.4)


def test_text_program(uno):
    """Positions are saved, run, paused, run on and erased when a phone says so in words."""
    unlock(uno, dialect="text")
    send(uno, b"ss5", b"s190s2090", b"SAVE", b"s1060", b"SAVE", b"RUN", pause=0.9)
    uno.pass_time(1.0)
    pulses = uno.log().pulses(0)
    assert np.ptp(pulses[-60:, 1]) > 150
    send(uno, b"PAUSE", pause=0.6)
    assert np.ptp(uno.log().widths(0)[-20:]) < 1
    send(uno, b"RUN", pause=1.2)
    assert np.ptp(uno.log().widths(0)[-50:]) > 100
    with connected(uno) as host:
        assert (host.status().mode, host.status().steps) == (Mode.RUNNING, 2)
    uno.pass_time(3.2)
    unlock(uno, dialect="text")
    send(uno, b"RUN", b"RESET", pause=0.5)
    assert np.ptp(uno.log().widths(0)[-20:]) < 1
    unlock(uno, dialect="text")
    with connected(uno) as host:
        assert (host.status().mode, host.status().steps) == (Mode.HOLDING, 0)


def test_reset_alone_erases_nothing(uno):
    """Positions are kept when RESET is not followed by four PAUSE, or something comes between."""
    with connected(uno, configuration=config()) as host:
        save_places(host)
    uno.pass_time(3.2)
    for dialect, reset, run in (("text", b"RESET", b"ss5"), ("bytes", b"\x0d", b"\x69")):
        unlock(uno, dialect=dialect)
        send(uno, reset, reset, reset, run)
        unlock(uno, dialect=dialect)
        send(uno, reset, pause=10.5)
        unlock(uno, dialect=dialect)
        send(uno, b"\xff")
    with connected(uno) as host:
        assert host.status().steps == 3


def test_byte_dialect_jogs(uno):
    """Each of the bytes 16 to 27 turns its axis its way until byte 0 when a button is held."""
    signs = [1, -1, -1, 1, 1, -1, -1, 1, -1, 1, 1, -1]
    unlock(uno, dialect="bytes")
    send(uno, bytes([16]), bytes([0]), pause=0.6)
    for code, sign in zip(range(16, 28), signs, strict=True):
        axis = (code - 16) // 2
        before = uno.log().widths(axis)[-1]
        send(uno, bytes([code]), bytes([0]), pause=0.3)
        widths = uno.log().widths(axis)
        assert sign * (widths[-1] - before) > 50
        assert np.ptp(widths[-3:]) < 1


def test_byte_dialect_program_and_speed(uno):
    """Bytes save, run, pause, erase and set the speed when they come alone, 115 included."""
    unlock(uno, dialect="bytes")
    send(uno, bytes([16]), bytes([0]), pause=0.6)
    for code, delay, button in ((115, 11, 16), (249, 24, 17)):
        begun = uno.now
        send(uno, bytes([code]), bytes([button]), bytes([0]), pause=0.4)
        speed = cruising(uno.log().widths(0, begun))
        assert speed == pytest.approx(min(1856 / 180 * 1000 / delay, 600), rel=0.06)
    codes = (105, 12, 17, 0, 12, 14)
    send(uno, *(bytes([code]) for code in codes), pause=0.7)
    assert np.ptp(uno.log().widths(0)[-45:]) > 100
    send(uno, bytes([15]), pause=0.5)
    assert np.ptp(uno.log().widths(0)[-15:]) < 1
    send(uno, bytes([13]), pause=0.5)
    unlock(uno, dialect="bytes")
    with connected(uno) as host:
        assert (host.status().mode, host.status().steps) == (Mode.HOLDING, 0)


def test_lost_phone_stops(uno):
    """A jog ends after five seconds when the phone that started it is gone."""
    with connected(uno, configuration=config(speed=50)):
        pass
    uno.pass_time(3.2)
    unlock(uno, dialect="bytes")
    send(uno, bytes([16]), pause=6.0)
    log = uno.log()
    assert log.received[-1][0] + 4.5 < log.last_change(0, by=0.3) < log.received[-1][0] + 5.7


def test_phones_are_not_heard_beside_a_host(uno):
    """A phone's bytes do nothing when a host spoke just now, or when phones are switched off."""
    with connected(uno, configuration=config()) as host:
        host.line.write(b"PAUSE" * 4 + b"s1180RUN")
        uno.pass_time(0.3)
        status = host.status()
        assert (status.switched_on, status.steps) == (False, 0)
        host.configure(config(phones=False))
    uno.pass_time(3.2)
    unlock(uno, dialect="text")
    send(uno, b"s1180", pause=0.5)
    unlock(uno, dialect="bytes")
    send(uno, bytes([12]), bytes([16]), pause=0.5)
    with connected(uno) as host:
        status = host.status()
        assert (status.switched_on, status.steps, status.phones) == (False, 0, False)
