"""Scales of the friction that direct torque control compensates."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.model.arm import Drive, Friction
from armtwin.model.drive import COULOMB_SCALE, VISCOUS_SCALE, torque_scales

LAWS = {
    "viscous-coulomb": ({"viscous": 2.0, "coulomb": 5.0}, 1.0),
    "power-flow": ({"viscous": 2.0, "coulomb_direct": 5.0, "coulomb_reverse": 4.0}, 0.8),
    "stribeck": ({"viscous": 2.0, "coulomb": 3.0, "static": 6.0, "stribeck_speed": 0.1}, 0.5),
}


def with_law(model, numbers):
    """Return a UR5e whose first joint has a friction law."""
    arm = at.load("ur5e")
    drive = Drive(friction=Friction(model, tuple(numbers.items()), "joint"))
    first = dataclasses.replace(arm.joints[0], drive=drive)
    return arm.with_(joints=(first, *arm.joints[1:]))


@pytest.mark.parametrize("model", LAWS)
def test_scales_leave_what_the_law_leaves_open(model):
    """UR's defaults are reduced by least over most dry friction when a law has two levels."""
    numbers, share = LAWS[model]
    viscous, coulomb = torque_scales(with_law(model, numbers))
    assert (viscous[0], coulomb[0]) == pytest.approx((VISCOUS_SCALE[0], share * COULOMB_SCALE[0]))
    assert np.isnan(viscous[1:]).all()
    assert np.isnan(coulomb[1:]).all()


def test_scales_shrink_with_uncertainty():
    """Scales are smaller when intervals are wide, and never negative."""
    arm = with_law(*("viscous-coulomb", LAWS["viscous-coulomb"][0]))
    viscous, coulomb = torque_scales(arm, {"viscous1": 0.5, "coulomb1": -0.3, "coulomb2": 0.1})
    assert (viscous[0], coulomb[0]) == (0.5 * VISCOUS_SCALE[0], 0.0)


def test_show_prints_the_scales(capsys):
    """The scales are printed when an arm has friction, and not when it has none."""
    from armtwin.cli.main import run

    assert run(["show", "ur5e-energy"]) == 0
    text = capsys.readouterr().out
    assert "direct torque" in text
    assert "coulomb_scale" in text
    assert run(["show", "ur5e"]) == 0
    assert "coulomb_scale" not in capsys.readouterr().out
