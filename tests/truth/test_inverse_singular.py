"""Inverse kinematics of the UR structure where branches meet or a joint is free."""

import itertools

import numpy as np
import pytest

import armtwin as at
from armtwin.kinematics.inverse.structure.ur_structure import ur_form

UR = ("ur3", "ur5", "ur10", "ur3e", "ur5e", "ur10e", "ur16e")
EACH = 25


def wrapped(q):
    """Return angles less whole turns."""
    return (q + np.pi) % (2 * np.pi) - np.pi


def random_joints(seed, **fixed):
    """Return random joint vectors (n, 6) with some joints (q1 ... q6) set."""
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (EACH, 6))
    for name, value in fixed.items():
        q[:, int(name[1]) - 1] = value
    return q


def on_shoulder_border(arm, seed, **fixed):
    """Return joint vectors that put the wrist centre into the plane of axes 1 and 2.

    The wrist centre's way along x1, ``a2 c2 + a3 c23 + d5 s234``, is zero there.
    """
    _, a2, a3, _, d5, _ = ur_form(arm).dimensions
    rng, found = np.random.default_rng(seed), []
    while len(found) < EACH:
        q = rng.uniform(-np.pi, np.pi, 6)
        for name, value in fixed.items():
            q[int(name[1]) - 1] = value
        sine = -(a2 * np.cos(q[1]) + a3 * np.cos(q[1] + q[2])) / d5
        if abs(sine) <= 1:
            q[3] = np.arcsin(sine) - q[1] - q[2]
            found.append(wrapped(q))
    return np.array(found)


SETS = {
    "wrist straight": lambda arm: random_joints(1, q5=0.0),
    "wrist folded": lambda arm: random_joints(2, q5=np.pi),
    "wrist nearly straight, 1e-12": lambda arm: random_joints(3, q5=1e-12),
    "wrist nearly straight, 1e-10": lambda arm: random_joints(3, q5=1e-10),
    "wrist nearly straight, 1e-7": lambda arm: random_joints(4, q5=-1e-7),
    "elbow stretched": lambda arm: random_joints(5, q3=0.0),
    "elbow folded": lambda arm: random_joints(6, q3=np.pi),
    "elbow nearly stretched, 1e-9": lambda arm: random_joints(7, q3=1e-9),
    "elbow nearly stretched, 1e-5": lambda arm: random_joints(8, q3=1e-5),
    "elbow and wrist straight": lambda arm: random_joints(9, q3=0.0, q5=0.0),
    "all in one line": lambda arm: random_joints(10, q3=0.0, q4=-np.pi / 2, q5=0.0),
    "elbow stretched, wrist 1e-9": lambda arm: random_joints(11, q3=0.0, q5=1e-9),
    "shoulder": lambda arm: on_shoulder_border(arm, 12),
    "shoulder and elbow": lambda arm: on_shoulder_border(arm, 13, q3=0.0),
    "shoulder and wrist": lambda arm: on_shoulder_border(arm, 14, q5=0.0),
    "all three": lambda arm: on_shoulder_border(arm, 15, q3=0.0, q5=0.0),
}


@pytest.mark.parametrize("name", UR)
@pytest.mark.parametrize("case", SETS)
def test_singular_poses_are_solved_and_marked(name, case):
    """Every pose solved to 1e-9 and marked when the arm is on or beside a singularity."""
    arm = at.load(name)
    q = SETS[case](arm)
    T = at.fk(arm, q)
    for pose, joints in zip(T, q, strict=True):
        for seed in (None, joints):
            found = at.ik(arm, pose, seed=seed)
            assert found.residuals.max() < 1e-9
            if "1e-5" not in case:
                assert found.singular.any()
    found, valid = at.ik_batch(arm, T)
    assert valid.any(axis=1).all()
    back = at.fk(arm, found[valid])
    assert np.abs(back - T[np.nonzero(valid)[0]]).max() < 1e-9


@pytest.mark.parametrize("name", UR)
@pytest.mark.parametrize("case", ["wrist straight", "wrist folded", "elbow stretched", "shoulder"])
def test_generating_joints_at_a_singularity(name, case):
    """The generating joints come first when they are the seed and the pose is singular."""
    arm = at.load(name)
    for joints in SETS[case](arm):
        found = at.ik(arm, at.fk(arm, joints), seed=joints)
        # a double root holds the square root of the pose's rounding, 1e-8, times the lever
        assert np.abs(found.best - joints).max() < 1e-5
        assert found.singular[0]


def test_free_joint_is_named():
    """Joint 6 is named free and keeps the seed's angle when the wrist is straight."""
    arm, q = at.load("ur10e"), np.array([0.3, -1.0, 1.0, 0.2, 0.0, 0.5])
    found = at.ik(arm, at.fk(arm, q), seed=[0, -1, 1, 0, 0, 1.7])
    free = found.free == 6
    assert 0 < free.sum() < len(found)
    assert found.q[free, 5] == pytest.approx(1.7)
    assert "joint 6 is free" in found.notes[0]
    ordinary = at.ik(arm, at.fk(arm, q + 0.1))
    assert not ordinary.free.any() and not ordinary.notes and not ordinary.singular.any()


def test_free_joint_moves_only_as_far_as_the_reach_asks():
    """The reachable angle nearest to the seed's when joint 6 is free but not everywhere."""
    arm = at.load("ur10e")
    q = np.array([0.3, -1.0, 0.05, -np.pi / 2, 0.0, 0.5])
    T, wish = at.fk(arm, q), 0.5 + np.pi
    best = at.ik(arm, T, seed=[*q[:5], wish]).best
    grid = np.linspace(0.5 - np.pi, 0.5 + np.pi, 20001)
    seeds = [[*q[:5], angle] for angle in grid]
    reached = at.ik_batch(arm, np.broadcast_to(T, (len(grid), 4, 4)), seed=seeds)[0][..., 5]
    kept = np.nanmin(np.abs(wrapped(reached - grid[:, None])), axis=1) < 1e-9
    nearest = np.abs(wrapped(grid[kept] - wish)).min()
    assert kept.any() and not kept.all()
    assert abs(wrapped(best[5] - wish)) == pytest.approx(nearest, abs=2e-3)


def test_meeting_branches_are_one():
    """Half as many solutions when the elbow is stretched, each marked."""
    arm = at.load("ur10e")
    q = np.array([0.4, -1.1, 0.0, -0.7, 1.2, 0.9])
    stretched = at.ik(arm, at.fk(arm, q))
    bent = at.ik(arm, at.fk(arm, q + [0, 0, 0.05, 0, 0, 0]))
    at_border = np.abs(wrapped(stretched.q[:, 2])) < 1e-6
    assert at_border.sum() == 1 and stretched.singular[at_border].all()
    assert len(bent) == len(stretched) + 1


@pytest.mark.parametrize("name", UR)
def test_tool_down_grid(name):
    """All branches in pairs when the tool points straight down with joint 6 at 0 or 180 degrees."""
    arm = at.load(name)
    reach = np.abs(ur_form(arm).dimensions[1:3]).sum()
    grid = itertools.product(np.linspace(0.35, 0.7, 4), (-2.0, 0.3, 1.9), (0.1, 0.3), (0.0, np.pi))
    for distance, angle, height, spin in grid:
        x, y = distance * reach * np.cos(angle), distance * reach * np.sin(angle)
        T = at.pose((x, y, height * reach), (np.pi, 0.0, 0.0))
        T[:3, :3] = T[:3, :3] @ at.pose(rpy=(0, 0, spin))[:3, :3]
        found = at.ik(arm, T)
        assert len(found) in (4, 8)
        assert np.abs(np.abs(wrapped(found.q[:, 4])) - np.pi / 2).max() < 1e-9
        assert found.residuals.max() < 1e-12


@pytest.mark.parametrize("wrist", [np.pi / 2, -np.pi / 2])
@pytest.mark.parametrize("spin", [0.0, np.pi])
def test_tool_down_joints_are_found(wrist, spin):
    """The generating joints are among eight branches when q5 = +-90 deg and q6 = 0 or 180 deg."""
    arm = at.load("ur10e")
    q = np.array([0.5, -1.3, 1.7, -1.9, wrist, spin])
    found = at.ik(arm, at.fk(arm, q))
    assert len(found) == 8
    assert np.abs(wrapped(found.q - q)).max(axis=1).min() < 1e-9
