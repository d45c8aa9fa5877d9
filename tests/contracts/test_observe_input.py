"""What detectors make of recordings that they cannot use, or not wholly."""

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import InputError, MissingColumnError
from armtwin.observe.detect import calibrate, detect
from armtwin.record.recording import Recording

ARM = at.load("ur10e")
PATH = at.Circle(seconds=4.0)


@pytest.fixture(scope="module")
def clean():
    """Return an undisturbed run."""
    return at.simulate(ARM, PATH, seed=1)


@pytest.fixture(scope="module")
def learned(clean):
    """Return what it teaches."""
    return calibrate(ARM, clean)


def changed(run, rows=slice(None), **columns):
    """Return rows of a recording with columns replaced, or left out where None."""
    data = {name: values[rows].copy() for name, values in run.data.items()}
    for name, value in columns.items():
        for column in [c for c in data if c.rstrip("0123456789") == name]:
            if value is None:
                del data[column]
            else:
                data[column][:] = value
    return Recording(run.time[rows], data, arm="ur10e", origin="changed")


def test_without_torques_and_currents(clean, learned):
    """A MissingColumnError names what is missing when there are neither torques nor currents."""
    with pytest.raises(MissingColumnError, match=r"tau1.*current1"):
        detect(ARM, changed(clean, tau=None, current=None, command=None), clean=learned)


def test_without_positions(clean, learned):
    """A MissingColumnError is raised when there are no joint positions."""
    with pytest.raises(MissingColumnError):
        detect(ARM, changed(clean, q=None), clean=learned)


def test_without_speeds(clean):
    """The notes tell that speeds are differences of positions when none were recorded."""
    run = changed(clean, qd=None)
    found = detect(ARM, run, clean=run)
    assert any("taken from differences" in note for note in found.notes)
    assert found.alarms == ()


def test_other_rate_than_the_clean_run(clean, learned):
    """An InputError tells both rates when a recording's is not that of the clean run."""
    with pytest.raises(InputError, match=r"250 samples a second.*500.*resample"):
        detect(ARM, changed(clean, slice(None, None, 2)), clean=learned)
    with pytest.raises(InputError, match="250 samples a second"):
        calibrate(ARM, [clean, changed(clean, slice(None, None, 2))])


def test_too_short_clean_runs(clean):
    """An InputError says so when clean runs are too short to teach anything."""
    for rows in (2, 60, 110):
        with pytest.raises(InputError):
            calibrate(ARM, changed(clean, slice(0, rows)))
    with pytest.raises(InputError, match="at least one"):
        calibrate(ARM, [])


def test_all_nan(clean, learned):
    """No alarm is raised and all samples are counted when every one holds NaN."""
    broken = changed(clean, tau=np.nan)
    found = detect(ARM, broken, clean=learned)
    assert found.alarms == ()
    assert np.isnan(found.score).all()
    assert any(note.startswith(f"{len(clean)} samples held NaN") for note in found.notes)
    with pytest.raises(InputError, match="without gaps and NaN"):
        calibrate(ARM, broken)


def test_another_arms_recording(clean):
    """An InputError is raised when the recording has another number of joints."""
    with pytest.raises(InputError, match="5"):
        detect(at.load("desktop5"), clean)


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan])
def test_false_alarm_rate_must_be_positive(clean, rate):
    """An InputError is raised when the wanted rate of false alarms makes no sense."""
    with pytest.raises(InputError, match="positive"):
        calibrate(ARM, clean, per_hour=rate)


def test_live_samples_of_any_kind(clean, learned):
    """Lists count as arrays, a wrong length is refused, a NaN in time is counted when live."""
    live = learned.detector()
    live.step(0.0, *[[0.0] * 6] * 3)
    with pytest.raises(InputError, match="expected"):
        live.step(0.002, *[np.zeros(5)] * 3)
    assert not live.step(np.nan, *[np.zeros(6)] * 3).contact
    assert live.torque.missing == 1


def test_time_that_runs_back_starts_anew(clean, learned):
    """The detector starts anew and raises nothing when time jumps back."""
    live = learned.detector()
    q, qd, tau = (clean.group(name) for name in ("q", "qd", "tau"))
    for row in [*range(600), *range(300, 600)]:
        live.step(float(clean.time[row]), q[row], qd[row], tau[row])
    assert live.torque.restarts == 1
    assert live.alarms == []
