"""Reading from TCP sockets, which takes controller time, never the controller's thread."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script.builtins.arguments import (
    boolean,
    integer,
    number,
    string,
)
from armtwin.robots.ur_controller.script.builtins.control import cycles
from armtwin.robots.ur_controller.script.builtins.io.sockets import FIRST, TIMEOUT, Wait, sent
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.runtime.budget import check_string
from armtwin.robots.ur_controller.script.runtime.values import INT_MAX, INT_MIN, List

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
MAX_VALUES = 30
"""Values that one read may return, as documented by UR."""
_FLOATS = re.compile(rb"\(([^()]*)\)")
Take = Callable[[bytearray], Any]


def _received(rt: Runtime, socket_name: Any, timeout: Any, take: Take, failed: Any) -> Wait:
    """Wait until ``take`` finds its value in the received bytes; return ``failed`` otherwise.

    A timeout of 0 or less waits without end. A read from a closed socket takes one cycle, so that
    a loop of failing reads does not use up the thread's time.
    """
    name, seconds = string(socket_name, "socket_name"), number(timeout, "timeout")
    left = cycles(rt, seconds) if seconds > 0 else math.inf
    while True:
        data = rt.sockets.received(name)
        if data is None:
            yield None
            return failed
        found = take(data)
        if found is not None:
            return found
        if left <= 0:
            return failed
        left -= 1
        yield None


@group(cost=20)
def socket_read_binary_integer(
    rt: Runtime, number: Any, socket_name: Any = FIRST, timeout: Any = TIMEOUT
) -> Wait:
    """Return ``[count, ...]`` of 32-bit integers; ``[0, -1, ...]`` after the timeout [s].

    Args:
        rt: what the program runs in.
        number: how many.
        socket_name: name of the socket.
        timeout: [s]; 0: without end.
    """
    count = integer(number, "number", 1, MAX_VALUES)

    def take(data: bytearray) -> List | None:
        if len(data) < 4 * count:
            return None
        values = struct.unpack(f">{count}i", bytes(data[: 4 * count]))
        del data[: 4 * count]
        return List((count, *values))

    return (yield from _received(rt, socket_name, timeout, take, List((0, *(-1,) * count))))


@group(cost=20)
def socket_read_byte_list(
    rt: Runtime, number: Any, socket_name: Any = FIRST, timeout: Any = TIMEOUT
) -> Wait:
    """Return ``[count, ...]`` of bytes; ``[0, -1, ...]`` after the timeout [s].

    Args:
        rt: what the program runs in.
        number: how many.
        socket_name: name of the socket.
        timeout: [s]; 0: without end.
    """
    count = integer(number, "number", 1, MAX_VALUES)

    def take(data: bytearray) -> List | None:
        if len(data) < count:
            return None
        values = tuple(data[:count])
        del data[:count]
        return List((count, *values))

    return (yield from _received(rt, socket_name, timeout, take, List((0, *(-1,) * count))))


@group(cost=20)
def socket_read_ascii_float(
    rt: Runtime, number: Any, socket_name: Any = FIRST, timeout: Any = TIMEOUT
) -> Wait:
    """Return ``[count, ...]`` of numbers sent as ``(1.5, 2)``; ``[0, nan, ...]`` on failure.

    Args:
        rt: what the program runs in.
        number: how many.
        socket_name: name of the socket.
        timeout: [s]; 0: without end.
    """
    count = integer(number, "number", 1, MAX_VALUES)
    failed = List((0, *(math.nan,) * count))

    def take(data: bytearray) -> List | None:
        match = _FLOATS.search(data)
        if match is None:
            return None
        words = match[1].split(b",")
        del data[: match.end()]
        try:
            values = tuple(float(word) for word in words)
        except ValueError:
            return failed
        padded = (*values[:count], *(math.nan,) * (count - len(values)))
        return List((min(len(values), count), *padded))

    return (yield from _received(rt, socket_name, timeout, take, failed))


@group(cost=20)
def socket_read_line(rt: Runtime, socket_name: Any = FIRST, timeout: Any = TIMEOUT) -> Wait:
    """Return the text up to a newline, without it; empty after the timeout [s].

    Args:
        rt: what the program runs in.
        socket_name: name of the socket.
        timeout: [s]; 0: without end.
    """

    def take(data: bytearray) -> str | None:
        end = data.find(b"\n")
        if end < 0:
            return None
        line = bytes(data[:end]).rstrip(b"\r")
        del data[: end + 1]
        return check_string(line.decode("utf-8", "replace"))

    return (yield from _received(rt, socket_name, timeout, take, ""))


@group(cost=20)
def socket_read_string(
    rt: Runtime,
    socket_name: Any = FIRST,
    prefix: Any = "",
    suffix: Any = "",
    interpret_escape: Any = False,
    timeout: Any = TIMEOUT,
) -> Wait:
    r"""Return received text.

    Args:
        rt: the runtime.
        socket_name: name of the socket.
        prefix: text that must stand before; what comes before it is dropped.
        suffix: text that must stand after; what comes after it is kept for the next read.
        interpret_escape: whether ``\n``, ``\r`` and ``\t`` count in prefix and suffix.
        timeout: seconds; 0 or less waits without end.
    """
    escapes = boolean(interpret_escape, "interpret_escape")
    before, after = (
        _mark(string(s, n), escapes) for s, n in ((prefix, "prefix"), (suffix, "suffix"))
    )

    def take(data: bytearray) -> str | None:
        start = data.find(before)
        first = start + len(before)
        end = data.find(after, first) if after else len(data)
        if start < 0 or end < 0 or (not before and not after and not data):
            return None
        text = bytes(data[first:end])
        del data[: end + len(after)]
        return check_string(text.decode("utf-8", "replace"))

    return (yield from _received(rt, socket_name, timeout, take, ""))


def _mark(text: str, escapes: bool) -> bytes:
    if escapes:
        for written, meant in (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")):
            text = text.replace(written, meant)
    return text.encode("utf-8", "surrogateescape")


@group(cost=20)
def socket_get_var(rt: Runtime, name: Any, socket_name: Any = FIRST) -> Wait:
    """Send ``GET name`` and return the integer of the answer ``name value``; 0 on failure.

    Args:
        rt: what the program runs in.
        name: of the variable.
        socket_name: name of the socket.
    """
    word = string(name, "name")
    sent(rt, socket_name, f"GET {word}\n".encode())
    line = yield from socket_read_line(rt, socket_name, TIMEOUT)
    match = re.fullmatch(rf"{re.escape(word)} (-?\d{{1,10}})", line.strip())
    value = int(match[1]) if match else 0
    return value if INT_MIN <= value <= INT_MAX else 0
