"""A bounded number of connections, in which each new one finds room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol


class Connection(Protocol):
    """What a pool counts: a transport, or a bare socket."""

    def get_extra_info(self, name: str) -> Any:
        """Return the client's address as ``peername``."""

    def abort(self) -> None:
        """Close it at once."""


class ConnectionPool:
    """Open connections; if there are too many, the one that is needed least is closed.

    That is the most silent one of the address that has most. So a new client, for example one that
    stops the robot, always gets in.

    Args:
        limit: largest number of connections.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._addresses: dict[Connection, str] = {}  # the most silent one first
        self._counts: Counter[str] = Counter()
        self._clients: dict[Connection, str] = {}
        self._holds: Callable[[str], bool] = lambda client: False

    def __contains__(self, connection: Connection) -> bool:
        return connection in self._addresses

    def __len__(self) -> int:
        return len(self._addresses)

    def spare(self, holds: Callable[[str], bool]) -> None:
        """Never close connections of the client that has control, by its id."""
        self._holds = holds

    def admit(self, connection: Connection) -> None:
        """Count a connection, and close another one if there are too many."""
        if connection in self._addresses:
            return
        if len(self._addresses) >= self._limit:
            self.close_one()
        address = (connection.get_extra_info("peername") or ("",))[0]
        self._addresses[connection] = address
        self._counts[address] += 1

    def close_one(self) -> None:
        """Close the connection that is needed least."""
        leaving = self._least_needed()
        self.forget(leaving)
        leaving.abort()

    def name(self, connection: Connection, client: str) -> None:
        """Note whose connection it is, by the id of its client."""
        if connection in self._addresses:
            self._clients[connection] = client

    def note(self, connection: Connection) -> None:
        """Note that a connection has sent something."""
        if connection in self._addresses:
            self._addresses[connection] = self._addresses.pop(connection)

    def forget(self, connection: Connection) -> None:
        """Count a connection no longer."""
        address = self._addresses.pop(connection, None)
        if address is None:
            return
        self._clients.pop(connection, None)
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]

    def _least_needed(self) -> Connection:
        busiest = max(self._counts, key=self._counts.__getitem__)
        for connection, address in self._addresses.items():
            client = self._clients.get(connection)
            if address == busiest and (client is None or not self._holds(client)):
                return connection
        return next(iter(self._addresses))
