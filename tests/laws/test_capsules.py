"""Laws of distances between capsules."""

import numpy as np
import pytest
from energy_arms import ARM
from scipy.optimize import minimize

import armtwin as at
from armtwin.compile.kernel import run
from armtwin.equations.kinematics import capsules as capsules_equations
from armtwin.equations.kinematics.capsules import link_capsules, pairs
from armtwin.motion.clearance.clearance import (
    Environment,
    clearances,
    comparable,
    contacts,
    is_free,
)
from armtwin.motion.clearance.obstacles import Capsule


def ends_in_base(arm, q):
    """Return the ends of every capsule in base, from the poses of the links."""
    poses = at.link_poses(arm, q, ignore_limits=True)
    found = []
    for capsule in link_capsules(arm):
        joint = arm.joints[capsule.row]
        after = np.array(
            [[1, 0, 0, joint.a],
             [0, np.cos(joint.alpha), -np.sin(joint.alpha), 0],
             [0, np.sin(joint.alpha), np.cos(joint.alpha), 0], [0, 0, 0, 1]]
        )  # fmt: skip
        T = poses[capsule.row] @ np.linalg.inv(after)
        found.append([(T @ [*end, 1])[:3] for end in (capsule.start, capsule.end)])
    return np.array(found)


def segment_distance(a, b):
    """Return the distance of two segments (2, 3) by minimising over both parameters."""

    def gap(x):
        return ((a[0] + x[0] * (a[1] - a[0]) - b[0] - x[1] * (b[1] - b[0])) ** 2).sum()

    starts = [(0.5, 0.5), (0.1, 0.9), (0.9, 0.1)]
    found = [minimize(gap, s, bounds=[(0, 1), (0, 1)], tol=1e-14).fun for s in starts]
    return np.sqrt(min(found))


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_the_smallest(seed):
    """Distances equal a direct minimisation when postures are random."""
    q = np.random.default_rng(seed).uniform(-3, 3, 6)
    ends, capsules = ends_in_base(ARM, q), link_capsules(ARM)
    computed = run(ARM, capsules_equations.self_distances, q)[0]
    for value, (i, j) in zip(computed, pairs(ARM), strict=True):
        expected = segment_distance(ends[i], ends[j]) - capsules[i].radius - capsules[j].radius
        assert abs(value - expected) < 2e-5


def test_heights_are_of_the_lower_end():
    """Heights are those of the lower end less the radius when the arm stands on its base."""
    q = np.array([0.4, -1.0, 1.2, -0.5, 0.7, 0.0])
    expected = ends_in_base(ARM, q)[:, :, 2].min(axis=1)
    radii = [capsule.radius for capsule in link_capsules(ARM)]
    np.testing.assert_allclose(
        run(ARM, capsules_equations.heights, q)[0], expected - radii, atol=1e-9
    )


def test_distance_from_obstacles():
    """A ball touches the tool's capsule when its distance is the sum of both radii."""
    q = np.array([0.0, -1.5, 1.0, -0.5, 1.0, 0.0])
    p, radius = ends_in_base(ARM, q)[-1, 1], link_capsules(ARM)[-1].radius
    ball = Capsule(p, p, 0.1)
    around = Environment(floor=None, obstacles=(ball,), itself=False)
    distances, names = clearances(ARM, q, around)
    assert abs(distances[0, -1] + radius + 0.1) < 1e-4
    assert names[-1] == "link 6 and obstacle 1"


def test_straight_up_is_free_and_folded_is_not():
    """The arm touches itself when it is folded, and nothing when it points up."""
    up, folded = [0, -np.pi / 2, 0, -np.pi / 2, 0, 0], [0, -np.pi / 2, 2.9, 0, 0, 0]
    assert is_free(ARM, [up, folded], Environment()).tolist() == [True, False]
    met = contacts(ARM, folded, Environment())
    assert met.pairs
    assert not contacts(ARM, up, Environment())


def test_arm_below_its_floor():
    """A lower floor frees a posture when it is only the floor that it meets."""
    down = [0.0, 0.3, 0.1, 0.0, 0.0, 0.0]
    assert not is_free(ARM, down, Environment())[0]
    assert is_free(ARM, down, Environment(floor=-2.0))[0]
    assert is_free(ARM, down, Environment(floor=None))[0]


@pytest.mark.parametrize("name", ["ur10e", "ur3e-screws", "desktop5", "desktop5-mdh"])
def test_every_arm_has_capsules(name):
    """Capsules and pairs exist when an arm is given by DH rows, screws, with few joints."""
    arm = at.load(name)
    compared, low, names = comparable(arm)
    assert compared and low and len(names) >= 4
    distances, labels = clearances(arm, np.zeros((2, arm.dof)), Environment())
    assert distances.shape == (2, len(labels))
