"""Laws of the controllers: what they ask for, and how a matched arm behaves under them."""

import numpy as np

import armtwin as at
from armtwin.control.controller import ComputedTorque, GravityPD
from armtwin.control.controller_models import controller_model, cylinders, without_drives
from armtwin.simulation.typical_drives import with_real_drives

ARM = at.load("ur10e")
RANDOM = np.random.default_rng(4)
Q, QD, QDD = RANDOM.uniform(-1, 1, (3, 6))


def test_computed_torque_without_error_is_inverse_dynamics():
    """Exactly the motion's torque is asked for when the arm is where it should be."""
    tau = ComputedTorque(ARM).torque(Q, QD, Q, QD, QDD)
    np.testing.assert_allclose(tau, at.inverse_dynamics(ARM, Q, QD, QDD), rtol=1e-12)


def test_matched_error_obeys_the_second_order_law():
    """The error's acceleration is -kv e' - kp e when plant and model are the same."""
    e, ed = RANDOM.normal(0, 0.1, (2, 6))
    tau = ComputedTorque(ARM, kp=90.0, kv=13.0).torque(Q - e, QD - ed, Q, QD, QDD)
    qdd = at.forward_dynamics(ARM, Q - e, QD - ed, tau)
    np.testing.assert_allclose(QDD - qdd, -13.0 * ed - 90.0 * e, rtol=0, atol=1e-9)


def test_damping_is_critical_unless_given():
    """Damping is 2 sqrt(kp) when only kp is given."""
    np.testing.assert_allclose(ComputedTorque(ARM, kp=100.0).kv, 20.0)


def test_gravity_pd_holds_still():
    """Only the weight is held when the arm stands where it should."""
    none = np.zeros(6)
    tau = GravityPD(ARM).torque(Q, none, Q, none, QDD)
    np.testing.assert_allclose(tau, at.gravity(ARM, Q), rtol=1e-12)
    off = GravityPD(ARM, kp=10.0, kd=2.0).torque(Q - 0.1, QD, Q, none, none)
    np.testing.assert_allclose(off, 1.0 - 2.0 * QD + at.gravity(ARM, Q - 0.1), rtol=1e-12)


def test_friction_is_fed_forward_by_its_share():
    """The model's friction at the wanted speed is added when the share asks for it."""
    arm = with_real_drives(ARM)
    whole = ComputedTorque(arm).torque(Q, QD, Q, QD, QDD)
    none = ComputedTorque(arm, friction=0.0).torque(Q, QD, Q, QD, QDD)
    np.testing.assert_allclose(whole - none, at.friction(arm, QD, none), rtol=1e-9)


def test_models_differ_as_they_say():
    """Drives are gone in datasheet and inertias are cylinders when a model is chosen."""
    plant = with_real_drives(ARM)
    assert controller_model(plant, "exact") is plant
    assert all(joint.drive is None for joint in controller_model(plant, "datasheet").joints)
    round_ = controller_model(plant, "cylinders")
    m, r, L = 13.051, 0.054, 0.6127
    np.testing.assert_allclose(
        round_.joints[1].link.inertia[:3],
        [m * r**2 / 2, m * (3 * r**2 + L**2) / 12, m * (3 * r**2 + L**2) / 12],
    )
    assert [j.link.com for j in round_.joints] == [j.link.com for j in ARM.joints]
    assert controller_model(plant, "ur10").name == "ur10"
    assert cylinders(ARM) == round_
    assert without_drives(ARM) == ARM
