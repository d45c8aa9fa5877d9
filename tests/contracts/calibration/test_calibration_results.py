"""What a calibration, a compensation and a pose plan return, and what the latter two refuse."""

import dataclasses
import json

import numpy as np
import pytest
from measured_runs import poses_of

import armtwin as at
from armtwin.calibration import compensate as compensation
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.geometry_posterior import GeometryPosterior
from armtwin.calibration.options import CalibrateOptions
from armtwin.errors import (
    InputError,
    JointLimitError,
    MissingColumnError,
    OutputExistsError,
    RecordingError,
)

pytestmark = pytest.mark.usefixtures("numpy_target")
ARM = at.load("ur10e")
TRUTH = ARM.with_(tool=at.pose((0.1, 0, 0.2)))
POSES = poses_of(TRUTH, count=20, noise=1e-5, turn_noise=1e-5)
ROWS = np.arange(2.0)


@pytest.fixture(scope="module")
def fit(numpy_target):
    """Return a calibration of base and tool."""
    return at.calibrate(ARM, POSES, parameters="frames", hold_out=0.25)


@pytest.fixture(scope="module")
def plan(numpy_target):
    """Return a plan of three poses."""
    return at.plan_poses("desktop5", 3, seed=2)


def program(q):
    """Return joint targets as a recording."""
    return at.Recording.of(ROWS, {"q": np.broadcast_to(q, (2, np.shape(q)[-1]))})


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"hold_out": "half"}, "the share to hold out must be real numbers, got text: 'half'"),
        ({"hold_out": None}, "the share to hold out must be real numbers"),
        ({"hold_out": np.nan}, r"the share to hold out is nan; give 0 \(none\) to 0.9"),
        ({"hold_out": -0.1}, "the share to hold out is -0.1; give 0"),
        ({"length_tolerance": "a mm"}, "a tolerance must be real numbers, got text"),
        ({"angle_tolerance": None}, "a tolerance must be real numbers"),
        ({"largest_error": "1 mm"}, "the largest error must be real numbers, got text"),
        ({"largest_error": np.inf}, "the largest error is inf; give metres above zero"),
        ({"compliance": "no"}, "compliance is 'no'; give True or False"),
        ({"tool": None}, "tool is None; give True or False"),
        ({"parameters": ["frames"]}, r"no set of parameters \['frames'\]; there are auto, frames"),
    ],
)
def test_options_that_are_refused(choice, told):
    """The option, its value and what is allowed are named when options are made."""
    with pytest.raises(InputError, match=told):
        CalibrateOptions(**choice)


@pytest.mark.parametrize(
    "given",
    [None, 3, [3], {"cell": None}, POSES.q],
    ids=["none", "number", "list", "mapping", "array"],
)
def test_things_that_are_no_recording(given):
    """The kind given and how to make a recording are named when something else is given."""
    for call in (
        lambda: at.calibrate(ARM, given),
        lambda: at.calibrate(ARM, POSES, test=given, parameters="frames"),
        lambda: at.plan_poses(ARM, 2, measured=given),
    ):
        with pytest.raises(InputError, match=r"(?s)Recording or a file, got .*Recording\.of\("):
            call()


@pytest.mark.parametrize("given", [[], (), {}])
def test_no_recording(given):
    """An error says what a recording needs when none is given."""
    with pytest.raises(InputError, match="no recording was given; give at least one with q and x"):
        at.calibrate(ARM, given)
    with pytest.raises(RecordingError, match=r"no such file: nowhere\.csv"):
        at.calibrate(ARM, "nowhere.csv")


def test_no_complete_row():
    """The recording is named when no row has all joints and coordinates."""
    with pytest.raises(InputError, match="made: no row has a value for every joint and coordinate"):
        at.calibrate(ARM, POSES.with_columns({"y": np.full(20, np.nan)}))


def test_millimetres_do_not_pass():
    """The verdict names the error and its bound when positions are a thousand times too large."""
    wrong = POSES.with_columns({axis: 1e3 * POSES[axis] for axis in "xyz"})
    fit = at.calibrate(ARM, wrong, parameters="frames")
    assert not fit.passed
    assert "more than 35.51 mm (2 % of the reach of 1.78 m)" in fit.verdict
    assert repr(fit).startswith("<Calibration NOT PASSED: made: mean error")


def test_same_data_same_fit(fit):
    """The same rows are held out and the same numbers fitted when a calibration is repeated."""
    again = at.calibrate(ARM, POSES, parameters="frames", hold_out=0.25)
    assert again.to_dict() == fit.to_dict()
    np.testing.assert_array_equal(again.measured.q, fit.measured.q)


def test_calibration_is_a_result(fit):
    """It is frozen, one line, judged as it says, and survives JSON when a fit is returned."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        fit.arm = ARM
    assert repr(fit) == f"<Calibration PASSED: {fit.verdict}>"
    assert (fit.judgement.passed, fit.judgement.text) == (fit.passed, fit.verdict)
    data = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
    assert (data["passed"], data["chosen"]) == (True, "frames")
    assert data["errors"]["held_out"]["count"] == 5
    assert set(fit.intervals) == {p["name"] for p in data["parameters"]}
    assert all(low < p.value < high for p, (low, high) in zip(
        fit.parameters, fit.intervals.values(), strict=True))  # fmt: skip


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        (np.eye(2), r"shape \(2, 2\)"),
        (np.diag([1.0, np.nan, 1.0]), "finite"),
        (np.diag([1.0, -1.0, 1.0]), "positive semidefinite"),
        (np.eye(3) + np.eye(3, k=1), "symmetric"),
    ],
)
def test_covariances_that_are_none(covariance, message):
    """A covariance is refused when its shape, numbers or signs are wrong."""
    model = GeometryModel(at.load("ur10"))
    with pytest.raises(InputError, match=message):
        GeometryPosterior(model, (0, 1, 2), np.zeros(len(model.parameters)), covariance)


def test_compensation_refuses_what_it_cannot_do():
    """Errors say what is wrong when a program has no joints, another arm's, or is out of reach."""
    with pytest.raises(MissingColumnError, match="no joint targets"):
        at.compensate(at.Recording.of(ROWS, {"position": np.zeros((2, 3))}), ARM)
    with pytest.raises(InputError, match="5 joints"):
        at.compensate(program(np.zeros(5)), ARM)
    with pytest.raises(InputError, match="--nominal"):
        at.compensate(program(np.ones(6)), ARM.with_(name="mine"))
    stretched = [0.2, -0.3, 0.0, 0.2, 1.2, 0.3]
    shorter = ARM.with_(joints=tuple(dataclasses.replace(j, a=j.a * 0.99) for j in ARM.joints))
    with pytest.raises(InputError, match="cannot be corrected"):
        at.compensate(program(stretched), shorter, nominal="ur10e")


def test_compensation_reports_progress_and_can_be_cancelled(fit, monkeypatch):
    """Shares grow, results stay the same, and raising ends it, when a program has many rows."""
    monkeypatch.setattr(compensation, "ROWS", 8)
    q = np.random.default_rng(2).uniform(0.5, 1.0, (20, 6))
    targets, seen = at.Recording.of(np.arange(20.0), {"q": q}), []
    found = at.compensate(targets, fit.arm, on_progress=seen.append)
    assert [step.done for step in seen] == [0.0, 0.0, 0.4, 0.8]
    monkeypatch.undo()
    assert np.array_equal(found.corrected.q, at.compensate(targets, fit.arm).corrected.q)

    def cancel(progress):
        if progress.done:
            raise KeyboardInterrupt(progress.step)

    monkeypatch.setattr(compensation, "ROWS", 8)
    with pytest.raises(KeyboardInterrupt, match="correcting the joint targets"):
        at.compensate(targets, fit.arm, on_progress=cancel)


def test_bad_programs(fit):
    """The row or the kind given is named when targets are missing, beyond limits or no program."""
    targets = np.ones((2, 6))
    targets[1, 3] = np.nan
    with pytest.raises(InputError, match="row 2 lacks a joint target; give all joints in all rows"):
        at.compensate(at.Recording.of(ROWS, {"q": targets}), fit.arm)
    limits = r"joint 1 .* in row 1 is 9; its limits are -6.28319 to 6.28319; .*inwards"
    with pytest.raises(JointLimitError, match=limits) as refused:
        at.compensate(program([9.0, 0, 0, 0, 0, 0]), fit.arm)
    assert "ignore" not in str(refused.value)
    for wrong in (None, targets):
        with pytest.raises(InputError, match="expected a Recording or a file"):
            at.compensate(wrong, fit.arm)
    with pytest.raises(InputError, match="-calibrated' 6 and 'desktop5' 5; they must be equal"):
        at.compensate(program(np.ones(6)), fit.arm, nominal="desktop5")


def test_compensation_is_a_result(fit):
    """It is frozen, one line, and leaves the program as it was when targets are corrected."""
    given = program([0.3, -1.2, 1.4, -1.6, -1.5, 0.2])
    before = given.q.copy()
    found = at.compensate(given, fit.arm)
    np.testing.assert_array_equal(given.q, before)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.arm = ARM
    assert repr(found).startswith("<Compensation Compensation of ") and "\n" not in repr(found)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["rows"], data["nominal"], len(data["largest_change"])) == (2, "ur10e", 6)
    assert "corrected by armtwin for ur10e-calibrated" in found.corrected.notes[-1]


@pytest.mark.parametrize(
    ("choice", "told"),
    [({"count": 0}, "0 poses"), ({"count": 401}, "401 poses .* 1 to 400"),
     ({"count": 2.0}, "2.0 poses .* whole number"), ({"count": True}, "True poses"),
     ({"count": "3"}, "'3' poses"), ({"seed": -1}, "seed is -1"), ({"seed": "x"}, "seed is 'x'"),
     ({"seed": 1.5}, "seed is 1.5; give a whole number"),
     ({"measured": POSES}, "made has 6 joints, arm 'desktop5' has 5")],
)  # fmt: skip
def test_plans_that_are_refused(choice, told):
    """The value and what is allowed are named when poses cannot be planned."""
    with pytest.raises(InputError, match=told):
        at.plan_poses("desktop5", **{"count": 2, **choice})


def test_plan_is_a_result(plan):
    """It is frozen, one line, within the limits and of use when a plan is made."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.q = None
    assert repr(plan) == "<PosePlan Poses to measure for a calibration of desktop5>"
    data = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert np.shape(data["q"]) == (3, 5)
    assert (plan.q >= plan.arm.lower).all() and (plan.q <= plan.arm.upper).all()
    assert 0 < data["expected"] < data["before"] > data["random"]


def test_same_seed_same_plan(plan):
    """The same poses when a seed is used again, other ones when it is another seed."""
    again = at.plan_poses(at.load("desktop5"), np.int64(3), seed=np.int64(2))
    np.testing.assert_array_equal(again.q, plan.q)
    assert (at.plan_poses("desktop5", 3, seed=3).q != plan.q).any()


def test_plan_is_read_back(plan, tmp_path):
    """The same poses are read, and none overwritten, when a plan is saved."""
    file = plan.recording().save(tmp_path / "plan.csv")
    read = at.read_recording(file, plan.arm)
    np.testing.assert_allclose(read.q, plan.q, rtol=0, atol=1e-12)
    assert not read.timed
    with pytest.raises(OutputExistsError, match=r"plan\.csv"):
        plan.recording().save(file)
