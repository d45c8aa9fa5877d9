"""Limits, lags and controllers where there is nothing to judge, or the input says nothing."""

import numpy as np
import pytest

import armtwin as at
from armtwin.control.controller import (
    CONTROLLERS,
    ComputedTorque,
    GravityPD,
    ZeroTorque,
    named_controller,
)
from armtwin.errors import InputError
from armtwin.spatial import pose
from armtwin.validation.lags.signal_lag import estimate_lag
from armtwin.validation.limits import LimitCheck, parse_limit


def test_missing_figure_keeps_no_limit():
    """A limit is not kept when the figure that it is about does not exist."""
    check = LimitCheck(parse_limit("position.max=5mm"), "position", None)
    assert not check.kept
    assert "no figure" in str(check)


@pytest.mark.parametrize(
    ("text", "value", "kept"),
    [
        ("position.max=5mm", 0.004, True),
        ("position.max=5mm", -0.006, False),
        ("tau.r2=0.9", 0.95, True),
        ("tau.r2=0.9", 0.85, False),
    ],
)
def test_limits_bound_errors_from_above_and_r2_from_below(text, value, kept):
    """The side of a limit is that of its figure when a value is judged."""
    assert LimitCheck(parse_limit(text), "any", value).kept is kept


@pytest.mark.parametrize("number", ["+-1", "1e999", "..", "e"])
def test_limits_that_are_no_numbers(number):
    """An InputError with the text comes when a limit is not a finite number."""
    with pytest.raises(InputError, match="position="):
        parse_limit(f"position={number} mm")


TIME = 0.01 * np.arange(400)


@pytest.mark.parametrize(
    ("rows", "real"),
    [
        (5, np.sin(TIME)),
        (400, np.zeros(400)),
        (400, np.random.default_rng(3).standard_normal(400)),
    ],
    ids=["few rows", "at rest", "other signal"],
)
def test_no_lag_is_made_up(rows, real):
    """No lag is returned when rows are few, nothing moves or the signals have nothing in common."""
    assert estimate_lag(TIME[:rows], np.sin(TIME[:rows, None]), real[:rows, None]) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    list(zip(CONTROLLERS, (ComputedTorque, GravityPD, ZeroTorque), strict=True)),
)
def test_controllers_by_name(name, kind):
    """Every name of the list gives its controller when it is asked for."""
    assert type(named_controller(name, at.load("ur5e"))) is kind


def test_unknown_controller_is_refused():
    """An InputError lists the controllers when the name is none of them."""
    with pytest.raises(InputError, match="computed-torque, gravity-pd, none"):
        named_controller("pid", at.load("ur5e"))


@pytest.mark.parametrize("given", [{"xyz": (1, 2)}, {"rpy": (0, 0, 0, 1)}])
def test_poses_take_three_and_three_numbers(given):
    """An InputError with both shapes comes when a pose is given other numbers."""
    with pytest.raises(InputError, match="3 coordinates and 3 angles"):
        pose(**given)
