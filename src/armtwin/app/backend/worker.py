"""Computations beside the control process: one worker process with limits of time and memory.

The control process owns the taught program but must not compute with it, since its event loop
answers STOP. It sends a task to this worker, waits without blocking, and ends a worker that takes
too long.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import shutil
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from armtwin import errors
from armtwin.app.backend import worker_process
from armtwin.app.control.session import Session
from armtwin.app.jobs.job import ending, kill
from armtwin.errors import ArmTwinError, JobError, LimitError, QueueFullError

PART = "worker"
MAX_SECONDS = 60.0
"""Longest task [s]."""
START = 60.0
"""Longest start of the process on a busy machine [s]."""
MAX_WAITING = 8
"""Tasks in the queue of the one worker; more are refused at once instead of waiting for long."""
PATIENCE = 3.0
"""Longest wait for a killed process to be gone [s]."""


def worker(session: Session) -> Worker:
    """Return the session's worker, created at the first call."""

    def make() -> Worker:
        made = Worker()
        session.on_close.append(lambda: asyncio.to_thread(made.close))
        return made

    return session.part(PART, make)


class Worker:
    """One process that does one task at a time; it is started with the first one.

    It waits in a separate thread: asyncio's shared threads may be needed to stop a robot.

    Args:
        seconds: longest task [s].
        memory: memory limit of the process [bytes].
    """

    def __init__(
        self, seconds: float = MAX_SECONDS, memory: int = worker_process.MAX_MEMORY
    ) -> None:
        self._seconds, self._memory = seconds, memory
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "worker")
        self._waiting = 0
        self._process: Any = None
        self._connection: Any = None
        self._folder: Path | None = None

    @property
    def folder(self) -> Path:
        """A private folder that this process and the worker share."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="armtwin-worker-"))
        return self._folder

    async def run(self, task: str, **given: Any) -> Any:
        """Return the result of a task of ``worker_process``.

        Args:
            task: its name.
            **given: its arguments, as JSON can hold them.

        Raises:
            QueueFullError: too many tasks wait.
            LimitError: it took too long or too much memory.
            ArmTwinError: what the task raised.
        """
        if self._waiting >= MAX_WAITING:
            raise QueueFullError(
                f"{self._waiting} exports and checks of programs wait already; try again in a while"
            )
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._run, task, given)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End the process and delete its files."""
        self._end()
        with self._lock:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None

    def _run(self, task: str, given: dict[str, Any]) -> Any:
        with self._lock:
            try:
                if self._process is None or not self._process.is_alive():
                    self._start()
                connection = self._connection
                connection.send_bytes(json.dumps({"task": task, **given}).encode())
                if not connection.poll(self._seconds):
                    raise LimitError(
                        f"this takes longer than {self._seconds:g} s, the limit of the app; use a "
                        "shorter program or recording, or the command line"
                    )
                return _result(json.loads(connection.recv_bytes()))
            except (EOFError, OSError) as error:
                ended = "is gone" if self._process is None else ending(self._process)
                self._end()
                raise JobError(f"the process of this task ended ({ended}); try again") from error
            except LimitError:
                self._end()
                raise

    def _start(self) -> None:
        self._end()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(
            target=worker_process.main, args=(theirs, str(self.folder), self._memory), daemon=True
        )
        self._process.start()
        theirs.close()
        self._connection = ours
        if not ours.poll(START):
            raise LimitError(f"the process of this task did not start within {START:g} s")
        ours.recv_bytes()

    def _end(self) -> None:
        process, self._process = self._process, None
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()
        if process is not None:
            kill(process)
            process.join(PATIENCE)


def _result(message: dict[str, Any]) -> Any:
    """Return a task's result, or raise its error."""
    if "error" not in message:
        return message["result"]
    kind = getattr(errors, message["kind"], ArmTwinError)
    raise kind(message["error"])
