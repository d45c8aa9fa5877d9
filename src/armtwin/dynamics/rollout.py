"""Forward simulation of an arm under given torques, step by step, without a physics engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel
from armtwin.equations.dynamics.plant_step import plant_step
from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array

STEP = 5e-4
"""Step that is taken unless one is given [s]."""
MAX_STEPS = 10_000_000
"""Limit of one rollout: 5,000 s at the usual step; positions, speeds and torques are all kept."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """A simulated motion.

    Attributes:
        time: from 0 (n + 1,) [s].
        q: joint positions (n + 1, dof) [rad | m].
        qd: joint speeds (n + 1, dof) [rad/s | m/s].
    """

    time: Array
    q: Array
    qd: Array


def rollout(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    step: float = STEP,
    ignore_limits: bool = False,
) -> Rollout:
    """Return the motion of an arm from a state under motor torques, with friction.

    Torques are those of the motors at the joints, constant over each step; friction acts between
    motor and link. The integrator is of second order and stable over stiff friction
    (``equations.dynamics.plant_step``). Viewer pages run the same equation. Joint limits do not
    stop the arm.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions at the start (dof,) [rad | m].
        qd: joint speeds at the start (dof,) [rad/s | m/s].
        tau: torques of the motors, one row a step (n, dof) [Nm | N].
        step: length of a step [s].
        ignore_limits: accept a start beyond the joint limits.

    Raises:
        InputError: wrong shapes, NaN, a step that is not positive.
        JointLimitError: the start is beyond a limit.
        MissingDataError: the arm lacks masses.
    """
    given = as_arm(arm)
    given.require_masses()
    if not (np.isfinite(step) and step > 0):
        raise InputError(f"step is {step!r}; it is a time in seconds above 0, such as {STEP:g}")
    name = f"arm {given.name!r}"
    torques = as_vectors(tau, given.dof, f"{name}: tau")
    start = as_joints(given, q, ignore_limits=ignore_limits)
    speed = as_vectors(qd, given.dof, f"{name}: qd")
    if start.shape != (given.dof,) or speed.shape != (given.dof,) or torques.ndim != 2:
        raise InputError(
            f"{name}: q has shape {start.shape}, qd {speed.shape}, tau {torques.shape}; expected "
            f"({given.dof},), ({given.dof},) and one row of torques a step, (n, {given.dof})"
        )
    if len(torques) > MAX_STEPS:
        raise InputError(f"{name}: {len(torques):,} steps; at most {MAX_STEPS:,} are possible")
    return _run(given, start, speed, torques, float(step))


def _run(arm: Arm, q: Array, qd: Array, tau: Array, step: float) -> Rollout:
    run, push, h = kernel(arm, plant_step), np.zeros(arm.dof), np.array([step])
    places = np.empty((len(tau) + 1, arm.dof))
    speeds = np.empty_like(places)
    places[0], speeds[0] = q, qd
    for k, torque in enumerate(tau):
        places[k + 1], speeds[k + 1] = run(places[k], speeds[k], torque, push, h)
    if not np.isfinite(speeds[-1]).all():
        lost = int(np.argmin(np.isfinite(speeds).all(axis=1)))
        raise InputError(
            f"arm {arm.name!r}: speeds are not finite from {lost * step:.4g} s on; the torques "
            "are too large for its inertias, or the step is too long"
        )
    return Rollout(step * np.arange(float(len(places))), places, speeds)
