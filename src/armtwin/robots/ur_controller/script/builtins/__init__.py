"""Builtin functions of URScript, one module per group.

Modules:
    registry: declaration of builtins.
    arguments: checked conversion of arguments.
    control: time, messages, interpreter mode.
    values: mathematics, strings, lists, poses.
    robot: motion, force, state, settings.
    io: inputs and outputs, registers, sockets.
"""

from __future__ import annotations

from armtwin.robots.ur_controller.script.builtins import control
from armtwin.robots.ur_controller.script.builtins.io import (
    inputs_outputs,
    io_configuration,
    registers,
    socket_reading,
    sockets,
)
from armtwin.robots.ur_controller.script.builtins.registry import Builtin
from armtwin.robots.ur_controller.script.builtins.robot import (
    force,
    motion,
    settings,
    state,
    streamed_motion,
)
from armtwin.robots.ur_controller.script.builtins.values import (
    lists,
    mathematics,
    poses,
    strings,
)

GROUPS = {
    "mathematics": mathematics.group,
    "strings": strings.group,
    "lists": lists.group,
    "poses": poses.group,
    "motion": motion.group,
    "servo and speed": streamed_motion.group,
    "force": force.group,
    "state": state.group,
    "settings": settings.group,
    "inputs and outputs": inputs_outputs.group,
    "configuration of inputs and outputs": io_configuration.group,
    "registers": registers.group,
    "sockets": sockets.group,
    "reading from sockets": socket_reading.group,
    "control": control.group,
}
BUILTINS: dict[str, Builtin] = {k: v for g in GROUPS.values() for k, v in g.builtins.items()}
"""All builtin functions by name."""
