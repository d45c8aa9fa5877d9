"""Processes of the live benchmark: robots, clients, and what they use."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

CLI = [sys.executable, "-m", "armtwin.cli"]
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Process:
    """A running process whose use of the machine is read from ``/proc``.

    Args:
        line: command line.
        own_session: start it in a session of its own, as a service.

    Attributes:
        used: seconds of processor time, once it has ended.
    """

    def __init__(self, line: Sequence[str], *, own_session: bool = False) -> None:
        """Start it."""
        self._process = subprocess.Popen(
            line, stdout=subprocess.PIPE, text=True, start_new_session=own_session
        )
        self.pid, self.used = self._process.pid, 0.0

    def __enter__(self) -> Process:
        """Return it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def cpu(self) -> float:
        """Return the processor time used so far [s]."""
        text = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace")
        fields = text.rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def size(self) -> float:
        """Return the resident memory [MB]."""
        pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * PAGE / 1e6

    def sizes(self, every: float) -> list[float]:
        """Return the memory at regular times until the process ends [MB]."""
        found = []
        while self._process.poll() is None:
            with contextlib.suppress(OSError):
                found.append(self.size())
            time.sleep(every)
        return found

    def output(self) -> str:
        """Return what it printed, once it has ended."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said, _ = self._process.communicate()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.used = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        return said


@contextlib.contextmanager
def robots(addresses: Sequence[str], *options: str, arm: str = "ur5e") -> Iterator[Process]:
    """Yield the process of virtual robots once all of them listen."""
    with Process([*CLI, "robot", arm, "--host", ",".join(addresses), *options]) as process:
        for address in addresses:
            _wait_for(address)
        if process.ended:
            raise SystemExit("the robots did not start; is another benchmark running?")
        yield process


def _wait_for(address: str) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            socket.create_connection((address, 30004), 1).close()
            return
        time.sleep(0.05)
    raise SystemExit(f"no robot on {address}")


def one_core(pid: int) -> None:
    """Keep a process on one core of the machine."""
    os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})


def ur_rtde(code: str, host: str, seconds: float) -> Any:
    """Run code with ur_rtde in a process of its own and return its ``result``."""
    head = f"HOST, SECONDS = {host!r}, {seconds}\n"
    tail = "\nimport json, os, sys\nsys.stdout.write('@@' + json.dumps(result) + '\\n')\n"
    tail += "sys.stdout.flush()\nos._exit(0)\n"
    done = subprocess.run(
        [sys.executable, "-c", head + code + tail],
        capture_output=True, text=True, timeout=seconds + 60, check=False,
    )  # fmt: skip
    lines = [line[2:] for line in done.stdout.splitlines() if line.startswith("@@")]
    if not lines:
        raise SystemExit(f"ur_rtde failed: {done.stderr[-500:]}")
    return json.loads(lines[0])
