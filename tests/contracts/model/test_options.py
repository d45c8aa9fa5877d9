"""Options of verbs: one object, keywords, or both; anything else is refused."""

import pytest

import armtwin as at
from armtwin.energy.optimize import OptimizeOptions
from armtwin.errors import InputError
from armtwin.options import choose_options
from armtwin.validation.options import ValidateOptions

CALLS = {
    "energy": lambda **given: at.recorded_energy("ur5e", "none.csv", **given),
    "detect": lambda **given: at.detect("ur5e", "none.csv", **given),
    "excite": lambda **given: at.excite("ur5e", "waypoints", **given),
    "calibrate": lambda **given: at.calibrate("ur5e", "none.csv", **given),
    "identify": lambda **given: at.identify("ur5e", "none.csv", **given),
    "optimize": lambda **given: at.optimize("ur5e", [[0.0] * 6, [1.0] * 6], **given),
    "prepare": lambda **given: at.prepare("none.csv", **given),
    "simulate": lambda **given: at.simulate("ur5e", at.Circle(), **given),
    "validate": lambda **given: at.validate("ur5e", "none.csv", **given),
}


@pytest.mark.parametrize("verb", CALLS)
def test_options_of_another_type_are_refused(verb):
    """The expected class is named when a dict is given as options."""
    with pytest.raises(InputError, match=r"options is of type dict, expected \w+Options"):
        CALLS[verb](options={})


@pytest.mark.parametrize("verb", CALLS)
def test_unknown_options_are_refused(verb):
    """The known fields are listed when a keyword is none of them."""
    with pytest.raises(InputError, match="'colour' is no option here; .*Options has "):
        CALLS[verb](colour="red")


def test_nearest_option_is_named():
    """The field that was probably meant is named when a keyword is misspelt."""
    with pytest.raises(InputError, match="did you mean slower"):
        at.optimize("ur5e", [[0.0] * 6, [1.0] * 6], slow=2.0)


def test_keywords_replace_fields():
    """Keywords win over the object, and other fields stay, when both are given."""
    given = OptimizeOptions(slower=2.0, idle=10.0)
    chosen = choose_options(OptimizeOptions, given, {"slower": 3.0})
    assert (chosen.slower, chosen.idle) == (3.0, 10.0)
    assert choose_options(ValidateOptions, None, {}) == ValidateOptions()
