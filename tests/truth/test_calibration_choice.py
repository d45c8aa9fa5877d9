"""The set of parameters is chosen by positions and orientations, against their own noise."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armtwin as at
from armtwin.recording.recording import Recording

NOMINAL = at.load("ur5e")
FRAMES = {
    "shoulder": (0, 0, 0.1626, 0, 0, 1e-7),
    "upper_arm": (1e-4, 0, 0, np.pi / 2 + 9e-4, 0, 5e-7),
    "forearm": (-0.42515, 0, 0, 4.7e-3, -3e-4, 6e-6),
    "wrist_1": (-0.3925, -6e-4, 0.1336, 4.9e-3, 5e-4, -6e-6),
    "wrist_2": (5e-5, -0.0996, 1e-4, np.pi / 2 - 9e-4, 0, 2e-6),
    "wrist_3": (8e-5, 0.0997, -1e-5, np.pi / 2 - 1e-4, np.pi, np.pi),
}
"""A factory calibration with differences of the size that real ones have."""
A2 = -0.42515
WORK = np.array([0.3, -1.4, 1.6, -1.7, -1.57, 0.2])


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """The arm as its controller knows it."""
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    lines = ["kinematics:"]
    for joint, values in FRAMES.items():
        fields = ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))
        lines.append(f"  {joint}: {{{fields}}}")
    path = tmp_path_factory.mktemp("factory") / "ur5e.yaml"
    path.write_text("\n".join([*lines, "  hash: calib_1", ""]))
    return at.with_factory_calibration(NOMINAL, path)


def controller_poses(arm, count, size, noise, seed=1):
    """Return poses about one point of work as the controller reports them."""
    rng = np.random.default_rng(seed)
    q = WORK + rng.uniform(-size, size, (count, 6))
    T = at.fk(arm, q)
    groups = {
        "q": q,
        "position": T[:, :3, 3] + noise * rng.normal(size=(count, 3)),
        "rotation_vector": Rotation.from_matrix(T[:, :3, :3]).as_rotvec()
        + noise * rng.normal(size=(count, 3)),
    }
    poses = Recording.of(np.arange(float(count)), groups, origin="cell")
    return dataclasses.replace(poses, timed=False)


def distance(arm, truth):
    """Return the mean distance [m] between two arms over the whole workspace."""
    q = np.random.default_rng(5).uniform(-2.5, 2.5, (300, 6))
    return np.linalg.norm((at.fk(arm, q) - at.fk(truth, q))[:, :3, 3], axis=1).mean()


@pytest.mark.parametrize(
    ("count", "size", "noise", "left"), [(20, 0.005, 0.0, 1e-8), (20, 0.005, 1e-8, 2e-5),
                                         (9, 0.05, 1e-8, 5e-6)],
)  # fmt: skip
def test_full_geometry_is_taken_where_the_noise_shows_it(truth, count, size, noise, left):
    """Full geometry and the true length are found when poses are few and close together."""
    fit = at.calibrate(NOMINAL, controller_poses(truth, count, size, noise))
    a2 = next(p for p in fit.parameters if p.name == "a2")
    assert fit.chosen == "geometry"
    assert distance(NOMINAL, truth) > 1e-3
    assert distance(fit.arm, truth) < left
    assert a2.low <= A2 <= a2.high
    assert a2.high - a2.low < 2e-5


def test_orientation_alone_tells_sets_apart(truth):
    """A set is behind by many standard errors when only its orientations are wrong."""
    fit = at.calibrate(NOMINAL, controller_poses(truth, 20, 0.005, 1e-8))
    lengths = next(trial for trial in fit.trials if trial.name == "lengths")
    assert lengths.left_out.mean < 1e-6
    assert lengths.left_out.angle_mean > 1e-5
    assert lengths.score_gap > 10 * lengths.score_gap_error


def test_smaller_set_does_not_narrow_intervals(truth):
    """The interval holds the true length when a set is asked for that lacks the true twists."""
    poses = controller_poses(truth, 20, 0.005, 1e-8)
    few = at.calibrate(NOMINAL, poses, parameters="lengths")
    low, high = few.intervals["a2"]
    assert low <= A2 <= high


def test_intervals_of_few_poses_hold_the_truth(truth):
    """Nine in ten intervals of lengths hold the truth when only nine poses were measured."""
    hits = []
    for seed in range(8):
        poses = controller_poses(truth, 9, 0.5, 1e-5, seed)
        low, high = at.calibrate(NOMINAL, poses, parameters="geometry").intervals["a2"]
        hits.append(low <= A2 <= high)
    assert np.mean(hits) >= 0.85
