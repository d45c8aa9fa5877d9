"""Contacts on a standing arm: planted pushes, hunting, drift, brakes and the start of motion."""

import numpy as np
import pytest
from benchmarks.contacts_at_rest import CONTACT, area, counted, spans
from benchmarks.standing_arms import standing, stop_and_go

import armtwin as at
from armtwin.detection.detect import calibrate_detector


@pytest.fixture(scope="module")
def touched():
    """Return a standing arm with contacts, what was planted and what was detected."""
    run, truth = standing(1, seconds=60, number=18)
    return run, truth, at.detect("ur5", run)


def test_contacts_are_detected(touched):
    """At least 9 of 10 contacts raise an alarm and none is false when a standing arm is pushed."""
    _, truth, found = touched
    hits, false = counted(found, truth)
    assert false == 0
    assert hits >= 0.9 * len(spans(truth))
    assert area(np.nan_to_num(found.evidence), truth.force > CONTACT) > 0.97


def test_plain_current_is_worse(touched):
    """Evidence ranks contacts better than zeroed currents when gears stick and hunt."""
    run, truth, found = touched
    current, contact = run.group("current"), truth.force > CONTACT
    plain = np.linalg.norm(current - np.median(current[130:250], axis=0), axis=1)
    assert area(np.nan_to_num(found.evidence), contact) > area(plain, contact) + 0.06


@pytest.mark.parametrize(
    "case",
    [
        {"seed": 10},
        {"seed": 11, "drift": 0.5},
        {"seed": 12, "brake": 25.0},
        {"seed": 13, "cold": True},
    ],
)
def test_hunting_drift_and_brakes_are_no_contact(case):
    """No alarm is raised when nobody touches an arm that hunts, drifts or closes its brakes."""
    run, _ = standing(seconds=40, **case)
    assert not at.detect("ur5", run).alarms


def test_live_equals_batch(touched):
    """The same alarms come sample by sample when a live detector has the same thresholds."""
    run, _, found = touched
    from armtwin.detection.detector import Detector

    data = at.detection_signals("ur5", run)
    live = Detector(found.model, found.thresholds, data.step)
    tau = data.torque(found.model.per_ampere)
    for k, time in enumerate(data.time.tolist()):
        live.step(time, data.q[k], data.qd[k], tau[k])
    assert tuple(live.alarms) == found.alarms


@pytest.mark.parametrize("with_target", [True, False])
def test_stops_and_starts_are_no_contact(with_target):
    """No alarm is raised when an arm stops, hunts, and breaks away from its stiction."""
    clean = calibrate_detector("ur5", stop_and_go(1, with_target=with_target))
    assert clean.thresholds.rest is not None
    assert not at.detect("ur5", stop_and_go(2, with_target=with_target), clean=clean).alarms


def test_constants_are_those_of_such_joints(touched):
    """11 Nm/A at joint 1 are taken and noted when arm file and motion do not show them."""
    found = touched[2]
    assert found.model.per_ampere[0] == 11.0
    assert any("torque constants" in note for note in found.notes)
