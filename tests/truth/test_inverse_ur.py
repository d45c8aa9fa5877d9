"""Inverse kinematics of the UR structure: every branch, at every ordinary pose."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.compile.targets import numpy as numpy_target
from armtwin.equations.kinematics.inverse import ur_joints as ur_joints_equations
from armtwin.kinematics.inverse.structure.ur_structure import nearest_ur_form, ur_form
from armtwin.kinematics.joint_limits import Bounds

UR = ("ur3", "ur5", "ur10", "ur3e", "ur5e", "ur10e", "ur16e")
OTHER_UR = ("ur3e-screws", "ur10e-observer", "ur10e-report", "ur5e-energy")
POSES = 10_000


def apart(q, p):
    """Return the largest difference of two joint vectors, whole turns aside."""
    return np.abs((q - p + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)


def pose_difference(T, S):
    """Return the largest difference of two poses' entries: a norm without any inverse formula."""
    return np.abs(T - S).max(axis=(-1, -2))


def disguised(arm, seed):
    """Return the same mechanism with other zeros, directions, base and tool."""
    rng = np.random.default_rng(seed)
    joints = [
        dataclasses.replace(
            joint, offset=float(rng.uniform(-3, 3)), direction=int(rng.choice([-1, 1]))
        )
        for joint in arm.joints
    ]
    base, tool = (at.pose(rng.normal(size=3), rng.uniform(-1.5, 1.5, 3)) for _ in range(2))
    return arm.with_(name="disguised", joints=tuple(joints), base=base, tool=tool)


@pytest.mark.parametrize("name", UR)
def test_every_branch_of_random_poses(name):
    """The generating joints are found and every branch is exact when poses are drawn at random."""
    arm = at.load(name)
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (POSES, 6))
    T = at.fk(arm, q)
    found, valid = at.ik_batch(arm, T)
    distance = np.where(valid, apart(found, q[:, None]), np.inf)
    assert distance.min(axis=1).max() < 1e-7
    assert np.isnan(found[~valid]).all()
    back = at.fk(arm, found[valid])
    assert pose_difference(back, T[np.nonzero(valid)[0]]).max() < 1e-12
    assert 6.6 < valid.sum(axis=1).mean() < 7.3


def test_number_of_branches():
    """About 7.2 branches a pose on average when the UR10e's joints are drawn uniformly."""
    arm = at.load("ur10e")
    q = np.random.default_rng(2).uniform(-np.pi, np.pi, (POSES, 6))
    assert at.ik_batch(arm, at.fk(arm, q))[1].sum(axis=1).mean() == pytest.approx(7.2, abs=0.05)


@pytest.mark.parametrize("name", [*UR, *OTHER_UR])
def test_one_pose_and_batch_agree(name):
    """The same solutions when a pose is solved alone or in a batch."""
    arm = at.load(name)
    T = at.fk(arm, np.random.default_rng(3).uniform(-np.pi, np.pi, (40, 6)))
    batch, valid = at.ik_batch(arm, T)
    for pose, rows, good in zip(T, batch, valid, strict=True):
        alone = at.ik(arm, pose)
        assert alone.method == "closed form"
        assert len(alone) == good.sum()
        assert alone.residuals.max() < 1e-12
        assert all(np.abs(alone.q - row).max(axis=1).min() < 1e-9 for row in rows[good])


@pytest.mark.parametrize("convention", ["standard-dh", "modified-dh", "screws"])
@pytest.mark.parametrize("seed", range(3))
def test_structure_is_seen_in_every_convention(convention, seed):
    """All branches when a UR is given in any convention, with any zeros, directions and frames."""
    arm = at.convert(disguised(at.load("ur5e"), seed), convention)
    table = ur_form(at.load("ur5e")).dimensions
    form = ur_form(arm)
    assert form.dimensions[1:5] == pytest.approx(table[1:5], abs=1e-9)
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (300, 6))
    T = at.fk(arm, q)
    found, valid = at.ik_batch(arm, T, ignore_limits=True)
    distance = np.where(valid, apart(found, q[:, None]), np.inf)
    assert distance.min(axis=1).max() < 1e-7
    back = at.fk(arm, found[valid], ignore_limits=True)
    assert pose_difference(back, T[np.nonzero(valid)[0]]).max() < 1e-11


def test_form_is_the_makers_table():
    """The maker's numbers, no constants and no frames when the arm is the maker's own table."""
    form = ur_form(at.load("ur10e"))
    table = [0.1807, -0.6127, -0.57155, 0.17415, 0.11985, 0.11655]
    assert form.dimensions == pytest.approx(table, abs=1e-14)
    assert form.constants == pytest.approx(np.zeros(6), abs=1e-14)
    assert np.allclose(form.base, np.eye(4), atol=1e-14)
    assert np.allclose(form.tool, np.eye(4), atol=1e-14)
    assert form.signs.tolist() == [1.0] * 6


def test_form_of_the_observer_document():
    """The document's zeros when its modified-DH arm is read as a UR table."""
    half = np.pi / 2
    expected = [0, half, 0, half, 0, np.pi]
    assert apart(ur_form(at.load("ur10e-observer")).constants, np.array(expected)) < 1e-12


@pytest.mark.parametrize("name", ["desktop5", "desktop5-mdh"])
def test_no_form_of_other_arms(name):
    """No UR form when the arm has another structure."""
    assert nearest_ur_form(at.load(name)) is None


def test_no_form_when_an_axis_is_turned():
    """No exact form when one twist is a thousandth of a radian off, but a near one."""
    arm = at.load("ur10e")
    joints = list(arm.joints)
    joints[3] = dataclasses.replace(joints[3], alpha=joints[3].alpha + 1e-3)
    crooked = arm.with_(joints=tuple(joints))
    assert ur_form(crooked) is None
    assert nearest_ur_form(crooked).deviation == pytest.approx(1e-3, rel=1e-3)


def test_compiled_and_numpy_targets_agree():
    """The same branches when the equation runs as compiled code and as generated NumPy."""
    arm = at.load("ur10e")
    form, bounds = ur_form(arm), Bounds.of(arm)
    q = np.random.default_rng(4).uniform(-np.pi, np.pi, (500, 6))
    T = at.fk(arm, q).reshape(-1, 16)
    fixed = [form.numbers, bounds.lower, bounds.upper, np.full(6, 0.3)]
    solve = kernel(None, ur_joints_equations.solutions)
    outputs = solve(T, *fixed)
    inputs = [T, *(np.tile(x, (len(T), 1)) for x in fixed)]
    plain = [np.empty((len(T), port.size)) for port in solve.program.outputs]
    numpy_target.batch_function(solve.program)(inputs, plain)
    good = (outputs[1] > 1e-6).all(axis=-1)
    ours, theirs = outputs[0][good], plain[0].reshape(-1, 8, 6)[good]
    assert apart(ours, theirs).max() < 1e-9
    assert np.abs(outputs[1].reshape(len(T), -1) - plain[1]).max() < 1e-12
