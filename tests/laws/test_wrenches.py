"""Laws of dynamics under a wrench on the tool, and of derivatives of the dynamics."""

import numpy as np
import pytest
from moving_arms import many_states, slope
from synthetic_arms import random_arm

import armtwin as at
from armtwin.errors import InputError

pytestmark = pytest.mark.usefixtures("numpy_target")

ARM = random_arm(3, rows=5)
STATES = 4
Q, QD, QDD = many_states(ARM, STATES)
WRENCH = np.random.default_rng(1).uniform(-20, 20, (STATES, 6))


def test_inverse_dynamics_lose_the_wrench_torque():
    """``tau = M qdd + C qd + g - J^T F`` when a wrench acts on the tool."""
    ours = at.inverse_dynamics_with_wrench(ARM, Q, QD, QDD, WRENCH)
    J = at.jacobian(ARM, Q)
    expected = at.inverse_dynamics(ARM, Q, QD, QDD) - np.einsum("nij,ni->nj", J, WRENCH)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_forward_dynamics_invert_inverse_dynamics():
    """The acceleration is back when the torques that it needs under the wrench are applied."""
    tau = at.inverse_dynamics_with_wrench(ARM, Q, QD, QDD, WRENCH)
    qdd = at.forward_dynamics_with_wrench(ARM, Q, QD, tau, WRENCH)
    np.testing.assert_allclose(qdd, QDD, rtol=0, atol=1e-9)


@pytest.mark.parametrize("frame", ["tool", "flange"])
def test_power_of_a_wrench_is_the_same_in_every_frame(frame):
    """``F . twist`` is equal in the sensor's frame and in base axes when the joints move."""
    seen = ARM if frame == "tool" else ARM.with_(tool=at.pose((0, 0, 0), (0, 0, 0)))
    twist = np.einsum("nij,nj->ni", at.jacobian(seen, Q), QD)
    R = at.fk(seen, Q)[:, :3, :3]
    own = np.concatenate([np.einsum("nji,nj->ni", R, v) for v in np.split(twist, 2, axis=1)], 1)
    in_base = at.base_wrench(ARM, Q, WRENCH, frame=frame)
    at_tool = np.einsum("nij,nj->ni", at.jacobian(ARM, Q), QD)
    np.testing.assert_allclose((in_base * at_tool).sum(1), (WRENCH * own).sum(1), atol=1e-10)


def test_unknown_frame_of_a_wrench():
    """An error lists the frames when a wrench is given in another one."""
    with pytest.raises(InputError, match="frame tool or flange; got 'elbow'"):
        at.base_wrench(ARM, Q, WRENCH, frame="elbow")


@pytest.mark.parametrize("with_wrench", [False, True])
def test_derivatives_are_slopes(with_wrench):
    """Derivatives equal five-point differences when state and input are moved one by one."""
    push = {"wrench": WRENCH[0]} if with_wrench else {}
    wrench = WRENCH[0] if with_wrench else np.zeros(6)
    state = [Q[0], QD[0], QDD[0]]
    pairs = [
        (at.inverse_dynamics_with_wrench, at.inverse_dynamics_derivatives),
        (at.forward_dynamics_with_wrench, at.forward_dynamics_derivatives),
    ]
    for function, derivatives in pairs:
        for which, matrix in enumerate(derivatives(ARM, *state, **push)):

            def moved(x, which=which, function=function):
                return function(ARM, *state[:which], x, *state[which + 1 :], wrench)

            columns = [slope(moved, state[which], axis) for axis in np.eye(ARM.dof)]
            size = np.abs(matrix).max()
            np.testing.assert_allclose(matrix, np.transpose(columns), rtol=0, atol=1e-7 * size)


def test_derivatives_of_a_batch_are_those_of_its_states():
    """Row k of a batch is the result of state k, and names are those of the fields."""
    found = at.inverse_dynamics_derivatives(ARM, Q, QD, QDD)
    assert found._fields == ("dtau_dq", "dtau_dqd", "dtau_dqdd")
    assert found.dtau_dq.shape == (STATES, ARM.dof, ARM.dof)
    one = at.inverse_dynamics_derivatives(ARM, Q[2], QD[2], QDD[2])
    for batch, single in zip(found, one, strict=True):
        np.testing.assert_allclose(batch[2], single, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.dtau_dqdd, at.mass_matrix(ARM, Q), rtol=1e-13)
    inverse = at.forward_dynamics_derivatives(ARM, Q, QD, QDD).dqdd_dtau
    np.testing.assert_allclose(
        inverse @ found.dtau_dqdd, np.tile(np.eye(ARM.dof), (4, 1, 1)), atol=1e-9
    )
