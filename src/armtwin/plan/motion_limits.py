"""Limits on speed, acceleration and jerk that a motion is planned within."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

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
    def at_most(cls, arm: Arm, speed: float, acceleration: float) -> MotionLimits:
        """Return one speed and acceleration for all joints, lower where a joint's own limit is.

        A number beyond the limit of every joint stays as it is, and ``values`` refuses it.
        """
        return cls(_capped(arm, speed, "speed"), _capped(arm, acceleration, "acceleration"))

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


def _capped(arm: Arm, value: float, name: str) -> Array:
    own = _own(arm, name)
    if not np.isfinite(value) or value > own.max():
        return np.full(arm.dof, value)
    return np.minimum(own, value)


def _limit(arm: Arm, given: ArrayLike | None, name: str, otherwise: float) -> Array:
    ends = _own(arm, name)
    if given is None:
        return np.where(np.isfinite(ends), ends, otherwise)
    try:
        value = np.broadcast_to(np.asarray(given, float), (arm.dof,))
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
