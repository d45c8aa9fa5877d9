"""The functions that lines of script may call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.errors import InputError
from armtwin.robots.ur.tcp import vector_from_pose
from armtwin.robots.ur_controller.motion.commands import Commands

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

MOST = 1e300


def real(value: Any) -> float:
    """Return an argument that has to be a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST:
        raise InputError(f"a number is expected, not {value!r}"[:100])
    return float(value)


def _servoj(
    commands: Commands, q: Any, a: Any = 0, v: Any = 0, t: Any = 0.002,
    lookahead_time: Any = 0.1, gain: Any = 300,
) -> None:  # fmt: skip
    commands.servoj(q, real(t), real(lookahead_time), real(gain))


def _digital(first: int) -> Callable[..., None]:
    def act(controller: VirtualController, n: Any, b: Any) -> None:
        number, most = int(real(n)), 2 if first == 16 else 8
        if not 0 <= number < most:
            raise InputError(f"digital output {number}: there are 0 to {most - 1}")
        controller.io.set_digital(first + number, bool(b))

    return act


def _analog(controller: VirtualController, n: Any, f: Any) -> None:
    if int(real(n)) not in (0, 1):
        raise InputError(f"analogue output {n}: there are 0 and 1")
    controller.io.set_analog(int(n), real(f), 1)


def _textmsg(controller: VirtualController, s1: Any = "", s2: Any = "") -> None:
    controller.say(f"{s1}{s2}"[:250])


def _set_tcp(controller: VirtualController, pose: Any, tcp_name: Any = "") -> None:
    if getattr(pose, "shape", None) != (4, 4):
        raise InputError("set_tcp takes a pose p[x, y, z, rx, ry, rz]")
    controller.tcp.set(vector_from_pose(pose))


def _set_payload(
    controller: VirtualController, m: Any, cog: Any = None, inertia: Any = None
) -> None:
    com = np.zeros(3) if cog is None else cog
    if getattr(com, "shape", None) != (3,):
        raise InputError("set_payload takes a mass and a centre [x, y, z]")
    controller.set_payload(real(m), com)


def _register(kind: str) -> Callable[..., None]:
    def act(controller: VirtualController, address: Any, value: Any) -> None:
        name = f"output_{kind}_register_{int(real(address))}"
        if name not in controller.registers.fields:
            raise InputError(f"there is no {name}")
        number = float(value)
        if kind == "int" and not -(2**31) <= number < 2**31:
            raise InputError(f"{value} does not fit into {name}")
        controller.registers[name] = number

    return act


def _push(controller: VirtualController, joint: Any, torque: Any, seconds: Any = 0.3) -> None:
    """Push a joint, numbered from 1; a function of armtwin's own that no real robot has."""
    controller.hand.push(int(real(joint)), real(torque), real(seconds))


def _nothing(controller: VirtualController, *arguments: Any, **named: Any) -> None:
    """Do nothing that a virtual arm would show."""


MOVES: dict[str, Callable[..., None]] = {
    "movej": Commands.movej, "movel": Commands.movel, "movep": Commands.movel,
    "servoj": _servoj, "speedj": Commands.speedj, "speedl": Commands.speedl,
    "stopj": Commands.stopj, "stopl": Commands.stopl,
}  # fmt: skip
"""Lines that the arm moves on."""

ACTIONS: dict[str, Callable[..., None]] = {
    "set_digital_out": _digital(0), "set_standard_digital_out": _digital(0),
    "set_configurable_digital_out": _digital(8), "set_tool_digital_out": _digital(16),
    "set_analog_out": _analog, "set_standard_analog_out": _analog, "textmsg": _textmsg,
    "popup": _textmsg, "set_tcp": _set_tcp, "set_payload": _set_payload,
    "set_target_payload": _set_payload, "write_output_integer_register": _register("int"),
    "write_output_float_register": _register("double"),
    "write_output_boolean_register": _register("bit"), "zero_ftsensor": _nothing,
    "sleep": _nothing, "sync": _nothing, "armtwin_push": _push,
}  # fmt: skip
"""Lines that set or say something."""

KNOWN = {*MOVES, *ACTIONS}
