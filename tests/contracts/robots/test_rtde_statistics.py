"""Gaps, repeats, jumps and latency are counted as they happened."""

import numpy as np
import pytest

from armtwin.robots.ur.recorder import Timeline
from armtwin.robots.ur.statistics import Latency, Statistics


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
    assert len(clock.notes()) == 2


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


STEADY = 0.002 * np.arange(5000)
"""Ten seconds of time stamps at 500 Hz [s]."""


@pytest.mark.parametrize("parts", [1, 7, 500])
def test_restart_counts_by_the_wall_clock(parts):
    """Samples of 6.8 s are missing when the controller was away so long and started anew."""
    stamps = np.concatenate([90 + STEADY, 40 + STEADY])
    s = counted(stamps, 7 + np.concatenate([STEADY, 10 + 6.8 + STEADY]), parts=parts)
    assert s.outage == pytest.approx(6.8, abs=0.005)
    assert s.missing == pytest.approx(3400, abs=3)
    assert s.share == pytest.approx(10_000 / 13_400, abs=1e-3)


@pytest.mark.parametrize("parts", [1, 7, 500])
def test_stall_counts_by_the_wall_clock(parts):
    """Samples of 4 s are missing when the controller stood still with its clock."""
    s = counted(40 + 0.002 * np.arange(10_000), np.concatenate([STEADY, 14 + STEADY]), parts=parts)
    assert s.missed == 0
    assert s.outage == pytest.approx(4.0, abs=0.005)
    assert s.share == pytest.approx(10_000 / 12_000, abs=1e-3)


def test_slow_clock_counts_by_the_wall_clock():
    """The share is the clock's pace when the robot runs at 56 % of real time."""
    assert counted(40 + STEADY, STEADY / 0.56).share == pytest.approx(0.56, abs=1e-3)


def test_outage_at_the_end():
    """Samples are missing up to the end when the robot never came back."""
    s = counted(40 + STEADY, STEADY)
    s.until(STEADY[-1] + 2.5)
    assert s.outage == pytest.approx(2.5, abs=0.005)
    assert s.longest == pytest.approx(2.5, abs=0.005)
    s.until(STEADY[-1] + 0.004)
    assert s.outage == 0.0


@pytest.mark.parametrize("parts", [1, 7, 500])
def test_late_samples_are_not_missing(parts):
    """Nothing is missing when the network holds samples back for a second and delivers all."""
    arrivals = 3 + STEADY
    arrivals[1000:1500] = arrivals[1500]
    s = counted(40 + STEADY, arrivals, parts=parts)
    assert (s.missing, s.jumps, s.share) == (0, 0, 1.0)
    assert s.longest == pytest.approx(1.0, abs=0.005)


@pytest.mark.parametrize("parts", [1, 7, 500])
def test_samples_lost_in_a_pause_are_missing(parts):
    """A gap, not a set clock, is counted when a pause ends with an old and a new sample."""
    kept = np.r_[0:1000, 2000:5000]
    arrivals = 3 + STEADY
    arrivals[999] = arrivals[2000]
    s = counted(40 + STEADY[kept], arrivals[kept], parts=parts)
    assert (s.missed, s.gaps, s.jumps, s.outage) == (1000, 1, 0, 0.0)
    clock = Timeline()
    _, time = clock.add(40 + STEADY[kept], arrivals[kept])
    np.testing.assert_allclose(time, STEADY[kept], atol=1e-9)
    assert clock.notes() == ()


def test_timeline_notes_outages():
    """The recording's notes say how long no samples came when the robot was away or stood."""
    clock = Timeline()
    _, time = clock.add(np.concatenate([90 + STEADY, 40 + STEADY]),
                        np.concatenate([STEADY, 16.8 + STEADY]))  # fmt: skip
    assert time[-1] == pytest.approx(26.8, abs=0.005)
    clock.add(time[-1:] * 0 + 40 + STEADY[-1] + 0.002, np.array([16.8 + 10 + 4.0]))
    assert any("10.8 s by the wall clock" in line for line in clock.notes())
