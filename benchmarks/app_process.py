"""The app in a process of its own, for benchmarks."""

from __future__ import annotations

import contextlib
import socket
import time
import urllib.request
from collections.abc import Iterator

from benchmarks.live_processes import CLI, Process


@contextlib.contextmanager
def running() -> Iterator[tuple[Process, str, float]]:
    """Give the app's process, its address and how long it took to answer [s].

    It has a session of its own, as a service has; see ``robots.priority``.
    """
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    begun = time.monotonic()
    with Process([*CLI, "app", "ur5e", "--port", str(port)], own_session=True) as process:
        while not _answers(port):
            time.sleep(0.005)
        yield process, f"127.0.0.1:{port}", time.monotonic() - begun


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
