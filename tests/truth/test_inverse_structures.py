"""Closed forms beyond the UR structure: every branch, on random and on real arms."""

import dataclasses
from importlib.metadata import distribution

import numpy as np
import pytest
from structured_arms import (
    IIWA,
    IRB140,
    KR16,
    PANDA,
    SEVEN,
    SEVEN_KINDS,
    SIX,
    SKEW,
    WRIST_KINDS,
    apart,
    random_joints,
    seven_arm,
    wrist_arm,
)

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics.inverse import (
    general_shoulder,
    parallel_elbow,
    seven_joints,
    spherical_wrist,
)
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED
from armtwin.kinematics.inverse.structure.forms import nearest_form
from armtwin.kinematics.inverse.target import as_target, residual
from armtwin.kinematics.joint_limits import Bounds, distinct

POSES = 200
SEVEN_EQUATIONS = (seven_joints.spherical_wrist, seven_joints.offset_wrist)


@pytest.fixture
def without_compiling_arms(monkeypatch):
    """Compile the closed forms, but run everything that depends on the arm in NumPy."""
    for module in (spherical_wrist, parallel_elbow, general_shoulder):
        kernel(None, module.solutions)
    for equation in SEVEN_EQUATIONS:
        kernel(None, equation)
    monkeypatch.setenv("ARMTWIN_TARGET", "numpy")


def assert_every_branch(arm, q):
    """Check that every branch reaches its pose and that the drawn joints are among them."""
    T = at.fk(arm, q, ignore_limits=True)
    found, valid = at.ik_batch(arm, T, seed=q, ignore_limits=True)
    back = at.fk(arm, found[valid], ignore_limits=True)
    assert np.abs(back - T[np.nonzero(valid)[0]]).max() < 1e-9
    nearest = np.where(valid, apart(found, q[:, None]), np.inf).min(axis=1)
    assert nearest.max() < 1e-5  # a double root holds the square root of rounding
    assert np.quantile(nearest, 0.9) < 1e-9


@pytest.mark.parametrize("slanted", [False, True])
@pytest.mark.parametrize("kind", [*WRIST_KINDS, SKEW])
def test_random_spherical_wrists(kind, slanted, without_compiling_arms):
    """Every branch exact and the drawn joints among them when a random arm's wrist axes meet."""
    for seed in range(4):
        arm = wrist_arm(seed, kind, slanted=slanted)
        form = nearest_form(arm)
        assert form is not None and form.exact
        assert form.structure == "spherical wrist" + (", general shoulder" if kind == SKEW else "")
        assert_every_branch(arm, random_joints(arm, POSES, seed))


@pytest.mark.parametrize("slanted", [False, True])
@pytest.mark.parametrize("kind", SEVEN_KINDS)
def test_random_seven_joints(kind, slanted, without_compiling_arms):
    """Every branch exact and the drawn joints among them when the redundancy is the seed's own."""
    for seed in range(4):
        arm = seven_arm(seed, kind, slanted=slanted)
        form = nearest_form(arm)
        assert form is not None and form.exact
        assert form.redundancy == ("q7" if kind == "offset wrist" else "arm angle")
        assert_every_branch(arm, random_joints(arm, POSES, seed))


@pytest.mark.parametrize("arm", [*SIX, *SEVEN], ids=lambda arm: arm.name)
def test_real_arms(arm):
    """Every branch exact when the arm is one that is sold, and single calls equal the batch."""
    q = random_joints(arm, POSES, 1)
    assert_every_branch(arm, q)
    T = at.fk(arm, q)
    batch, valid = at.ik_batch(arm, T, seed=q)
    assert valid.any(axis=1).all()
    for k in range(60):
        found = at.ik(arm, T[k], seed=q[k])
        assert found.method == "closed form" and found.residuals.max() < 1e-12
        assert (found.q >= arm.lower - 1e-9).all() and (found.q <= arm.upper + 1e-9).all()
        assert (np.diff(np.linalg.norm(found.q - q[k], axis=1)) >= 0).all()
        assert len(found) == valid[k].sum()
        for joints in batch[k, valid[k]]:
            assert np.abs(found.q - joints).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("convention", ["modified-dh", "screws"])
@pytest.mark.parametrize("arm", [wrist_arm(7, WRIST_KINDS[0]), IIWA, PANDA], ids=lambda a: a.name)
def test_other_conventions(arm, convention):
    """The same solutions when the arm is described by other numbers."""
    other = at.convert(arm, convention)
    q = random_joints(arm, 20, 2)
    for pose, joints in zip(at.fk(arm, q), q, strict=True):
        one, two = (at.ik(a, pose, seed=joints) for a in (arm, other))
        assert len(one) == len(two) and np.abs(one.q - two.q).max() < 1e-6


def by_search(arm, T, bounds, tries=500):
    """Return the distinct solutions of many descents, which know nothing of the structure."""
    first = np.random.default_rng(3).uniform(-np.pi, np.pi, (tries, arm.dof))
    q, error = converge(arm, as_target(T), bounds.clip(first), bounds)
    q = q[residual(error) <= SOLVED]
    return q[distinct(arm, q, np.zeros(len(q)), same=1e-4)]


@pytest.mark.parametrize(
    "arm",
    [KR16, *(wrist_arm(11, kind, slanted=kind[0] == "1") for kind in (*WRIST_KINDS, SKEW))],
    ids=lambda arm: arm.name,
)
def test_no_branch_is_missing(arm):
    """As many solutions as a search from 500 starts finds when limits are ignored."""
    unlimited = Bounds.of(arm, ignore_limits=True)
    for pose in at.fk(arm, random_joints(arm, 4, 4)):
        found = at.ik(arm, pose, ignore_limits=True)
        searched = by_search(arm, pose, unlimited)
        assert len(found) == len(searched)
        for joints in searched:
            assert apart(found.q, joints).min() < 1e-6


def test_no_branch_is_missing_for_one_q7():
    """As many solutions as a search finds when a Franka arm's joint 7 is held."""
    for q in random_joints(PANDA, 4, 5):
        T = at.fk(PANDA, q)
        free = Bounds.of(PANDA, ignore_limits=True)
        lower, upper = free.lower.copy(), free.upper.copy()
        lower[6] = upper[6] = q[6]
        found = at.ik(PANDA, T, redundancy=q[6], ignore_limits=True)
        searched = by_search(PANDA, T, Bounds(lower, upper))
        assert len(found) == len(searched)


def calibrated(arm, size, seed):
    """Return the arm with every DH number off by ``size`` (standard deviation, m and rad)."""
    rng = np.random.default_rng(seed)
    joints = [
        dataclasses.replace(
            joint,
            **{k: getattr(joint, k) + float(rng.normal(0, size)) for k in ("a", "d", "alpha")},
        )
        for joint in arm.joints
    ]
    return arm.with_(joints=tuple(joints))


@pytest.mark.parametrize("size", [1e-7, 1e-3])
@pytest.mark.parametrize("nominal", [IRB140, IIWA, PANDA], ids=lambda arm: arm.name)
def test_calibrated_arms(nominal, size):
    """Exact solutions, nearly as many as the nominal arm's, when its numbers are slightly off."""
    arm = calibrated(nominal, size, 6)
    q = random_joints(arm, 60, 7)
    T, count = at.fk(arm, q), 0
    for pose, joints in zip(T, q, strict=True):
        found = at.ik(arm, pose, seed=joints)
        assert found.residuals.max() < 1e-9
        count += len(found)
    batch, valid = at.ik_batch(arm, T, seed=q)
    assert valid.any(axis=1).mean() > 0.98
    assert np.abs(at.fk(arm, batch[valid]) - T[np.nonzero(valid)[0]]).max() < 1e-8
    nominal_count = at.ik_batch(nominal, at.fk(nominal, q), seed=q)[1].sum()
    assert count > 0.9 * nominal_count


def test_arm_angle_is_what_it_says():
    """The elbow turns by the arm angle about the line from shoulder to wrist when it is given."""
    q = np.array([0.3, 0.7, -0.4, 1.1, 0.5, 0.8, -0.2])
    T, angles = at.fk(IIWA, q), np.array([-0.5, 0.0, 0.9])
    elbows = []
    for angle in angles:
        found = at.ik(IIWA, T, redundancy=angle, ignore_limits=True)
        assert found.redundancy == pytest.approx(angle)
        bent = found.q[found.q[:, 3] > 0]
        places = at.link_poses(IIWA, bent, ignore_limits=True)[:, 2, :3, 3]
        assert np.ptp(places, axis=0).max() < 1e-9
        elbows.append(places[0])
    shoulder = np.array([0, 0, 0.34])
    wrist = T[:3, 3] - 0.126 * T[:3, 2]
    axis = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    across = [e - shoulder - ((e - shoulder) @ axis) * axis for e in elbows]
    assert abs(np.cross(axis, [0, 0, 1]) @ across[1]) < 1e-9  # in the plane of axis 1
    for k in (0, 2):
        sine, cosine = axis @ np.cross(across[1], across[k]), across[1] @ across[k]
        assert np.arctan2(sine, cosine) == pytest.approx(angles[k], abs=1e-9)


def test_an_arm_from_a_public_file():
    """Closed form and Newton steps when a URDF file gives angles with six digits (xArm 7)."""
    package = distribution("example-robot-data")
    robots = "cmeel.prefix/share/example-robot-data/robots"
    arm = at.load(str(package.locate_file(f"{robots}/xarm_description/urdf/xarm7.urdf")))
    form = nearest_form(arm)
    assert form is not None and form.redundancy == "q7" and 0 < form.deviation < 1e-5
    q = random_joints(arm, 40, 8)
    for pose, joints in zip(at.fk(arm, q), q, strict=True):
        found = at.ik(arm, pose, seed=joints)
        assert found.residuals.max() < 1e-9
        assert apart(found.q, joints).min() < 1e-3  # the steps may move along the redundancy
