"""Settings of tool, payload and controller.

Functions that send a ``Setting`` are accepted without effect on a virtual arm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script.builtins.arguments import (
    not_negative,
    vector,
)
from armtwin.robots.ur_controller.script.builtins.arguments import (
    pose as as_pose,
)
from armtwin.robots.ur_controller.script.builtins.registry import Group

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()


@group
def set_tcp(rt: Runtime, pose: Any, tcp_name: Any = "") -> None:
    """Set the tool centre point: its pose in the flange frame.

    Args:
        rt: what the program runs in.
        pose: in the flange frame.
        tcp_name: of the installation; not used here.
    """
    rt.host.do(c.SetTcp(as_pose(pose, "pose").items))


@group
def set_payload(rt: Runtime, m: Any, cog: Any = None) -> None:
    """Set the payload's mass [kg] and centre of gravity [m]; its inertia is reset.

    Args:
        rt: what the program runs in.
        m: mass [kg].
        cog: centre of gravity in the flange frame [m].
    """
    rt.host.do(c.SetPayload(not_negative(m, "m"), None if cog is None else vector(cog, "cog", 3)))


@group
def set_payload_mass(rt: Runtime, m: Any) -> None:
    """Set the payload's mass [kg] and keep its centre of gravity."""
    rt.host.do(c.SetPayload(not_negative(m, "m")))


@group
def set_payload_cog(rt: Runtime, cog: Any, m: Any = None) -> None:
    """Set the payload's centre of gravity [m] and keep its mass.

    Args:
        rt: what the program runs in.
        cog: centre of gravity in the flange frame [m].
        m: mass [kg].
    """
    mass = float(rt.host.read("payload")) if m is None else not_negative(m, "m")
    rt.host.do(c.SetPayload(mass, vector(cog, "cog", 3)))


@group
def set_target_payload(
    rt: Runtime, m: Any, cog: Any, inertia: Any = None, transition_time: Any = 0
) -> None:
    """Set the payload.

    Args:
        rt: the runtime.
        m: mass [kg].
        cog: centre of gravity in the flange frame [m].
        inertia: xx, yy, zz, xy, xz, yz at the centre of gravity [kg m2].
        transition_time: accepted for compatibility; the change is immediate.
    """
    tensor = None if inertia is None else vector(inertia, "inertia", 6)
    rt.host.do(c.SetPayload(not_negative(m, "m"), vector(cog, "cog", 3), tensor))


@group
def set_gravity(rt: Runtime, d: Any) -> None:
    """Set the acceleration that the arm experiences at rest, in base [m/s2]."""
    rt.host.do(c.SetGravity(vector(d, "d", 3)))


@group
def high_holding_torque_disable(rt: Runtime) -> None:
    """Disable the high holding torque at rest."""
    rt.host.do(c.Setting("high_holding_torque_disable", ()))


@group
def high_holding_torque_enable(rt: Runtime) -> None:
    """Enable the high holding torque at rest."""
    rt.host.do(c.Setting("high_holding_torque_enable", ()))


@group
def position_deviation_warning(rt: Runtime, enabled: Any, threshold: Any = 0.8) -> None:
    """Log deviations from the path beyond a share (0 to 1) of the limit.

    Args:
        rt: what the program runs in.
        enabled: whether deviations are logged.
        threshold: share of the limit.
    """
    rt.host.do(c.Setting("position_deviation_warning", (enabled, threshold)))


@group
def reset_revolution_counter(rt: Runtime, qNear: Any = None) -> None:
    """Reset the revolution counters of unlimited joints."""
    rt.host.do(c.Setting("reset_revolution_counter", (qNear,)))


@group
def set_base_acceleration(rt: Runtime, a: Any) -> None:
    """Set the acceleration of the base [m/s2]."""
    rt.host.do(c.Setting("set_base_acceleration", (a,)))


@group
def set_safety_mode_transition_hardness(rt: Runtime, type: Any) -> None:
    """Choose hard (0) or soft (1) changes of safety mode."""
    rt.host.do(c.Setting("set_safety_mode_transition_hardness", (type,)))


@group
def pause_on_error_code(rt: Runtime, code: Any, argument: Any = None) -> None:
    """Pause when an error code occurs.

    Args:
        rt: what the program runs in.
        code: of the error.
        argument: of the error.
    """
    rt.host.do(c.Setting("pause_on_error_code", (code, argument)))


@group
def set_standard_analog_input_domain(rt: Runtime, port: Any, domain: Any) -> None:
    """Choose current (0) or voltage (1) for an analogue input.

    Args:
        rt: what the program runs in.
        port: number of the input, 0 or 1.
        domain: 0 or 1.
    """
    rt.host.do(c.Setting("set_standard_analog_input_domain", (port, domain)))


@group
def set_tool_analog_input_domain(rt: Runtime, port: Any, domain: Any) -> None:
    """Choose current (0) or voltage (1) for an analogue input of the tool.

    Args:
        rt: what the program runs in.
        port: number of the input, 0 or 1.
        domain: 0 or 1.
    """
    rt.host.do(c.Setting("set_tool_analog_input_domain", (port, domain)))


@group
def set_analog_inputrange(rt: Runtime, port: Any, range: Any) -> None:
    """Choose the range of an analogue input.

    Args:
        rt: what the program runs in.
        port: number of the input.
        range: number of the range.
    """
    rt.host.do(c.Setting("set_analog_inputrange", (port, range)))


@group
def set_tool_output_mode(rt: Runtime, mode: Any) -> None:
    """Choose the mode of the tool's digital outputs."""
    rt.host.do(c.Setting("set_tool_output_mode", (mode,)))


@group
def set_tool_digital_output_mode(rt: Runtime, n: Any, mode: Any) -> None:
    """Choose sinking (1), sourcing (2) or push-pull (3) for an output of the tool.

    Args:
        rt: what the program runs in.
        n: number of the output, 0 or 1.
        mode: 1, 2 or 3.
    """
    rt.host.do(c.Setting("set_tool_digital_output_mode", (n, mode)))


@group
def set_tool_communication(
    rt: Runtime,
    enabled: Any,
    baud_rate: Any,
    parity: Any,
    stop_bits: Any,
    rx_idle_chars: Any,
    tx_idle_chars: Any,
) -> None:
    """Configure the serial line of the tool.

    Args:
        rt: what the program runs in.
        enabled: whether the line is on.
        baud_rate: [1/s].
        parity: 0 none, 1 odd, 2 even.
        stop_bits: 1 or 2.
        rx_idle_chars: 1.0 to 40.0 [characters].
        tx_idle_chars: 0.0 to 40.0 [characters].
    """
    rt.host.do(
        c.Setting(
            "set_tool_communication",
            (enabled, baud_rate, parity, stop_bits, rx_idle_chars, tx_idle_chars),
        )
    )
