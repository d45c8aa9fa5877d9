"""Control of the robot: one client at a time, kept by heartbeats."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from armtwin.errors import NotPermittedError

LASTING = 2.0
"""A lease expires after this long without a heartbeat [s]; pages send one every 0.5 s."""
MOST_ASKING = 20


@dataclass(frozen=True)
class LeaseClient:
    """A client: its secret ``id`` and its public ``name``."""

    id: str
    name: str


@dataclass
class Lease:
    """Control of the robot: free, or held by one client; others may request it."""

    clock: Callable[[], float] = time.monotonic
    holder: LeaseClient | None = None
    asking: dict[str, LeaseClient] = field(default_factory=dict)
    _beaten: float = 0.0

    def take(self, client: LeaseClient) -> None:
        """Give the lease to a client.

        Raises:
            NotPermittedError: another client holds it.
        """
        if self.holder is not None and self.holder.id != client.id and not self.is_over():
            raise NotPermittedError(
                f"{self.holder.name} has control; ask for it, or wait until it is given back"
            )
        self.holder = client
        self._beaten = self.clock()
        self.asking.pop(client.id, None)

    def ask(self, client: LeaseClient) -> None:
        """Show the holder that a client requests the lease."""
        if self.holder is None or self.holder.id == client.id:
            return
        if len(self.asking) < MOST_ASKING:
            self.asking[client.id] = client

    def give(self, client_id: str) -> None:
        """Release the lease: to the client that asked first, if any.

        Raises:
            NotPermittedError: the client does not hold it.
        """
        self.require(client_id)
        first = next(iter(self.asking.values()), None)
        self.holder = None
        if first is not None:
            self.take(first)

    def beat(self, client_id: str) -> bool:
        """Renew the lease of its holder; return whether the client holds it."""
        if self.holder is None or self.holder.id != client_id or self.is_over():
            return False
        self._beaten = self.clock()
        return True

    def leave(self, client_id: str) -> None:
        """Remove a client's request; a holder's lease expires by itself."""
        self.asking.pop(client_id, None)

    def is_over(self) -> bool:
        """Return whether the holder's lease has expired."""
        return self.holder is not None and self.clock() - self._beaten > LASTING

    def is_held_by(self, client_id: str) -> bool:
        """Return whether a client holds the lease now."""
        return self.holder is not None and self.holder.id == client_id and not self.is_over()

    def free(self) -> None:
        """Release the lease."""
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
