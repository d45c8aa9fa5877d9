"""Contacts on a standing arm: planted pushes, hunting, drift, brakes and the start of motion."""

import numpy as np
import pytest
from standing_arms import HOME, STEP, standing

import armtwin as at
from armtwin.detection.detect import calibrate_detector
from armtwin.recording.recording import Recording


def spans(force, time):
    """Return begin and end of the contacts over 8 N, with the delay that an alarm may have."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], force > 8, [False]]).astype(int)))
    last = len(time) - 1
    return [(time[a] - 0.2, time[min(b, last)] + 0.3) for a, b in edges.reshape(-1, 2)]


def area(score, contact):
    """Return the area under the curve of hits over false alarms."""
    rank = np.argsort(np.argsort(score, kind="stable"), kind="stable")
    hits, misses = contact.sum(), (~contact).sum()
    return (rank[contact].sum() - hits * (hits - 1) / 2) / (hits * misses)


@pytest.fixture(scope="module")
def touched():
    """Return a standing arm with contacts, the force on it and what was detected."""
    run, force = standing(1, seconds=60, number=18)
    return run, force, at.detect("ur5", run)


def test_contacts_are_detected(touched):
    """At least 9 of 10 contacts raise an alarm and none is false when a standing arm is pushed."""
    run, force, found = touched
    alarms, true = [alarm.time for alarm in found.alarms], spans(force, run.time)
    assert all(any(a <= t <= b for a, b in true) for t in alarms)
    assert sum(any(a <= t <= b for t in alarms) for a, b in true) >= 0.9 * len(true)
    assert area(found.evidence, force > 8) > 0.94


def test_plain_current_is_worse(touched):
    """Evidence ranks contacts better than zeroed currents when gears stick and hunt."""
    run, force, found = touched
    current = run.group("current")
    plain = np.linalg.norm(current - np.median(current[130:250], axis=0), axis=1)
    assert area(found.evidence, force > 8) > area(plain, force > 8) + 0.03


@pytest.mark.parametrize(
    "case", [{"seed": 10}, {"seed": 11, "drift": 0.5}, {"seed": 12, "brake": 25.0}]
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


def stop_and_go(seed, with_target):
    """Return an arm that stands, swings and stands again, three times, with friction and noise."""
    rng, arm = np.random.default_rng(seed), at.load("ur5")
    t = STEP * np.arange(round(36 / STEP))
    phase = np.clip((t % 12.0 - 7.0) / 4.0, 0, 1)
    shape = phase - np.sin(2 * np.pi * phase) / (2 * np.pi)
    lap = np.floor(t / 12.0) % 2
    swing = np.where(lap == 0, shape, 1 - shape)
    q = HOME + 0.5 * np.outer(swing, [1, -0.4, 0.5, 1, -1, 1])
    qd = np.gradient(q, STEP, axis=0)
    dry = np.array([9.0, 10.0, 7.0, 2.0, 2.0, 2.0])
    stuck = np.zeros_like(q)
    for k in range(1, len(t)):
        held = stuck[k - 1] + (q[k] - q[k - 1]) * dry / 2e-4
        stuck[k] = np.clip(held, -dry, dry)
    tau = at.inverse_dynamics(arm, q, qd, np.gradient(qd, STEP, axis=0)) + stuck
    current = tau / np.array([11, 11, 11, 9.5, 9.5, 9.5]) + 0.01 * rng.standard_normal(q.shape)
    groups = {"q": q, "qd": np.round(qd / 0.002) * 0.002, "current": current}
    if with_target:
        groups["target_qd"] = np.where(np.abs(qd) > 1e-9, qd, 0.0)
    return Recording.of(t, groups, arm="ur5")


@pytest.mark.parametrize("with_target", [True, False])
def test_stops_and_starts_are_no_contact(with_target):
    """No alarm is raised when an arm stops, stands and starts against its stiction."""
    clean = calibrate_detector("ur5", stop_and_go(1, with_target))
    assert clean.thresholds.rest is not None
    assert not at.detect("ur5", stop_and_go(2, with_target), clean=clean).alarms


def test_constants_are_those_of_such_joints(touched):
    """11 Nm/A at joint 1 are taken and noted when arm file and motion do not show them."""
    found = touched[2]
    assert found.model.per_ampere[0] == 11.0
    assert any("torque constants" in note for note in found.notes)
