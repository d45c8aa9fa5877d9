r"""Test trajectories A and B in kind: the document's own constants, realistic noise.

The document prints neither its waypoints nor its recordings. Here each test is a cycle through six
random points by trapezoids of 3 rad/s and 6 rad/s2, free of collisions. Its controller reports what
the document lists: target positions, speeds, accelerations and torques (eq. 2), positions by
encoders of 17 bits, and motor currents (eq. 17) with sensor noise and gear ripple,

.. math:: I = I_{model} + \epsilon + \sqrt 2\, r \sin(2 N q + \phi)

twice per turn of the motor, r so that noise and ripple together are those of real UR logs.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.dynamics.drives import motor_current
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.model.arm import Arm, Drive
from armtwin.model.catalogue.catalogue import load
from armtwin.model.payload import with_payload
from armtwin.motion.excitation.random_waypoints import random_cycle
from armtwin.motion.motion import Motion
from armtwin.motion.waypoints import Waypoints
from armtwin.recording.recording import Recording

SEEDS = {"A": 1, "B": 2}
SPEED, ACCELERATION = 3.0, 6.0
"""Of the trapezoids [rad/s], [rad/s2], as in docs/energy.md."""
WHITE = 0.045
"""Standard deviation of a current sensor [A]."""
MEASURED = (0.120, 0.149, 0.098, 0.021, 0.030, 0.022)
"""Noise and ripple of currents in real UR logs above 8 Hz, RMS [A]."""
BITS = 17
"""Of the encoders over a turn."""
RIPPLE_FROM = 0.2
"""Joint speed from which on the ripple has its full size [rad/s]."""
PAYLOAD = {"mass": 3.0, "com": (0.08, 0.05, 0.1)}
"""A known payload beside the last joint's axis [kg, m], which makes the wrist's constants
identifiable."""


@dataclass(frozen=True, eq=False)
class TrajectoryTrial:
    """One test: what was commanded, and what the controller reports."""

    name: str
    motion: Motion
    recording: Recording


def trial(name: str, arm: Arm, controller: Arm | None = None) -> TrajectoryTrial:
    """Return a simulated test trajectory of an arm.

    Args:
        name: of the trajectory in the document.
        arm: the true arm.
        controller: the arm as the controller knows it; the true one if not given.
    """
    seed = SEEDS[name]
    points = random_cycle(arm, np.random.default_rng(seed))
    motion = Waypoints(points, SPEED, ACCELERATION).motion(arm)
    rng = np.random.default_rng([seed, 1])
    tau = inverse_dynamics(arm, motion.q, motion.qd, motion.qdd)
    current = motor_current(arm, motion.qd, tau)
    size = np.array(MEASURED)
    white, ripple = np.minimum(size, WHITE), np.sqrt(np.maximum(size**2 - WHITE**2, 0.0))
    gears = np.array([joint.drive.gear if joint.drive else 1.0 for joint in arm.driven])
    wave = np.sin(2 * gears * motion.q + rng.uniform(0, 2 * np.pi, arm.dof))
    wave *= np.sqrt(2) * ripple * np.minimum(np.abs(motion.qd) / RIPPLE_FROM, 1.0)
    step = 2 * np.pi / 2**BITS
    wanted = tau
    if controller is not None:
        wanted = inverse_dynamics(controller, motion.q, motion.qd, motion.qdd)
    groups = {
        "q": np.round(motion.q / step) * step,
        "current": current + white * rng.standard_normal(current.shape) + wave,
        "target_q": motion.q,
        "target_qd": motion.qd,
        "target_qdd": motion.qdd,
        "target_tau": wanted,
    }
    made = Recording.of(motion.time, groups, arm=arm.name, origin=f"test {name}")
    return TrajectoryTrial(name, motion, made)


def true_arm() -> Arm:
    """Return the UR5e with the document's constants: the planted truth."""
    return load("ur5e-energy")


def loaded_arm() -> Arm:
    """Return the same arm with a known payload."""
    return with_payload(true_arm(), PAYLOAD["mass"], com=PAYLOAD["com"])  # type: ignore[arg-type]


def manufacturer_arm() -> Arm:
    """Return the document's drives on links with the maker's inertias: what a controller has."""
    truth, maker = true_arm(), load("ur5e")
    pairs = zip(truth.joints, maker.joints, strict=True)
    joints = tuple(dataclasses.replace(mine, link=theirs.link) for mine, theirs in pairs)
    return truth.with_(name="ur5e-maker", joints=joints)


def without_drives(arm: Arm) -> Arm:
    """Return the arm as it is before identification: of drives only the gear ratio is known."""
    joints = tuple(
        dataclasses.replace(joint, drive=Drive(joint.drive.gear if joint.drive else 1.0))
        for joint in arm.joints
    )
    return arm.with_(joints=joints)
