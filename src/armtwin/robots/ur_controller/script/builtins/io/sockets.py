"""TCP sockets: to connect and to send. Both take controller time, never the thread's."""

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script.builtins.arguments import (
    integer,
    string,
)
from armtwin.robots.ur_controller.script.builtins.control import cycles
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.runtime.formatting import to_text
from armtwin.robots.ur_controller.script.runtime.values import INT_MAX, INT_MIN

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
Wait = Generator[Any, None, Any]
FIRST = "socket_0"
"""Name of a socket that is not named."""
TIMEOUT = 2.0
"""Seconds after which a connection or read fails by default."""


@group
def socket_open(rt: Runtime, address: Any, port: Any, socket_name: Any = FIRST) -> Wait:
    """Connect to a server; returns False if it does not answer within 2 s.

    Args:
        rt: what the program runs in.
        address: IP address; names are not resolved.
        port: of the server.
        socket_name: name of the socket.
    """
    name, where = string(socket_name, "socket_name"), string(address, "address")
    refused = rt.sockets.open(name, where, integer(port, "port", 1, 65535))
    if refused:
        rt.host.log(f"socket_open: {refused}")
        yield None
        return False
    for _ in range(cycles(rt, TIMEOUT)):
        connected = rt.sockets.connected(name)
        if connected is not None:
            return connected
        yield None
    rt.sockets.close(name)
    return False


@group
def socket_close(rt: Runtime, socket_name: Any = FIRST) -> None:
    """Close a socket."""
    rt.sockets.close(string(socket_name, "socket_name"))


def sent(rt: Runtime, socket_name: Any, data: bytes) -> bool:
    """Send bytes and return whether the socket took them.

    Args:
        rt: what the program runs in.
        socket_name: name of the socket.
        data: what is sent.
    """
    return rt.sockets.send(string(socket_name, "socket_name"), data)


@group
def socket_send_byte(rt: Runtime, value: Any, socket_name: Any = FIRST) -> bool:
    """Send a byte.

    Args:
        rt: what the program runs in.
        value: the number.
        socket_name: name of the socket.
    """
    return sent(rt, socket_name, bytes([integer(value, "value", 0, 255)]))


@group
def socket_send_int(rt: Runtime, value: Any, socket_name: Any = FIRST) -> bool:
    """Send a 32-bit integer in network byte order.

    Args:
        rt: what the program runs in.
        value: the number.
        socket_name: name of the socket.
    """
    return sent(rt, socket_name, struct.pack(">i", integer(value, "value", INT_MIN, INT_MAX)))


@group
def socket_send_string(rt: Runtime, str: Any, socket_name: Any = FIRST) -> bool:  # noqa: A002
    """Send a string.

    Args:
        rt: what the program runs in.
        str: what is sent.
        socket_name: name of the socket.
    """
    return sent(rt, socket_name, to_text(str).encode("utf-8", "surrogateescape"))


@group
def socket_send_line(rt: Runtime, str: Any, socket_name: Any = FIRST) -> bool:  # noqa: A002
    """Send a string and a newline.

    Args:
        rt: what the program runs in.
        str: what is sent.
        socket_name: name of the socket.
    """
    return sent(rt, socket_name, to_text(str).encode("utf-8", "surrogateescape") + b"\n")


@group
def socket_set_var(rt: Runtime, name: Any, value: Any, socket_name: Any = FIRST) -> bool:
    """Send ``SET name value``.

    Args:
        rt: what the program runs in.
        name: of the variable.
        value: a whole number.
        socket_name: name of the socket.
    """
    whole = integer(value, "value", INT_MIN, INT_MAX)
    return sent(rt, socket_name, f"SET {string(name, 'name')} {whole}\n".encode())
