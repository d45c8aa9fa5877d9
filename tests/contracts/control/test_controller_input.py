"""What controllers and their models of the arm take, refuse and promise."""

import numpy as np
import pytest

import armtwin as at
from armtwin.control.controller import CONTROLLERS, ComputedTorque, GravityPD, named_controller
from armtwin.control.controller_models import MODELS, controller_model
from armtwin.errors import ArmTwinError, InputError, MissingDataError, UnknownArmError

pytestmark = pytest.mark.usefixtures("numpy_target")
ARM = at.load("ur10e")
STATE = np.random.default_rng(7).uniform(-1, 1, (5, 6))
LAWS = {"computed torque": ComputedTorque, "PD with gravity": GravityPD}


@pytest.fixture(params=LAWS, scope="module")
def controller(request, numpy_target):
    """Return each of the controllers that have a model of the arm."""
    return LAWS[request.param](ARM)


@pytest.mark.parametrize("choice", ["desktop5", "nobody"])
def test_model_that_does_not_fit(choice):
    """One of our errors is raised when a model has other joints or does not exist."""
    assert choice not in MODELS
    with pytest.raises(ArmTwinError):
        controller_model(ARM, choice)


def test_other_joints_are_counted():
    """Both numbers of joints and the models that exist are named when a model does not match."""
    with pytest.raises(InputError, match=r"5 joints .* the 6 of arm 'ur10e'; choose exact, data"):
        controller_model("ur10e", "desktop5")


def test_cylinders_need_masses():
    """The missing masses are named when links without them are to become cylinders."""
    with pytest.raises(MissingDataError, match=r"shoulder_pan_joint\.mass"):
        controller_model("ur10e-report", "cylinders")


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("gain", ["kp", "second"])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        (-1.0, "must be finite and not negative, got -1.0"),
        (float("nan"), "must be finite and not negative, got nan"),
        ([1, 2], r"one number or 6, got shape \(2,\)"),
        ("much", "must be real numbers, got text: 'much'"),
    ],
)
def test_bad_gains(law, gain, value, told):
    """The gain and what was given are named when it is negative, not finite, or not per joint."""
    name = gain if gain == "kp" else {ComputedTorque: "kv", GravityPD: "kd"}[law]
    with pytest.raises(InputError, match=f"{name} (is |){told}"):
        law(ARM, **{name: value})


@pytest.mark.parametrize("friction", [-0.1, float("nan"), float("inf"), "all", None, [1.0, 1.0]])
def test_bad_share_of_friction(friction):
    """An error names the friction when its share is negative, not finite or no number."""
    with pytest.raises(InputError, match="friction"):
        ComputedTorque(ARM, friction=friction)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_masses_are_needed(law):
    """The missing numbers are named when a controller is made for an arm without masses."""
    with pytest.raises(MissingDataError, match="mass"):
        law(at.load("ur10e-report"))


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_model_by_name(law):
    """The same torques when the model is given by its catalogue name; an error for no arm."""
    np.testing.assert_array_equal(law("ur10e").torque(*STATE), law(ARM).torque(*STATE))
    with pytest.raises(UnknownArmError, match="no arm named 'nobody'"):
        law("nobody")
    with pytest.raises(InputError, match="expected an Arm, a catalogue name or a file, got NoneTy"):
        law(None)


def test_names_of_controllers():
    """Each name gives its controller, and those that exist are listed, when one is asked for."""
    made = [type(named_controller(kind, ARM)).__name__ for kind in CONTROLLERS]
    assert made == ["ComputedTorque", "GravityPD", "ZeroTorque"]
    for kind in ("pid", None):
        with pytest.raises(InputError, match=f"no controller {kind!r}; there are computed-torque,"):
            named_controller(kind, ARM)


def test_gains_reach_the_named_controller():
    """Given gains replace the defaults when a controller is made by name."""
    law = named_controller("computed-torque", ARM, 90.0, 13.0)
    np.testing.assert_array_equal([law.kp, law.kv], [[90.0] * 6, [13.0] * 6])
    law = named_controller("gravity-pd", ARM, 9.0, 2.0)
    np.testing.assert_array_equal([law.kp, law.kd], [[9.0] * 6, [2.0] * 6])


def test_lists_and_integers_are_taken(controller):
    """The same torques when states are lists, and one torque per joint for whole numbers."""
    expected = controller.torque(*STATE)
    np.testing.assert_array_equal(controller.torque(*STATE.tolist()), expected)
    assert controller.torque(*[[0] * 6] * 5).shape == expected.shape == (6,)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [(np.zeros(5), r"has shape \(5,\); expected \(\.\.\., 6\)"), ("here", "must be real numbers"),
     (None, "must be real numbers"), (0.0, r"has shape \(\)")],
)  # fmt: skip
@pytest.mark.parametrize("place", range(4))
def test_states_that_are_refused(controller, place, wrong, told):
    """The wrong vector is named when it is no number or not one per joint."""
    given = list(STATE)
    given[place] = wrong
    name = ("q", "qd", "q_ref", "qd_ref")[place]
    with pytest.raises(InputError, match=rf"\b{name} {told}"):
        controller.torque(*given)


@pytest.mark.parametrize("place", range(4))
def test_missing_measurements_give_no_torque(controller, place):
    """Torques are NaN, which a simulation refuses, when a measurement or reference is NaN."""
    given = STATE.copy()
    given[place] = np.nan
    assert np.isnan(controller.torque(*given)).all()


def test_no_memory(controller):
    """The same torques when the same state comes again after another one."""
    first = controller.torque(*STATE)
    controller.torque(*-STATE)
    np.testing.assert_array_equal(controller.torque(*STATE), first)


def test_default_gains_are_repeatable():
    """Equal gains when two controllers are made, also where they come from random poses."""
    np.testing.assert_array_equal(GravityPD(ARM).kp, GravityPD(ARM.with_()).kp)


def test_no_torque_has_floats():
    """One float zero per joint when nothing drives the arm, also for whole numbers."""
    tau = at.ZeroTorque().torque([1] * 6, *[[0] * 6] * 4)
    assert (tau.shape, tau.dtype, tau.any()) == ((6,), np.float64, np.False_)
