"""Spherical wrists and seven joints where branches meet, joints are free, or nothing reaches."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import brentq
from structured_arms import IIWA, IRB140, KR16, PANDA, PUMA, SEVEN, SIX, apart, random_joints

import armtwin as at
from armtwin.errors import InputError, UnreachableError

EACH = 12


def fixed(arm, seed, **joints):
    """Return random joint vectors with some joints (q1 ... q7) set."""
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (EACH, arm.dof))
    for name, value in joints.items():
        q[:, int(name[1]) - 1] = value
    return q


def stretched(arm):
    """Return the angle of joint 3 that stretches the elbow: wrist centre in line with axis 3."""
    sign = 1 if arm is PUMA else -1
    return sign * np.arctan2(arm.joints[3].d, arm.joints[2].a)


def over_axis_1(arm):
    """Return joint vectors that put the wrist centre over axis 1, or as near as an offset lets."""
    rng, found = np.random.default_rng(5), []
    angles = np.linspace(-np.pi, np.pi, 40)
    while len(found) < EACH:
        q = rng.uniform(-np.pi, np.pi, 6)

        def aside(q2, q3=q[2]):
            return at.link_poses(arm, [0, q2, q3, 0, 0, 0], ignore_limits=True)[3][0, 3]

        values = np.array([aside(x) for x in angles])
        crossing = np.flatnonzero(values[:-1] * values[1:] < 0)
        if len(crossing):
            q[1] = brentq(aside, *angles[crossing[0] : crossing[0] + 2], xtol=1e-15)
            found.append(q)
    return np.array(found)


WRIST_CASES = {
    "wrist straight": lambda arm: fixed(arm, 1, q5=0.0),
    "wrist folded": lambda arm: fixed(arm, 2, q5=np.pi),
    "wrist at 1e-12": lambda arm: fixed(arm, 3, q5=1e-12),
    "wrist at 1e-10": lambda arm: fixed(arm, 3, q5=1e-10),
    "wrist at 1e-7": lambda arm: fixed(arm, 3, q5=1e-7),
    "elbow stretched": lambda arm: fixed(arm, 4, q3=stretched(arm)),
    "elbow folded": lambda arm: fixed(arm, 4, q3=stretched(arm) + np.pi),
    "elbow at 1e-9": lambda arm: fixed(arm, 4, q3=stretched(arm) + 1e-9),
    "elbow and wrist": lambda arm: fixed(arm, 6, q3=stretched(arm), q5=0.0),
    "shoulder": over_axis_1,
    "shoulder and wrist": lambda arm: over_axis_1(arm) * [1, 1, 1, 1, 0, 1],
}
SEVEN_CASES = {
    f"q{joint} at {value:g}": (lambda arm, j=joint, v=value: fixed(arm, j, **{f"q{j}": v}))
    for joint in (2, 4, 6)
    for value in (0.0, 1e-12, 1e-9, 1e-7)
}
SEVEN_CASES["q2 and q6"] = lambda arm: fixed(arm, 7, q2=0.0, q6=0.0)
SEVEN_CASES["q2, q4 and q6"] = lambda arm: fixed(arm, 8, q2=0.0, q4=0.0, q6=0.0)


SKEWED = dataclasses.replace(
    KR16,
    name="skewed kr16",
    joints=tuple(
        dataclasses.replace(joint, **{1: {"alpha": 0.4}, 5: {"d": 0.0}}.get(k, {}))
        for k, joint in enumerate(KR16.joints)
    ),
)
"""Axes 2 and 3 skew, so that joint 3 needs a quartic; the tool in the wrist centre."""


def double_root(arm, aside=0.0):
    """Return joint vectors at which joints 1 to 3 cannot move the wrist centre in every direction.

    Two roots of the quartic meet there. ``aside`` is added to joint 3 [rad].
    """
    rng, found = np.random.default_rng(5), []
    angles = np.linspace(-np.pi, np.pi, 40)
    while len(found) < EACH:
        q = rng.uniform(-np.pi, np.pi, 6)
        rows = np.tile(q, (len(angles), 1))
        rows[:, 2] = angles
        values = np.linalg.det(at.jacobian(arm, rows, ignore_limits=True)[:, :3, :3])
        crossing = np.flatnonzero(values[:-1] * values[1:] < 0)
        if len(crossing):

            def volume(q3, q=q):
                row = [*q[:2], q3, *q[3:]]
                return np.linalg.det(at.jacobian(arm, row, ignore_limits=True)[:3, :3])

            q[2] = brentq(volume, *angles[crossing[0] : crossing[0] + 2], xtol=1e-15) + aside
            found.append(q)
    return np.array(found)


SKEW_CASES = {
    "wrist straight": lambda: fixed(SKEWED, 1, q5=0.0),
    "wrist at 1e-7": lambda: fixed(SKEWED, 1, q5=1e-7),
    "double root": lambda: double_root(SKEWED),
    "double root, 1e-9 aside": lambda: double_root(SKEWED, 1e-9),
    "double root and wrist": lambda: double_root(SKEWED) * [1, 1, 1, 1, 0, 1],
}


def assert_solved(arm, q):
    """Check that every pose is solved to 1e-9, one by one and as a batch."""
    T = at.fk(arm, q, ignore_limits=True)
    for pose, joints in zip(T, q, strict=True):
        for seed in (None, joints):
            found = at.ik(arm, pose, seed=seed, ignore_limits=True)
            assert found.residuals.max() < 1e-9
    found, valid = at.ik_batch(arm, T, seed=q, ignore_limits=True)
    assert valid.any(axis=1).all()
    back = at.fk(arm, found[valid], ignore_limits=True)
    assert np.abs(back - T[np.nonzero(valid)[0]]).max() < 1e-9


@pytest.mark.parametrize("case", WRIST_CASES)
@pytest.mark.parametrize("arm", SIX, ids=lambda arm: arm.name)
def test_singular_wrist_arms(arm, case):
    """Every pose solved to 1e-9 when an arm with six joints is on or beside a singularity."""
    assert_solved(arm, WRIST_CASES[case](arm))


@pytest.mark.parametrize("case", SKEW_CASES)
def test_singular_skew_shoulder(case):
    """Every pose solved to 1e-9 when joint 3 of an arm with skew axes has a double root."""
    assert_solved(SKEWED, SKEW_CASES[case]())


@pytest.mark.parametrize("case", SEVEN_CASES)
@pytest.mark.parametrize("arm", SEVEN, ids=lambda arm: arm.name)
def test_singular_seven_joints(arm, case):
    """Every pose solved to 1e-9 when a seven-joint arm is on or beside a singularity."""
    assert_solved(arm, SEVEN_CASES[case](arm))


@pytest.mark.parametrize(("arm", "joint"), [(KR16, 6), (IRB140, 6), (IIWA, 7)])
def test_free_joint_keeps_the_seed(arm, joint):
    """The last joint is named free and the seed's own vector found when the wrist is straight."""
    for q in fixed(arm, 9, **{f"q{joint - 1}": 0.0}):
        found = at.ik(arm, at.fk(arm, q, ignore_limits=True), seed=q, ignore_limits=True)
        assert apart(found.best, q) < 1e-6
        assert found.free[0] == joint and found.singular[0]
        assert f"joint {joint} is free" in found.notes[0]


def test_free_joint_moves_into_the_limits():
    """Another angle of the free joint when the seed's leads joint 4 beyond its limits."""
    joints = list(KR16.joints)
    for k in (3, 5):
        joints[k] = dataclasses.replace(joints[k], limits=at.load("ur3").joints[0].limits)
        limits = dataclasses.replace(joints[k].limits, lower=-1.0, upper=1.0)
        joints[k] = dataclasses.replace(joints[k], limits=limits)
    arm = KR16.with_(joints=tuple(joints))
    q = np.array([0.2, -1.0, 1.2, 0.9, 0.0, 0.9])
    found = at.ik(arm, at.fk(arm, q), seed=[0, 0, 0, 0, 0, -0.9])
    assert found.residuals.max() < 1e-9 and (found.q >= arm.lower).all()
    assert found.best[3] + found.best[5] == pytest.approx(1.8)


@pytest.mark.parametrize(
    ("arm", "place", "reason"),
    [
        (KR16, (5.0, 0.0, 1.0), "further from the shoulder"),
        (PUMA, (0.05, 0.0, 1.2), "axis of joint 1"),
        (IIWA, (0.0, 2.0, 0.5), "further from the shoulder"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_unreachable_with_the_reason(arm, place, reason):
    """An error with the reason and the distance when no branch reaches the pose."""
    with pytest.raises(UnreachableError, match=rf"{reason}.*branches ends .* m and .* deg away"):
        at.ik(arm, at.pose(place), redundancy=0.3 if arm is IIWA else None)
    _, valid = at.ik_batch(arm, at.pose(place))
    assert not valid.any()


def test_unreachable_for_every_redundancy():
    """An error when a seven-joint arm cannot reach the pose at any arm angle."""
    for arm in SEVEN:
        for seed in (None, np.full(7, 0.1)):
            with pytest.raises(UnreachableError, match="cannot reach"):
                at.ik(arm, at.pose((3.0, 0.0, 0.5)), seed=seed)


def test_limits_name_the_joint():
    """An error that names the joint when every branch is beyond the limits."""
    joints = list(IRB140.joints)
    limits = dataclasses.replace(joints[0].limits, lower=-0.1, upper=0.1)
    joints[0] = dataclasses.replace(joints[0], limits=limits)
    arm = IRB140.with_(joints=tuple(joints))
    T = at.fk(IRB140, [1.0, 0.2, -0.3, 0.4, 0.5, 0.6])
    with pytest.raises(UnreachableError, match=r"joint 1 \(joint_1\)"):
        at.ik(arm, T)
    assert np.abs(at.ik(arm, T, ignore_limits=True).q[:, 0] - 1.0).min() < 1e-9


@pytest.mark.parametrize("arm", SEVEN, ids=lambda arm: arm.name)
def test_redundancy_finds_the_limits(arm):
    """Solutions within limits when the seed's own arm angle has none, or when there is no seed."""
    rng = np.random.default_rng(10)
    for q in random_joints(arm, 40, 11):
        T = at.fk(arm, q)
        for seed in (None, rng.uniform(arm.lower, arm.upper)):
            found = at.ik(arm, T, seed=seed)
            assert found.residuals.max() < 1e-9
            assert (found.q >= arm.lower - 1e-9).all() and (found.q <= arm.upper + 1e-9).all()
        again = at.ik(arm, T, redundancy=at.ik(arm, T, seed=q).redundancy)
        assert apart(again.q, q).min() < 1e-6


def test_without_a_seed_the_arm_stays_clear():
    """Further from limits and singularities than the median when no seed is given."""
    better = 0
    for q in random_joints(IIWA, 30, 12):
        chosen = at.ik(IIWA, at.fk(IIWA, q)).q
        drawn, ours = at.manipulability(IIWA, q), at.manipulability(IIWA, chosen).max()
        better += ours > 0.99 * drawn
    assert better >= 24


def test_redundancy_of_an_arm_that_has_none():
    """An input error when a redundancy is given to six joints, or is no angle."""
    T = at.fk(KR16, np.array([0.1, -0.5, 0.6, 0.2, 0.3, 0.4]))
    for _ in range(2):  # the second call is the compiled one
        with pytest.raises(InputError, match="no arm angle"):
            at.ik(KR16, T, redundancy=0.1)
    for value in ("left", np.nan):
        with pytest.raises(InputError, match="redundancy is"):
            at.ik(IIWA, at.fk(IIWA, np.full(7, 0.3)), redundancy=value)
    assert at.ik(PANDA, at.fk(PANDA, random_joints(PANDA, 1)[0])).redundancy is not None
