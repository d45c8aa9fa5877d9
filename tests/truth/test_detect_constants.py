"""Torque constants that a detector takes: planted drives, with and without a catalogue value."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.detection.learning.torque_constants import fit_constants
from armtwin.detection.observer_model import SMOOTHING
from armtwin.recording.recording import Recording

PLANTED = np.array([12.0, 10.4, 11.5, 9.0, 9.0, 9.0])
DRY = np.array([9.0, 10.0, 7.0, 2.0, 2.0, 2.0])
STEP = 0.008


@pytest.fixture(scope="module")
def signals():
    """Return a function from a factor on all currents to the signals of a swinging UR5."""
    arm, t = at.load("ur5"), STEP * np.arange(2500)
    w = np.array([0.5, 0.7, 0.9, 1.1, 1.0, 0.8])
    q = np.deg2rad([20, -70, 95, -100, -80, 10]) + 0.6 * np.sin(np.outer(t, w))
    qd, qdd = np.gradient(q, STEP, axis=0), -0.6 * w**2 * np.sin(np.outer(t, w))
    tau = at.inverse_dynamics(arm, q, qd, qdd)
    noise = 0.02 * np.random.default_rng(0).standard_normal(q.shape)

    def with_factor(factor):
        current = factor * tau / PLANTED + DRY * np.tanh(qd / 0.01) / PLANTED + noise
        run = Recording.of(t, {"q": q, "qd": qd, "current": current}, arm="ur5")
        return at.detection_signals(arm, run)

    return with_factor


def test_joints_that_carry_weight_are_refined(signals):
    """Planted constants come back at joints 2 and 3, the catalogue's stay where nothing shows."""
    found, note = fit_constants(at.load("ur5"), [signals(1.0)], SMOOTHING)
    np.testing.assert_allclose(found[1:3], PLANTED[1:3], rtol=0.02)
    assert found[0] == 11.0
    assert found[5] == 9.0
    assert "refined at joint 2, 3" in note
    assert "does not show it at joint 1" in note


def test_constants_that_no_such_joint_has_are_refused(signals):
    """The catalogue's constants stay, and a note says so, when currents ask for 60 % of them."""
    found, note = fit_constants(at.load("ur5"), [signals(1.7)], SMOOTHING)
    assert found[1] == 11.0
    assert "at joint 2" in note
    assert "which no such joint has" in note


def test_unknown_constants_are_named(signals):
    """Joints without load are named with the assumed figure when the arm is of no known maker."""
    arm = at.load("ur5")
    joints = [dataclasses.replace(joint, name=f"axis{k}") for k, joint in enumerate(arm.joints)]
    found, note = fit_constants(arm.with_(joints=tuple(joints)), [signals(1.0)], SMOOTHING)
    np.testing.assert_allclose(found[1:3], PLANTED[1:3], rtol=0.03)
    assert found[0] == found[5]
    assert "is unknown at joint 1" in note
    assert f"current times {found[0]:.3g} Nm/A" in note
