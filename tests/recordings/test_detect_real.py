"""Contacts on a real UR5, detected from motor currents, against a force sensor."""

import numpy as np
import pytest
from data_folder import recording_file

import armtwin as at
from armtwin.detection.detect import calibrate_detector, detect
from armtwin.detection.learning.torque_constants import fit_constants
from armtwin.detection.observer_model import SMOOTHING
from armtwin.recording.read import read_recording


@pytest.fixture(scope="module")
def arm():
    """Return the arm."""
    return at.load("ur5")


@pytest.fixture(scope="module")
def learned(arm):
    """Return what the undisturbed run teaches."""
    clean = read_recording(recording_file("ur5_force/ur5_kkufieta_No9_NoDist.csv.gz"), arm)
    return calibrate_detector(arm, clean)


@pytest.fixture(scope="module")
def run(arm):
    """Return the same motion, touched, with the force sensor beside it."""
    return read_recording(recording_file("ur5_force/ur5_kkufieta_No9_ForceSensor.csv.gz"), arm)


def area(score, contact):
    """Return the area under the curve of hits over false alarms."""
    rank = np.argsort(np.argsort(score, kind="stable"), kind="stable")
    hits, misses = contact.sum(), (~contact).sum()
    return (rank[contact].sum() - hits * (hits - 1) / 2) / (hits * misses)


def test_contacts_over_8_newton(arm, learned, run):
    """The area under the curve is above 0.96 when evidence ranks contacts over 8 N."""
    contact = run["contact_gt8N"] > 0.5
    found = detect(arm, run, clean=learned)
    assert area(np.nan_to_num(found.evidence), contact) > 0.96


def test_alarms_are_contacts(arm, learned, run):
    """Most contacts are found and no alarm is false when thresholds come from the clean run."""
    contact = run["contact_gt8N"] > 0.5
    edges = np.flatnonzero(np.diff(contact.astype(int)))
    spans = [
        (run.time[a] - 0.2, run.time[b] + 0.1) for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]
    alarms = [alarm.time for alarm in detect(arm, run, clean=learned).alarms]
    assert all(any(a <= t <= b for a, b in spans) for t in alarms)
    assert sum(any(a <= t <= b for t in alarms) for a, b in spans) >= 0.8 * len(spans)


def test_alone_no_alarm_is_false(arm, run):
    """Some contacts are found and no alarm is false when the touched run is all there is."""
    contact = run["contact_gt8N"] > 0.5
    found = detect(arm, run)
    near = [contact[(run.time > a.time - 0.1) & (run.time < a.time + 0.2)] for a in found.alarms]
    assert len(near) >= 3
    assert all(some.any() for some in near)
    assert area(np.nan_to_num(found.evidence), contact) > 0.93


@pytest.mark.parametrize("name", ["No9_NoDist", "No9_ForceSensor"])
def test_joint_1_keeps_the_catalogue_constant(arm, name):
    """11 Nm/A stay at joint 1 when no motion of the file shows them, with or without contacts."""
    file = recording_file(f"ur5_force/ur5_kkufieta_{name}.csv.gz")
    signals = at.detection_signals(arm, read_recording(file, arm))
    constants, note = fit_constants(arm, [signals], SMOOTHING)
    assert constants[0] == 11.0
    assert "does not show it at joint 1" in note
    assert np.abs(constants[1:3] / 11.0 - 1).max() < 0.12
