"""UR's External Control URCap: a node whose script comes from another program when it is played.

The URCap asks that program's script sender for it, by a line over TCP, and puts the answer in the
place of the node. Drivers that do not send their script themselves are used like this.
"""

from __future__ import annotations

import socket
import time

from armtwin.errors import InputError, LinkError, NotPermittedError
from armtwin.robots.safety import is_loopback

MARK = "# EXTERNAL_CONTROL_NODE"
"""Line of a translated program in whose place the script goes."""
HEADER_END = "# HEADER_END"
"""Line that ends the header of a script, which appears once, before the nodes."""
REQUEST = b"request_program\n"
ADDRESS = "127.0.0.1:50002"
"""Address of script senders on this machine."""
CONNECT, PAUSE = 5.0, 0.3
"""Longest wait for the first bytes, and the silence that ends a script [s]."""
LONGEST = 1 << 20
"""Bytes of a script: bounds what another program can send."""


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``.

    Raises:
        InputError: it is no such address.
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise InputError(f"external control {text!r}: write host and port as in {ADDRESS}")
    return host, int(port)


def fetch_script(address: str, *, exposed: bool) -> str:
    """Return the script of a script sender.

    Args:
        address: where it listens, as HOST:PORT.
        exposed: whether it may be on another machine.

    Raises:
        NotPermittedError: it is on another machine.
        LinkError: it cannot be reached, or sends nothing.
    """
    host, port = parse_address(address)
    if not (exposed or is_loopback(host)):
        raise NotPermittedError(
            f"external control: {host} is another machine; allow it (exposed=True, --expose)"
        )
    try:
        with socket.create_connection((host, port), timeout=CONNECT) as link:
            link.sendall(REQUEST)
            data = _read(link)
    except OSError as error:
        raise LinkError(f"the remote PC at {address} could not be reached: {error}") from error
    return data.decode("utf-8", "replace")


def _read(link: socket.socket) -> bytes:
    """Read until the sender closes or is silent; some senders keep the connection."""
    data, end = link.recv(1 << 16), time.monotonic() + 2 * CONNECT
    link.settimeout(PAUSE)
    while data and len(data) <= LONGEST and time.monotonic() < end:
        try:
            more = link.recv(1 << 16)
        except TimeoutError:
            break
        if not more:
            break
        data += more
    if not data or len(data) > LONGEST:
        raise OSError("it sent no script" if not data else f"more than {LONGEST >> 20} MiB")
    return data


def with_script(program: str, script: str) -> str:
    """Return a translated program with a script in the place of its nodes.

    The header of the script appears once, at the beginning of the program.
    """
    header, mark, node = script.partition(HEADER_END)
    if not mark:
        header, node = "", script
    first, _, rest = program.partition("\n")
    return f"{first}\n{header}\n" + rest.replace(MARK, f"\n{node}\n")
