"""Command ports of a UR controller: scripts on 30003, dashboard on 29999."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct

from armtwin.errors import LinkError, RefusedError

SCRIPTS, DASHBOARD = 30003, 29999
"""Ports of UR controllers: real-time interface, dashboard server."""
PATIENCE = 2.0
"""Longest wait for a connection or an answer [s]."""
LONGEST_LINE = 4096
"""Bytes of an answer that are kept."""
DISCARD = struct.pack("ii", 1, 0)
"""SO_LINGER value that discards unsent data when a socket is closed."""


class Remote:
    """Sends scripts over one connection, made when needed, and dashboard commands.

    Args:
        host: the controller's address.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self._writer: asyncio.StreamWriter | None = None
        self._drain: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    @property
    def connected(self) -> bool:
        """Whether a script can be sent without connecting first."""
        return self._writer is not None and not self._writer.is_closing()

    async def connect(self) -> None:
        """Connect to the script port, unless connected.

        Raises:
            LinkError: the port cannot be reached.
        """
        async with self._lock:
            await self._connected()

    async def send(self, script: str) -> None:
        """Send a program or a line of URScript; it replaces the running program.

        Raises:
            LinkError: the port is closed, or does not take the script in time.
        """
        async with self._lock:
            writer = await self._connected()
            try:
                writer.write(script.rstrip("\n").encode() + b"\n")
                async with asyncio.timeout(PATIENCE):
                    await writer.drain()
            except (OSError, TimeoutError) as error:
                await self.close()
                raise LinkError(f"{self.host}:{SCRIPTS} does not take scripts: {error}") from error

    async def abort(self) -> None:
        """Close the connection and discard what the network has not delivered yet.

        A script that waits in this machine's send buffer would otherwise reach the controller
        when the network comes back, however late.
        """
        if self._writer is not None:
            end = self._writer.get_extra_info("socket")
            with contextlib.suppress(OSError, AttributeError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, DISCARD)
            self._writer.transport.abort()
        await self.close()

    async def _connected(self) -> asyncio.StreamWriter:
        if self._writer is not None and self.connected:
            return self._writer
        await self.close()
        reader, self._writer = await _connect(self.host, SCRIPTS)
        self._drain = asyncio.create_task(self._read(reader, self._writer))
        return self._writer

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Discard what the controller sends on this port, so that its send buffer never fills."""
        with contextlib.suppress(OSError):
            while await reader.read(1 << 16):
                pass
        writer.close()

    async def close(self) -> None:
        """Close the connection."""
        if self._drain is not None:
            self._drain.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._drain
        if self._writer is not None:
            self._writer.close()
        self._writer = self._drain = None

    async def dashboard_command(self, command: str) -> str:
        """Send a command to the dashboard server and return its answer.

        Raises:
            LinkError: no dashboard there, or no answer.
        """
        reader, writer = await _connect(self.host, DASHBOARD)
        try:
            async with asyncio.timeout(PATIENCE):
                await reader.readline()
                writer.write(command.encode() + b"\n")
                answer = await reader.readline()
        except (OSError, TimeoutError, ValueError) as error:
            raise LinkError(f"{self.host}: no answer to {command!r} on the dashboard") from error
        finally:
            writer.close()
        if not answer:
            raise LinkError(f"{self.host}: the dashboard closed the connection after {command!r}")
        return answer[:LONGEST_LINE].decode("utf-8", "replace").strip()

    async def unlock(self) -> str:
        """End a protective stop and return the dashboard's answer.

        Raises:
            RefusedError: it may not be ended yet; with the controller's answer.
        """
        await self.dashboard_command("close safety popup")
        answer = await self.dashboard_command("unlock protective stop")
        if "releasing" not in answer.lower():
            raise RefusedError(f"{self.host}: {answer}")
        return answer


def push_program(joint: int, torque: float, seconds: float) -> str:
    """Return the secondary program that pushes a joint of a virtual robot.

    Args:
        joint: from 1.
        torque: [Nm].
        seconds: duration [s].
    """
    return f"sec push():\n  armtwin_push({joint}, {torque:.6g}, {seconds:.6g})\nend"


async def _connect(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        async with asyncio.timeout(PATIENCE):
            return await asyncio.open_connection(host, port)
    except (OSError, TimeoutError) as error:
        raise LinkError(
            f"{host}:{port} cannot be reached: {error or 'no answer'}; is the robot on, and in "
            "remote control?"
        ) from error
