"""Digital and analogue inputs and outputs, and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script.builtins.arguments import boolean, integer, number
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.errors import ScriptError

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
Bank = Literal["standard", "configurable", "tool"]
FIRST = {"standard": 0, "configurable": 8, "tool": 16}
"""First bit of each bank in ``actual_digital_input_bits`` and ``actual_digital_output_bits``."""
COUNT = {"standard": 8, "configurable": 8, "tool": 2}
LAST_FLAG = 31
"""Flags are 0 to 31 in the script manual."""


def _bit(rt: Runtime, side: str, bank: Bank, n: Any) -> bool:
    at = FIRST[bank] + integer(n, "n", 0, COUNT[bank] - 1)
    return bool(int(rt.host.read(f"actual_digital_{side}_bits")) >> at & 1)


def _set(rt: Runtime, bank: Bank, n: Any, b: Any) -> None:
    rt.host.do(c.SetDigitalOutput(bank, integer(n, "n", 0, COUNT[bank] - 1), boolean(b, "b")))


def _old(n: Any) -> tuple[Bank, int]:
    """Return bank and number of the old numbering: 8 and 9 are in the tool."""
    number_ = integer(n, "n", 0, 9)
    return ("standard", number_) if number_ < 8 else ("tool", number_ - 8)


@group
def get_digital_in(rt: Runtime, n: Any) -> bool:
    """Return a digital input, 0 to 7, or 8 and 9 in the tool."""
    bank, at = _old(n)
    return _bit(rt, "input", bank, at)


@group
def get_digital_out(rt: Runtime, n: Any) -> bool:
    """Return a digital output, 0 to 7, or 8 and 9 in the tool."""
    bank, at = _old(n)
    return _bit(rt, "output", bank, at)


@group
def set_digital_out(rt: Runtime, n: Any, b: Any) -> None:
    """Set a digital output, 0 to 7, or 8 and 9 in the tool.

    Args:
        rt: what the program runs in.
        n: number of the output.
        b: whether it is on.
    """
    bank, at = _old(n)
    _set(rt, bank, at, b)


@group
def get_standard_digital_in(rt: Runtime, n: Any) -> bool:
    """Return a standard digital input, 0 to 7."""
    return _bit(rt, "input", "standard", n)


@group
def get_configurable_digital_in(rt: Runtime, n: Any) -> bool:
    """Return a configurable digital input, 0 to 7."""
    return _bit(rt, "input", "configurable", n)


@group
def get_tool_digital_in(rt: Runtime, n: Any) -> bool:
    """Return a digital input of the tool, 0 or 1."""
    return _bit(rt, "input", "tool", n)


@group
def get_standard_digital_out(rt: Runtime, n: Any) -> bool:
    """Return a standard digital output, 0 to 7."""
    return _bit(rt, "output", "standard", n)


@group
def get_configurable_digital_out(rt: Runtime, n: Any) -> bool:
    """Return a configurable digital output, 0 to 7."""
    return _bit(rt, "output", "configurable", n)


@group
def get_tool_digital_out(rt: Runtime, n: Any) -> bool:
    """Return a digital output of the tool, 0 or 1."""
    return _bit(rt, "output", "tool", n)


@group
def set_standard_digital_out(rt: Runtime, n: Any, b: Any) -> None:
    """Set a standard digital output, 0 to 7.

    Args:
        rt: what the program runs in.
        n: number of the output.
        b: whether it is on.
    """
    _set(rt, "standard", n, b)


@group
def set_configurable_digital_out(rt: Runtime, n: Any, b: Any) -> None:
    """Set a configurable digital output, 0 to 7.

    Args:
        rt: what the program runs in.
        n: number of the output.
        b: whether it is on.
    """
    _set(rt, "configurable", n, b)


@group
def set_tool_digital_out(rt: Runtime, n: Any, b: Any) -> None:
    """Set a digital output of the tool, 0 or 1.

    Args:
        rt: what the program runs in.
        n: number of the output.
        b: whether it is on.
    """
    _set(rt, "tool", n, b)


@group
def get_standard_analog_in(rt: Runtime, n: Any) -> float:
    """Return an analogue input, 0 or 1 [A or V]."""
    return float(rt.host.read(f"standard_analog_input{integer(n, 'n', 0, 1)}"))


@group
def get_tool_analog_in(rt: Runtime, n: Any) -> float:
    """Return an analogue input of the tool, 0 or 1 [A or V]."""
    return float(rt.host.read(f"tool_analog_input{integer(n, 'n', 0, 1)}"))


@group
def get_analog_in(rt: Runtime, n: Any) -> float:
    """Return an analogue input, 0 and 1, or 2 and 3 in the tool [A or V]."""
    at = integer(n, "n", 0, 3)
    return get_standard_analog_in(rt, at) if at < 2 else get_tool_analog_in(rt, at - 2)


@group
def get_standard_analog_out(rt: Runtime, n: Any) -> float:
    """Return an analogue output, 0 or 1 [A or V]."""
    return float(rt.host.read(f"standard_analog_output{integer(n, 'n', 0, 1)}"))


group(get_standard_analog_out, name="get_analog_out")


@group
def set_standard_analog_out(rt: Runtime, n: Any, f: Any) -> None:
    """Set an analogue output to a share (0 to 1) of its range.

    Args:
        rt: what the program runs in.
        n: number of the output, 0 or 1.
        f: share of the range.
    """
    share = number(f, "f")
    if not 0 <= share <= 1:
        raise ScriptError(f"Value error: f is {share:g}, allowed are 0 to 1")
    rt.host.do(c.SetAnalogOutput(integer(n, "n", 0, 1), share))


group(set_standard_analog_out, name="set_analog_out")


@group
def set_analog_outputdomain(rt: Runtime, port: Any, domain: Any) -> None:
    """Choose current (0) or voltage (1) for an analogue output.

    Args:
        rt: what the program runs in.
        port: number of the output, 0 or 1.
        domain: 0 or 1.
    """
    at = integer(port, "port", 0, 1)
    rt.host.do(c.SetAnalogOutputDomain(at, integer(domain, "domain", 0, 1)))


@group
def set_tool_voltage(rt: Runtime, voltage: Any) -> None:
    """Set the voltage of the tool connector: 0, 12 or 24 V."""
    volts = integer(voltage, "voltage", 0, 24)
    if volts not in (0, 12, 24):
        raise ScriptError(f"Value error: voltage is {volts}, allowed are 0, 12 and 24")
    rt.host.do(c.SetToolVoltage(volts))


@group
def get_flag(rt: Runtime, n: Any) -> bool:
    """Return a flag, 0 to 31."""
    return bool(int(rt.host.read("flags")) >> integer(n, "n", 0, LAST_FLAG) & 1)


@group
def set_flag(rt: Runtime, n: Any, b: Any) -> None:
    """Set a flag, 0 to 31; flags outlive a program.

    Args:
        rt: what the program runs in.
        n: number of the flag.
        b: its value.
    """
    rt.host.do(c.SetFlag(integer(n, "n", 0, LAST_FLAG), boolean(b, "b")))
