"""Inverse kinematics of calibrated arms and of arms without a closed form."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import armtwin as at
from armtwin.errors import UnreachableError
from armtwin.model.arm import Arm, Joint, Limits

HALF = np.pi / 2


def row(a, alpha, d, **more):
    """Return a row of a DH table with limits."""
    limits = Limits(-2.9, 2.9) if more.get("kind") != "prismatic" else Limits(0.1, 0.8)
    return Joint("joint", a=a, alpha=alpha, d=d, limits=limits, **more)


TWISTS = (-HALF, HALF, HALF, -HALF, -HALF, HALF, 0.0)
LENGTHS = (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126)
SEVEN = Arm(
    "seven",
    "standard-dh",
    tuple(row(0.0, alpha, d) for alpha, d in zip(TWISTS, LENGTHS, strict=True)),
)
SLIDING = Arm(
    "with a sliding joint",
    "standard-dh",
    (row(0, -HALF, 0.4), row(0, HALF, 0.15), row(0, 0, 0, kind="prismatic"), row(0, -HALF, 0))
    + (row(0, HALF, 0), row(0, 0, 0.2)),
)
SKEW = Arm(
    "skew axes",
    "standard-dh",
    (row(0.1, 1.1, 0.3), row(0.4, 0.7, 0.1), row(0.2, -1.2, 0.1), row(0.1, 1.3, 0.3))
    + (row(0.1, -1.0, 0.1), row(0.05, 0.4, 0.1)),
)
EIGHT = Arm("eight joints", "standard-dh", (row(0.0, -HALF, 0.2), *SEVEN.joints))
PLANAR = Arm("planar", "standard-dh", (row(0.5, 0, 0), row(0.4, 0, 0), row(0.1, 0, 0)))


def calibrated(arm, size, seed):
    """Return the arm with every DH number off by ``size`` (standard deviation, m and rad)."""
    rng = np.random.default_rng(seed)

    def moved(joint):
        a, d, alpha, theta = rng.normal(0, size, 4).tolist()
        return dataclasses.replace(
            joint, a=joint.a + a, d=joint.d + d, alpha=joint.alpha + alpha, theta=theta
        )

    return arm.with_(name="calibrated", joints=tuple(moved(joint) for joint in arm.joints))


def random_poses(arm, number, seed):
    """Return joint vectors within limits and within a turn, and their poses."""
    lower, upper = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    q = np.random.default_rng(seed).uniform(lower, upper, (number, arm.dof))
    return q, at.fk(arm, q)


def turned(T, angles):
    """Return the pose with its orientation turned by a rotation vector."""
    out = T.copy()
    out[:3, :3] = Rotation.from_rotvec(angles).as_matrix() @ T[:3, :3]
    return out


@pytest.mark.parametrize("name", ["ur3", "ur5e", "ur10e"])
def test_calibrated_arms(name):
    """At least 99.5 % of poses solved, each solution exact, when the DH table is off by 1e-3."""
    arm = calibrated(at.load(name), 1e-3, seed=7)
    q, T = random_poses(arm, 250, seed=8)
    solved, recovered, branches = 0, 0, 0
    for joints, pose in zip(q, T, strict=True):
        try:
            found = at.ik(arm, pose)
        except at.ArmTwinError:
            continue
        back = at.fk(arm, found.q)
        assert np.abs(back - pose).max() < 1e-9
        assert found.residuals.max() < 1e-9
        solved += 1
        branches += len(found)
        recovered += np.abs((found.q - joints + np.pi) % (2 * np.pi) - np.pi).max(1).min() < 1e-5
    assert solved >= 0.995 * len(T)
    assert recovered >= 0.99 * len(T)
    nominal = at.ik_batch(at.load(name), at.fk(at.load(name), q))[1].sum()
    assert branches > 0.97 * nominal


@pytest.mark.parametrize("arm", [SKEW, SLIDING, EIGHT], ids=lambda arm: arm.name)
def test_other_arms(arm):
    """Every reachable pose solved within limits when the arm has no closed form."""
    _, T = random_poses(arm, 60, seed=9)
    several = 0
    for pose in T:
        found = at.ik(arm, pose)
        assert np.abs(at.fk(arm, found.q) - pose).max() < 1e-9
        assert found.method == "damped least squares"
        several += len(found) > 1
    assert several > 0.8 * len(T)


def test_search_is_repeatable():
    """The same solutions in the same order when the same question is asked twice."""
    _, T = random_poses(SKEW, 1, seed=10)
    first, second = at.ik(SKEW, T[0]), at.ik(SKEW, T[0])
    assert np.array_equal(first.q, second.q)


def test_seed_leads_a_redundant_arm():
    """A solution beside the seed when a seven-joint arm is asked for a pose near the seed's."""
    q, _ = random_poses(SEVEN, 20, seed=11)
    for joints in 0.8 * q:
        found = at.ik(SEVEN, at.fk(SEVEN, joints), seed=joints)
        assert np.abs(found.best - joints).max() < 1e-6
    assert "more joints than the pose needs" in found.notes[0]


@pytest.mark.parametrize("name", ["desktop5", "desktop5-mdh"])
def test_five_joints_reach_what_they_can(name):
    """Position and orientation exact when a five-joint arm is asked for a pose that it has."""
    arm = at.load(name)
    _, T = random_poses(arm, 120, seed=12)
    for pose in T:
        found = at.ik(arm, pose)
        assert np.abs(at.fk(arm, found.q) - pose).max() < 1e-9
        assert found.orientation_error.max() < 1e-9


def nearest_orientation(arm, T, tries):
    """Return the least orientation error with exact position, by SciPy's SLSQP from many starts."""

    def miss(q):
        S = at.fk(arm, q, ignore_limits=True)
        turn = Rotation.from_matrix(T[:3, :3] @ S[:3, :3].T).as_rotvec()
        return turn @ turn, 10 * (T[:3, 3] - S[:3, 3])

    rng, best = np.random.default_rng(13), np.inf
    limits = list(zip(arm.lower, arm.upper, strict=True))
    for _ in range(tries):
        end = minimize(
            lambda q: miss(q)[0],
            rng.uniform(arm.lower, arm.upper),
            constraints=[{"type": "eq", "fun": lambda q: miss(q)[1]}],
            bounds=limits,
            method="SLSQP",
            options={"maxiter": 200, "ftol": 1e-13},
        )
        if np.abs(miss(end.x)[1]).max() < 1e-6:
            best = min(best, float(np.sqrt(end.fun)))
    return best


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")
def test_five_joints_come_as_near_as_an_optimiser():
    """Position exact and orientation as good as an optimiser's when five joints cannot turn so."""
    arm, rng = at.load("desktop5"), np.random.default_rng(14)
    _, T = random_poses(arm, 5, seed=15)
    for pose in T:
        wanted = turned(pose, rng.normal(0, 0.4, 3))
        found = at.ik(arm, wanted)
        assert np.abs(at.fk(arm, found.q)[:, :3, 3] - wanted[:3, 3]).max() < 1e-9
        assert found.residuals.max() < 1e-9
        S = at.fk(arm, found.best)
        angle = Rotation.from_matrix(wanted[:3, :3] @ S[:3, :3].T).magnitude()
        assert found.orientation_error[0] == pytest.approx(angle, abs=1e-9)
        assert angle > 1e-3
        assert angle < nearest_orientation(arm, wanted, tries=8) + 1e-4


def test_three_planar_joints():
    """Both elbows when a planar arm of three joints is asked for a pose in its plane."""
    q = np.array([0.4, 0.9, -0.3])
    found = at.ik(PLANAR, at.fk(PLANAR, q))
    assert len(found) == 2
    assert np.abs(found.q - q).max(axis=1).min() < 1e-9
    assert np.sort(found.q[:, 1]) == pytest.approx([-0.9, 0.9])


def test_out_of_plane_names_the_distance():
    """An error with the distance when a planar arm is asked to leave its plane."""
    with pytest.raises(UnreachableError, match=r"ends 0\.2 m away"):
        at.ik(PLANAR, at.pose((0.5, 0.2, 0.2)))
