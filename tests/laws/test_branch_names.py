"""Names of the branches of inverse kinematics: what they say is so, and no two are the same."""

import numpy as np
import pytest

import armtwin as at
from armtwin.kinematics.inverse.structure.branch_names import (
    branch_names,
    nearest_singularity,
    side_names,
    singularities,
)
from armtwin.motion.programs.pose_warnings import NEAR_LIMIT, hints

NAMED = ("ur5e", "ur10e", "ur20", "irb140", "kr16", "iiwa14")


def poses(arm, count=12):
    """Return random joint vectors within three radians."""
    low, high = np.maximum(arm.lower, -3), np.minimum(arm.upper, 3)
    return np.random.default_rng(3).uniform(low, high, (count, arm.dof))


@pytest.mark.parametrize("name", NAMED)
def test_all_branches_of_a_pose_have_different_names(name):
    """No two branches share a name, and none is numbered, when a pose has up to eight of them."""
    arm = at.load(name)
    for q in poses(arm):
        found = at.ik(arm, at.fk(arm, q), seed=q, ignore_limits=True)
        names = branch_names(arm, found.q)
        assert len(set(names)) == len(found)
        assert not any("(" in one for one in names)


def test_elbow_and_shoulder_are_where_their_names_say():
    """The elbow lies above the line from shoulder to wrist exactly when it is called up.

    Points are taken from link frames of a UR: elbow and wrist 1 are the origins of links 2 and 3.
    """
    arm = at.load("ur5e")
    for q in poses(arm, 40):
        found = at.ik(arm, at.fk(arm, q), seed=q, ignore_limits=True)
        for solution, name in zip(found.q, branch_names(arm, found.q), strict=True):
            shoulder, elbow, wrist, centre = at.link_poses(arm, solution)[[0, 1, 2, 4], :3, 3]
            line = wrist - shoulder
            foot = shoulder + line * ((elbow - shoulder) @ line) / (line @ line)
            assert ("elbow up" in name) == (elbow[2] > foot[2])
            # The axis of joint 2 carries the arm's plane: is it left of the way to the wrist?
            flat = np.array([centre[0], centre[1], 0.0])
            axis = at.link_poses(arm, solution)[0, :3, 2]
            side = np.cross([0, 0, 1], flat) @ axis * (axis @ (centre - shoulder))
            assert ("shoulder left" in name) == (side > 0)
            assert ("wrist flipped" in name) == (np.sin(solution[4]) < 0)


def test_branches_without_names_are_numbered():
    """Solutions are numbered when the arm has no closed form."""
    arm = at.load("xarm6")
    assert side_names(arm) == ()
    assert branch_names(arm, np.zeros((2, 6))) == ["solution 1", "solution 2"]


def test_whole_turns_of_one_branch_are_numbered():
    """The same posture a turn further has the same name with a number when both are given."""
    arm = at.load("ur5e")
    q = np.array([0.3, -1.2, 1.4, -1.5, 1.2, 0.4])
    turned = q + np.array([0, 0, 0, 0, 0, 2 * np.pi])
    one, two = branch_names(arm, [q, turned])
    assert (one[:-4], one[-4:], two[-4:]) == (two[:-4], " (1)", " (2)")


@pytest.mark.parametrize(
    ("name", "joint", "part"),
    [("ur5e", 4, "wrist"), ("ur5e", 2, "elbow"), ("irb140", 4, "wrist")],
)
def test_singularity_is_named(name, joint, part):
    """The warning names wrist or elbow, and the Jacobian is singular, when it is straight."""
    arm = at.load(name)
    q = np.array([0.2, -0.7, 0.6, -0.9, 0.8, 0.3])
    assert hints(arm, q) == []
    q[joint] = 0.0
    assert nearest_singularity(arm, q)[0] == part
    assert np.linalg.svd(at.jacobian(arm, q), compute_uv=False)[-1] < 1e-9
    [hint] = hints(arm, q)
    assert hint.text.startswith(f"near {part} singularity")


def test_shoulder_singularity_is_where_the_wrist_is_over_axis_1():
    """The shoulder's side is zero, and the Jacobian loses rank, when the wrist is ahead by 0."""
    arm = at.load("ur5e")
    q = np.array([0.0, -1.2, 1.4, -1.5, 1.2, 0.4])
    low, high = -2.5, 0.0
    ahead = lambda x: at.link_poses(arm, [q[0], x, *q[2:]])[4, 0, 3]  # noqa: E731
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if ahead(middle) * ahead(low) > 0 else (low, middle)
    q[1] = low
    assert nearest_singularity(arm, q)[0] == "shoulder"
    assert np.linalg.svd(at.jacobian(arm, q), compute_uv=False)[-1] < 1e-6


def test_seven_joints_have_no_named_singularity():
    """A seven-joint arm is judged by its Jacobian alone when joint 2 is straight."""
    assert singularities(at.load("iiwa14")) == ()


def test_limit_is_warned_of_within_five_degrees():
    """The warning says how far the limit is when a joint is 3 degrees from it, and not at 6."""
    arm = at.load("irb140")
    q = np.array([0.2, 0.3, 0.4, 0.5, 0.8, 0.3])
    q[0] = arm.upper[0] - np.radians(3)
    assert [hint.text for hint in hints(arm, q)] == ["joint 1 is 3.0 deg from its upper limit"]
    q[0] = arm.upper[0] - np.radians(6)
    assert hints(arm, q) == []
    assert NEAR_LIMIT["revolute"] == pytest.approx(np.radians(5))
