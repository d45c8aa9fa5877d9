"""Configuration of inputs and outputs, as programs made with PolyScope begin.

These functions send a ``Setting`` and are accepted without effect on a virtual arm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.commands import Setting

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()


@group
def set_input_actions_to_default(rt: Runtime) -> None:
    """Remove the actions of all inputs."""
    rt.host.do(Setting("set_input_actions_to_default", ()))


@group
def set_standard_digital_input_action(rt: Runtime, port: Any, action: Any) -> None:
    """Choose what a standard digital input triggers.

    Args:
        rt: what the program runs in.
        port: number of the input.
        action: ``"default"`` or ``"freedrive"``.
    """
    rt.host.do(Setting("set_standard_digital_input_action", (port, action)))


@group
def set_configurable_digital_input_action(rt: Runtime, port: Any, action: Any) -> None:
    """Choose what a configurable digital input triggers.

    Args:
        rt: what the program runs in.
        port: number of the input.
        action: ``"default"`` or ``"freedrive"``.
    """
    rt.host.do(Setting("set_configurable_digital_input_action", (port, action)))


@group
def set_tool_digital_input_action(rt: Runtime, port: Any, action: Any) -> None:
    """Choose what a digital input of the tool triggers.

    Args:
        rt: what the program runs in.
        port: number of the input.
        action: ``"default"`` or ``"freedrive"``.
    """
    rt.host.do(Setting("set_tool_digital_input_action", (port, action)))


@group
def set_gp_boolean_input_action(rt: Runtime, port: Any, action: Any) -> None:
    """Choose what a boolean input register triggers.

    Args:
        rt: what the program runs in.
        port: number of the input.
        action: ``"default"`` or ``"freedrive"``.
    """
    rt.host.do(Setting("set_gp_boolean_input_action", (port, action)))


@group
def set_runstate_standard_digital_output_to_value(rt: Runtime, outputId: Any, state: Any) -> None:
    """Choose a standard digital output's value by program state.

    Args:
        rt: what the program runs in.
        outputId: number of the output.
        state: number of the rule, as UR's script manual lists them.
    """
    rt.host.do(Setting("set_runstate_standard_digital_output_to_value", (outputId, state)))


@group
def set_runstate_configurable_digital_output_to_value(
    rt: Runtime, outputId: Any, state: Any
) -> None:
    """Choose a configurable digital output's value by program state.

    Args:
        rt: what the program runs in.
        outputId: number of the output.
        state: number of the rule, as UR's script manual lists them.
    """
    rt.host.do(Setting("set_runstate_configurable_digital_output_to_value", (outputId, state)))


@group
def set_runstate_tool_digital_output_to_value(rt: Runtime, outputId: Any, state: Any) -> None:
    """Choose a tool output's value by program state.

    Args:
        rt: what the program runs in.
        outputId: number of the output.
        state: number of the rule, as UR's script manual lists them.
    """
    rt.host.do(Setting("set_runstate_tool_digital_output_to_value", (outputId, state)))


@group
def set_runstate_gp_boolean_output_to_value(rt: Runtime, outputId: Any, state: Any) -> None:
    """Choose a boolean output register's value by program state.

    Args:
        rt: what the program runs in.
        outputId: number of the output.
        state: number of the rule, as UR's script manual lists them.
    """
    rt.host.do(Setting("set_runstate_gp_boolean_output_to_value", (outputId, state)))


@group
def set_runstate_standard_analog_output_to_value(rt: Runtime, outputId: Any, state: Any) -> None:
    """Choose an analogue output's value by program state.

    Args:
        rt: what the program runs in.
        outputId: number of the output.
        state: number of the rule, as UR's script manual lists them.
    """
    rt.host.do(Setting("set_runstate_standard_analog_output_to_value", (outputId, state)))
