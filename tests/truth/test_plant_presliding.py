"""A plant with presliding friction: it holds without creep or chatter, and slides beyond."""

import numpy as np
import pytest
from presliding_arms import HOME, with_presliding

import armtwin as at
from armtwin.simulation.plant import Plant


@pytest.fixture(scope="module")
def pushed():
    """Return positions (n, dof) every 10 ms: held, pushed by a torque below friction, held."""
    arm = with_presliding(2e-3)
    plant = Plant(arm, 0.002)
    plant.reset(HOME, np.zeros(6))
    gravity = at.inverse_dynamics(arm, HOME, np.zeros(6), np.zeros(6))
    found = []
    for k in range(400):
        extra = 2.0 if 100 <= k < 300 else 0.0
        plant.advance(gravity + extra * (np.arange(6) == 0), (), 5)
        found.append((plant.q.copy(), plant.qd.copy()))
    return np.array(found)


def test_a_standing_arm_holds(pushed):
    """Nothing creeps or chatters when motors carry the weight and then a torque below friction."""
    q, qd = pushed[:, 0], pushed[:, 1]
    assert np.abs(q[90] - HOME).max() < 1e-4
    assert np.ptp(q[280:300], axis=0).max() < 1e-8
    assert np.abs(qd[299]).max() < 1e-6


def test_presliding_is_elastic_with_hysteresis(pushed):
    """Joint 1 yields by less than its presliding and comes back in part when torque is released."""
    q = pushed[:, 0, 0]
    yielded, left = q[299] - q[99], q[399] - q[99]
    assert 1e-5 < yielded < 2e-3
    assert 0 < left < 0.8 * yielded


def test_it_slides_beyond_its_friction():
    """A joint accelerates when its torque exceeds all of its friction."""
    arm = with_presliding(2e-3)
    plant = Plant(arm, 0.002)
    plant.reset(HOME, np.zeros(6))
    gravity = at.inverse_dynamics(arm, HOME, np.zeros(6), np.zeros(6))
    plant.advance(gravity + 25.0 * (np.arange(6) == 0), (), 200)
    assert plant.q[0] - HOME[0] > 0.05
