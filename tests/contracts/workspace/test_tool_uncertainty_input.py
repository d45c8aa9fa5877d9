"""What the uncertainty of a calibrated tool takes, refuses and returns."""

import dataclasses
import json

import numpy as np
import pytest
from measured_runs import poses_of

import armtwin as at
from armtwin.errors import InputError, JointLimitError, UnitWarning
from armtwin.workspace import tool_uncertainty as module

pytestmark = pytest.mark.usefixtures("numpy_target")
FEW = {"draws": 20, "poses": 8}


@pytest.fixture(scope="module")
def fit(numpy_target):
    """Return a calibration of base and tool."""
    arm = at.load("ur10")
    poses = poses_of(arm.with_(tool=at.pose((0.1, 0, 0.2))), count=20, noise=1e-4)
    return at.calibrate(arm, poses, parameters="frames")


@pytest.fixture(scope="module")
def found(fit):
    """Return the uncertainty over a few poses."""
    return at.tool_uncertainty(fit, **FEW, seed=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 1}, "1 draws; give a whole number, 2"),
        ({"draws": 10.0}, "10.0 draws; give a whole number, 2"),
        ({"draws": True}, "True draws; give a whole number, 2"),
        ({"poses": 0}, "0 poses; give 1"),
        ({"poses": np.zeros((2, 5))}, "6 numbers"),
        ({"poses": np.zeros((2, 3, 6))}, r"shape \(2, 3, 6\); give \(n, 6\)"),
        ({"poses": np.empty((0, 6))}, r"shape \(0, 6\); give \(n, 6\)"),
        ({"poses": np.full((2, 6), np.nan)}, "holds nan at row 0, joint 1"),
        ({"poses": "home"}, "6 numbers"),
        ({"poses": True}, "6 numbers"),
        ({"cell": float("nan")}, "a cell of nan m"),
        ({"cell": 0}, "a cell of 0 m"),
        ({"cell": "small"}, "cell must be real numbers"),
        ({"device": "tpu"}, "no device 'tpu'"),
        ({"seed": -1}, "seed is -1; give a whole number, 0 or more"),
        ({"seed": None}, "seed is None; give a whole number"),
        ({"seed": 0.5}, "seed is 0.5; give a whole number"),
    ],
)
def test_bad_requests(fit, options, message):
    """An error says what is possible when a request is not."""
    with pytest.raises(InputError, match=message):
        at.tool_uncertainty(fit, **{**FEW, **options})


def test_degrees_are_noticed(fit):
    """The limits and the likely unit are named when poses are given in degrees."""
    with pytest.warns(UnitWarning), pytest.raises(JointLimitError, match="look like degrees"):
        at.tool_uncertainty(fit, draws=2, poses=[[90.0, -90, 90, -90, 90, 45]])


@pytest.mark.parametrize("given", [None, "ur10", at.load("ur10")], ids=["none", "name", "arm"])
def test_no_calibration(given):
    """The kind given and how to calibrate are named when there is no calibration."""
    with pytest.raises(InputError, match=r"expected a Calibration, got .*armtwin\.calibrate\("):
        at.tool_uncertainty(given)


def test_nothing_fitted(fit):
    """An error says that nothing is uncertain when a calibration fitted no parameter."""
    with pytest.raises(InputError, match="fitted no parameter"):
        at.tool_uncertainty(dataclasses.replace(fit, posterior=None))


def test_too_many_cells_are_refused_before_the_draws(fit, monkeypatch):
    """No arm is drawn when the cells are too many."""
    monkeypatch.setattr(module._Sums, "add", lambda *given: pytest.fail("an arm was drawn"))
    with pytest.raises(InputError, match="4,000,000 are possible; give cells of"):
        at.tool_uncertainty(fit, **FEW, cell=1e-6)


@pytest.mark.parametrize("level", [0, 1, 95, float("nan"), "most", None])
def test_levels_that_are_none(found, level):
    """An error names the level when it is no share between 0 and 1."""
    with pytest.raises(InputError, match="level"):
        found.ellipsoids(level)


def test_same_seed_same_draws(fit, found):
    """The same figures when a seed is used again, other ones when it is another seed."""
    counts = {name: np.int64(count) for name, count in FEW.items()}
    again = at.tool_uncertainty(fit, **counts, seed=2)
    for name in ("q", "bias", "second_moment", "turn_rms", "arm_rms", "arm_max"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    assert (at.tool_uncertainty(fit, **FEW, seed=3).q != found.q).all()


def test_result_is_frozen_and_one_line(found):
    """A result cannot be changed and shows itself in one line when it is printed."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.seed = 1
    assert repr(found).startswith("<ToolUncertainty ") and "\n" not in repr(found)
    assert found.page().title in repr(found)


def test_result_is_plain_data(fit):
    """Every figure survives JSON when a result becomes a dictionary, also of a single pose."""
    found = at.tool_uncertainty(fit, draws=5, poses=np.zeros(6))
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["draws"], data["poses"], data["seed"]) == (5, 1, 0)
    assert data["rms"] == pytest.approx(data["rms_largest"]) == found.rms[0]
    assert data["worst_cell"]["poses"] == 1


def test_page(found, tmp_path):
    """The page has a map from the side and from above when it is written as PDF."""
    maps = [part for part in found.page().sections[0].parts if hasattr(part, "views")]
    assert [view.title for view in maps[0].views] == ["from the side", "from above"]
    assert found.report(tmp_path / "uncertainty.pdf").read_bytes().startswith(b"%PDF")


def test_progress_and_cancelling(fit):
    """Draws are reported as a step, and the work ends, when the callback raises."""
    with pytest.raises(KeyboardInterrupt):
        at.tool_uncertainty(fit, **FEW, on_progress=cancel)


def cancel(progress):
    """Cancel at the first draws."""
    assert progress.step == "draws"
    raise KeyboardInterrupt
