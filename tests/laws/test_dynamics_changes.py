"""What a payload, a rotor, the mounting and friction change in an arm's dynamics, and what not."""

import dataclasses

import numpy as np
import pytest
from moving_arms import ARMS, CATALOGUE, many_states, moving_arm, rotors
from scipy.integrate import solve_ivp

import armtwin as at
from armtwin.model.arm import Drive, Friction

pytestmark = pytest.mark.usefixtures("numpy_target")

PUSH = np.array([20.0, 40.0, 20.0, 1.0, 1.0, 0.02])
BODY = {
    "mass": 3.0,
    "com": (0.02, -0.05, 0.08),
    "inertia": (0.03, 0.04, 0.02, 0.002, -0.001, 0.003),
}


def tool_moved(arm, com):
    """Return the arm with its tool at a point of the flange frame."""
    shift = np.eye(4)
    shift[:3, 3] = com
    return arm.with_(tool=shift)


@pytest.mark.parametrize("name", ARMS)
def test_payload_adds_its_own_inertia_and_weight(name):
    """``M += m Jv^T Jv + Jw^T R I R^T Jw``, ``g -= m Jv^T g0`` when the flange carries a body."""
    bare = moving_arm(name)
    loaded = at.with_payload(bare, **BODY)
    q, *_ = many_states(bare, 20)
    at_centre = tool_moved(bare, BODY["com"])
    J, R = at.jacobian(at_centre, q), at.fk(at_centre, q)[:, :3, :3]
    xx, yy, zz, xy, xz, yz = BODY["inertia"]
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.swapaxes(1, 2)
    Jv, Jw = J[:, :3], J[:, 3:]
    more = BODY["mass"] * Jv.swapaxes(1, 2) @ Jv + Jw.swapaxes(1, 2) @ inertia @ Jw
    np.testing.assert_allclose(
        at.mass_matrix(loaded, q) - at.mass_matrix(bare, q), more, atol=1e-12
    )
    weight = -np.einsum("nij,i->nj", Jv, BODY["mass"] * np.array(bare.gravity))
    np.testing.assert_allclose(at.gravity(loaded, q) - at.gravity(bare, q), weight, atol=1e-11)


def test_payload_of_nothing_changes_nothing():
    """The same torques to rounding when the payload weighs nothing."""
    arm = at.load("ur5e")
    state = many_states(arm, 10)
    same = at.inverse_dynamics(at.with_payload(arm, 0.0), *state)
    np.testing.assert_allclose(same, at.inverse_dynamics(arm, *state), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", CATALOGUE)
def test_hanging_from_the_ceiling_turns_gravity_round(name):
    """``g`` changes its sign and M stays when the base is turned upside down."""
    arm = at.load(name)
    hung = at.with_mounting(arm, roll=np.pi)
    q, *_ = many_states(arm, 20)
    np.testing.assert_allclose(at.gravity(hung, q), -at.gravity(arm, q), atol=1e-12)
    assert np.array_equal(at.mass_matrix(hung, q), at.mass_matrix(arm, q))


def test_first_joint_bears_weight_only_on_a_wall():
    """Joint 1 carries nothing upright and something on a wall when its axis is vertical upright."""
    arm = at.load("ur10e")
    q, *_ = many_states(arm, 20)
    assert np.abs(at.gravity(arm, q)[:, 0]).max() < 1e-12
    assert np.abs(at.gravity(at.with_mounting(arm, pitch=np.pi / 2), q)[:, 0]).max() > 10.0


@pytest.mark.parametrize("name", CATALOGUE)
def test_weightless_arm_needs_no_holding(name):
    """``g = 0`` and ``tau = M qdd + C qd`` when there is no gravity."""
    arm = at.load(name).with_(gravity=(0.0, 0.0, 0.0))
    q, qd, qdd = many_states(arm, 10)
    assert not at.gravity(arm, q).any()
    rest = at.inverse_dynamics(arm, q, qd, qdd) - np.einsum(
        "nij,nj->ni", at.coriolis(arm, q, qd), qd
    )
    expected = np.einsum("nij,nj->ni", at.mass_matrix(arm, q), qdd)
    np.testing.assert_allclose(rest, expected, rtol=0, atol=1e-10)


def test_rotors_add_to_the_diagonal_alone():
    """M grows by ``(Jm + Jr) gear^2`` on its diagonal, C and g stay, when rotors are counted."""
    arm = at.load("ur5e-energy")
    bare = arm.with_(joints=tuple(dataclasses.replace(j, drive=None) for j in arm.joints))
    q, qd, _ = many_states(arm, 10)
    more = at.mass_matrix(arm, q) - at.mass_matrix(bare, q)
    np.testing.assert_allclose(more, np.broadcast_to(np.diag(rotors(arm)), more.shape), atol=1e-13)
    assert rotors(arm).min() > 0.2
    np.testing.assert_allclose(at.coriolis(arm, q, qd), at.coriolis(bare, q, qd), atol=1e-14)
    np.testing.assert_allclose(at.gravity(arm, q), at.gravity(bare, q), atol=1e-14)


def swinging(arm, seconds=1.0):
    """Let an arm move under a turning torque; return energies at both ends, work done and lost."""
    q0, qd0 = np.array([0.3, -1.2, 0.8, -0.4, 0.9, 0.1]), np.zeros(6)

    def rates(t, y):
        q, qd = y[:6], y[6:12]
        tau = PUSH * np.sin(3 * t + np.arange(6))
        lost = at.friction(arm, qd, tau) if arm.joints[0].drive else np.zeros(6)
        qdd = at.forward_dynamics(arm, q, qd, tau - lost, ignore_limits=True)
        return np.r_[qd, qdd, tau @ qd, lost @ qd]

    done = solve_ivp(rates, (0, seconds), np.r_[q0, qd0, 0, 0], "DOP853", rtol=1e-10, atol=1e-10)
    end = done.y[:, -1]
    ends = [
        at.energies(arm, q, qd, ignore_limits=True) for q, qd in ((q0, qd0), (end[:6], end[6:12]))
    ]
    return [e.kinetic + e.potential for e in ends], end[12], end[13]


def with_friction(arm):
    """Return the arm with direct drives that lose power."""
    numbers = (("coulomb", 2.0), ("smoothing", 0.2), ("viscous", 1.5))
    drive = Drive(motor_inertia=0.3, friction=Friction("viscous-coulomb", numbers))
    return arm.with_(joints=tuple(dataclasses.replace(j, drive=drive) for j in arm.joints))


def test_energy_balance_without_friction():
    """Energy grows by exactly the work done when nothing rubs."""
    (before, after), work, lost = swinging(at.load("ur5e"), 0.4)
    assert lost == 0
    assert abs(work) > 1
    assert after - before == pytest.approx(work, abs=1e-6)


def test_energy_balance_with_friction():
    """Energy grows by the work done less the friction's when joints rub."""
    (before, after), work, lost = swinging(with_friction(at.load("ur5e")))
    assert lost > 1
    assert after - before == pytest.approx(work - lost, abs=1e-6)
