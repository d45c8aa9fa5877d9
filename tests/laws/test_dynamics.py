"""Laws of rigid-body dynamics that hold for every arm with masses in every state."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving_arms import ARMS, LAW, moving_arm, rotors, slope, states, vectors

import armtwin as at

pytestmark = pytest.mark.usefixtures("numpy_target")

every_arm = pytest.mark.parametrize("name", ARMS)
FREE = {"ignore_limits": True}


def assert_same(ours, expected, tolerance=1e-12):
    """Compare to a tolerance that is relative to the largest number on either side."""
    scale = max(1.0, np.abs(ours).max(initial=0), np.abs(expected).max(initial=0))
    assert np.abs(ours - expected).max(initial=0) <= tolerance * scale


@every_arm
@given(data=st.data())
@LAW
def test_mass_matrix_is_symmetric_positive_definite(name, data):
    """M equals its transpose and has only positive eigenvalues when the arm stands anywhere."""
    arm = moving_arm(name)
    M = at.mass_matrix(arm, data.draw(vectors(arm.dof, 6.25)), **FREE)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0


@every_arm
@given(data=st.data())
@LAW
def test_mass_rate_less_twice_coriolis_is_skew(name, data):
    """``Mdot - 2 C`` is skew when C is taken at the same state."""
    arm = moving_arm(name)
    q, qd, _ = data.draw(states(arm))
    M_dot = slope(lambda x: at.mass_matrix(arm, x, **FREE), q, qd)
    S = M_dot - 2 * at.coriolis(arm, q, qd, **FREE)
    scale = max(1.0, np.abs(M_dot).max())
    assert np.abs(S + S.T).max() < 1e-7 * scale


@every_arm
@given(data=st.data())
@LAW
def test_coriolis_matrix_is_that_of_the_christoffel_symbols(name, data):
    """``C_kj = sum_i (dM_kj/dq_i + dM_ki/dq_j - dM_ij/dq_k) qd_i / 2`` when M is differenced."""
    arm = moving_arm(name)
    q, qd, _ = data.draw(states(arm))
    axes = np.eye(arm.dof)
    D = np.array([slope(lambda x: at.mass_matrix(arm, x, **FREE), q, axis) for axis in axes])
    # D[i, k, j] = dM_kj / dq_i
    symbols = (D + np.einsum("jki->ikj", D) - np.einsum("kij->ikj", D)) / 2
    C = np.einsum("ikj,i->kj", symbols, qd)
    assert_same(at.coriolis(arm, q, qd, **FREE), C, 1e-8)


@every_arm
@given(data=st.data())
@LAW
def test_torque_is_inertia_coriolis_and_gravity(name, data):
    """``tau = M qdd + C qd + g`` when each term is computed by itself."""
    arm = moving_arm(name)
    q, qd, qdd = data.draw(states(arm))
    M, C = at.mass_matrix(arm, q, **FREE), at.coriolis(arm, q, qd, **FREE)
    terms = M @ qdd + C @ qd + at.gravity(arm, q, **FREE)
    assert_same(at.inverse_dynamics(arm, q, qd, qdd, **FREE), terms)


@every_arm
@given(data=st.data())
@LAW
def test_torque_is_the_regressor_times_the_parameters(name, data):
    """``tau = Y pi + rotors qdd`` when pi holds the arm's own masses, moments and inertias."""
    arm = moving_arm(name)
    q, qd, qdd = data.draw(states(arm))
    linear = at.regressor(arm, q, qd, qdd, **FREE) @ at.link_parameters(arm) + rotors(arm) * qdd
    assert_same(at.inverse_dynamics(arm, q, qd, qdd, **FREE), linear)


@every_arm
@given(data=st.data())
@LAW
def test_forward_dynamics_undoes_inverse_dynamics(name, data):
    """The torque comes back when the acceleration that it causes is asked for its torque."""
    arm = moving_arm(name)
    q, qd, tau = data.draw(states(arm))
    qdd = at.forward_dynamics(arm, q, qd, tau, **FREE)
    assert_same(at.inverse_dynamics(arm, q, qd, qdd, **FREE), tau, 1e-11)


@every_arm
@given(data=st.data())
@LAW
def test_gravity_is_the_slope_of_potential_energy(name, data):
    """``g = dU/dq`` and does not depend on speed when U is differenced."""
    arm = moving_arm(name)
    q, qd, _ = data.draw(states(arm))

    def potential(x):
        return at.energies(arm, x, qd, **FREE).potential

    slopes = np.array([slope(potential, q, axis) for axis in np.eye(arm.dof)])
    assert_same(at.gravity(arm, q, **FREE), slopes, 1e-8)


@every_arm
@given(data=st.data())
@LAW
def test_kinetic_energy_is_half_the_speed_in_the_metric_of_mass(name, data):
    """``K = qd^T M qd / 2`` when M is computed by itself."""
    arm = moving_arm(name)
    q, qd, _ = data.draw(states(arm))
    K = at.energies(arm, q, qd, **FREE).kinetic
    assert_same(K, qd @ at.mass_matrix(arm, q, **FREE) @ qd / 2)


@every_arm
@given(data=st.data())
@LAW
def test_energy_grows_by_the_power_of_the_torque(name, data):
    """``d(K + U)/dt = tau . qd`` when the arm moves freely under tau."""
    arm = moving_arm(name)
    q, qd, tau = data.draw(states(arm))
    qdd = at.forward_dynamics(arm, q, qd, tau, **FREE)
    size = 1 + np.abs(qdd).max()

    def energy(state):
        there = at.energies(arm, *np.split(state, 2), **FREE)
        return there.kinetic + there.potential

    rate = slope(energy, np.r_[q, qd], np.r_[qd, qdd], step=1e-3 / size)
    assert abs(rate - tau @ qd) < 1e-8 * size * max(1.0, energy(np.r_[q, qd]))


@every_arm
@given(data=st.data())
@LAW
def test_momentum_terms_of_the_observer(name, data):
    """``p = M qd`` and ``beta = C^T qd - g`` when each matrix is computed by itself."""
    arm = moving_arm(name)
    q, qd, _ = data.draw(states(arm))
    ours = at.momentum(arm, q, qd, **FREE)
    M, C = at.mass_matrix(arm, q, **FREE), at.coriolis(arm, q, qd, **FREE)
    assert_same(ours.p, M @ qd)
    assert_same(ours.beta, C.T @ qd - at.gravity(arm, q, **FREE))


@pytest.mark.parametrize("name", [*ARMS, "desktop5", "ur3e-screws"])
@given(data=st.data())
@LAW
def test_wrench_on_the_tool_acts_through_the_jacobian(name, data):
    """``tau = J^T F`` when a wrench pulls at the tool, whether or not the arm has masses."""
    arm = moving_arm(name)
    q, wrench = data.draw(vectors(arm.dof, 6.25)), data.draw(vectors(6, 50.0))
    assert_same(at.wrench_torque(arm, q, wrench, **FREE), at.jacobian(arm, q, **FREE).T @ wrench)
