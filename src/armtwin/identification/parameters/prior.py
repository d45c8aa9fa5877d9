"""The prior: parameters of the arm file with their standard deviations."""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.dynamics.rigid_body import link_parameters
from armtwin.equations.dynamics import sensitivity as sensitivity_equations
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.vector import ParameterLayout, Prior
from armtwin.model.arm import Arm, Drive, Friction, Limits, Link
from armtwin.model.drive import PARAMETERS, SMOOTHING, SPEEDS, armature, effort_limits
from armtwin.spatial import Array

GAIN_SPREAD = 1.0
"""Standard deviation of the logarithm of a gain: known to a factor of e."""
ROTOR_SPREAD = 0.5
"""Relative standard deviation of rotor inertias in the arm file."""
FIRST_SPEED = 0.3
"""Start value of friction parameters that are speeds [rad/s at the joint]."""
WIDE = 10.0
"""Standard deviation of friction, in largest efforts: practically uninformative."""
MIN_ROTOR_ACCELERATION = 50.0
"""Acceleration of a rotor alone under its whole effort, at least [rad/s2]."""


def geometry_only(arm: Arm) -> Arm:
    """Return the chain without masses, drives and limits, so that estimates share its kernels."""
    joints = tuple(
        dataclasses.replace(joint, name=f"j{k}", link=Link(), drive=None, limits=Limits())
        for k, joint in enumerate(arm.joints)
    )
    return arm.with_(joints=joints, gravity=(0.0, 0.0, -9.81))


def smoothing_at_joints(arm: Arm, options: IdentifyOptions) -> tuple[float, ...]:
    """Return the smoothing of each joint's friction law [rad/s at the joint].

    That of the arm file; where it has none, a quarter of the speed of rest.
    """
    values = []
    for joint in arm.driven:
        friction = joint.drive.friction if joint.drive else None
        if joint.drive is None or friction is None:
            values.append(options.rest_speed / 4)
            continue
        size = dict(friction.parameters).get("smoothing", SMOOTHING)
        values.append(size / abs(joint.drive.gear) if friction.side == "motor" else size)
    return tuple(values)


def file_prior(
    arm: Arm, layout: ParameterLayout, options: IdentifyOptions, gains: Array, effort: Array
) -> Prior:
    """Return mean and precision of the vector before any data.

    Args:
        arm: the arm; its parameters are the means.
        layout: layout of the vector.
        options: standard deviations of the links, and which parameters are unknown.
        gains: initial gains (dof,), [A/Nm at the joint] or 1 for torques.
        effort: largest motor signals (dof,) [A or Nm], for the range of friction.
    """
    mean, spread = np.zeros(layout.size), np.ones(layout.size)
    mean[layout.links] = link_parameters(arm)
    spread[layout.links] = link_spreads(arm, options)
    rotors = np.array([armature(joint.drive) for joint in arm.driven])
    mean[layout.rotors] = rotors
    spread[layout.rotors] = np.where(rotors > 0, ROTOR_SPREAD * rotors, rotor_spreads(arm))
    mean[layout.gains], spread[layout.gains] = np.log(gains), GAIN_SPREAD
    for j, joint in enumerate(arm.driven):
        part, law = layout.friction[j], layout.laws[j]
        mean[part], spread[part] = _friction_prior(joint.drive, law, gains[j], effort[j])
    spread[layout.offsets] = np.maximum(effort, 1e-6)
    mean[layout.gravity] = arm.gravity
    spread[layout.gravity] = 10.0
    spread[layout.payload] = payload_spreads(arm, options)
    massless = np.repeat(mean[layout.links][::10] <= 0, 10)
    free = np.setdiff1d(layout.indices(options.unknown), np.flatnonzero(massless))
    return Prior(mean, np.diag(spread**-2.0), free, mean)


def link_spreads(arm: Arm, options: IdentifyOptions) -> Array:
    """Return standard deviations (10 rows,) of the inertial parameters of the arm file.

    ``m``: 10 %; ``h``: 10 % and 1.5 % of the arm's length times the mass; ``I``: 30 % of the
    link's own size, all by the options.
    """
    pi, share = link_parameters(arm).reshape(-1, 10), options.link_spread
    centre = options.centre_spread * arm_length(arm)
    spread = np.empty_like(pi)
    m = pi[:, 0]
    spread[:, 0] = share * m
    spread[:, 1:4] = np.hypot(share * pi[:, 1:4], (m * centre)[:, None])
    size = (pi[:, 4] + pi[:, 7] + pi[:, 9]) / 2
    spread[:, 4:] = (options.inertia_spread * size + m * centre**2)[:, None]
    return np.maximum(spread, 1e-9).ravel()


def payload_spreads(arm: Arm, options: IdentifyOptions) -> Array:
    """Return standard deviations (10,) of an unknown payload at the tool."""
    m, reach = options.most_payload, 0.3 * arm_length(arm)
    return np.array([m, *[m * reach] * 3, *[m * reach**2] * 6])


def arm_length(arm: Arm) -> float:
    """Return the arm's length [m]: the sum of its links' extents."""
    if arm.convention == "screws":
        return float(np.linalg.norm(np.array(arm.home)[:3, 3])) or 1.0
    return sum(float(np.hypot(joint.a, joint.d)) for joint in arm.joints) or 1.0


def rotor_spreads(arm: Arm) -> Array:
    """Return standard deviations (dof,) of unknown rotor inertias at the joints [kg m2].

    The inertia that the whole effort accelerates by 50 rad/s2; without effort limits, the largest
    inertia of the links about a joint.
    """
    limits = effort_limits(arm)
    largest = float(own_inertias(arm).max())
    return np.where(np.isfinite(limits), limits / MIN_ROTOR_ACCELERATION, largest)


def own_inertias(arm: Arm) -> Array:
    """Return the links' inertia about each joint (dof,) [kg m2], mean over random poses."""
    poses = np.random.default_rng(0).uniform(-np.pi, np.pi, (20, arm.dof))
    still, nothing, pi = np.zeros(arm.dof), np.zeros(3), link_parameters(arm)
    regressor = kernel(geometry_only(arm), sensitivity_equations.regressor)
    sizes = [
        float(np.mean((regressor(poses, still, push, nothing)[0] @ pi)[:, j]))
        for j, push in enumerate(np.eye(arm.dof))
    ]
    return np.maximum(np.array(sizes), 1e-6)


def _friction_prior(
    drive: Drive | None, law: str, gain: float, effort: float
) -> tuple[Array, Array]:
    """Return mean and spread of a joint's friction, torques in the unit of the effort."""
    names = PARAMETERS[law]
    known = at_joint(drive) if drive is not None else None
    size = WIDE * max(float(effort), 1e-6)
    spread = np.array([1.0 if name == "load" else size for name in names])
    if known is not None and known.model == law:
        numbers = dict(known.parameters)
        units = [1.0 if name in (*SPEEDS, "load") else float(gain) for name in names]
        mean = np.array([numbers[name] for name in names]) * units
    else:
        mean = np.array([FIRST_SPEED if name in SPEEDS else 0.0 for name in names])
    return mean, spread


def at_joint(drive: Drive) -> Friction | None:
    """Return a drive's friction with its parameters at the joint: speeds / gear, torques * gear."""
    friction = drive.friction
    if friction is None or friction.side == "joint":
        return friction
    scaled = tuple(
        (name, value * gear_power(name, drive.gear)) for name, value in friction.parameters
    )
    return Friction(friction.model, scaled, "joint")


def gear_power(name: str, gear: float) -> float:
    """Return the factor from a motor-side friction parameter to the joint side."""
    if name in (*SPEEDS, "presliding"):
        return 1 / abs(gear)
    if name in ("load", "yield_exponent"):
        return 1.0
    return gear**2 if name == "viscous" else abs(gear)
