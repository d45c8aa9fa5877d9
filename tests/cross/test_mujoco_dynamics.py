"""MuJoCo on the exported MJCF computes the same dynamics to 1e-10."""

import mujoco
import numpy as np
import pytest
from moving_arms import ARMS, many_states, moving_arm

import armtwin as at
from armtwin.model.formats.mjcf_writer import write_mjcf

pytestmark = pytest.mark.usefixtures("numpy_target")

every_arm = pytest.mark.parametrize("name", ARMS)
STATES = 40
CLOSE = {"rtol": 0, "atol": 1e-10}


def engine(arm):
    """Return MuJoCo's model of an arm, without friction and limits, and its data."""
    model = mujoco.MjModel.from_xml_string(write_mjcf(arm))
    model.dof_damping[:] = 0
    model.dof_frictionloss[:] = 0
    model.jnt_limited[:] = 0
    return model, mujoco.MjData(model)


def moved(model, data, q, qd):
    """Bring the data to a state."""
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)


@every_arm
def test_mass_matrix(name):
    """``mj_fullM`` gives our M, rotors (armature) included, when the state is random."""
    arm = moving_arm(name)
    model, data = engine(arm)
    q, qd, _ = many_states(arm, STATES)
    theirs = np.zeros((STATES, arm.dof, arm.dof))
    for k in range(STATES):
        moved(model, data, q[k], qd[k])
        mujoco.mj_fullM(model, data, theirs[k])
    np.testing.assert_allclose(at.mass_matrix(arm, q), theirs, **CLOSE)


@every_arm
def test_bias_and_gravity(name):
    """``qfrc_bias`` is ``C qd + g`` in motion and g at rest."""
    arm = moving_arm(name)
    model, data = engine(arm)
    q, qd, _ = many_states(arm, STATES)
    still = np.zeros(arm.dof)
    for k in range(STATES):
        moved(model, data, q[k], qd[k])
        ours = at.coriolis(arm, q[k], qd[k]) @ qd[k] + at.gravity(arm, q[k])
        np.testing.assert_allclose(ours, data.qfrc_bias, **CLOSE)
        moved(model, data, q[k], still)
        np.testing.assert_allclose(at.gravity(arm, q[k]), data.qfrc_bias, **CLOSE)


@every_arm
def test_inverse_dynamics(name):
    """``mj_inverse`` gives our torques when the motion is random."""
    arm = moving_arm(name)
    model, data = engine(arm)
    q, qd, qdd = many_states(arm, STATES)
    theirs = np.zeros((STATES, arm.dof))
    for k in range(STATES):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], qd[k], qdd[k]
        mujoco.mj_inverse(model, data)
        theirs[k] = data.qfrc_inverse
    np.testing.assert_allclose(at.inverse_dynamics(arm, q, qd, qdd), theirs, **CLOSE)


@every_arm
def test_forward_dynamics(name):
    """``qacc`` is our acceleration when torques act, to 1e-10 of its size."""
    arm = moving_arm(name)
    model, data = engine(arm)
    q, qd, tau = many_states(arm, STATES)
    theirs = np.zeros((STATES, arm.dof))
    for k in range(STATES):
        data.qfrc_applied[:] = tau[k]
        moved(model, data, q[k], qd[k])
        theirs[k] = data.qacc
    ours = at.forward_dynamics(arm, q, qd, tau)
    assert np.abs(ours - theirs).max() < 1e-10 * np.abs(theirs).max()


def test_rotors_are_armature():
    """MuJoCo's armature is ``(Jm + Jr) gear^2`` when the arm has drives."""
    arm = at.load("ur5e-energy")
    model, _ = engine(arm)
    expected = [(j.drive.motor_inertia + j.drive.reducer_inertia) * 1e4 for j in arm.driven]
    np.testing.assert_allclose(model.dof_armature, expected, rtol=1e-12)
