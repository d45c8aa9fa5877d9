"""General purpose registers and the RTDE watchdog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script.builtins.arguments import (
    boolean,
    integer,
    number,
    positive,
    string,
)
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.commands import WatchdogCommand
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.runtime.values import INT_MAX, INT_MIN

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
NUMBERS, BITS, PACKED = 48, 128, 64
"""Integer and float registers, boolean registers, and how many of these stand in two words."""


def _bit_field(side: str, address: int) -> tuple[str, int]:
    """Return the RTDE field of a boolean register and its bit, -1 for a field of its own."""
    if address >= PACKED:
        return f"{side}_bit_register_{address}", -1
    word = "0_to_31" if address < 32 else "32_to_63"
    return f"{side}_bit_registers{word}", address % 32


def _read_bit(rt: Runtime, side: str, address: Any) -> bool:
    field, bit = _bit_field(side, integer(address, "address", 0, BITS - 1))
    word = int(rt.host.read(field))
    return bool(word if bit < 0 else word >> bit & 1)


def _read(rt: Runtime, side: str, kind: str, address: Any) -> Any:
    at = integer(address, "address", 0, NUMBERS - 1)
    return rt.host.read(f"{side}_{kind}_register_{at}")


@group
def read_input_boolean_register(rt: Runtime, address: Any) -> bool:
    """Return a boolean input register, 0 to 127."""
    return _read_bit(rt, "input", address)


@group
def read_output_boolean_register(rt: Runtime, address: Any) -> bool:
    """Return a boolean output register, 0 to 127."""
    return _read_bit(rt, "output", address)


@group
def read_input_integer_register(rt: Runtime, address: Any) -> int:
    """Return an integer input register, 0 to 47."""
    return int(_read(rt, "input", "int", address))


@group
def read_output_integer_register(rt: Runtime, address: Any) -> int:
    """Return an integer output register, 0 to 47."""
    return int(_read(rt, "output", "int", address))


@group
def read_input_float_register(rt: Runtime, address: Any) -> float:
    """Return a float input register, 0 to 47."""
    return float(_read(rt, "input", "double", address))


@group
def read_output_float_register(rt: Runtime, address: Any) -> float:
    """Return a float output register, 0 to 47."""
    return float(_read(rt, "output", "double", address))


@group
def write_output_boolean_register(rt: Runtime, address: Any, value: Any) -> None:
    """Set a boolean output register, 0 to 127.

    Args:
        rt: what the program runs in.
        address: number of the register.
        value: its value.
    """
    field, bit = _bit_field("output", integer(address, "address", 0, BITS - 1))
    on = boolean(value, "value")
    word = int(rt.host.read(field))
    if bit >= 0:
        rt.host.write(field, word | 1 << bit if on else word & ~(1 << bit))
    else:
        rt.host.write(field, on)


@group
def write_output_integer_register(rt: Runtime, address: Any, value: Any) -> None:
    """Set an integer output register, 0 to 47.

    Args:
        rt: what the program runs in.
        address: number of the register.
        value: its value.
    """
    at = integer(address, "address", 0, NUMBERS - 1)
    rt.host.write(f"output_int_register_{at}", integer(value, "value", INT_MIN, INT_MAX))


@group
def write_output_float_register(rt: Runtime, address: Any, value: Any) -> None:
    """Set a float output register, 0 to 47.

    Args:
        rt: what the program runs in.
        address: number of the register.
        value: its value.
    """
    at = integer(address, "address", 0, NUMBERS - 1)
    rt.host.write(f"output_double_register_{at}", number(value, "value"))


@group
def rtde_set_watchdog(
    rt: Runtime, variable_name: Any, min_frequency: Any, action: Any = "pause"
) -> None:
    """Watch how often RTDE clients write a variable [Hz]; else ignore, pause or stop.

    Args:
        rt: what the program runs in.
        variable_name: of the input.
        min_frequency: least frequency [Hz].
        action: ``"ignore"``, ``"pause"`` or ``"stop"``.
    """
    word = string(action, "action").lower()
    if word not in ("ignore", "pause", "stop"):
        raise ScriptError(f"Value error: action is '{word}', allowed are ignore, pause, stop")
    name = string(variable_name, "variable_name")
    rt.host.do(WatchdogCommand(name, positive(min_frequency, "min_frequency"), word))  # type: ignore[arg-type]
