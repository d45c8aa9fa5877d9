"""What ``ik_one`` and masks promise: one solution, partial poses, the same without a compiler."""

import numpy as np
import pytest
from structured_arms import IIWA, KR16, PANDA, random_joints

import armtwin as at
from armtwin.errors import InputError, UnreachableError
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED
from armtwin.kinematics.inverse.target import as_target, residual
from armtwin.kinematics.joint_limits import Bounds

XYZ = [1, 1, 1, 0, 0, 0]
ROUND_TOOL = [1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("arm", [PANDA, IIWA], ids=lambda arm: arm.name)
def test_one_solution(arm):
    """Every reachable pose solved to 1e-9 within limits when no seed is given."""
    for T in at.fk(arm, random_joints(arm, 400, 1)):
        q = at.ik_one(arm, T)
        assert np.abs(at.fk(arm, q) - T).max() < 1e-8
        assert (q >= arm.lower).all() and (q <= arm.upper).all()


def test_seed_is_followed():
    """A solution beside the seed when the seed is near one."""
    for q in 0.9 * random_joints(IIWA, 50, 2):
        beside = at.ik_one(IIWA, at.fk(IIWA, q), seed=q + 0.02)
        assert np.abs(beside - q).max() < 0.2


def test_compiled_and_numpy_descents_agree(monkeypatch):
    """The same joints from the same starts when the loop runs in C and in NumPy."""
    q = random_joints(KR16, 40, 3)
    goals, first = as_target(at.fk(KR16, q)), random_joints(KR16, 40, 4)
    bounds = Bounds.of(KR16).narrow
    ours, error = converge(KR16, goals, first, bounds)
    monkeypatch.setattr(
        "armtwin.kinematics.inverse.numeric.converge.descent_loop", lambda *args, **kwargs: None
    )
    theirs, other = converge(KR16, goals, first, bounds)
    solved = residual(error) <= SOLVED
    assert (solved == (residual(other) <= SOLVED)).mean() > 0.95
    both = solved & (residual(other) <= SOLVED)
    assert both.sum() > 10
    # rounding can send a long descent to another solution; nearly all end in the same
    assert (np.abs(ours - theirs)[both].max(axis=1) < 1e-6).mean() > 0.9


def test_one_solution_without_a_compiler(monkeypatch):
    """Solved all the same when nothing can be compiled."""
    monkeypatch.setenv("ARMTWIN_TARGET", "numpy")
    arm = KR16.with_(name="another arm")
    T = at.fk(arm, random_joints(arm, 5, 5))
    for pose in T:
        assert np.abs(at.fk(arm, at.ik_one(arm, pose)) - pose).max() < 1e-8
    found, valid = at.ik_batch(arm, T, mask=XYZ)
    assert valid.all()
    assert np.abs(at.fk(arm, found[:, 0])[:, :3, 3] - T[:, :3, 3]).max() < 1e-8


@pytest.mark.parametrize("mask", [XYZ, ROUND_TOOL, [0, 0, 0, 1, 1, 1], [1, 1, 0, 0, 0, 0]])
@pytest.mark.parametrize("arm", [KR16, PANDA], ids=lambda arm: arm.name)
def test_masks(arm, mask):
    """What counts is met to 1e-9, in the axes of the target, when a mask is given."""
    counted = np.array(mask, bool)
    for T in at.fk(arm, random_joints(arm, 5, 6)):
        found = at.ik(arm, T, mask=mask)
        assert found.residuals.max() < 1e-9
        batch, valid = at.ik_batch(arm, T, mask=mask)
        for q in (*found.q, at.ik_one(arm, T, mask=mask), *batch[valid]):
            S = at.fk(arm, q)
            shift = T[:3, :3].T @ (S[:3, 3] - T[:3, 3])
            assert np.abs(shift[counted[:3]]).max(initial=0.0) < 1e-8
            if counted[3:].all():
                assert np.abs(S[:3, :3] - T[:3, :3]).max() < 1e-8
            elif counted[3:].any():
                assert S[:3, 2] @ T[:3, 2] > 1 - 1e-12  # only the tool's own axis is free
    assert "more joints than the pose needs" in found.notes[0]


def test_mask_opens_what_five_joints_cannot():
    """A partial pose solved when five joints cannot turn the tool as the whole pose asks."""
    arm = at.load("desktop5")
    T = at.fk(arm, np.array([0.3, 0.5, -0.4, 0.2, 0.1])) @ at.pose(rpy=(0.3, 0.2, 0.1))
    with pytest.raises(UnreachableError, match=r"m and .* deg away"):
        at.ik_one(arm, T)
    q = at.ik_one(arm, T, mask=XYZ)
    assert np.abs(at.fk(arm, q)[:3, 3] - T[:3, 3]).max() < 1e-8


def test_unreachable_says_how_far():
    """An error with the remaining distance when no descent succeeds."""
    with pytest.raises(UnreachableError, match="nearest of 200 searches"):
        at.ik_one(IIWA, at.pose((3.0, 0.0, 0.4)))
    beyond = at.fk(KR16, [0.1, 0.9, 0.3, 0.5, 0.6, 0.4], ignore_limits=True)
    with pytest.raises(UnreachableError, match="beyond its joint limits"):
        at.ik_one(KR16, beyond)


@pytest.mark.parametrize("mask", [[1, 1, 1], "xyz", [0] * 6, [2, 0, 0, 0, 0, 0], [np.nan] * 6])
def test_masks_that_are_none(mask):
    """An input error that says what is expected when a mask is not six flags."""
    T = at.fk(KR16, random_joints(KR16, 1)[0])
    for solve in (at.ik, at.ik_one, at.ik_batch):
        with pytest.raises(InputError, match="six flags"):
            solve(KR16, T, mask=mask)


def test_bad_poses_and_seeds():
    """An input error when the pose or the seed is none, on the first call and on later ones."""
    T = at.fk(KR16, random_joints(KR16, 1)[0])
    for _ in range(2):
        for bad in (np.diag([1, 1, 1.1, 1]), np.full((4, 4), np.nan), np.eye(3), "down"):
            with pytest.raises(InputError):
                at.ik_one(KR16, bad)
        for seed in ([0, 0], np.zeros((2, 6)), [np.nan] * 6):
            with pytest.raises(InputError):
                at.ik_one(KR16, T, seed=seed)
        at.ik_one(KR16, T)
