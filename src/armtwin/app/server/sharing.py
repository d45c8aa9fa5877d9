"""The link for other machines, also as a QR code."""

from __future__ import annotations

import io
import socket

from armtwin.app.server.settings import AppSettings

NOWHERE = ("192.0.2.1", 9)
"""A documentation address (RFC 5737): connecting a UDP socket to it sends nothing."""


def own_address() -> str:
    """Return this machine's address in its network, or the loopback address where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(NOWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def link(settings: AppSettings, port: int) -> str:
    """Return the address to open, with the token where one is needed."""
    if settings.token is None:
        return f"http://{settings.host}:{port}"
    return f"http://{own_address()}:{port}/?token={settings.token}"


def qr_code(text: str) -> str:
    """Return a text as a QR code drawn with block characters."""
    import segno

    picture = io.StringIO()
    segno.make(text, micro=False).terminal(picture, compact=True)
    return picture.getvalue()
