"""Gaps, repeats, jumps and latency are counted as they happened."""

import numpy as np
import pytest

from armtwin.link.rtde.latency import Latency
from armtwin.link.rtde.statistics import Statistics
from armtwin.link.rtde.timeline import Timeline


def counted(stamps, arrivals=None, period=0.002, parts=1):
    """Return statistics over samples, given in some parts."""
    stamps = np.asarray(stamps, float)
    arrivals = stamps + 100.0 if arrivals is None else np.asarray(arrivals, float)
    statistics = Statistics(period)
    for some in np.array_split(np.arange(len(stamps)), parts):
        statistics.add(stamps[some], arrivals[some])
    return statistics


@pytest.mark.parametrize("parts", [1, 7, 1000])
def test_even_samples(parts):
    """Nothing is missing when samples come evenly, however they are bundled."""
    s = counted(40 + 0.002 * np.arange(1000), parts=parts)
    assert (s.received, s.missed, s.gaps, s.repeats, s.jumps) == (1000, 0, 0, 0, 0)
    assert s.share == 1.0
    assert 0.002 <= s.wait(0.5) <= 0.0022


@pytest.mark.parametrize("parts", [1, 13])
def test_missing_samples(parts):
    """Missing samples and gaps are counted when some are left out."""
    kept = np.setdiff1d(np.arange(1000), [100, 101, 102, 500])
    s = counted(40 + 0.002 * kept, parts=parts)
    assert (s.missed, s.gaps) == (4, 2)
    assert s.share == pytest.approx(996 / 1000)
    assert s.longest == pytest.approx(0.008)


def test_repeats():
    """A repeat is counted and does not mend a gap when a sample comes twice."""
    s = counted([40.0, 40.002, 40.002, 40.006])
    assert (s.repeats, s.missed) == (1, 1)


def test_clock_set_back_and_ahead():
    """A jump, not a loss, is counted when the robot's clock is set."""
    stamps = [40, 40.002, 40.004, 90.0, 90.002, 40.0, 40.002]
    s = counted(stamps, 0.002 * np.arange(len(stamps)))
    assert (s.jumps, s.missed) == (2, 0)


def test_timeline_goes_on_through_restarts():
    """Time increases strictly from zero when the clock repeats, jumps and starts anew."""
    stamps = np.array([41.0, 41.002, 41.002, 41.004, 99.0, 99.002, 40.0, 40.002])
    arrivals = 5 + 0.002 * np.arange(8)
    clock = Timeline()
    kept, time = clock.add(stamps, arrivals)
    assert kept.tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert time[0] == 0.0
    assert (np.diff(time) > 0).all()
    assert time[-1] == pytest.approx(0.014, abs=0.004)
    assert (clock.repeats, clock.jumps) == (1, 2)
    assert len(clock.account()) == 2


def test_timeline_in_parts_is_the_same():
    """The same times come out when the samples are given in parts."""
    rng = np.random.default_rng(1)
    stamps = np.cumsum(rng.choice([0.0, 0.002, 0.004], 400)) + 50
    stamps[200:] -= 30
    arrivals = 0.002 * np.arange(400)
    whole = Timeline().add(stamps, arrivals)[1]
    clock = Timeline()
    parts = [clock.add(stamps[a : a + 37], arrivals[a : a + 37])[1] for a in range(0, 400, 37)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert (np.diff(whole) > 0).all()


def test_latency_above_the_fastest():
    """The median is the usual delay when the fastest sample had none."""
    latency = Latency()
    for k in range(1000):
        stamp = 40 + 0.002 * k
        arrival = stamp + 7.0 + (0.0 if k % 10 == 0 else 0.001)
        latency.add(np.array([stamp]), np.array([arrival]), arrival + 0.0005)
    assert latency.at(0.5) == pytest.approx(0.0015, abs=2e-4)
    assert latency.at(0.01) == pytest.approx(0.0005, abs=2e-4)
