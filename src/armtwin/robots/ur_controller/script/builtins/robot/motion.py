"""Motions. Each blocks its thread until the host reports the motion finished."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.builtins.arguments import (
    integer,
    not_negative,
    positive,
    target,
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
    """Move the tool at constant speed to a pose, rounding the corner by ``r`` [m].

    Args:
        rt: what the program runs in.
        pose: pose, or joint positions.
        a: acceleration [m/s2].
        v: speed [m/s].
        r: blend radius [m].
    """
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
    """Move in joint space with shares (0 to 1] of the arm's own speed and acceleration.

    Args:
        rt: what the program runs in.
        q: joint positions [rad], or a pose.
        a: share of the accelerations.
        v: share of the speeds.
        r: blend radius [m].
    """
    goal, rates = target(q, "q"), (_share(a, "a"), _share(v, "v"))
    blend = not_negative(r, "r")
    yield from moved(rt, m.JointMoveCommand(goal, *rates, blend=blend, optimal=True))


@group(cost=COST)
def optimovel(rt: Runtime, pose: Any, a: Any = 0.3, v: Any = 0.3, r: Any = 0) -> Wait:
    """Move the tool straight with shares (0 to 1] of the arm's own speed and acceleration.

    Args:
        rt: what the program runs in.
        pose: pose, or joint positions.
        a: share of the accelerations.
        v: share of the speeds.
        r: blend radius [m].
    """
    goal, rates = target(pose, "pose"), (_share(a, "a"), _share(v, "v"))
    blend = not_negative(r, "r")
    yield from moved(rt, m.ToolMoveCommand(goal, *rates, blend=blend, optimal=True))


def _share(value: Any, name: str) -> float:
    found = positive(value, name)
    if found > 1:
        raise ScriptError(f"Value error: {name} is {found:g}, a fraction up to 1 is expected")
    return found
