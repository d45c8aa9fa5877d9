"""Noise and serial monitors on the line of the true firmware: nothing moves, nothing is erased."""

import random

import numpy as np
import pytest
from simavr_runner.boards import config, connected, rest, send, unlock

pytest_plugins = ["simavr_runner.fixtures"]

BYTE_TIME = 10 / 9600
NOISE_SECONDS = 10.0
PLACE = (2000, 2500, 3000, 3500, 4000, 2222)


def noise(seed, seconds=NOISE_SECONDS):
    """Return the random bytes that fill a line for some seconds."""
    return random.Random(seed).randbytes(round(seconds / BYTE_TIME))


def feed(uno, data):
    """Send bytes at the pace of the line."""
    for start in range(0, len(data), 480):
        send(uno, data[start : start + 480], pause=0.0)


def test_ten_seconds_of_noise_on_a_limp_arm(uno):
    """Servos stay limp and saved positions are kept when random bytes come for ten seconds."""
    with connected(uno, configuration=config()) as host:
        assert (host.save(), host.save()) == (1, 2)
    uno.pass_time(3.1)
    feed(uno, noise(1))
    assert not any(level for _, _, level in uno.log().edges)
    with connected(uno) as host:
        status = host.status()
        assert (status.switched_on, status.steps) == (False, 2)
        assert status.config_check == config().check


def test_ten_seconds_of_noise_on_an_arm_that_holds(uno):
    """Joints stay where they are when random bytes come for ten seconds, even once unlocked."""
    with connected(uno, configuration=config(speed=10_000)) as host:
        host.move(PLACE)
        rest(host)
        host.save()
    uno.pass_time(3.1)
    unlock(uno, dialect="text")
    begun = uno.now
    feed(uno, noise(2))
    frames = uno.log().frames(begun)
    assert len(frames) > 300
    np.testing.assert_allclose(2 * frames, np.broadcast_to(PLACE, frames.shape), atol=1.5)
    with connected(uno) as host:
        assert host.status().steps == 1


@pytest.mark.parametrize("typed", [b"\r", b"\r\n", b"hello\r\n", b"RESET\r\n", b"SAVE", b"s190"])
def test_a_serial_monitor_does_nothing(uno, typed):
    """Positions are kept and servos stay limp when lines are typed into a serial monitor."""
    with connected(uno) as host:
        assert host.save() == 1
    uno.pass_time(3.1)
    send(uno, *[typed] * 3, pause=0.1)
    with connected(uno) as host:
        status = host.status()
        assert (status.switched_on, status.steps) == (False, 1)


def test_pause_is_obeyed_by_a_locked_board(uno):
    """A running program pauses when a phone that has unlocked nothing sends PAUSE."""
    with connected(uno, configuration=config(speed=500)) as host:
        host.save()
        host.move((4500, 0, 0, 0, 0, 0))
        rest(host)
        host.save()
        host.run(0, 100, alone=True)
    uno.pass_time(3.2)
    send(uno, bytes([15]), pause=0.3)
    assert np.ptp(uno.log().widths(0)[-10:]) < 1


@pytest.mark.parametrize("between", [b"\r", b"\n", b" "])
def test_a_byte_in_between_unlocks_nothing(uno, between):
    """The board stays locked when another byte, RESET (13) too, comes between four byte PAUSE."""
    uno.pass_time(0.1)
    send(uno, *[bytes([15])] * 3, between, bytes([15]))
    send(uno, bytes([16]), bytes([0]))
    assert not any(level for _, _, level in uno.log().edges)


@pytest.mark.parametrize(("pause", "jog"), [(b"PAUSE\r\n", b"s190"), (b"\x0f\x00", b"\x10")])
def test_line_ends_and_releases_are_nothing_in_between(uno, pause, jog):
    """The board unlocks when words PAUSE end with a line end, or bytes PAUSE with a release."""
    uno.pass_time(0.1)
    send(uno, *[part for _ in range(4) for part in (pause[:-1], pause[-1:])])
    send(uno, jog)
    assert any(level for _, _, level in uno.log().edges)


def test_a_foreign_character_locks(uno):
    """An unlocked board moves nothing any more when a character of no dialect has come."""
    unlock(uno, dialect="bytes")
    send(uno, bytes([3]), bytes([16]), bytes([0]))
    unlock(uno, dialect="text")
    send(uno, b"xyz", b"s190")
    assert not any(level for _, _, level in uno.log().edges)
