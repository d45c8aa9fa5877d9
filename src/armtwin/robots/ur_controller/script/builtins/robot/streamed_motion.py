"""Commands that are given again and again: servo, speed, torque, and the stops after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armtwin.model.drive import COULOMB_SCALE, VISCOUS_SCALE
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.builtins.arguments import (
    boolean,
    not_negative,
    positive,
    target,
    vector,
)
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.builtins.robot.motion import (
    JOINT_ACCELERATION,
    TOOL_ACCELERATION,
    TOOL_SPEED,
    Wait,
    moved,
)
from armtwin.robots.ur_controller.script.errors import ScriptError

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()


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
    """Go for a pose at constant tool speed for one cycle.

    Args:
        rt: what the program runs in.
        pose: pose, or joint positions.
        a: acceleration [m/s2].
        v: speed [m/s].
        r: blend radius [m].
    """
    rates = (positive(a, "a"), positive(v, "v"), not_negative(r, "r"))
    yield from moved(rt, m.ServoCircle(target(pose, "pose"), *rates))


@group(cost=10)
def speedj(rt: Runtime, qd: Any, a: Any = JOINT_ACCELERATION, t: Any = None) -> Wait:
    """Reach joint speeds [rad/s]; returns after ``t`` [s], or when they are reached.

    Args:
        rt: what the program runs in.
        qd: joint speeds [rad/s].
        a: acceleration [rad/s2].
        t: duration [s].
    """
    seconds = None if t is None else not_negative(t, "t")
    # A spline segment without change of speed has an acceleration of zero.
    rate = not_negative(a, "a")
    yield from moved(rt, m.JointSpeedCommand(vector(qd, "qd", 6), rate, seconds))


@group(cost=10)
def speedl(
    rt: Runtime, xd: Any, a: Any = TOOL_ACCELERATION, t: Any = None, aRot: Any = None
) -> Wait:
    """Reach a tool velocity in base [m/s, rad/s]; returns as ``speedj``.

    Args:
        rt: what the program runs in.
        xd: tool velocity [m/s, rad/s].
        a: acceleration [m/s2].
        t: duration [s].
        aRot: angular acceleration [rad/s2].
    """
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
    """Decelerate the tool to rest [m/s2].

    Args:
        rt: what the program runs in.
        a: deceleration [m/s2].
        aRot: angular deceleration [rad/s2].
    """
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
