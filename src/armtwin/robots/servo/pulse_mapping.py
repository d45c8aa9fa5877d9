r"""Joint angles and pulse widths.

.. math::
    w = w_0 + (w_1 - w_0) \left(\tfrac12 \pm \frac{q - q_m}{\varphi}\right)

with the pulse widths :math:`w_0, w_1` at the ends of the servo's travel :math:`\varphi`, the joint
angle :math:`q_m` in its middle, and minus on an inverted mount.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError, JointLimitError
from armtwin.kinematics.joints import LIMIT_TOLERANCE, as_joints
from armtwin.model.arm import Arm, Joint
from armtwin.robots.servo.messages import AXES, TICKS_PER_US, AxisConfig, BoardConfig
from armtwin.robots.servo.servo_settings import GripperServo, JointServo, ServoSettings
from armtwin.spatial import Array

TOP_SPEED = math.radians(60)
"""Top speed of a joint whose arm file gives none [rad/s]."""


@dataclass(frozen=True)
class ServoAxis:
    """Linear map between a joint's angle (or the gripper's opening) and ticks.

    Attributes:
        zero: ticks at value 0.
        slope: ticks per unit of value; negative on an inverted mount.
        lower: lower limit of the value.
        upper: its upper limit.
        speed: top speed [1/s].
        home: the value where the axis is switched on.
        start: the value at a phone's 0 degrees.
        half_turn: how much further its 180 degrees are.
    """

    zero: float
    slope: float
    lower: float
    upper: float
    speed: float
    home: float
    start: float
    half_turn: float

    def ticks(self, value: float) -> int:
        """Return the nearest position of the board."""
        return round(self.zero + self.slope * value)

    def value(self, ticks: int) -> float:
        """Return the value at a position of the board."""
        return (ticks - self.zero) / self.slope

    def config(self, share: float) -> AxisConfig:
        """Return the board's configuration of the axis, with a share of the top speed."""
        low, high = sorted((self.ticks(self.lower), self.ticks(self.upper)))
        phone = (self.ticks(self.start), self.ticks(self.start + self.half_turn))
        speed = min(0xFFFF, int(self.speed * share * abs(self.slope)))
        return AxisConfig(low, high, *phone, self.ticks(self.home), speed)


def joint_axis(joint: Joint, servo: JointServo, number: int) -> ServoAxis:
    """Return the axis of a joint.

    Args:
        joint: the joint.
        servo: mounting of its servo.
        number: of the joint, from 1, for messages.

    Raises:
        InputError: a joint that is not revolute, or an empty range.
    """
    if joint.kind != "revolute":
        raise InputError(f"joint {number} ({joint.name}) is {joint.kind}; a servo turns")
    lower = -math.inf if joint.limits.lower is None else joint.limits.lower
    upper = math.inf if joint.limits.upper is None else joint.limits.upper
    bounded = math.isfinite(lower + upper)
    middle = servo.middle if servo.middle is not None else (lower + upper) / 2 if bounded else 0.0
    for low, high in (servo.limits or (lower, upper), _travel(servo, middle)):
        lower, upper = max(lower, low), min(upper, high)
    if not lower <= servo.home <= upper:
        raise InputError(
            f"joint {number} ({joint.name}): home {servo.home:g} rad is not within its limits and "
            f"the servo's travel, {lower:g} to {upper:g} rad; give another home, middle or limits"
        )
    w0, w1 = (TICKS_PER_US * width for width in servo.pulse)
    slope = (w1 - w0) / servo.travel * (-1 if servo.inverted else 1)
    zero = (w0 + w1) / 2 - slope * middle
    speed = servo.speed or joint.limits.speed or TOP_SPEED
    phone = min(math.pi, servo.travel)
    return ServoAxis(zero, slope, lower, upper, speed, servo.home, middle - phone / 2, phone)


def _travel(servo: JointServo, middle: float) -> tuple[float, float]:
    return middle - servo.travel / 2, middle + servo.travel / 2


def gripper_axis(servo: GripperServo) -> ServoAxis:
    """Return the axis of the gripper; its value is the opening, 0 closed to 1 open."""
    zero = TICKS_PER_US * servo.closed
    slope = TICKS_PER_US * (servo.open - servo.closed)
    if not slope:
        raise InputError(f"the gripper is closed and open at the same {servo.closed:g} us")
    return ServoAxis(zero, slope, 0.0, 1.0, servo.speed, servo.home, 0.0, 1.0)


class ServoMapping:
    """The axes of an arm: its joints first, the gripper last.

    Attributes:
        joints: the axes of the driven joints.
        gripper: the axis of the gripper.
        config: the board's configuration.
    """

    def __init__(self, arm: Arm, settings: ServoSettings) -> None:
        """Combine arm file and settings.

        Raises:
            InputError: more joints than the board drives, or settings that do not fit the arm.
        """
        if arm.dof > AXES - 1:
            raise InputError(f"arm {arm.name!r} has {arm.dof} joints; the board drives {AXES - 1}")
        if len(settings.joints) > arm.dof:
            raise InputError(f"settings for {len(settings.joints)} joints; {arm.name!r} has fewer")
        servos = [*settings.joints, *[JointServo()] * (arm.dof - len(settings.joints))]
        self.arm = arm
        self.settings = settings
        self.joints = tuple(
            joint_axis(joint, servo, number)
            for number, (joint, servo) in enumerate(zip(arm.driven, servos, strict=True), 1)
        )
        self.gripper = gripper_axis(settings.gripper)
        unused = [self.gripper] * (AXES - 1 - arm.dof)
        axes = [axis.config(settings.speed) for axis in (*self.joints, *unused, self.gripper)]
        self.config = BoardConfig(tuple(axes), round(1000 * settings.watchdog), settings.phones)

    def ticks(self, q: ArrayLike, opening: float | None = None) -> tuple[int, ...]:
        """Return the position (6,) for joint angles (dof,) [rad] and the gripper's opening.

        Raises:
            InputError: wrong number of joints, NaN, an opening outside 0 to 1.
            JointLimitError: a joint beyond its limits, or beyond its servo's travel.
        """
        values = as_joints(self.arm, q)
        if values.ndim != 1:
            raise InputError(f"one joint vector ({self.arm.dof},) is moved to, got {values.shape}")
        for number, (axis, value) in enumerate(zip(self.joints, values, strict=True), 1):
            if not axis.lower - LIMIT_TOLERANCE <= value <= axis.upper + LIMIT_TOLERANCE:
                raise JointLimitError(
                    f"joint {number} at {value:g} rad: its servo is allowed "
                    f"{axis.lower:g} to {axis.upper:g} rad"
                )
        if opening is not None and not 0 <= opening <= 1:
            raise InputError(f"the gripper's opening is 0 (closed) to 1 (open), got {opening}")
        pairs = zip(self.joints, values.tolist(), strict=True)
        joints = [axis.ticks(value) for axis, value in pairs]
        stay = [0] * (AXES - 1 - self.arm.dof)
        return (*joints, *stay, 0 if opening is None else self.gripper.ticks(opening))

    def angles(self, position: Sequence[int]) -> Array:
        """Return the joint angles (dof,) [rad] at a position (6,)."""
        return np.array([axis.value(t) for axis, t in zip(self.joints, position, strict=False)])

    def opening(self, position: Sequence[int]) -> float:
        """Return the gripper's opening at a position (6,)."""
        return self.gripper.value(position[-1])
