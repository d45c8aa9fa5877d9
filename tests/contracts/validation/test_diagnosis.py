"""A check begins with its diagnosis in one sentence."""

import numpy as np
import pytest

import armtwin as at
from armtwin.app.jobs.outcome import outcome_of

TIME = np.arange(0, 4, 0.02)
Q = np.array([0.0, -1.5, 1.2, -1.0, -1.5, 0.3]) + 0.4 * np.sin(
    TIME[:, None] * np.array([1.0, 1.3, 0.7, 1.1, 0.9, 1.7])
)


def recorded(arm, **more):
    """Return a recording of an arm's twin itself."""
    x, y, z = at.fk(arm, Q)[:, :3, 3].T
    groups = {"q": Q, "x": x, "y": y, "z": z, **more}
    return at.Recording.of(TIME, groups, arm=arm, origin="a test")


def test_other_arm_is_named_and_proposed():
    """The page says which arm it looks like, and proposes it, when the recording is another's."""
    page = at.validate("ur5e", recorded("ur5")).page()
    assert page.finding == "This looks like a UR5, not a UR5e."
    assert page.proposed_arm == "ur5"
    assert outcome_of(page).proposed_arm == "ur5" and outcome_of(page).passed is False


def test_good_twin_says_how_near_it_is():
    """The largest and the RMS distance are said when every limit is kept."""
    run = recorded("ur5e", x=at.fk("ur5e", Q)[:, 0, 3] + 1e-4)
    page = at.validate("ur5e", run).page()
    assert page.finding == "The twin's tool follows the recorded one within 0.1 mm (0.1 mm RMS)."
    assert page.proposed_arm == "" and page.verdict.passed is True


def test_cause_is_said():
    """The most likely cause is said when limits are broken."""
    q = Q.copy()
    q[:, 1] += 0.02
    x, y, z = at.fk("ur5e", Q)[:, :3, 3].T
    run = at.Recording.of(TIME, {"q": q, "x": x, "y": y, "z": z}, arm="ur5e", origin="a test")
    page = at.validate("ur5e", run, limits=("position=1mm",)).page()
    assert page.finding.startswith("The twin does not follow this recording: joint 2 ")


def test_nothing_is_judged_without_a_limit():
    """The verdict is open, with a finding beside it, when no limit applies."""
    tau = at.inverse_dynamics("ur5e-energy", Q, 0 * Q, 0 * Q)
    run = at.Recording.of(TIME, {"q": Q, "tau": tau}, arm="ur5e-energy", origin="a test")
    page = at.validate("ur5e-energy", run).page()
    assert page.verdict.passed is None and page.verdict.word == "NOT JUDGED"
    assert page.finding.startswith("The twin")


@pytest.mark.parametrize("name", ["fr3", "panda", "gen3"])
@pytest.mark.parametrize("fit_base", [False, True])
def test_joint_that_does_not_move_the_position_is_no_cause(name, fit_base):
    """The planted offset is found when the recorded position lies on the last joint's axis."""
    arm = at.load(name)
    rng = np.random.default_rng(0)
    q = rng.uniform(-0.5, 0.5, 7) + 0.4 * np.sin(TIME[:, None] * rng.uniform(0.5, 2, 7))
    position = at.fk(arm, q + np.deg2rad(2.0) * np.eye(7)[1], ignore_limits=True)[:, :3, 3]
    check = at.validate(
        arm, at.Recording.of(TIME, {"q": q, "position": position}), fit_base=fit_base
    )
    offsets = [cause for cause in check.causes if cause.kind == "joint offset"]
    assert all(cause.joint != 7 for cause in check.causes)
    assert offsets[0].joint == 2 and np.isclose(np.rad2deg(offsets[0].value), 2.0, atol=0.1)


def test_offsets_stay_within_a_turn_when_a_joint_hardly_moves_the_position():
    """Causes are found when the tool is a nanometre off the last axis and the error is large."""
    arm = at.load("fr3").with_(tool=at.pose((1e-9, 0, 0.1)))
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.3]) + 0.3 * np.sin(TIME[:, None] * np.ones(7))
    position = at.fk(arm, q)[:, :3, 3] + np.array([0.1, 0.2, -0.1])
    check = at.validate(arm, at.Recording.of(TIME, {"q": q, "position": position}))
    assert check.causes[0].kind == "base"
    assert all(abs(cause.value) <= np.pi for cause in check.causes if cause.joint)
