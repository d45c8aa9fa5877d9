"""The firmware's pulses and motion, measured on the pins of a simulated UNO."""

import numpy as np
import pytest
from simavr_runner.boards import config, connected, rest

from armtwin.errors import RefusedError
from armtwin.robots.servo.messages import AXES, Mode, Reason
from armtwin.robots.servo.serial_frames import FrameReader

pytest_plugins = ["simavr_runner.fixtures"]

AXIS = range(AXES)
FRAME = 0.020


def test_pulses_are_exact(uno):
    """Every pulse is within 0.5 us and every frame within 1 us when the line is busy."""
    wide = config(low=1000, high=5000, speed=60_000)
    places = [(1000,) * 6, (5000,) * 6, (1001, 4999, 2345, 3456, 1777, 4321)]
    with connected(uno, configuration=wide) as host:
        for place in places:
            host.move(place)
            rest(host)
            before = uno.now
            while uno.now < before + 0.4:
                host.status()
            log = uno.log()
            for axis in AXIS:
                pulses = log.pulses(axis)
                still = pulses[pulses[:, 0] > before + FRAME]
                assert len(still) >= 15
                np.testing.assert_allclose(still[:, 1], place[axis] / 2, rtol=0, atol=0.5)
                np.testing.assert_allclose(np.diff(still[:, 0]), FRAME, rtol=0, atol=1e-6)


def test_no_bias(uno):
    """The mean error of all pulse widths is below 0.2 us when the arm holds still."""
    with connected(uno, configuration=config()) as host:
        host.move((3000,) * 6)
        rest(host)
    uno.pass_time(1.0)
    errors = np.concatenate([uno.log().widths(axis)[-40:] - 1500 for axis in AXIS])
    assert abs(errors.mean()) < 0.2


def test_limp_until_commanded(uno):
    """No pulse comes before the first motion, then axis by axis 80 ms apart, when power comes."""
    uno.pass_time(1.0)
    assert all(len(uno.log().pulses(axis)) == 0 for axis in AXIS)
    with connected(uno, configuration=config(home=2000)) as host:
        assert not host.status().switched_on
        host.move((2500,) * 6)
        assert rest(host).switched_on
        log = uno.log()
        first = [log.pulses(axis)[0] for axis in AXIS]
        assert np.diff([when for when, _ in first]).min() > 0.07
        np.testing.assert_allclose([width for _, width in first], 1000, atol=0.5)
        host.relax()
        uno.pass_time(0.1)
        count = len(uno.log().edges)
        uno.pass_time(0.2)
        assert len(uno.log().edges) == count


def test_axes_move_together(uno):
    """All axes start and arrive in the same frame, none too fast, when the ways differ."""
    goal = (4500, 3800, 3300, 1500, 2200, 2900)
    with connected(uno, configuration=config()) as host:
        host.move((3000,) * 6)
        rest(host)
        begun = uno.now
        seconds = host.move(goal)
        status = rest(host)
        assert status.reason == Reason.ARRIVED
        assert status.position == goal
    uno.pass_time(0.1)
    log = uno.log()
    assert seconds == pytest.approx(15 / 8 * 1500 / 2000, abs=FRAME)
    way = np.array(goal) / 2 - 1500
    widths = log.frames(begun)
    shares = (widths - 1500) / way
    finest = 1.0 / np.abs(way)
    assert (np.abs(shares - shares[:, :1]) < finest + finest[0]).all(), "not in step"
    assert (np.diff(shares, axis=0) > -finest).all(), "went back"
    assert np.abs(np.diff(widths, axis=0)).max() < 2000 / 2 * FRAME + 1.0, "too fast"
    assert (np.abs(shares[-1] - 1) < finest).all()
    assert (np.abs(shares[0]) < finest).all()


def test_motion_is_smooth(uno):
    """Every pulse lies within 0.7 us of 10 u^3 - 15 u^4 + 6 u^5 when an axis moves far."""
    with connected(uno, configuration=config()) as host:
        host.move((1500, 3000, 3000, 3000, 3000, 3000))
        rest(host)
        seconds = host.move((4500, 3000, 3000, 3000, 3000, 3000))
        rest(host)
    uno.pass_time(0.3)  # more frames than the curve is shifted by below
    widths, frames = uno.log().widths(0), round(seconds / FRAME)
    begin = np.flatnonzero(np.abs(widths - 750) < 0.6)[-1]
    shifts = range(-10, 4)  # the curve starts too flat to see its first frame
    errors = [np.abs(_ideal(frames) - widths[begin + k :][: frames + 1]).max() for k in shifts]
    assert min(errors) < 0.7


def _ideal(frames):
    u = np.arange(frames + 1) / frames
    return 750 + 1500 * (10 * u**3 - 15 * u**4 + 6 * u**5)


def test_stop_on_the_way(uno):
    """The arm holds within 50 ms of a stop, and can go on, when it is stopped on its way."""
    with connected(uno, configuration=config(speed=1000)) as host:
        host.move((1500,) * 6)
        rest(host)
        host.move((4500,) * 6)
        uno.pass_time(1.0)
        host.stop()
        uno.pass_time(0.5)
        log, status = uno.log(), host.status()
        assert (status.mode, status.reason) == (Mode.HOLDING, Reason.STOPPED)
        assert 1510 < status.position[0] < 4400
        reported = _time_of_answer(log, 5 | 0x80)
        for axis in AXIS:
            assert log.last_change(axis) < reported + 0.05
            assert log.widths(axis)[-1] == pytest.approx(status.position[axis] / 2, abs=0.5)
        host.move((4500,) * 6)
        assert rest(host).position == (4500,) * 6


def _time_of_answer(log, command):
    reader = FrameReader()
    for when, byte in log.sent:
        if any(frame.command == command for frame in reader.feed(bytes([byte]))):
            return when
    raise AssertionError("never answered")


def test_another_goal_on_the_way(uno):
    """No pulse jumps faster than the top speed when a new goal comes on the way."""
    with connected(uno, configuration=config()) as host:
        host.move((4500,) * 6)
        uno.pass_time(1.2)
        host.move((1500,) * 6)
        assert rest(host).position == (1500,) * 6
    for axis in AXIS:
        assert np.abs(np.diff(uno.log().widths(axis))).max() <= 2000 / 2 * FRAME * 1.03 + 1


def test_limits_hold(uno):
    """A goal beyond a limit is refused and nothing moves when the host asks for it."""
    with connected(uno, configuration=config(low=2000, high=4000)) as host:
        host.move((3000,) * 6)
        rest(host)
        for axis in AXIS:
            for beyond in (1999, 4001, 65535):
                goal = [0] * 6
                goal[axis] = beyond
                with pytest.raises(RefusedError, match="beyond the limits"):
                    host.move(goal)
        assert host.status().mode == Mode.HOLDING
        host.move((2000, 4000, 0, 0, 0, 0))
        assert rest(host).position == (2000, 4000, 3000, 3000, 3000, 3000)
    log = uno.log()
    assert np.ptp(np.concatenate([log.widths(axis) for axis in (2, 3, 4, 5)])) < 1


def test_jog_ends_at_the_limit(uno):
    """A jog stops at the limit, not beyond, when nobody stops it."""
    with connected(uno, configuration=config(low=2500, high=3500)) as host:
        host.jog(2, 200)
        assert host.status().mode == Mode.FOLLOWING
        assert rest(host).position[2] == 3500
        host.jog(2, -200)
        uno.pass_time(0.5)
        host.jog(2, 0)
        place = rest(host).position[2]
        assert 2500 < place < 3500
    assert uno.log().widths(2).max() <= 1750.5
