"""Settings of the server."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

MEGABYTE = 1024 * 1024


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
