"""Program control: time, messages and popups."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script.builtins.arguments import boolean, integer, not_negative
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.commands import Popup, PowerDown, ProgramLabel
from armtwin.robots.ur_controller.script.runtime.budget import LONGEST_STRING
from armtwin.robots.ur_controller.script.runtime.formatting import to_log
from armtwin.robots.ur_controller.script.runtime.values import INT_MAX

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()


def cycles(rt: Runtime, seconds: float) -> int:
    """Return the control cycles that a duration takes, rounded up."""
    return math.ceil(seconds / rt.host.dt - 1e-9)


@group
def sleep(rt: Runtime, t: Any) -> Iterator[Any]:
    """Wait for a time [s]."""
    for _ in range(cycles(rt, not_negative(t, "t"))):
        yield None


@group
def sync(rt: Runtime) -> Iterator[Any]:
    """Use up the rest of the control cycle."""
    yield None


@group(cost=20)
def textmsg(rt: Runtime, s1: Any, s2: Any = "") -> None:
    """Send a message to the log; it is cut at the longest string.

    Args:
        rt: what the program runs in.
        s1: first part, of any type.
        s2: second part, of any type.
    """
    rt.host.log((to_log(s1) + to_log(s2))[:LONGEST_STRING])


@group(cost=5)
def armtwin_label(rt: Runtime, number: Any, text: Any) -> None:
    """Report a label to the clients; lines such as ``$ 2 "MoveJ"`` become this call.

    Args:
        rt: what the program runs in.
        number: of the label.
        text: of the label.
    """
    rt.host.do(ProgramLabel(integer(number, "number", 0, INT_MAX), to_log(text)))


@group
def popup(
    rt: Runtime,
    s: Any,
    title: Any = "Popup",
    warning: Any = False,
    error: Any = False,
    blocking: Any = False,
) -> Iterator[Any]:
    """Show a message window.

    Args:
        rt: the runtime.
        s: message.
        title: title.
        warning: whether it is a warning.
        error: whether it is an error.
        blocking: whether the program waits until the window is closed.
    """
    kind = "error" if boolean(error, "error") else "message"
    if kind == "message" and boolean(warning, "warning"):
        kind = "warning"
    waits = boolean(blocking, "blocking")
    token = rt.host.popup(Popup(to_log(s), to_log(title), kind, waits))  # type: ignore[arg-type]
    while waits and not rt.host.finished(token):
        yield None


@group
def powerdown(rt: Runtime) -> None:
    """Switch arm and controller off."""
    rt.host.do(PowerDown())


@group
def interpreter_mode(
    rt: Runtime, clearQueueOnEnter: Any = True, clearOnEnd: Any = True
) -> Iterator[Any]:
    """Execute statements that clients send to the interpreter port until ``end_interpreter``.

    Args:
        rt: what the program runs in.
        clearQueueOnEnter: whether statements that wait are dropped at the start.
        clearOnEnd: whether statements that wait are dropped at the end.
    """
    yield from rt.interpret(boolean(clearQueueOnEnter, "clearQueueOnEnter"))


@group
def end_interpreter(rt: Runtime) -> None:
    """Leave interpreter mode after this statement."""
    rt.end_interpreter()


@group
def clear_interpreter(rt: Runtime) -> None:
    """Forget the statements that interpreter mode has executed."""
    rt.clear_interpreter()
