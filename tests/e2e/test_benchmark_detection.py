"""The detection benchmark, made short."""

import numpy as np
import pytest
from benchmarks import detection
from benchmarks.detection_observers import DetectedContact, score
from benchmarks.detection_speed import PinocchioObserver
from benchmarks.detection_trials import random_pushes

import armtwin as at


@pytest.fixture(scope="module")
def found():
    """Return the lines of a short matrix with one scenario."""
    short = {"CLEAN": 12.0, "HELD": 8.0, "ELSEWHERE": 8.0, "SIZES": (20.0, 1.0)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in short.items():
            patch.setattr(detection, name, value)
        return detection.lines("exact", 4)


def test_matrix_of_the_exact_model(found):
    """Every observer finds every push and nothing is missed when the model is exact."""
    assert [line.observer for line in found] == ["first order", "bank, plain", "default"]
    assert all(line.smallest() == 1.0 for line in found)
    assert detection.misses(found) == []


def test_misses_are_reported(found):
    """Late, missing and false alarms are reported when there are some."""
    bad = score([DetectedContact(9.0, 9.1, (0.0,) * 6)], random_pushes(20.0, 4, 1))
    line = detection.Line("friction", "default", {20.0: bad}, 2, 0)
    reported = detection.misses([line])
    assert line.smallest() is None
    assert any("2 false alarms" in text for text in reported)
    assert any("0% of 20 Nm" in text for text in reported)


def test_pushes_are_spread():
    """All joints, both signs and no overlap are there when pushes are drawn."""
    pushes = random_pushes(20.0, 40, 3)
    assert {push.joint for push in pushes} == {1, 2, 3, 4, 5, 6}
    assert sum(push.torque > 0 for push in pushes) == 20
    ends = [push.start + push.duration for push in pushes]
    assert all(b.start - a > 0.5 for a, b in zip(ends, pushes[1:], strict=False))


def test_peer_estimates_the_same():
    """The Pinocchio observer comes to the same residual when a held arm is pushed."""
    pytest.importorskip("pinocchio")
    from armtwin.detection.observers.momentum import MomentumObserver

    arm, q = at.load("ur10e"), np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
    push = np.array([5.0, -20.0, 3.0, 1.0, -0.5, 0.2])
    tau, still = at.gravity(arm, q) - push, np.zeros(6)
    ours, peer = MomentumObserver(arm, 25.0), PinocchioObserver(arm, 25.0)
    for k in range(400):
        a, b = (o.step(q, still, tau, 0.002 if k else 0.0) for o in (ours, peer))
    np.testing.assert_allclose(a, push, rtol=0, atol=1e-6)
    np.testing.assert_allclose(b, push, rtol=0, atol=1e-6)
