"""Processes that keep the processors busy, for measurements and tests under load."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

BUSY = """
import os, sys
for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
while True:
    pass
"""


@contextlib.contextmanager
def busy_processes(count: int, set_up: Callable[[], None] | None = None) -> Iterator[None]:
    """Run processes that never wait, in a session of their own as those of another terminal.

    Linux shares the processors among sessions (autogroup) first: in the session of the measurement
    they would only compete with that.

    Args:
        count: number of processes.
        set_up: called in the first process before it starts, to set the priority of all.
    """
    line = [sys.executable, "-c", BUSY, str(count)]
    first = subprocess.Popen(line, preexec_fn=set_up, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
