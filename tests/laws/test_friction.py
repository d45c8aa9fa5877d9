"""Laws of the friction models and of the motors behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving_arms import LAW

import armtwin as at
from armtwin.model.arm import Arm, Drive, Friction, Joint, Link
from armtwin.model.checks import check_arm
from armtwin.model.drive import PARAMETERS, SPEEDS

MODELS = sorted(PARAMETERS)
POSITIVE = st.floats(0.01, 5.0)
SPEED, LOAD = st.floats(-6.0, 6.0), st.floats(-80.0, 80.0)
NUMBERS = {
    "viscous": 0.4, "coulomb": 1.2, "coulomb_direct": 1.5, "coulomb_reverse": 0.7, "static": 2.0,
    "stribeck_speed": 0.3, "load": 0.05, "rise": 0.9, "rise_speed": 0.5,
}  # fmt: skip


def one_joint(friction, **drive):
    """Return an arm of one joint with this friction."""
    link = Link(1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01, 0, 0, 0))
    arm = Arm(
        "one",
        "standard-dh",
        (Joint("j", a=0.2, link=link, drive=Drive(**drive, friction=friction)),),
    )
    check_arm(arm)
    return arm


def with_model(model, side="joint", gear=1.0, smoothing=0.05, **changed):
    """Return an arm of one joint whose friction has this model."""
    numbers = {name: {**NUMBERS, **changed}[name] for name in PARAMETERS[model]}
    pairs = tuple(sorted({**numbers, "smoothing": smoothing}.items()))
    constants = {"torque_constant": 0.1, "motor_constant": 0.2, "back_emf_ratio": 0.89}
    return one_joint(Friction(model, pairs, side), gear=gear, **constants)


def torque(arm, speed, load=0.0):
    """Return the friction torque of an arm of one joint."""
    return float(at.friction(arm, [speed], [load])[0])


ARMS = {
    (model, side): with_model(model, side, 50.0) for model in MODELS for side in ("motor", "joint")
}
every_model = pytest.mark.parametrize("model", MODELS)
every_side = pytest.mark.parametrize("side", ["motor", "joint"])


@every_model
@every_side
@given(speed=SPEED, load=LOAD)
@LAW
def test_friction_only_takes_power(model, side, speed, load):
    """``friction qd >= 0`` when any model meets any speed and load."""
    assert torque(ARMS[model, side], speed, load) * speed >= 0


@every_model
@every_side
def test_friction_is_nothing_at_rest(model, side):
    """No torque when the joint stands, whatever its load."""
    assert torque(ARMS[model, side], 0.0, 30.0) == 0


@pytest.mark.parametrize("model", ["viscous-coulomb", "stribeck", "load-dependent", "gear"])
@given(speed=SPEED, load=LOAD)
@LAW
def test_friction_turns_round_with_the_speed(model, speed, load):
    """``friction(-qd) = -friction(qd)`` when the model knows no direction of power."""
    arm = ARMS[model, "joint"]
    assert torque(arm, -speed, load) == pytest.approx(-torque(arm, speed, load), abs=1e-13)


@every_model
def test_friction_grows_with_every_coefficient(model):
    """More torque when any one of a model's torques or slopes is doubled."""
    for name in PARAMETERS[model]:
        if name in SPEEDS:
            continue
        load = -20.0 if name == "coulomb_reverse" else 20.0
        less, more = with_model(model), with_model(model, **{name: 2 * NUMBERS[name]})
        assert torque(more, 0.4, load) > torque(less, 0.4, load)


def test_viscous_coulomb_is_the_printed_law():
    """``viscous w + coulomb tanh(w / smoothing)`` when computed by hand."""
    w = np.linspace(-2, 2, 41)
    ours = at.friction(with_model("viscous-coulomb"), w[:, None])[:, 0]
    np.testing.assert_allclose(ours, 0.4 * w + 1.2 * np.tanh(w / 0.05), atol=1e-14)


def test_power_flow_takes_the_level_of_its_direction():
    """The level of the power's direction when it flows, the mean when it does not."""
    arm = with_model("power-flow")
    assert torque(arm, 2.0, 10.0) == pytest.approx(0.4 * 2 + 1.5, abs=1e-14)
    assert torque(arm, -2.0, -10.0) == pytest.approx(-0.4 * 2 - 1.5, abs=1e-14)
    assert torque(arm, 2.0, -10.0) == pytest.approx(0.4 * 2 + 0.7, abs=1e-14)
    assert torque(arm, -2.0, 10.0) == pytest.approx(-0.4 * 2 - 0.7, abs=1e-14)
    assert torque(arm, 2.0, 0.0) == pytest.approx(0.4 * 2 + 1.1, abs=1e-14)


def test_stribeck_falls_from_static_to_coulomb():
    """``coulomb + (static - coulomb) exp(-(w/ws)^2)`` on top of the slope when computed by hand."""
    arm, w = with_model("stribeck", smoothing=1e-4), np.array([0.01, 0.1, 0.3, 1.0, 3.0])
    ours = at.friction(arm, w[:, None])[:, 0] - 0.4 * w
    np.testing.assert_allclose(ours, 1.2 + 0.8 * np.exp(-((w / 0.3) ** 2)), rtol=1e-14)
    assert (np.diff(ours) < 0).all()


def test_load_dependent_counts_the_size_of_the_load():
    """``load |tau|`` is added to the Coulomb level when the gear is loaded either way."""
    arm = with_model("load-dependent")
    assert torque(arm, 3.0, 40.0) == torque(arm, 3.0, -40.0)
    assert torque(arm, 3.0, 40.0) - torque(arm, 3.0, 0.0) == pytest.approx(0.05 * 40, abs=1e-14)


def test_gear_friction_rises_ever_more_slowly():
    """``coulomb + rise (1 - exp(-w/ws)) + load |tau|`` when computed by hand."""
    arm, w = with_model("gear", smoothing=1e-4), np.array([0.01, 0.1, 0.3, 1.0, 3.0])
    ours = at.friction(arm, w[:, None], np.full((5, 1), -20.0))[:, 0] - 0.4 * w
    np.testing.assert_allclose(ours, 2.2 + 0.9 * (1 - np.exp(-w / 0.5)), rtol=1e-13)
    assert (np.diff(ours, 2) < 0).any() and (np.diff(ours) > 0).all()


@given(speed=SPEED, load=LOAD)
@LAW
def test_motor_side_numbers_are_seen_through_the_gear(speed, load):
    """``F(w) = gear f(gear w)`` when the same law is written on either side of the gear."""
    gear, smoothing = 50.0, 0.05
    motor = ARMS["viscous-coulomb", "motor"]
    joint = with_model(
        "viscous-coulomb",
        "joint",
        gear,
        smoothing / gear,
        viscous=0.4 * gear**2,
        coulomb=1.2 * gear,
    )
    assert torque(motor, speed, load) == pytest.approx(
        torque(joint, speed, load), rel=1e-12, abs=1e-12
    )


@every_model
@given(speed=SPEED, load=LOAD)
@LAW
def test_motor_gives_load_and_friction(model, speed, load):
    """``I k_t gear = tau + friction`` and ``P = heat + shaft power kb/kt`` when a motor drives."""
    arm = ARMS[model, "motor"]
    drive = arm.joints[0].drive
    shaft = (load + torque(arm, speed, load)) / drive.gear
    current = float(at.motor_current(arm, [speed], [load])[0])
    power = float(at.electric_power(arm, [speed], [load])[0])
    assert current * drive.torque_constant == pytest.approx(shaft, rel=1e-12, abs=1e-13)
    expected = shaft**2 / 0.2**2 + drive.gear * speed * shaft / 0.89
    assert power == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_motor_constant_follows_from_resistance():
    """``k_m^2 = k_t^2 / R`` when the file gives the resistance instead of the motor constant."""
    friction = Friction("viscous-coulomb", (("coulomb", 1.0), ("viscous", 0.1)))
    by_constant = one_joint(friction, gear=80.0, torque_constant=0.1, motor_constant=0.2)
    by_resistance = one_joint(friction, gear=80.0, torque_constant=0.1, resistance=0.25)
    for speed, load in ((1.0, 5.0), (-0.3, 20.0)):
        powers = [
            at.electric_power(arm, [speed], [load])[0] for arm in (by_constant, by_resistance)
        ]
        assert powers[0] == pytest.approx(powers[1], rel=1e-13)


def test_drive_without_friction_rubs_nowhere():
    """No friction, and current from the load alone, when a drive has no friction model."""
    arm = one_joint(None, gear=100.0, torque_constant=0.1)
    assert torque(arm, 2.0, 7.0) == 0
    assert at.motor_current(arm, [2.0], [7.0])[0] == pytest.approx(0.7, rel=1e-14)
