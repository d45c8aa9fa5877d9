"""Settings of the server, and the link to it, also as a QR code."""

from __future__ import annotations

import io
import secrets
import socket
from dataclasses import dataclass, field

MEGABYTE = 1024 * 1024
"""Of bytes, in powers of two."""
NOWHERE = ("192.0.2.1", 9)
"""A documentation address (RFC 5737): connecting a UDP socket to it sends nothing."""


@dataclass(frozen=True)
class AppSettings:
    """Address, token and limits of the server.

    Attributes:
        host: address to listen on.
        port: port to listen on; 0 takes a free one.
        token: required of clients; None if only this machine can connect.
        body_limit: largest request body [bytes].
        upload_limit: largest request body where files are taken [bytes].
        i_mean_it: whether a person allowed real hardware to move.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = field(default=None, repr=False)
    body_limit: int = MEGABYTE
    upload_limit: int = 256 * MEGABYTE
    i_mean_it: bool = False

    @classmethod
    def shared(cls, port: int, *, i_mean_it: bool = False) -> AppSettings:
        """Return settings for every machine of the network, with a new token."""
        return cls("0.0.0.0", port, secrets.token_urlsafe(24), i_mean_it=i_mean_it)


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


def qr_modules(text: str) -> list[str]:
    """Return a text as the rows of a QR code, 1 for dark modules, without a margin."""
    import segno

    rows = segno.make(text, micro=False).matrix
    return ["".join("1" if cell else "0" for cell in row) for row in rows]
