"""What inverse kinematics promises about order, limits, images and errors."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import InputError, UnreachableError

Q = np.array([0.5, -1.3, 1.7, -1.9, 1.1, 0.4])


@pytest.fixture
def arm():
    """Return the UR10e."""
    return at.load("ur10e")


def limited(arm, joint, lower, upper):
    """Return the arm with other limits on one joint, counted from 1."""
    joints = list(arm.joints)
    limits = dataclasses.replace(joints[joint - 1].limits, lower=lower, upper=upper)
    joints[joint - 1] = dataclasses.replace(joints[joint - 1], limits=limits)
    return arm.with_(joints=tuple(joints))


def test_order_by_the_seed(arm):
    """Nearest first when a seed is given, nearest to zero when not."""
    T = at.fk(arm, Q)
    for seed in (None, Q, -Q):
        found = at.ik(arm, T, seed=seed)
        distance = np.linalg.norm(found.q - (0 if seed is None else seed), axis=1)
        assert (np.diff(distance) >= 0).all()
    assert np.abs(at.ik(arm, T, seed=Q).best - Q).max() < 1e-9


def test_seed_a_turn_away(arm):
    """The solution a whole turn on when the seed is there and the limits allow it."""
    away = Q + [2 * np.pi, 0, 0, 2 * np.pi, 0, -2 * np.pi]
    away = np.clip(away, arm.lower, arm.upper)
    best = at.ik(arm, at.fk(arm, Q), seed=Q + [0, 0, 0, 2 * np.pi, 0, -2 * np.pi]).best
    assert best == pytest.approx(Q + [0, 0, 0, 2 * np.pi, 0, -2 * np.pi], abs=1e-9)
    assert (at.ik(arm, at.fk(arm, Q), seed=away).q <= arm.upper).all()


def test_images(arm):
    """Every whole turn within limits when images are asked for, each at the same pose."""
    T = at.fk(arm, Q)
    few, many = at.ik(arm, T), at.ik(arm, T, images=True)
    assert len(many) == 64 * len(few)
    assert len(np.unique(many.q.round(9), axis=0)) == len(many)
    assert (np.abs(many.q) <= 2 * np.pi).all()
    assert np.abs(at.fk(arm, many.q) - T).max() < 1e-12
    assert many.residuals.max() < 1e-12


def test_limits_drop_and_move_solutions(arm):
    """Only solutions within the limits, moved by whole turns, when a joint is limited."""
    T = at.fk(arm, Q)
    narrow = limited(arm, 1, Q[0] + 2 * np.pi - 0.1, Q[0] + 2 * np.pi + 0.1)
    found = at.ik(narrow, T)
    assert 0 < len(found) < len(at.ik(arm, T))
    assert np.abs(found.q[:, 0] - Q[0] - 2 * np.pi).max() < 1e-9
    assert len(at.ik(narrow, T, ignore_limits=True)) == len(at.ik(arm, T))
    batch, valid = at.ik_batch(narrow, T)
    assert valid.sum() == len(found) and batch.shape == (8, 6)


def test_limits_that_drop_everything(arm):
    """An error naming the joint when no solution is within its limits."""
    narrow = limited(arm, 3, -0.2, 0.2)
    with pytest.raises(UnreachableError, match=r"joint 3 \(elbow_joint\)"):
        at.ik(narrow, at.fk(arm, Q))
    assert not at.ik_batch(narrow, at.fk(arm, Q))[1].any()


def test_search_names_the_limited_joint():
    """An error naming the joint when only its limits keep an arm without closed form away."""
    arm = limited(at.load("desktop5"), 1, -0.2, 0.2)
    arm = limited(limited(arm, 2, -0.2, 0.5), 3, -0.2, 0.5)
    beyond = np.array([1.2, 0.2, 0.1, 0.3, 0.2])
    T = at.fk(arm, beyond, ignore_limits=True)
    with pytest.raises(
        UnreachableError, match=r"only beyond its joint limits.*joint 1 \(joint_1\)"
    ):
        at.ik(arm, T)
    found = at.ik(arm, T, ignore_limits=True)
    assert np.abs(found.q - beyond).max(axis=1).min() < 1e-6


def test_too_far(arm):
    """The distance and the reach when the pose is too far away."""
    message = (
        r"the wrist \(joint 4\) is 1\.896 m from the shoulder \(joint 2\), at most 1\.184 m can be "
        r"reached: 0\.712 m too far"
    )
    with pytest.raises(UnreachableError, match=message):
        at.ik(arm, at.pose((2, 0, 0)))


def test_too_close(arm):
    """The distance and the offset when the wrist centre is too near axis 1."""
    with pytest.raises(UnreachableError, match=r"nearer than 0\.1741 m: 0\.164 m too close"):
        at.ik(arm, at.pose((0.01, 0, 0.5)))


def test_too_near_the_shoulder():
    """The distance and the least reach when links of unequal length cannot fold so far."""
    arm = at.load("ur16e")
    joints = list(arm.joints)
    joints[2] = dataclasses.replace(joints[2], a=-0.2)
    with pytest.raises(UnreachableError, match=r"at least 0\.2784 m can be reached.* too near"):
        at.ik(arm.with_(joints=tuple(joints)), at.pose((0.18, 0, 0.064), (np.pi, 0, 0)))


@pytest.mark.parametrize(
    ("T", "message"),
    [
        (np.eye(3), r"one pose \(4, 4\), got shape \(3, 3\)"),
        (np.broadcast_to(np.eye(4), (5, 4, 4)), "ik_batch"),
        (np.full((4, 4), np.nan), "NaN"),
        (np.diag([1.0, 1.0, 1.1, 1.0]), "not orthogonal"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "is a reflection"),
        (np.eye(4) + np.eye(4)[::-1] * 0.1, "row 0 0 0 1"),
        ("down", r"\(4x4\) must be real numbers"),
    ],
    ids=["shape", "many", "nan", "stretched", "mirrored", "last row", "text"],
)
@pytest.mark.parametrize("name", ["ur10e", "desktop5"])
def test_poses_that_are_none(name, T, message):
    """An input error that says what is wrong when the target is no rigid pose."""
    with pytest.raises(InputError, match=message):
        at.ik(at.load(name), T)


def test_batch_poses_that_are_none(arm):
    """An input error when one pose of a batch is not rigid or the shape is wrong."""
    T = at.fk(arm, np.tile(Q, (5000, 1)))
    for flaw, message in ((0.1, "not orthogonal"), (np.nan, "NaN")):
        bad = T.copy()
        bad[4321, 0, 0] += flaw
        with pytest.raises(InputError, match=message):
            at.ik_batch(arm, bad)
    with pytest.raises(InputError, match=r"expected \(\.\.\., 4, 4\)"):
        at.ik_batch(arm, np.eye(3))


def test_batch_of_an_arm_without_a_closed_form():
    """One solution a pose, NaN where there is none, when an arm has no closed form."""
    arm = at.load("desktop5")
    q = np.random.default_rng(1).uniform(arm.lower, arm.upper, (20, arm.dof))
    T = at.fk(arm, q)
    T[7, :3, 3] += 5.0
    found, valid = at.ik_batch(arm, T)
    assert found.shape == (20, 1, 5) and not valid[7, 0] and valid.sum() == 19
    assert np.isnan(found[7]).all()
    assert np.abs(at.fk(arm, found[valid]) - T[valid[:, 0]]).max() < 1e-8


def test_batch_seeds(arm):
    """Each pose's solutions a turn on when each pose has its own seed."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-6, 6, (3000, 6))
    found, valid = at.ik_batch(arm, at.fk(arm, q), seed=q)
    apart = np.where(valid, np.abs(found - q[:, None]).max(axis=-1), np.inf)
    assert apart.min(axis=1).max() < 1e-6


def test_batch_shapes(arm):
    """Any leading shape, also none and an empty one, when poses come in a batch."""
    T = at.fk(arm, np.tile(Q, (2, 3, 1)))
    q, valid = at.ik_batch(arm, T)
    assert q.shape == (2, 3, 8, 6) and valid.shape == (2, 3, 8)
    q, valid = at.ik_batch(arm, np.zeros((0, 4, 4)))
    assert q.shape == (0, 8, 6) and valid.shape == (0, 8)


def test_bad_seed(arm):
    """An input error when the seed has the wrong size or is not finite."""
    for seed in ([0, 0, 0], np.zeros((2, 6)), [np.nan] * 6):
        with pytest.raises(InputError):
            at.ik(arm, at.fk(arm, Q), seed=seed)
    with pytest.raises(InputError, match="expected an Arm"):
        at.ik(10, np.eye(4))
    with pytest.raises(InputError, match="expected an Arm"):
        at.ik_batch(10, np.eye(4))


def test_rounded_pose(arm):
    """Solutions of the nearest rigid pose when the rotation is typed with seven digits."""
    T = at.fk(arm, Q)
    typed = T.round(7)
    found = at.ik(arm, typed, seed=Q)
    assert found.residuals.max() < 1e-12
    assert np.abs(at.fk(arm, found.best) - T).max() < 1e-6


def test_result_is_frozen(arm):
    """An error when someone assigns to a field of the result."""
    found = at.ik(arm, at.fk(arm, Q))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.q = np.zeros((1, 6))
