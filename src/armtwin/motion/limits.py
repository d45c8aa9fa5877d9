"""Checking a motion against the arm's limits before anything moves."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.dynamics.drives import friction
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.errors import InputError, MissingDataError, PlanError
from armtwin.kinematics.joints import LIMIT_TOLERANCE
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.spatial import Array, as_numbers
from armtwin.units import joint_unit

ACCELERATION = 15.0
"""Largest acceleration where neither the caller nor the arm file gives one [rad/s2]."""


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Largest rates, one for all joints or (dof,); None takes the arm's own.

    Attributes:
        speed: [rad/s | m/s].
        acceleration: [rad/s2 | m/s2]; 15 where the arm file has none.
        jerk: [rad/s3 | m/s3]; unlimited if not given.
    """

    speed: ArrayLike | None = None
    acceleration: ArrayLike | None = None
    jerk: ArrayLike | None = None

    @classmethod
    def at_most(
        cls,
        arm: Arm,
        speed: float | None,
        acceleration: float | None,
        *,
        defaults: tuple[float, float] = (np.inf, np.inf),
    ) -> MotionLimits:
        """Return one speed and acceleration for all joints, lower where a joint's own limit is.

        A given number beyond the limit of every joint stays as it is, and ``values`` refuses it.

        Args:
            arm: the arm.
            speed: [rad/s | m/s]; None for the default.
            acceleration: [rad/s2 | m/s2]; None for the default.
            defaults: speed and acceleration where none is given.
        """
        return cls(
            _capped(arm, speed, "speed", defaults[0]),
            _capped(arm, acceleration, "acceleration", defaults[1]),
        )

    def values(self, arm: Arm) -> tuple[Array, Array, Array]:
        """Return speed, acceleration and jerk limits (dof,), infinite where there are none."""
        found = [
            _limit(arm, self.speed, "speed", np.inf),
            _limit(arm, self.acceleration, "acceleration", ACCELERATION),
            _limit(arm, self.jerk, "jerk", np.inf),
        ]
        return found[0], found[1], found[2]


def _own(arm: Arm, name: str) -> Array:
    """Return the joints' own limits (dof,), infinite where there are none."""
    own = [getattr(joint.limits, name, None) for joint in arm.driven]
    return np.array([np.inf if limit is None else limit for limit in own])


def _capped(arm: Arm, value: float | None, name: str, default: float) -> Array:
    own = _own(arm, name)
    if value is None:
        return np.minimum(own, default)
    if not np.isfinite(value) or value > own.max():
        return np.full(arm.dof, value)
    return np.minimum(own, value)


def _limit(arm: Arm, given: ArrayLike | None, name: str, otherwise: float) -> Array:
    ends = _own(arm, name)
    if given is None:
        return np.where(np.isfinite(ends), ends, otherwise)
    numbers = as_numbers(given, f"{name} limit")
    try:
        value = np.broadcast_to(numbers, (arm.dof,))
    except ValueError as error:
        raise InputError(f"{name} limit is one number or {arm.dof}, got {given!r}") from error
    if not (value > 0).all():
        raise InputError(f"{name} limits must be positive, got {given!r}")
    if (value > ends * (1 + 1e-9)).any():
        joint = int(np.argmax(value > ends))
        raise InputError(
            f"{name} limit {value[joint]:g} of joint {joint + 1} is beyond its own, {ends[joint]:g}"
        )
    return value


def checked(arm: Arm, motion: Motion) -> Motion:
    """Return the motion, with notes on what could not be checked.

    Raises:
        PlanError: a position, speed, acceleration or torque beyond its limit, with joint and time.
    """
    _check_positions(arm, motion)
    for quantity, values in (("speed", motion.qd), ("acceleration", motion.qdd)):
        _check_size(arm, motion, quantity, values)
    notes = list(_unlimited(arm))
    try:
        tau = needed_torque(arm, motion)
    except MissingDataError:
        notes.append("torques not checked: the arm file has no masses")
    else:
        _check_size(arm, motion, "effort", tau)
    return dataclasses.replace(motion, notes=(*motion.notes, *notes))


def needed_torque(arm: Arm, motion: Motion) -> Array:
    """Return the joint torques (n, dof) [Nm | N] that the motion takes, friction included.

    Raises:
        MissingDataError: the arm has no masses.
    """
    tau = inverse_dynamics(arm, motion.q, motion.qd, motion.qdd, ignore_limits=True)
    if all(joint.drive is not None for joint in arm.driven):
        tau = tau + friction(arm, motion.qd, tau)
    return tau


def _check_positions(arm: Arm, motion: Motion) -> None:
    low, high = arm.lower - LIMIT_TOLERANCE, arm.upper + LIMIT_TOLERANCE
    beyond = (motion.q < low) | (motion.q > high)
    if beyond.any():
        bounds = [f"{a:.4g} to {b:.4g}" for a, b in zip(arm.lower, arm.upper, strict=True)]
        _refuse(arm, motion, "position", motion.q, beyond, bounds)


def _check_size(arm: Arm, motion: Motion, quantity: str, values: Array) -> None:
    given = [getattr(joint.limits, quantity) for joint in arm.driven]
    limits = np.array([np.inf if limit is None else limit for limit in given])
    beyond = np.abs(values) > limits * (1 + 1e-9)
    if beyond.any():
        _refuse(arm, motion, quantity, values, beyond, [f"+-{limit:.4g}" for limit in limits])


def _refuse(
    arm: Arm,
    motion: Motion,
    quantity: str,
    values: Array,
    beyond: NDArray[np.bool_],
    bounds: list[str],
) -> None:
    row = int(np.argmax(beyond.any(axis=1)))
    joint = int(np.argmax(beyond[row]))
    peak = int(np.abs(values[:, joint]).argmax())
    kind = arm.driven[joint].kind
    raise PlanError(
        f"{motion.name}: {quantity} of joint {joint + 1} ({arm.driven[joint].name}) is "
        f"{values[row, joint]:.4g} {joint_unit(quantity, kind)} at t = {motion.time[row]:.3f} s "
        f"(largest {values[peak, joint]:.4g} at {motion.time[peak]:.3f} s); its limit is "
        f"{bounds[joint]}; slow the motion down or move the path"
    )


def _unlimited(arm: Arm) -> Iterator[str]:
    """Yield which limits the arm file leaves open."""
    for quantity in ("speed", "acceleration", "effort"):
        missing = [
            str(number)
            for number, joint in enumerate(arm.driven, 1)
            if getattr(joint.limits, quantity) is None
        ]
        if missing:
            word = "torque" if quantity == "effort" else quantity
            yield f"no {word} limit in the arm file for joint {', '.join(missing)}: not checked"
