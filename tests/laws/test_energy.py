"""Laws of the energy ledger: it balances, and its entries are what physics says they are."""

import numpy as np
import pytest
from energy_arms import ARM, quintic_motion, smooth_motion, still, wheel

import armtwin as at
from armtwin.dynamics.regeneration import RULES
from armtwin.energy.ledger import ledger
from armtwin.energy.power import run_flows

SEEDS = range(6)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", SEEDS)
def test_ledger_balances(rule, seed):
    """Drawn equals links, friction, heat, loss and given back to 1e-9 when a motion is random."""
    book = ledger(ARM, smooth_motion(ARM, seed), rule=rule, idle=25.0)
    assert book.balance < 1e-9 * book.drawn.max()
    spent = book.links + book.friction + book.joule + book.loss + book.regenerated
    np.testing.assert_allclose(book.drawn.sum(), spent.sum(), rtol=1e-9)
    np.testing.assert_allclose(book.total, book.motors + 25.0 * book.duration, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_work_on_links_is_the_change_of_energy(seed):
    """Work on links and rotors equals the change of kinetic and potential energy when it moves."""
    motion = smooth_motion(ARM, seed)
    half = len(motion) // 2
    part = type(motion)(*(getattr(motion, n)[:half] for n in ("time", "q", "qd", "qdd")))
    energies = at.energies(ARM, part.q, part.qd)
    change = (energies.kinetic + energies.potential)[[0, -1]]
    book = ledger(ARM, part, rule="ideal")
    np.testing.assert_allclose(book.links.sum(), change[1] - change[0], rtol=1e-5, atol=1e-4)


def test_electrical_power_is_voltage_times_current():
    """The motors' power equals voltage times current when eq. 23 holds in all quadrants."""
    book = ledger(ARM, smooth_motion(ARM, 1), rule="ideal")
    product = book.powers.voltage * book.powers.current
    np.testing.assert_allclose(product, book.powers.terminal, rtol=1e-9, atol=1e-9)


def test_friction_and_heat_only_take():
    """Friction and windings never give energy when the arm moves any way."""
    powers = ledger(ARM, smooth_motion(ARM, 2), rule="lossy").powers
    assert powers.friction.min() >= 0
    assert powers.joule.min() >= 0
    assert powers.loss.min() >= -1e-12


def test_eq_23_gives_back_more_than_the_shaft_delivers():
    """Eq. 23 returns 1 / 0.89 of a braking shaft's power, and lossy 0.89, when torque is small."""
    qd, torque = np.full((1, 6), 3.0), np.full((1, 6), -1e-9)
    flows = run_flows(ARM, qd, torque)
    np.testing.assert_allclose(flows["power_ideal"] / flows["shaft"], 1 / 0.89, rtol=1e-6)
    np.testing.assert_allclose(flows["power_lossy"] / flows["shaft"], 0.89, rtol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_are_ordered(seed):
    """A motion costs more when less of what it generates is used."""
    motion = smooth_motion(ARM, seed)
    cost = {name: ledger(ARM, motion, rule=name).motors for name in RULES}
    assert cost["ideal"] <= cost["shared-bus"] <= cost["brake"]
    assert cost["ideal"] <= cost["lossy"] <= cost["lossy-shared-bus"] <= cost["lossy-brake"]


def test_standing_arm_pays_for_holding():
    """Only the windings' heat of gravity is drawn when the arm stands."""
    q = np.array([0.3, -0.8, 0.9, 0.2, 0.4, 0.1])
    book = ledger(ARM, still(q, 2.0), idle=0.0)
    km = np.array([joint.drive.motor_constant for joint in ARM.driven])
    heat = ((at.gravity(ARM, q) / 100 / km) ** 2).sum() * 2.0
    np.testing.assert_allclose(book.motors, heat, rtol=1e-9)
    assert book.useful_share == 0.0


def test_efficiency_is_shaft_work_over_motor_energy():
    """Eq. 24 gives work of torque constants and currents over electrical energy when moving."""
    motion = smooth_motion(ARM, 3)
    book = ledger(ARM, motion, rule="ideal")
    kt = np.array([joint.drive.torque_constant for joint in ARM.driven])
    shaft = (100 * motion.qd * kt * book.powers.current).sum(axis=1)
    power = book.powers.terminal.sum(axis=1)
    expected = np.trapezoid(shaft, motion.time) / np.trapezoid(power, motion.time)
    np.testing.assert_allclose(book.efficiency, expected, rtol=1e-9)


def test_recording_of_currents_gives_the_same_ledger():
    """Measured currents give the model's energy when the recording is the model's own."""
    motion = smooth_motion(ARM, 4)
    tau = at.inverse_dynamics(ARM, motion.q, motion.qd, motion.qdd)
    groups = {"q": motion.q, "qd": motion.qd, "current": at.motor_current(ARM, motion.qd, tau)}
    recording = at.Recording.of(motion.time, groups, arm=ARM.name)
    reported = ledger(ARM, recording, measured=True)
    np.testing.assert_allclose(reported.motors, ledger(ARM, motion).motors, rtol=1e-6)
    assert any("differentiated" in note for note in reported.trajectory.notes)


def test_speeds_are_differentiated_without_delay():
    """Energy agrees to 0.5 % when a recording holds positions alone."""
    motion = smooth_motion(ARM, 5)
    recording = at.Recording.of(motion.time, {"q": motion.q}, arm=ARM.name)
    reported, true = ledger(ARM, recording).motors, ledger(ARM, motion).motors
    assert abs(reported / true - 1) < 5e-3


def test_heat_of_a_wheel_is_the_formula():
    """Heat is the integral of squared torque over k_m squared when a wheel is turned."""
    arm = wheel()
    motion = quintic_motion(np.zeros(1), np.ones(1), 1.0)
    inertia = 0.02 + 2.0 * 0.3**2
    heat = (inertia / 10 / 0.05) ** 2 * np.trapezoid(motion.qdd[:, 0] ** 2, motion.time)
    book = ledger(arm, motion, rule="ideal")
    np.testing.assert_allclose(book.joule[0], heat, rtol=1e-9)
    np.testing.assert_allclose(book.motors, heat, rtol=1e-4)
