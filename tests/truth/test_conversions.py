"""An arm moves and weighs the same in every convention."""

import dataclasses

import numpy as np
import pytest
from catalogue_arms import REPRESENTATIVE, has_masses
from synthetic_arms import random_arm

import armtwin as at
from armtwin.equations.dynamics.rigid_body import inverse_dynamics
from armtwin.equations.kinematics.tool_pose import link_poses, tool_pose
from armtwin.errors import InputError, ModelWarning
from armtwin.model.arm import Arm, Joint
from armtwin.model.link import inertia_matrix
from armtwin.spatial import pose

pytestmark = pytest.mark.usefixtures("numpy_target")

CONVENTIONS = ("standard-dh", "modified-dh", "screws")


def configurations(arm, count=12):
    """Return joint vectors (count, dof) spread over the joints' ranges and beyond."""
    return np.random.default_rng(7).uniform(-2.5, 2.5, (count, arm.dof))


def tool_poses(arm, states):
    """Return T_base_tool per state from the arm's own expression, without compiling it."""
    run = tool_pose(arm).function()
    return np.array([np.array(run(q)).reshape(4, 4) for q in states])


def bodies_in_base(arm, states):
    """Return per state and row the centre of mass and the inertia in base axes."""
    run = link_poses(arm).function()
    found = []
    for q in states:
        frames = np.array(run(q)).reshape(-1, 4, 4)
        for joint, T in zip(arm.joints, frames, strict=True):
            R, link = T[:3, :3], joint.link
            if link.mass is None:
                continue
            centre = R @ np.array(link.com) + T[:3, 3]
            found.append(np.column_stack([centre, R @ inertia_matrix(link.inertia) @ R.T]))
    return np.array(found)


@pytest.mark.parametrize("name", REPRESENTATIVE)
@pytest.mark.parametrize("first", CONVENTIONS)
def test_catalogue_arms_keep_their_tool_pose(name, first):
    """Same tool pose to 1e-12 when a catalogue arm goes through any pair of conventions."""
    arm = at.load(name)
    states = configurations(arm)
    expected = tool_poses(arm, states)
    there = at.convert(arm, first)
    assert there.convention == first
    assert np.abs(tool_poses(there, states) - expected).max() < 1e-12
    for second in CONVENTIONS:
        onward = at.convert(there, second)
        assert np.abs(tool_poses(onward, states) - expected).max() < 1e-12


@pytest.mark.parametrize("seed", range(24))
def test_random_arms_keep_pose_and_bodies(seed):
    """Same tool, centres of mass and inertias when a random arm goes through any pair."""
    arm = random_arm(seed)
    states = configurations(arm, 5)
    expected, bodies = tool_poses(arm, states), bodies_in_base(arm, states)
    for first in CONVENTIONS:
        for second in CONVENTIONS:
            new = at.convert(at.convert(arm, first), second)
            assert np.abs(tool_poses(new, states) - expected).max() < 1e-12
            assert np.abs(bodies_in_base(new, states) - bodies).max() < 1e-12


@pytest.mark.parametrize("name", [n for n in REPRESENTATIVE if has_masses(n)])
def test_catalogue_bodies_stay_where_they_are(name):
    """Same potential energy and same inertias in base when a catalogue arm is converted."""
    arm = at.load(name)
    states = configurations(arm, 5)
    bodies = bodies_in_base(arm, states)
    masses = np.tile([joint.link.mass for joint in arm.driven], len(states))
    height = bodies[:, :, 0] @ np.array(arm.gravity)
    for convention in CONVENTIONS:
        new = bodies_in_base(at.convert(arm, convention), states)
        assert np.abs(new - bodies).max() < 1e-12
        energy = masses * (new[:, :, 0] @ np.array(arm.gravity) - height)
        assert np.abs(energy).max() < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_joint_torques_stay(seed):
    """Same joint torques to rounding when a random motion is asked of a converted arm."""
    arm = random_arm(seed)
    motion = np.random.default_rng(seed).uniform(-2, 2, (3, arm.dof))
    expected = np.array(inverse_dynamics(arm).function()(*motion))
    for convention in CONVENTIONS:
        torque = np.array(inverse_dynamics(at.convert(arm, convention)).function()(*motion))
        assert np.abs(torque - expected).max() < 1e-12 * np.abs(expected).max()


def test_bodies_would_differ_if_left_behind():
    """Centres of mass move by centimetres when links are not re-expressed."""
    arm = at.load("ur5e")
    new = at.convert(arm, "modified-dh")
    pairs = zip(new.joints, arm.joints, strict=True)
    forgetful = new.with_(joints=tuple(dataclasses.replace(n, link=o.link) for n, o in pairs))
    states = configurations(arm, 3)
    assert np.abs(bodies_in_base(forgetful, states) - bodies_in_base(arm, states)).max() > 0.01


def test_shift_of_rows():
    """Rows shift by one, the tool takes the last one, when standard becomes modified DH."""
    standard = at.load("desktop5")
    modified = at.convert(standard, "modified-dh")
    shifted = [(j.a, j.alpha) for j in modified.joints]
    assert shifted == [(0.0, 0.0), *[(j.a, j.alpha) for j in standard.joints[:-1]]]
    assert [(j.d, j.theta) for j in modified.joints] == [(j.d, j.theta) for j in standard.joints]
    assert at.convert(modified, "standard-dh").joints == standard.joints


def test_screws_give_the_published_link_lengths():
    """The UR3e's link lengths appear when its published screws become DH rows."""
    rows = at.convert(at.load("ur3e-screws"), "standard-dh").joints
    assert np.allclose([abs(j.a) for j in rows], [0, 0.244, 0.213, 0, 0, 0], atol=1e-15)
    assert np.allclose([abs(j.d) for j in rows], [0, 0, 0, 0.131, 0.085, 0], atol=1e-15)


def test_everything_else_is_carried():
    """Names, limits, drives, directions and offsets stay when an arm is converted."""
    arm = random_arm(3)
    for convention in CONVENTIONS:
        new = at.convert(arm, convention)
        assert new.gravity == arm.gravity
        for old, joint in zip(arm.joints, new.joints, strict=True):
            for name in ("name", "kind", "offset", "direction", "limits", "drive"):
                assert getattr(joint, name) == getattr(old, name)
            assert (joint.link.mass, joint.link.radius) == (old.link.mass, old.link.radius)


def test_same_convention_is_the_same_arm():
    """The arm itself comes back when it already has the convention."""
    arm = at.load("ur5e")
    assert at.convert(arm, "standard-dh") is arm


def test_source_names_the_conversion():
    """The sources say where the rows come from when an arm was converted."""
    new = at.convert(at.load("ur5e"), "screws")
    assert dict(new.sources)["convention"] == "converted from standard-dh by armtwin"
    assert "geometry" in dict(new.sources)


Z, X = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
TILTED = tuple((np.array([1.0, 2.0, -1.0]) / np.sqrt(6)).tolist())


def screw(axis, point):
    """Return the screw of a turn about an axis through a point."""
    return tuple([*axis, *np.cross(point, axis)])


def two_axes(second_axis, second_point, kind="revolute"):
    """Return a two-joint arm of screws: z through the origin, then the given axis."""
    other = screw(second_axis, second_point) if kind == "revolute" else (0.0, 0, 0, *second_axis)
    joints = (
        Joint("one", screw=screw(Z, (0, 0, 0))),
        Joint("two", kind, screw=other, offset=0.3, direction=-1),
        Joint("three", screw=screw(TILTED, (0.3, -0.1, 0.2))),
    )
    return Arm("axes", "screws", joints).with_(home=pose((0.4, 0.2, 0.7), (0.3, -1.1, 2.0)))


AXES = {
    "parallel": (Z, (0.3, 0.1, 0.7)),
    "antiparallel": ((0.0, 0.0, -1.0), (0.3, 0.1, 0.7)),
    "coincident": (Z, (0.0, 0.0, 0.7)),
    "opposed on one line": ((0.0, 0.0, -1.0), (0.0, 0.0, 0.7)),
    "intersecting": (X, (0.0, 0.0, 0.4)),
    "skew": (TILTED, (0.2, 0.5, 0.1)),
    "almost parallel": ((np.sin(1e-3), 0.0, np.cos(1e-3)), (0.2, 0.1, 0.0)),
}


@pytest.mark.parametrize("case", AXES)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_every_position_of_two_axes(case, kind):
    """DH rows exist to 1e-12 when consecutive axes are parallel, crossing, skew or one line."""
    arm = two_axes(*AXES[case], kind)
    states = configurations(arm)
    expected = tool_poses(arm, states)
    for convention in ("standard-dh", "modified-dh"):
        new = at.convert(arm, convention)
        assert np.abs(tool_poses(new, states) - expected).max() < 1e-12


def test_warning_where_dh_cannot_hold_the_axes():
    """A warning with the size of the error when axes are parallel only to a billionth."""
    arm = two_axes((np.sin(2e-9), 0.0, np.cos(2e-9)), (0.2, 0.0, 0.0))
    with pytest.warns(ModelWarning, match=r"two is off by 2e-09 .* keep the arm as screws"):
        at.convert(arm, "modified-dh")


def test_fixed_row_without_screw_direction():
    """A fixed row of zeros moves nothing when the arm is given by screws."""
    joints = (Joint("one", screw=screw(Z, (0, 0, 0))), Joint("end", "fixed", screw=(0.0,) * 6))
    arm = Arm("held", "screws", joints).with_(home=pose((0.1, 0, 0.2), (1, 0, 0)))
    for convention in CONVENTIONS:
        new = at.convert(arm, convention)
        assert np.abs(tool_poses(new, [[0.0]])[0] - np.array(arm.home)).max() < 1e-15


def test_refusals():
    """An error that lists what exists when the convention or the arm is none."""
    with pytest.raises(InputError, match="no convention 'dh'; there are standard-dh, modified-dh"):
        at.convert(at.load("ur5e"), "dh")
    with pytest.raises(InputError, match="expected an Arm, a catalogue name or a file, got int 5"):
        at.convert(5, "screws")
