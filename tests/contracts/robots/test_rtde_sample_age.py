"""How old a robot's newest sample is."""

import numpy as np
import pytest

from armtwin.robots.ur.feed import SampleAge


def fed(stamps, arrivals):
    """Return an age that has seen samples."""
    age = SampleAge()
    for stamp, arrival in zip(stamps, arrivals, strict=True):
        age.add(stamp, arrival)
    return age


def test_steady_samples_are_fresh():
    """The age is the time since the arrival when samples come as they are taken."""
    time = np.arange(0, 1, 0.008)
    assert fed(40 + time, 100 + time).at(100.992 + 0.005) == pytest.approx(0.005, abs=1e-9)
    assert SampleAge().at(1.0) == np.inf


def test_samples_that_waited_are_old():
    """A late sample is old until those behind it have come when a network paused."""
    time = np.arange(0, 1, 0.008)
    late = np.arange(1.0, 1.5, 0.008)
    age = fed([*time, late[0]], [*time, 1.5])
    assert age.at(1.5) == pytest.approx(0.5, abs=0.02)
    for stamp in late[1:]:
        age.add(stamp, 1.5)
    assert age.at(1.5) == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("share", [0.5, 0.9, 1.1])
def test_a_slow_clock_is_not_a_wait(share):
    """Samples stay fresh when the robot's clock runs slower or faster than ours."""
    time = np.arange(0, 20, 0.008)
    assert fed(share * time, time).at(time[-1]) == pytest.approx(0.0, abs=1e-9)


def test_a_robot_that_stood_still_is_fresh_again_soon():
    """Samples count as fresh after 0.1 s when the robot's clock itself stood for 0.4 s."""
    time = np.arange(0, 1, 0.008)
    after = np.arange(0, 0.1, 0.008)
    age = fed([*time, *(1 + after)], [*time, *(1.4 + after)])
    assert age.at(1.4 + after[-1]) < 0.02


def test_a_restarted_robot_is_fresh():
    """The age starts anew when the robot's clock was set back."""
    age = fed([100.0, 100.008, 40.0], [0.0, 0.008, 3.0])
    assert age.at(3.0) == 0.0
