"""Pinocchio on the exported URDF computes the same dynamics to 1e-10."""

import numpy as np
import pinocchio as pin
import pytest
from moving_arms import ARMS, many_states, moving_arm, rotors
from synthetic_arms import random_arm

import armtwin as at
from armtwin.model.formats.urdf_writer import write_urdf

pytestmark = pytest.mark.usefixtures("numpy_target")

every_arm = pytest.mark.parametrize("name", ARMS)
STATES = 40
CLOSE = {"rtol": 0, "atol": 1e-10}


def engine(arm):
    """Return Pinocchio's model of an arm, with rotors and gravity, and its data."""
    model = pin.buildModelFromXML(write_urdf(arm))
    model.gravity.linear = np.array(arm.gravity)
    model.armature = rotors(arm)
    return model, model.createData()


def each(function, *states):
    """Return a function's values for every state."""
    return np.array([np.array(function(*state)) for state in zip(*states, strict=True)])


@every_arm
def test_torques(name):
    """``rnea`` gives our torques when the state is random."""
    arm = moving_arm(name)
    model, data = engine(arm)
    state = many_states(arm, STATES)
    theirs = each(lambda *s: pin.rnea(model, data, *s), *state)
    np.testing.assert_allclose(at.inverse_dynamics(arm, *state), theirs, **CLOSE)


@every_arm
def test_mass_matrix(name):
    """``crba`` gives our M when its upper triangle is mirrored."""
    arm = moving_arm(name)
    model, data = engine(arm)
    q, *_ = many_states(arm, STATES)
    upper = np.triu(each(lambda q: pin.crba(model, data, q), q))
    theirs = upper + np.triu(upper, 1).swapaxes(1, 2)
    np.testing.assert_allclose(at.mass_matrix(arm, q), theirs, **CLOSE)


@every_arm
def test_gravity_and_coriolis_torques(name):
    """Generalized gravity and ``C qd`` agree when the state is random."""
    arm = moving_arm(name)
    model, data = engine(arm)
    q, qd, _ = many_states(arm, STATES)
    g = each(lambda q: pin.computeGeneralizedGravity(model, data, q), q)
    np.testing.assert_allclose(at.gravity(arm, q), g, **CLOSE)
    C = each(lambda q, v: pin.computeCoriolisMatrix(model, data, q, v), q, qd)
    ours = np.einsum("nij,nj->ni", at.coriolis(arm, q, qd), qd)
    np.testing.assert_allclose(ours, np.einsum("nij,nj->ni", C, qd), **CLOSE)


@every_arm
def test_accelerations(name):
    """``aba`` gives our accelerations when torques act, to 1e-10 of their size."""
    arm = moving_arm(name)
    model, data = engine(arm)
    q, qd, tau = many_states(arm, STATES)
    theirs = each(lambda *s: pin.aba(model, data, *s), q, qd, tau)
    ours = at.forward_dynamics(arm, q, qd, tau)
    assert np.abs(ours - theirs).max() < 1e-10 * np.abs(theirs).max()


@every_arm
def test_energies(name):
    """Kinetic and potential energy of the links agree when rotors are left out.

    Pinocchio 4.1 counts the armature of some joints only, though its ``crba`` counts all.
    """
    arm = moving_arm(name)
    model, data = engine(arm)
    model.armature = np.zeros(arm.dof)
    q, qd, _ = many_states(arm, STATES)
    ours = at.energies(arm, q, qd)
    kinetic = each(lambda q, v: pin.computeKineticEnergy(model, data, q, v), q, qd)
    potential = each(lambda q: pin.computePotentialEnergy(model, data, q), q)
    links_alone = ours.kinetic - qd**2 @ rotors(arm) / 2
    np.testing.assert_allclose(links_alone, kinetic, **CLOSE)
    np.testing.assert_allclose(ours.potential, potential, **CLOSE)


@every_arm
def test_payload_and_mounting(name):
    """Torques agree when the arm carries a body and hangs on a sloping wall."""
    bare = moving_arm(name)
    inertia = (0.03, 0.04, 0.02, 0.002, -0.001, 0.003)
    loaded = at.with_payload(bare, 2.5, com=(0.1, -0.05, 0.2), inertia=inertia)
    arm = at.with_mounting(loaded, roll=0.7, pitch=-1.1, yaw=0.3)
    model, data = engine(arm)
    state = many_states(arm, STATES)
    theirs = each(lambda *s: pin.rnea(model, data, *s), *state)
    np.testing.assert_allclose(at.inverse_dynamics(arm, *state), theirs, **CLOSE)


@pytest.mark.parametrize("convention", ["modified-dh", "screws"])
def test_torques_survive_a_change_of_convention(convention):
    """Same torques to 1e-10 when the arm is written in another convention."""
    arm = at.load("ur5e")
    state = many_states(arm, STATES)
    ours = at.inverse_dynamics(at.convert(arm, convention), *state)
    np.testing.assert_allclose(ours, at.inverse_dynamics(arm, *state), **CLOSE)


@pytest.mark.parametrize("seed", range(8))
def test_torques_of_random_arms(seed):
    """``rnea`` gives our torques when the arm's rows, frames and gravity are random."""
    from armtwin.equations.dynamics.rigid_body import inverse_dynamics

    arm = random_arm(seed)
    model, data = engine(arm)
    run = inverse_dynamics(arm).function()
    for state in zip(*many_states(arm, 5, seed), strict=True):
        ours = np.array(run(*state)).ravel()
        np.testing.assert_allclose(ours, pin.rnea(model, data, *state), **CLOSE)
