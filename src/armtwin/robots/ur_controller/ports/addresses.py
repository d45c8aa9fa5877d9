"""Loopback addresses on which a controller can listen."""

from __future__ import annotations

import random
import socket

from armtwin.errors import LinkError

CONTROLLER_PORTS = (30004, 29999, 30001, 30002, 30003, 30011, 30012, 30013, 30020)
"""RTDE, dashboard, primary, secondary and real-time, their read-only twins, interpreter mode."""
ATTEMPTS = 20
"""Random addresses that are tried before 127.0.0.1, of 62,000."""


def free_address() -> str:
    """Return a loopback address on which all ports of a controller are free.

    Raises:
        LinkError: none was found.
    """
    chosen = random.Random()
    tried = [f"127.0.{chosen.randint(1, 250)}.{chosen.randint(2, 250)}" for _ in range(ATTEMPTS)]
    for host in [*tried, "127.0.0.1"]:
        if all(_free(host, port) for port in CONTROLLER_PORTS):
            return host
    raise LinkError("no loopback address has the ports of a controller free; end other robots")


def _free(host: str, port: int) -> bool:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError:
            return False
    return True
