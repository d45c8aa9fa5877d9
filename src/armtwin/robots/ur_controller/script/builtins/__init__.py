"""Builtin functions of URScript, one module per group.

Modules:
    registry: declaration of builtins.
    arguments: checked conversion of arguments.
    mathematics, strings, lists, poses: functions of values only.
    motion, force, state, settings: the robot.
    inputs_outputs, io_configuration, registers, sockets: the outside world.
    control: time, messages, interpreter mode.
"""

from __future__ import annotations

from armtwin.robots.ur_controller.script.builtins import (
    control,
    force,
    inputs_outputs,
    io_configuration,
    lists,
    mathematics,
    motion,
    poses,
    registers,
    settings,
    sockets,
    state,
    strings,
)
from armtwin.robots.ur_controller.script.builtins.registry import Builtin

GROUPS = {
    "mathematics": mathematics.group,
    "strings": strings.group,
    "lists": lists.group,
    "poses": poses.group,
    "motion": motion.group,
    "force": force.group,
    "state": state.group,
    "settings": settings.group,
    "inputs and outputs": inputs_outputs.group,
    "configuration of inputs and outputs": io_configuration.group,
    "registers": registers.group,
    "sockets": sockets.group,
    "control": control.group,
}
BUILTINS: dict[str, Builtin] = {k: v for g in GROUPS.values() for k, v in g.builtins.items()}
"""All builtin functions by name."""
