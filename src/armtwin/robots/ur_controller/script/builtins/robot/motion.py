"""Motions. Each blocks its thread until the host reports the motion finished."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from armtwin.model.drive import COULOMB_SCALE, VISCOUS_SCALE
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.builtins.arguments import (
    boolean,
    integer,
    not_negative,
    positive,
    target,
    vector,
)
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.errors import ScriptError

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
Wait = Iterator[Any]
JOINT_SPEED, JOINT_ACCELERATION = 1.05, 1.4
"""Defaults of joint motions [rad/s, rad/s2]."""
TOOL_SPEED, TOOL_ACCELERATION = 0.25, 1.2
"""Defaults of tool motions [m/s, m/s2]."""
COST = 50
"""Statements that planning a motion counts for."""


def moved(rt: Runtime, motion: m.MotionCommand) -> Wait:
    """Start a motion and wait for it; give it up if the thread is killed."""
    token = rt.host.start(motion)
    try:
        while not rt.host.finished(token):
            yield None
    except GeneratorExit:
        rt.host.cancel(token)
        raise


@group(cost=COST)
def movej(
    rt: Runtime, q: Any, a: Any = JOINT_ACCELERATION, v: Any = JOINT_SPEED, t: Any = 0, r: Any = 0
) -> Wait:
    """Move linearly in joint space to joint positions [rad] or a pose.

    Args:
        rt: the runtime.
        q: joint positions, or a pose.
        a: acceleration of the leading axis [rad/s2].
        v: speed of the leading axis [rad/s].
        t: duration [s]; overrides ``a`` and ``v`` if positive.
        r: blend radius [m].
    """
    rates = (*_rates(a, v, t), not_negative(r, "r"))
    yield from moved(rt, m.JointMoveCommand(target(q, "q"), *rates))


def _rates(a: Any, v: Any, t: Any) -> tuple[float, float, float]:
    """Return acceleration, speed and duration; the first two may be 0 if the last is given."""
    seconds = not_negative(t, "t")
    check = not_negative if seconds > 0 else positive
    return check(a, "a"), check(v, "v"), seconds


@group(cost=COST)
def movel(
    rt: Runtime, pose: Any, a: Any = TOOL_ACCELERATION, v: Any = TOOL_SPEED, t: Any = 0, r: Any = 0
) -> Wait:
    """Move the tool straight to a pose, or to where joint positions take it.

    Args:
        rt: the runtime.
        pose: pose, or joint positions [rad].
        a: tool acceleration [m/s2].
        v: tool speed [m/s].
        t: duration [s]; overrides ``a`` and ``v`` if positive.
        r: blend radius [m].
    """
    rates = (*_rates(a, v, t), not_negative(r, "r"))
    yield from moved(rt, m.ToolMoveCommand(target(pose, "pose"), *rates))


@group(cost=COST)
def movep(
    rt: Runtime, pose: Any, a: Any = TOOL_ACCELERATION, v: Any = TOOL_SPEED, r: Any = 0
) -> Wait:
    """Move the tool at constant speed to a pose, rounding the corner by ``r`` [m]."""
    rates = (positive(a, "a"), positive(v, "v"), not_negative(r, "r"))
    yield from moved(rt, m.MoveProcess(target(pose, "pose"), *rates))


@group(cost=COST)
def movec(
    rt: Runtime,
    pose_via: Any,
    pose_to: Any,
    a: Any = TOOL_ACCELERATION,
    v: Any = TOOL_SPEED,
    r: Any = 0,
    mode: Any = 0,
) -> Wait:
    """Move the tool along a circle.

    Args:
        rt: the runtime.
        pose_via: pose, or joint positions, that the circle goes through.
        pose_to: where it ends.
        a: tool acceleration [m/s2].
        v: tool speed [m/s].
        r: blend radius at the end [m].
        mode: 0 turns evenly to the orientation of ``pose_to``, 1 keeps it fixed to the tangent.
    """
    rates = (positive(a, "a"), positive(v, "v"), not_negative(r, "r"))
    fixed = integer(mode, "mode", 0, 1) == 1
    points = (target(pose_via, "pose_via"), target(pose_to, "pose_to"))
    yield from moved(rt, m.MoveCircle(*points, *rates, fixed))


@group(cost=COST)
def optimovej(rt: Runtime, q: Any, a: Any = 0.3, v: Any = 0.3, r: Any = 0) -> Wait:
    """Move in joint space with shares (0 to 1] of the arm's own speed and acceleration."""
    goal, rates = target(q, "q"), (_share(a, "a"), _share(v, "v"))
    blend = not_negative(r, "r")
    yield from moved(rt, m.JointMoveCommand(goal, *rates, blend=blend, optimal=True))


@group(cost=COST)
def optimovel(rt: Runtime, pose: Any, a: Any = 0.3, v: Any = 0.3, r: Any = 0) -> Wait:
    """Move the tool straight with shares (0 to 1] of the arm's own speed and acceleration."""
    goal, rates = target(pose, "pose"), (_share(a, "a"), _share(v, "v"))
    blend = not_negative(r, "r")
    yield from moved(rt, m.ToolMoveCommand(goal, *rates, blend=blend, optimal=True))


def _share(value: Any, name: str) -> float:
    found = positive(value, name)
    if found > 1:
        raise ScriptError(f"Value error: {name} is {found:g}, a fraction up to 1 is expected")
    return found


@group(cost=10)
def servoj(
    rt: Runtime,
    q: Any,
    a: Any = 0,
    v: Any = 0,
    t: Any = 0.002,
    lookahead_time: Any = 0.1,
    gain: Any = 300,
) -> Wait:
    """Follow joint positions for a time.

    Args:
        rt: the runtime.
        q: joint positions [rad].
        a: not used, as on a real controller.
        v: not used, as on a real controller.
        t: duration [s].
        lookahead_time: smoothing time, 0.03 to 0.2 [s].
        gain: proportional gain, 100 to 2000.
    """
    settings = (not_negative(t, "t"), positive(lookahead_time, "lookahead_time"))
    yield from moved(rt, m.ServoJoints(vector(q, "q", 6), *settings, positive(gain, "gain")))


@group(cost=10)
def servoc(
    rt: Runtime, pose: Any, a: Any = TOOL_ACCELERATION, v: Any = TOOL_SPEED, r: Any = 0
) -> Wait:
    """Go for a pose at constant tool speed for one cycle."""
    rates = (positive(a, "a"), positive(v, "v"), not_negative(r, "r"))
    yield from moved(rt, m.ServoCircle(target(pose, "pose"), *rates))


@group(cost=10)
def speedj(rt: Runtime, qd: Any, a: Any = JOINT_ACCELERATION, t: Any = None) -> Wait:
    """Reach joint speeds [rad/s]; returns after ``t`` [s], or when they are reached."""
    seconds = None if t is None else not_negative(t, "t")
    # A spline segment without change of speed asks for an acceleration of zero.
    rate = not_negative(a, "a")
    yield from moved(rt, m.JointSpeedCommand(vector(qd, "qd", 6), rate, seconds))


@group(cost=10)
def speedl(
    rt: Runtime, xd: Any, a: Any = TOOL_ACCELERATION, t: Any = None, aRot: Any = None
) -> Wait:
    """Reach a tool velocity in base [m/s, rad/s]; returns as ``speedj``."""
    seconds = None if t is None else not_negative(t, "t")
    turning = None if aRot is None else positive(aRot, "aRot")
    rate = not_negative(a, "a")
    yield from moved(rt, m.ToolSpeedCommand(vector(xd, "xd", 6), rate, seconds, turning))


@group
def stopj(rt: Runtime, a: Any) -> Wait:
    """Decelerate the joints to rest [rad/s2]."""
    yield from moved(rt, m.StopJoints(positive(a, "a")))


@group
def stopl(rt: Runtime, a: Any, aRot: Any = None) -> Wait:
    """Decelerate the tool to rest [m/s2]."""
    turning = None if aRot is None else positive(aRot, "aRot")
    yield from moved(rt, m.StopTool(positive(a, "a"), turning))


@group(cost=10)
def direct_torque(
    rt: Runtime,
    torque: Any,
    viscous_scale: Any = None,
    coulomb_scale: Any = None,
    friction_comp: Any = None,
) -> Wait:
    """Apply joint torques for one cycle, on top of gravity and friction compensation.

    Args:
        rt: the runtime.
        torque: joint torques [Nm].
        viscous_scale: share (0 to 1) of viscous friction that is compensated, per joint. A
            boolean here is ``friction_comp``, the second argument of versions before 5.25.1.
        coulomb_scale: share (0 to 1) of Coulomb friction that is compensated, per joint.
        friction_comp: switch of the old friction model; ignored if a scale is given.
    """
    if isinstance(viscous_scale, bool):
        viscous_scale, friction_comp = None, viscous_scale
    torques = vector(torque, "torque", 6)
    if friction_comp is not None and viscous_scale is None and coulomb_scale is None:
        on = boolean(friction_comp, "friction_comp")
        yield from moved(rt, m.DirectTorque(torques, friction_compensation=on))
        return
    viscous = _scale(viscous_scale, "viscous_scale", VISCOUS_SCALE)
    coulomb = _scale(coulomb_scale, "coulomb_scale", COULOMB_SCALE)
    yield from moved(rt, m.DirectTorque(torques, viscous, coulomb))


def _scale(value: Any, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    found = default if value is None else vector(value, name, 6)
    if not all(0 <= share <= 1 for share in found):
        raise ScriptError(f"Value error: {name} holds a number outside 0 to 1")
    return found
