"""TCP sockets of programs: the port and its implementation with non-blocking sockets."""

from __future__ import annotations

import ipaddress
import socket
from abc import ABC, abstractmethod
from errno import EALREADY, EINPROGRESS, EISCONN, EWOULDBLOCK

MAX_SOCKETS = 32
"""Sockets that one program may have open."""
BUFFER = 1 << 16
"""Bytes that are kept per socket; more stay with the operating system, which stops the sender."""


class SocketPort(ABC):
    """Named connections of one program."""

    @abstractmethod
    def open(self, name: str, address: str, port: int) -> str:
        """Begin to connect; an open socket of that name is closed first.

        Args:
            name: of the socket.
            address: IP address.
            port: of the server.

        Returns:
            Why the connection is refused; an empty string if it was begun.
        """

    @abstractmethod
    def connected(self, name: str) -> bool | None:
        """Return True once connected, False if that failed, None while connecting."""

    @abstractmethod
    def send(self, name: str, data: bytes) -> bool:
        """Send all of ``data`` without waiting; return whether that was possible."""

    @abstractmethod
    def received(self, name: str) -> bytearray | None:
        """Return the bytes that have come, to be consumed in place; None if not connected.

        Bytes that came before the other side closed are returned until they are consumed.
        """

    @abstractmethod
    def close(self, name: str) -> None:
        """Close a connection, if there is one."""

    @abstractmethod
    def close_all(self) -> None:
        """Close all connections."""


class _Connection:
    def __init__(self, address: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.target, self.data, self.ended = (address, port), bytearray(), False
        self.connected: bool | None = None

    def poll(self) -> bool | None:
        """Go on with connecting; return the state as ``SocketPort.connected``."""
        if self.connected is None:
            code = self.socket.connect_ex(self.target)
            if code in (0, EISCONN):
                self.connected = True
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            elif code not in (EINPROGRESS, EWOULDBLOCK, EALREADY):
                self.connected = False
        return self.connected

    def read(self) -> None:
        """Take what has come, up to the size of the buffer."""
        while not self.ended and len(self.data) < BUFFER:
            try:
                data = self.socket.recv(BUFFER - len(self.data))
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                data = b""
            self.data += data
            self.ended = not data


class TcpSockets(SocketPort):
    """Real connections, to loopback addresses only unless more is allowed.

    Args:
        exposed: whether programs may connect to other machines. Names are not resolved, because
            that would wait; ``localhost`` is the only one known.
    """

    def __init__(self, *, exposed: bool = False) -> None:
        self._exposed = exposed
        self._connections: dict[str, _Connection] = {}

    def open(self, name: str, address: str, port: int) -> str:
        """Begin to connect.

        Args:
            name: of the socket.
            address: IP address.
            port: of the server.
        """
        self.close(name)
        address = "127.0.0.1" if address == "localhost" else address
        try:
            loopback = ipaddress.ip_address(address).is_loopback
        except ValueError:
            return f"'{address[:60]}' is no IP address; names are not resolved"
        if not loopback and not self._exposed:
            return f"{address} is not a loopback address; start the robot with --expose to allow it"
        if len(self._connections) >= MAX_SOCKETS:
            return f"{MAX_SOCKETS} sockets are open already"
        self._connections[name] = _Connection(address, port)
        self._connections[name].poll()
        return ""

    def connected(self, name: str) -> bool | None:
        """Return the state of a connection."""
        connection = self._connections.get(name)
        if connection is None:
            return False
        state = connection.poll()
        if state is False:
            self.close(name)
        return state

    def send(self, name: str, data: bytes) -> bool:
        """Send without waiting; a connection that cannot take the data is closed."""
        connection = self._connections.get(name)
        if connection is None or not connection.connected:
            return False
        try:
            sent = connection.socket.send(data)
        except OSError:
            return False
        if sent < len(data):
            # Part of a message would leave the other side out of step.
            self.close(name)
        return sent == len(data)

    def received(self, name: str) -> bytearray | None:
        """Return the bytes that have come."""
        connection = self._connections.get(name)
        if connection is None or not connection.connected:
            return None
        connection.read()
        if connection.ended and not connection.data:
            return None
        return connection.data

    def close(self, name: str) -> None:
        """Close a connection, if there is one."""
        connection = self._connections.pop(name, None)
        if connection is not None:
            connection.socket.close()

    def close_all(self) -> None:
        """Close all connections."""
        for name in [*self._connections]:
            self.close(name)
