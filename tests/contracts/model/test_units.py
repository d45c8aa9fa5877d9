"""The one table of units: conversions, joint quantities, SI base units."""

import math

import pytest

from armtwin.errors import InputError
from armtwin.units import JOINT_UNITS, RUNGS, base_units, factor, fmi_unit, rate_unit, unit_for


@pytest.mark.parametrize(
    ("unit", "exponents"),
    [
        ("rad/s", {"rad": 1, "s": -1}), ("N.m", {"kg": 1, "m": 2, "s": -2}), ("1/s2", {"s": -2}),
        ("N.m.s/rad", {"kg": 1, "m": 2, "s": -1, "rad": -1}), ("kg.m2", {"kg": 1, "m": 2}),
        ("N.m/A", {"kg": 1, "m": 2, "s": -2, "A": -1}), ("W", {"kg": 1, "m": 2, "s": -3}),
        ("Ohm", {"kg": 1, "m": 2, "s": -3, "A": -2}), ("m/m", {}),
        ("N.m/W0.5", None), ("furlong", None),
    ],
)  # fmt: skip
def test_base_units(unit, exponents):
    """The exponents are those of SI when a unit of an FMU is taken apart."""
    assert base_units(unit) == exponents


def test_power_is_torque_times_speed():
    """The exponents of W are those of N.m plus those of 1/s when powers are compared."""
    torque, speed = base_units("N.m"), base_units("1/s")
    assert base_units("W") == {k: torque.get(k, 0) + speed.get(k, 0) for k in ("kg", "m", "s")}


def test_joint_units_have_base_units():
    """Every unit of a joint quantity is known to FMI when it is written with dots."""
    units = {fmi_unit(unit) for pair in JOINT_UNITS.values() for unit in pair}
    assert all(base_units(unit) for unit in units)
    assert [rate_unit(unit) for unit in ("rad", "rad/s", "m")] == ["rad/s", "rad/s2", "m/s"]


@pytest.mark.parametrize("unit", RUNGS)
def test_shown_value_is_the_same_quantity(unit):
    """The value converts back to SI when it is shown in a smaller unit."""
    for value in (3.0, 0.03, 3e-5, 3e-9):
        name, size = unit_for(value, unit)
        assert value * size * factor(name, unit) == pytest.approx(value, rel=1e-14)


def test_degrees_and_unknown_units():
    """A degree is pi/180, and a unit of another quantity is refused, when converted."""
    assert factor("deg", "rad") == math.pi / 180
    with pytest.raises(InputError, match="'deg' is not a unit that converts to m"):
        factor("deg", "m")
