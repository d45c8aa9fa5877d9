"""Planted drifts are found and dated, temperature is not taken for drift, and chance is not either.

Scatter from day to day is 0.5 % beyond temperature and identification (see synthetic_history).
"""

import datetime

import numpy as np
import pytest
from benchmarks.synthetic_history import START, Scatter, ramp
from history_rows import fleet

from armtwin.errors import InputError
from armtwin.history.drift.false_alarms import (
    PHASES,
    DriftFreeSeries,
    alarming,
    independent_tests,
    simulate,
    threshold,
)

DAYS = 40
ARMS = 30


def planted(joint, change=0.05, days=DAYS, start=DAYS - 10):
    """Return a drift of one joint over ten days in all arms (ARMS, days, 6)."""
    drift = np.zeros((ARMS, days, 6))
    drift[:, :, joint - 1] = ramp(days, start, 10, change)
    return drift


@pytest.fixture(scope="module")
def worn(tmp_path_factory):
    """Thirty arms whose joint 3 gains 5 % of friction in the last ten of 40 days."""
    return fleet(tmp_path_factory.mktemp("worn") / "h", ARMS, DAYS, drift=planted(3))


def test_five_percent_in_ten_days_are_found(worn):
    """Every arm's joint 3 and nothing else alarms when its friction rises by 5 % in ten days."""
    alarms = worn.fleet().alarms
    assert {(t.figure, t.joint) for t in alarms} == {("friction", 3)}
    assert len({t.serial for t in alarms}) == ARMS


def test_intervals_hold_the_truth(worn):
    """The 95 % intervals hold size and first day in most arms when both are planted."""
    alarms = worn.fleet().alarms
    began = (START + datetime.timedelta(days=DAYS - 10)).date()
    sizes = np.mean([t.low <= 0.05 <= t.high for t in alarms])
    days = np.mean([t.since_low <= began <= t.since_high for t in alarms])
    assert sizes >= 0.8 and days >= 0.8
    assert np.median([abs((t.since - began).days) for t in alarms]) <= 2
    assert all((t.since_high - t.since_low).days <= 12 for t in alarms)


def test_less_friction_is_found_after_its_end(tmp_path):
    """A fall by 5 % is dated and sized when it ended 30 days ago."""
    history = fleet(tmp_path / "h", ARMS, 80, drift=planted(2, -0.05, 80, 40))
    alarms = history.fleet().alarms
    assert len(alarms) == ARMS
    assert all(t.joint == 2 and t.low < -0.04 and t.high < 0 for t in alarms)


def test_no_alarm_without_drift(tmp_path):
    """No arm alarms when 100 arms have a year without drift."""
    history = fleet(tmp_path / "h", 100, 365, seed=7)
    trends = history.drift()
    assert len(trends) == 1200 and not any(t.found for t in trends)
    assert history.fleet().passed


def test_slow_wander_is_no_drift(tmp_path):
    """No arm alarms when each day's scatter is correlated by 0.5 with the next day's."""
    history = fleet(tmp_path / "h", 60, 120, seed=3, scatter=Scatter(correlation=0.5))
    assert not history.fleet().alarms


def test_the_threshold_stands_for_its_rate():
    """The numbers of tests are at most those in use when years are simulated."""
    for correlation in (0.0, 0.5):
        lowest = simulate(DriftFreeSeries(80, correlation=correlation), every=20, seed=5)
        assert PHASES[2].tests / 20 < independent_tests(lowest[2], 0.05) < PHASES[2].tests


@pytest.mark.parametrize("stated", [1.0, 3.0])
def test_the_first_days_keep_their_rate(stated):
    """At most the stated share of 2,000 arms alarms when they are judged daily for 20 days.

    A rate of 0.03 lets 60 arms alarm; the standard deviation of that count is 8. Standard errors
    are those of the scatter, or three times as large.
    """
    lowest = simulate(DriftFreeSeries(2000, stated=stated), until=20, seed=4)
    assert 60 / 4 < alarming(lowest, 6, 0.03) < 60 + 8
    assert alarming(lowest, 6) <= 8  # 0.001 lets 2 arms alarm


def test_friction_gets_most_of_the_rate():
    """An arm's thresholds add up to the rate over the tests of a phase when weights differ."""
    part = np.repeat([5 / 36, 1 / 36], 6)
    for days, phase in ((10, PHASES[0]), (12, PHASES[0]), (13, PHASES[1]), (40, PHASES[2])):
        limits = threshold(1e-3, part, np.full(12, days))
        assert np.isclose(limits.sum() * phase.tests, 1e-3 * phase.share)


def test_ten_days_are_enough(tmp_path):
    """A rise by 5 % over ten days is found in most arms when there are no other days."""
    days = 10
    drift = np.zeros((60, days, 6))
    drift[:, :, 1] = ramp(days, 0, 10, 0.05)
    alarms = fleet(tmp_path / "h", 60, days, drift=drift).fleet().alarms
    assert len(alarms) > 0.7 * 60
    assert {(t.figure, t.joint) for t in alarms} == {("friction", 2)}
    assert np.mean([t.low <= 0.05 <= t.high for t in alarms]) >= 0.8


def test_no_alarm_in_ten_days_without_drift(tmp_path):
    """No arm alarms on any of its first 20 days when 100 arms do not drift."""
    for days in (8, 10, 14, 20):
        trends = fleet(tmp_path / f"{days}", 100, days, seed=days).drift()
        assert len(trends) == 1200 and not any(t.found for t in trends)
        assert all(np.isfinite(t.p) and t.change == t.change for t in trends)


def test_one_restless_joint_does_not_hide_another(tmp_path):
    """A drift is found when another joint of the arm scatters five times as much."""
    drift = planted(3) + 0.0
    drift[:, :, 0] += 0.025 * np.random.default_rng(1).standard_normal((ARMS, DAYS))
    alarms = fleet(tmp_path / "h", ARMS, DAYS, drift=drift).fleet().alarms
    assert {(t.figure, t.joint) for t in alarms} == {("friction", 3)}
    assert len(alarms) > 0.9 * ARMS


def warming(days=DAYS):
    """Return friction that falls by 1 % per kelvin while the room warms by 8 K from day 25 on."""
    return 8.0 * np.clip((np.arange(days) - 25) / 5, 0, 1)


def test_temperature_is_explained_before_drift_is_claimed(tmp_path):
    """Nothing alarms with temperatures, and warm-up is named without, when only the room warms."""
    import pyarrow as pa
    from benchmarks.synthetic_history import synthetic

    from armtwin.history.store import Store

    room = np.broadcast_to(warming()[None, :, None], (10, DAYS, 6))
    table = synthetic(10, DAYS, drift=-0.01 * room, scatter=Scatter(warmth=1.0))
    warm = table.column("temperature").combine_chunks()
    shifted = warm.flatten().to_numpy() + np.repeat(np.tile(warming(), 10), 6)
    column = pa.ListArray.from_arrays(warm.offsets, pa.array(shifted))
    place = table.column_names.index("temperature")
    Store(tmp_path / "with", create=True).write(
        table.set_column(place, table.schema.field(place), column)
    )
    Store(tmp_path / "without", create=True).write(
        table.set_column(place, table.schema.field(place), pa.nulls(len(table), column.type))
    )
    import armtwin as at

    known, unknown = at.History(tmp_path / "with"), at.History(tmp_path / "without")
    assert not known.fleet().alarms
    alarms = unknown.fleet().alarms
    assert len(alarms) > 10 and {t.temperature for t in alarms} == {"missing"}
    from armtwin.report.renderers.text import text

    assert "warm-up of the joint could explain" in text(unknown.arm(alarms[0].serial).page())


def test_drift_is_found_beside_temperature(worn):
    """The curve over temperature is recovered when friction drifts as well."""
    history = worn.arm("A00004")
    slopes = [curve.per_kelvin for curve in history.curves["friction"].values()]
    assert np.allclose(slopes, -0.01, atol=0.002)
    assert history.passed is False


def test_a_fleet_and_an_arm_agree(worn):
    """The same trends come out when an arm is judged alone."""
    alone = worn.drift("A00003")
    among = [t for t in worn.drift() if t.serial == "A00003"]
    for one, other in zip(alone, among, strict=True):
        assert (one.figure, one.joint, one.found) == (other.figure, other.joint, other.found)
        assert one.p == pytest.approx(other.p, rel=1e-6)
        assert one.change == pytest.approx(other.change, rel=1e-6)


def test_a_rate_is_a_share(worn):
    """A rate of false alarms outside 0 to 1 is refused when a history is judged."""
    with pytest.raises(InputError, match="between 0 and 1"):
        worn.drift(rate=0.0)


def test_few_days_are_not_judged(tmp_path):
    """The verdict is open when there are fewer days than a judgement takes."""
    found = fleet(tmp_path / "h", 1, 6).arm("A00000")
    assert found.passed is None
    assert found.page().verdict.word == "NOT JUDGED"
