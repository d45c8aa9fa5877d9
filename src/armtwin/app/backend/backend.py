"""Starts, checks and restarts the work process, and connects to it.

The work process serves pages, files, uploads, jobs and kinematics. Whatever happens in it, the
control process answers STOP and moves the robot.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from armtwin.errors import BusyError
from armtwin.processes import module_command

PERIOD = 0.2
"""Period of the checks [s]."""
PATIENCE = 30.0
"""Longest wait of a request for a process that starts [s]."""
SILENCE = 30.0
"""A process that does not answer for this long is restarted [s]."""
PAUSE = 1.0
"""Time between two starts [s], so that a process that cannot start does not load the CPU."""
FAREWELL = 3.0
"""Time that the process has to end before it is killed [s]: it ends itself after 2.5 s at most."""
ALIVE = b"GET /alive HTTP/1.1\r\nhost: armtwin\r\nconnection: close\r\n\r\n"
LONGEST_PATH = 100
"""Of a Unix socket's address, which has room for 107 characters."""


class Backend:
    """Starts the work process and keeps it running.

    Args:
        data_folder: folder of saved programs.

    Attributes:
        secret: identifies requests of the control process.
        folder: private folder of both processes; deleted at the end.
        pid: of the process.
        starts: number of starts.
    """

    def __init__(self, data_folder: Path) -> None:
        self.secret = secrets.token_urlsafe(24)
        self._temporary = tempfile.TemporaryDirectory(
            prefix="armtwin-app-", ignore_cleanup_errors=True
        )
        self.folder = Path(self._temporary.name)
        self._data_folder = data_folder
        self._socket = _unix_path(self.folder)
        self._port = 0 if self._socket else _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self._reached = False

    def __enter__(self) -> Backend:
        """Start the process."""
        self.launch()
        return self

    def __exit__(self, *error: object) -> None:
        """End it and delete its files."""
        self.end()
        self._temporary.cleanup()

    @property
    def pid(self) -> int | None:
        """Number of the process, or None."""
        return None if self._process is None else self._process.pid

    def launch(self) -> None:
        """Start the process; return at once."""
        self.end()
        if self._socket is not None:
            self._socket.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            module_command("armtwin.app.backend.backend_process"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"TMPDIR": str(self.folder)},
            start_new_session=True,  # a share of the processors of its own, and no Ctrl-C
        )
        self.starts += 1
        self._reached = False
        settings = {
            "socket": None if self._socket is None else str(self._socket),
            "port": self._port,
            "secret": self.secret,
            "folder": str(self._data_folder),
        }
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(settings).encode() + b"\n")
            self._process.stdin.flush()

    def dismiss(self) -> None:
        """Ask the process to end, with its jobs; return at once."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def end(self) -> None:
        """End the process and wait for it; kill it if it does not serve yet."""
        self.dismiss()
        process, self._process = self._process, None
        if process is None:
            return
        if not self._reached:
            process.kill()
        try:
            process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    async def run(self) -> None:
        """Restart the process when it has ended or does not answer; until cancelled."""
        heard = time.monotonic()
        while True:
            await asyncio.sleep(PERIOD)
            if await self._answers():
                heard = time.monotonic()
            gone = self._process is None or self._process.poll() is not None
            if gone or time.monotonic() - heard > SILENCE:
                await asyncio.to_thread(self._restart)
                await asyncio.sleep(PAUSE)
                heard = time.monotonic()

    def _restart(self) -> None:
        if self._process is not None:
            self._process.kill()
        self.launch()

    async def _answers(self) -> bool:
        """Return whether the process's event loop answers within a period."""
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(PERIOD * 5):
                reader, writer = await self._connect()
                try:
                    writer.write(ALIVE)
                    return bool(await reader.readexactly(8))
                finally:
                    writer.close()
        return False

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a connection to the process; wait for one that starts.

        Raises:
            BusyError: it does not start in time.
        """
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                return await self._connect()
            except OSError:
                await asyncio.sleep(0.05)
        raise BusyError(
            "the process that serves pages, files and jobs does not answer; it is started again, "
            "try again in a few seconds (STOP and motion work meanwhile)"
        )

    @property
    def place(self) -> dict[str, Any]:
        """Its address, as arguments of ``websockets.connect``."""
        if self._socket is not None:
            return {"unix": True, "path": str(self._socket)}
        return {"host": "127.0.0.1", "port": self._port}

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._socket is not None:
            opened = await asyncio.open_unix_connection(str(self._socket))
        else:
            opened = await asyncio.open_connection("127.0.0.1", self._port)
        self._reached = True
        return opened


def _unix_path(folder: Path) -> Path | None:
    """Return the path of a Unix socket; None if there are none or the path is too long."""
    path = folder / "work"
    fits = len(str(path)) <= LONGEST_PATH
    return path if hasattr(socket, "AF_UNIX") and os.name == "posix" and fits else None


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
