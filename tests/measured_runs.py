"""Recordings made from an arm whose truth is known."""

import dataclasses

import numpy as np

import armtwin as at
from armtwin.recording.recording import Recording


def motion(time, seed=1, dof=6, size=0.5):
    """Return a smooth motion (n, dof) of a few sines per joint."""
    rng = np.random.default_rng(seed)
    rates, sizes = rng.uniform(0.05, 0.4, (dof, 3)), rng.uniform(0.2, 1.0, (dof, 3)) * size
    phases = rng.uniform(0, 2 * np.pi, (dof, 3))
    waves = np.sin(2 * np.pi * time[:, None, None] * rates + phases) * sizes
    return waves.sum(axis=2)


def run_of(
    arm, *, rows=2000, step=0.008, lag=0.0, offset=None, noise=0.0, seed=1, orientation=True
):
    """Return a recording of an arm's tool, with a lag [samples], joint offsets [rad] and noise."""
    rng = np.random.default_rng(seed + 100)
    time = step * np.arange(float(rows))
    q = motion(time, seed, arm.dof)
    stands = motion(time - lag * step, seed, arm.dof) + (0.0 if offset is None else offset)
    at_tool = at.tool_coordinates(arm, stands, ignore_limits=True)
    groups = {"q": q, "position": at_tool.position + noise * rng.normal(size=(rows, 3))}
    if orientation:
        turned = at_tool.quaternion + noise * rng.normal(size=(rows, 4))
        groups["quaternion"] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return Recording.of(time, groups, arm=arm.name, origin="made")


def poses_of(arm, *, count=200, noise=0.0, turn_noise=0.0, seed=0, orientation=True, q=None):
    """Return measured poses without a clock, as a laser tracker gives them."""
    rng = np.random.default_rng(seed)
    joints = rng.uniform(-2.5, 2.5, (count, arm.dof)) if q is None else q
    where = at.tool_coordinates(arm, joints, ignore_limits=True)
    columns = dict(zip([f"q{k + 1}" for k in range(arm.dof)], joints.T, strict=True))
    position = where.position + noise * rng.normal(size=where.position.shape)
    columns |= dict(zip("xyz", position.T, strict=True))
    if orientation:
        turned = where.quaternion + turn_noise / 2 * rng.normal(size=where.quaternion.shape)
        turned /= np.linalg.norm(turned, axis=1, keepdims=True)
        columns |= dict(zip(("qx", "qy", "qz", "qw"), turned.T, strict=True))
    return Recording(np.arange(float(len(joints))), columns, origin="made", timed=False)


def changed(arm, seed=0, length=5e-4, angle=2e-3, **frames):
    """Return the arm with every DH number changed a little, and other frames."""
    rng = np.random.default_rng(seed)
    joints = tuple(
        dataclasses.replace(
            joint,
            a=joint.a + length * rng.normal(),
            alpha=joint.alpha + angle * rng.normal(),
            d=joint.d + length * rng.normal(),
            theta=joint.theta + angle * rng.normal(),
        )
        for joint in arm.joints
    )
    return arm.with_(joints=joints, **frames)
