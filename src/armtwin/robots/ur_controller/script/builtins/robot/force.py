"""Force mode, freedrive and contact detection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script.builtins.arguments import (
    boolean,
    integer,
    not_negative,
    number,
    pose,
    vector,
)
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.runtime.values import INT_MAX, List

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
ALL_AXES = List((1, 1, 1, 1, 1, 1))
ZERO = List((0.0, 0.0, 0.0))
ALL_DIRECTIONS = List((0.0,) * 6)


@group
def force_mode(
    rt: Runtime, task_frame: Any, selection_vector: Any, wrench: Any, type: Any, limits: Any
) -> None:
    """Control force along some axes of a frame.

    Args:
        rt: the runtime.
        task_frame: pose of the force frame in base.
        selection_vector: 1 for the compliant axes of that frame, 0 for the others.
        wrench: force and torque that the robot applies [N, Nm].
        type: 1 to 3, how the frame follows the motion.
        limits: speed limits of compliant axes [m/s, rad/s], deviations of the others [m, rad].
    """
    rt.host.do(
        c.ForceMode(
            pose(task_frame, "task_frame").items,
            vector(selection_vector, "selection_vector", 6),
            vector(wrench, "wrench", 6),
            integer(type, "type", 1, 3),
            vector(limits, "limits", 6),
        )
    )


@group
def end_force_mode(rt: Runtime) -> None:
    """Leave force mode."""
    rt.host.do(c.EndForceMode())


@group
def force_mode_set_damping(rt: Runtime, damping: Any) -> None:
    """Set the damping of force mode, 0 to 1."""
    rt.host.do(c.ForceModeDamping(_between(damping, "damping", 1.0)))


@group
def force_mode_set_gain_scaling(rt: Runtime, scaling: Any) -> None:
    """Scale the gain of force mode, 0 to 2."""
    rt.host.do(c.ForceModeGain(_between(scaling, "scaling", 2.0)))


def _between(value: Any, name: str, most: float) -> float:
    found = number(value, name)
    if not 0 <= found <= most:
        raise ScriptError(f"Value error: {name} is {found:g}, allowed are 0 to {most:g}")
    return found


@group
def freedrive_mode(rt: Runtime, freeAxes: Any = ALL_AXES, feature: Any = "base") -> None:
    """Let the arm be moved by hand along the free axes (1) of a feature.

    Args:
        rt: what the program runs in.
        freeAxes: 1 for each free axis of the feature, else 0 (6,).
        feature: pose whose axes are meant.
    """
    frame = feature if feature in ("base", "tool") else pose(feature, "feature").items
    rt.host.do(c.Freedrive(vector(freeAxes, "freeAxes", 6), frame))


@group
def end_freedrive_mode(rt: Runtime) -> None:
    """Leave freedrive."""
    rt.host.do(c.EndFreedrive())


@group
def teach_mode(rt: Runtime) -> None:
    """Let the arm be moved by hand along all axes."""
    freedrive_mode(rt)


@group
def end_teach_mode(rt: Runtime) -> None:
    """Leave teach mode."""
    rt.host.do(c.EndFreedrive())


@group
def get_freedrive_status(rt: Runtime) -> int:
    """Return 0 for normal operation, 1 near and 2 too close to a singularity."""
    return int(rt.host.read("freedrive_status"))


@group
def zero_ftsensor(rt: Runtime) -> None:
    """Make the present wrench the zero of the force sensor."""
    rt.host.do(c.ZeroForceSensor())


@group
def ft_rtde_input_enable(
    rt: Runtime,
    enable: Any,
    sensor_mass: Any = 0.0,
    sensor_measuring_offset: Any = ZERO,
    sensor_cog: Any = ZERO,
) -> None:
    """Use the wrench that RTDE clients write as the force sensor.

    Args:
        rt: the runtime.
        enable: on or off.
        sensor_mass: mass of the sensor [kg].
        sensor_measuring_offset: its measuring point in the flange frame [m].
        sensor_cog: its centre of gravity in the flange frame [m].
    """
    places = (vector(sensor_measuring_offset, "offset", 3), vector(sensor_cog, "sensor_cog", 3))
    mass = not_negative(sensor_mass, "sensor_mass")
    rt.host.do(c.ExternalForceInput(boolean(enable, "enable"), mass, *places))


group(ft_rtde_input_enable, name="enable_external_ft_sensor")


@group
def tool_contact(rt: Runtime, direction: Any = ALL_DIRECTIONS) -> int:
    """Return the cycles since a contact of the tool began; 0 if there is none."""
    return rt.host.contact_steps(vector(direction, "direction", 6))


@group
def get_actual_joint_positions_history(rt: Runtime, steps: Any = 0) -> List:
    """Return the actual joint positions some cycles ago [rad]."""
    return List(rt.host.joint_history(integer(steps, "steps", 0, INT_MAX)))


@group
def protective_stop(rt: Runtime) -> None:
    """Trigger a protective stop."""
    rt.host.do(c.ProtectiveStop())


@group
def armtwin_push(rt: Runtime, joint: Any, torque: Any, seconds: Any = 0.3) -> None:
    """Push a joint, numbered from 1, with a torque [Nm] for some time [s].

    No real controller has this function.

    Args:
        rt: what the program runs in.
        joint: its number, from 1.
        torque: [Nm].
        seconds: duration [s].
    """
    number_of = integer(joint, "joint", 1, 6)
    rt.host.do(c.PushCommand(number_of, number(torque, "torque"), number(seconds, "seconds")))
