"""A simulated arm on a circle is pushed, and the detector says when, where and how hard."""

import numpy as np
import pytest

import armtwin as at

PATH = at.Circle(radius=0.2, period=4.0, seconds=5.0)
PUSH = at.Push(joint=2, torque=20.0, start=3.0, duration=0.5)


@pytest.fixture(scope="module")
def arm():
    """Return the arm that is simulated."""
    return at.load("ur10e")


@pytest.fixture(scope="module")
def clean(arm):
    """Return an undisturbed run."""
    return at.simulate(arm, PATH, seed=1)


@pytest.fixture(scope="module")
def pushed(arm):
    """Return a run with one push on joint 2."""
    return at.simulate(arm, PATH, pushes=[PUSH], seed=2)


def test_tracking(arm, clean):
    """The tool stays within 0.1 mm RMS of the circle when the controller knows the arm exactly."""
    true = np.column_stack([clean[f"true_{axis}"] for axis in "xyz"])
    wanted = at.fk(arm, clean.group("target_q"))[:, :3, 3]
    assert np.sqrt(((true - wanted) ** 2).sum(axis=1).mean()) < 1e-4


def test_same_seed_same_run(arm, clean):
    """Every column is the same bit for bit when the seed is the same, and not when it differs."""
    again, other = (at.simulate(arm, PATH, seed=seed) for seed in (1, 3))
    assert all(np.array_equal(clean[name], again[name]) for name in clean.columns)
    assert not np.array_equal(clean["q1"], other["q1"])


def test_true_external_torque(pushed):
    """The recorded external torque is 20 Nm on joint 2 alone when the push acts, else nothing."""
    middle = (pushed.time > 3.01) & (pushed.time < 3.49)
    np.testing.assert_allclose(pushed["tau_ext2"][middle], 20.0, atol=1e-9)
    assert not pushed["tau_ext2"][pushed.time < 2.99].any()
    assert not pushed["tau_ext1"].any()


def test_push_raises_an_alarm(arm, clean, pushed):
    """The first alarm comes within 6 ms, on joint 2, at 20 Nm when a joint is pushed."""
    alarms = at.detect(arm, pushed, clean=clean).alarms
    assert 3.0 <= alarms[0].time <= 3.006
    assert {alarm.joint for alarm in alarms} == {2}
    assert max(alarm.torque for alarm in alarms) == pytest.approx(20.0, abs=0.3)
    assert all(alarm.time < 3.6 for alarm in alarms)


def test_clean_run_is_silent(arm, clean):
    """No alarm is raised when another clean run is observed."""
    assert not at.detect(arm, at.simulate(arm, PATH, seed=4), clean=clean).alarms
