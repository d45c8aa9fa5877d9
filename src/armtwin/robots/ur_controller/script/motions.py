"""Motions that a program requests of the controller.

Joint targets are joint positions or speeds [rad, rad/s], six floats. Poses are position [m] and
rotation vector [rad] of the tool centre point in the base frame, six floats.
"""

from __future__ import annotations

from dataclasses import dataclass

Six = tuple[float, ...]


class MotionCommand:
    """A motion; the program continues when the host reports it finished."""


@dataclass(frozen=True)
class MotionTarget:
    """Target of a motion: joint positions, or a pose.

    Attributes:
        values: six floats.
        is_pose: True if ``values`` is a pose, False for joint positions.
        near: joint positions that the solution of a pose should be close to; the present ones
            if None.
    """

    values: Six
    is_pose: bool
    near: Six | None = None


@dataclass(frozen=True)
class JointMoveCommand(MotionCommand):
    """``movej`` and ``optimovej``: linear in joint space.

    Attributes:
        target: where to.
        acceleration: of the leading axis [rad/s2]; a fraction (0 to 1] if ``optimal``.
        speed: of the leading axis [rad/s]; a fraction (0 to 1] if ``optimal``.
        seconds: duration, which overrides speed and acceleration if positive.
        blend: blend radius [m]; the motion is finished once the blend begins.
        optimal: whether speed and acceleration are fractions of what the arm can do.
    """

    target: MotionTarget
    acceleration: float
    speed: float
    seconds: float = 0.0
    blend: float = 0.0
    optimal: bool = False


@dataclass(frozen=True)
class ToolMoveCommand(MotionCommand):
    """``movel`` and ``optimovel``: the tool goes straight. Fields as in MoveJoints, in m/s."""

    target: MotionTarget
    acceleration: float
    speed: float
    seconds: float = 0.0
    blend: float = 0.0
    optimal: bool = False


@dataclass(frozen=True)
class MoveProcess(MotionCommand):
    """``movep``: straight at constant tool speed [m/s], corners rounded by circles."""

    target: MotionTarget
    acceleration: float
    speed: float
    blend: float = 0.0


@dataclass(frozen=True)
class MoveCircle(MotionCommand):
    """``movec``: along the circle through ``via`` to ``target`` at constant tool speed [m/s].

    ``fixed_orientation`` keeps the orientation constant relative to the circle's tangent.
    """

    via: MotionTarget
    target: MotionTarget
    acceleration: float
    speed: float
    blend: float = 0.0
    fixed_orientation: bool = False


@dataclass(frozen=True)
class ServoJoints(MotionCommand):
    """``servoj``: follow joint positions for ``seconds``."""

    joints: Six
    seconds: float
    lookahead: float
    gain: float


@dataclass(frozen=True)
class ServoCircle(MotionCommand):
    """``servoc``: go for a pose that is set again and again; finished after one cycle."""

    target: MotionTarget
    acceleration: float
    speed: float
    blend: float = 0.0


@dataclass(frozen=True)
class JointSpeedCommand(MotionCommand):
    """``speedj``: reach joint speeds; finished after ``seconds`` or, if None, when reached."""

    speeds: Six
    acceleration: float
    seconds: float | None = None


@dataclass(frozen=True)
class ToolSpeedCommand(MotionCommand):
    """``speedl``: reach a tool velocity in base [m/s, rad/s]; finished as SpeedJoints."""

    velocity: Six
    acceleration: float
    seconds: float | None = None
    rotational_acceleration: float | None = None


@dataclass(frozen=True)
class StopJoints(MotionCommand):
    """``stopj``: decelerate the joints [rad/s2]; finished at rest."""

    acceleration: float


@dataclass(frozen=True)
class StopTool(MotionCommand):
    """``stopl``: decelerate the tool [m/s2]; finished at rest."""

    acceleration: float
    rotational_acceleration: float | None = None


@dataclass(frozen=True)
class DirectTorque(MotionCommand):
    """``direct_torque``: joint torques [Nm] for one cycle, gravity compensated by the controller.

    Attributes:
        torques: six floats.
        viscous_scale: share of the viscous friction that is compensated, per joint; None if the
            old friction model is requested.
        coulomb_scale: share of the Coulomb friction that is compensated, per joint; likewise.
        friction_compensation: switch of the old friction model; None if the scales count.
    """

    torques: Six
    viscous_scale: Six | None = None
    coulomb_scale: Six | None = None
    friction_compensation: bool | None = None
