"""Virtual robots for tests, on loopback addresses of their own, and unmodified ur_rtde beside."""

import contextlib
import importlib.util
import itertools
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from waiting import wait_until

from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.station import Station

_NUMBERS = itertools.count(1)
WORKER = Path(__file__).with_name("ur_rtde_worker.py")

needs_ur_rtde = pytest.mark.usefixtures("ur_rtde")  # of tests/conftest.py
needs_mujoco = pytest.mark.skipif(
    importlib.util.find_spec("mujoco") is None, reason="mujoco is not installed"
)


def free_host():
    """Return a loopback address that no other test of this or another process uses."""
    number = os.getpid() * 64 + next(_NUMBERS)
    return f"127.{77 + number // 64000 % 64}.{number // 250 % 250}.{1 + number % 250}"


@contextlib.contextmanager
def running(arm="ur5e", *, realtime=True, **options):
    """Run a virtual robot in a thread and yield its station."""
    robot = virtual_robot(arm, free_host(), **options)
    with Station([robot], realtime=realtime) as station:
        yield station


def wait_for(run, code, expected, atol=0.0):
    """Wait until code in a worker has the expected value: samples come after commands return."""
    seen = []

    def arrived():
        seen.append(run(code))
        return np.allclose(seen[-1], expected, rtol=0, atol=atol)

    wait_until(arrived, what=f"{code} == {expected}")
    return seen[-1]


class Worker:
    """A process that runs pieces of code with ur_rtde; it may hang or crash without harm."""

    def __init__(self, host):
        """Start the process; ``host`` is known to the code as HOST."""
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), host],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
        )
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            if line.startswith("@@"):
                self._lines.put(line[2:])
        self._lines.put(None)

    def __call__(self, code, timeout=180.0):
        """Run code and return the value of its last line; fail if it takes too long."""
        with contextlib.suppress(BrokenPipeError):  # it has ended, which its answer says
            self._process.stdin.write(json.dumps(code) + "\n")
            self._process.stdin.flush()
        try:
            answer = self._lines.get(timeout=timeout)
        except queue.Empty:
            pytest.fail(f"ur_rtde took more than {timeout} s for: {code}\n{self.complaints()}")
        if answer is None:
            pytest.fail(f"the process with ur_rtde ended in: {code}\n{self.complaints()}")
        found = json.loads(answer)
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["value"]

    def complaints(self):
        """Return the last lines that ur_rtde wrote to its standard error."""
        whole = os.fstat(self._complaints.fileno()).st_size
        text = os.pread(self._complaints.fileno(), whole, 0)  # leaves the place where it writes
        return "".join(text.decode(errors="replace").splitlines(keepends=True)[-30:])

    def close(self):
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(BrokenPipeError):  # a line that it never read
            self._process.stdin.close()
        self._process.stdout.close()
        self._complaints.close()


@contextlib.contextmanager
def worker(host):
    """Yield a process that runs code with ur_rtde."""
    made = Worker(host)
    try:
        yield made
    finally:
        made.close()
