"""Pinocchio's analytic derivatives of the dynamics equal ours to 1e-9 of their size."""

import numpy as np
import pinocchio as pin
import pytest
from benchmarks.random_arm_laws import Engine
from moving_arms import many_states, moving_arm
from synthetic_arms import random_arm

import armtwin as at
from armtwin.equations.dynamics import derivatives as derivative_equations

pytestmark = pytest.mark.usefixtures("numpy_target")

STATES = 5


def assert_close(ours, theirs):
    """Compare matrices to 1e-9 of the largest entry of theirs."""
    for mine, other in zip(ours, theirs, strict=True):
        assert np.abs(mine - other).max() <= 1e-9 * np.abs(other).max()


def of_torques(engine, *state):
    """Return Pinocchio's derivatives of the torques; its last is an upper triangle."""
    by_q, by_qd, M = pin.computeRNEADerivatives(engine.model, engine.data, *state)
    return np.array(by_q), np.array(by_qd), np.triu(M) + np.triu(M, 1).T


def of_accelerations(engine, *state):
    """Return Pinocchio's derivatives of the accelerations; its last is an upper triangle."""
    found = pin.computeABADerivatives(engine.model, engine.data, *state)
    by_q, by_qd, inverse = (np.array(x) for x in found)
    return by_q, by_qd, np.triu(inverse) + np.triu(inverse, 1).T


def changed(name, change):
    """Return an arm as it is, or with a payload, a tool and a sloping base."""
    arm = moving_arm(name)
    if change == "bare":
        return arm
    loaded = at.with_payload(arm, 2.5, com=(0.1, -0.05, 0.2), inertia=(0.03, 0.04, 0.02, 0, 0, 0))
    tool = at.pose((0.05, -0.1, 0.2), (0.3, -0.2, 0.1))
    return at.with_mounting(loaded.with_(tool=tool), roll=0.7, pitch=-1.1)


@pytest.mark.parametrize(("name", "change"), [("ur10e", "bare"), ("ur5e-energy", "loaded")])
def test_catalogue_arms(name, change):
    """Both sets of derivatives agree when the arm is bare, and with payload, tool and slope."""
    arm = changed(name, change)
    theirs = Engine(arm)
    state = many_states(arm, STATES)
    torques = at.inverse_dynamics_derivatives(arm, *state)
    accelerations = at.forward_dynamics_derivatives(arm, *state)
    for k, one in enumerate(zip(*state, strict=True)):
        assert_close([x[k] for x in torques], of_torques(theirs, *one))
        assert_close([x[k] for x in accelerations], of_accelerations(theirs, *one))


@pytest.mark.parametrize("seed", range(6))
def test_random_arms(seed):
    """Both sets agree when rows, frames and gravity are random, sliding joints included."""
    arm = random_arm(seed, rows=5)
    theirs = Engine(arm)
    inverse = derivative_equations.inverse_derivatives(arm).function()
    forward = derivative_equations.forward_derivatives(arm).function()
    square = (arm.dof, arm.dof)
    for state in zip(*many_states(arm, 2, seed), strict=True):
        ours = [np.array(x).reshape(square) for x in inverse(*state)]
        assert_close(ours, of_torques(theirs, *state))
        ours = [np.array(x).reshape(square) for x in forward(*state)]
        assert_close(ours, of_accelerations(theirs, *state))
