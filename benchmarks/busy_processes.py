"""Processes that keep the processors busy, for measurements and tests under load."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator

BUSY = "while True: pass"


@contextlib.contextmanager
def busy_processes(count: int, set_up: Callable[[], None] | None = None) -> Iterator[None]:
    """Run processes that never wait.

    Args:
        count: number of processes.
        set_up: called in every process before it starts, to set its priority.
    """
    line = [sys.executable, "-c", BUSY]
    started = [subprocess.Popen(line, preexec_fn=set_up) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()
