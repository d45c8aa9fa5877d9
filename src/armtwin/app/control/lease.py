"""Control of the robot: one client at a time, kept by heartbeats."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from armtwin.errors import NotPermittedError, QueueFullError

EXPIRY = 2.0
"""A lease expires after this long without a heartbeat [s]; pages send one every 0.5 s."""
REQUEST_EXPIRY = 5.0
"""A request expires after this long without a heartbeat or a repetition of it [s]."""
MAX_WAITING = 20
"""Clients that may wait for control; the holder sees them all, so the list stays short."""


@dataclass(frozen=True)
class LeaseClient:
    """A client: its secret ``id`` and its public ``name``."""

    id: str
    name: str


@dataclass
class Lease:
    """Control of the robot: free, or held by one client; others may request it.

    Attributes:
        clock: current time [s]; tests inject their own.
        holder: the client in control.
    """

    clock: Callable[[], float] = time.monotonic
    holder: LeaseClient | None = None
    _last_heartbeat: float = 0.0
    _requests: dict[str, LeaseClient] = field(default_factory=dict)
    _last_heard: dict[str, float] = field(default_factory=dict)

    @property
    def waiting(self) -> tuple[LeaseClient, ...]:
        """The clients that wait for the lease, longest first; silent ones are dropped."""
        earliest = self.clock() - REQUEST_EXPIRY
        for client_id in [key for key, heard in self._last_heard.items() if heard < earliest]:
            self.cancel_request(client_id)
        return tuple(self._requests.values())

    def take(self, client: LeaseClient) -> None:
        """Give the lease to a client.

        Raises:
            NotPermittedError: another client holds it.
        """
        if self.holder is not None and self.holder.id != client.id and not self.is_expired():
            raise NotPermittedError(
                f"{self.holder.name} has control; request it, or wait until it is released"
            )
        self.holder = client
        self._last_heartbeat = self.clock()
        self.cancel_request(client.id)

    def request(self, client: LeaseClient) -> None:
        """Add a client to those that wait for the lease; the holder sees them.

        Raises:
            QueueFullError: too many wait.
        """
        if self.holder is None or self.holder.id == client.id:
            return
        waiting = self.waiting
        if len(waiting) >= MAX_WAITING and client.id not in self._requests:
            raise QueueFullError(
                f"{len(waiting)} clients wait for control already; try again later"
            )
        self._requests[client.id] = client
        self._last_heard[client.id] = self.clock()

    def release(self, client_id: str) -> None:
        """Release the lease; the client that has waited longest gets it, if any waits.

        Raises:
            NotPermittedError: the client does not hold it.
        """
        self.require(client_id)
        first = next(iter(self.waiting), None)
        self.holder = None
        if first is not None:
            self.take(first)

    def heartbeat(self, client_id: str) -> bool:
        """Renew the lease of its holder, or a client's request; return whether it holds it."""
        if client_id in self._requests:
            self._last_heard[client_id] = self.clock()
        if self.holder is None or self.holder.id != client_id or self.is_expired():
            return False
        self._last_heartbeat = self.clock()
        return True

    def cancel_request(self, client_id: str) -> None:
        """Remove a client's request; a holder's lease expires by itself."""
        self._requests.pop(client_id, None)
        self._last_heard.pop(client_id, None)

    def is_expired(self) -> bool:
        """Return whether the holder's lease has expired."""
        return self.holder is not None and self.clock() - self._last_heartbeat > EXPIRY

    def is_held_by(self, client_id: str) -> bool:
        """Return whether a client holds the lease now."""
        return self.holder is not None and self.holder.id == client_id and not self.is_expired()

    def clear(self) -> None:
        """End the lease, whoever holds it."""
        self.holder = None

    def require(self, client_id: str) -> None:
        """Raise unless a client holds the lease.

        Raises:
            NotPermittedError: it does not; names the holder.
        """
        if self.is_held_by(client_id):
            return
        who = "nobody has" if self.holder is None else f"{self.holder.name} has"
        raise NotPermittedError(f"moving needs control, and {who} it now; take control first")
