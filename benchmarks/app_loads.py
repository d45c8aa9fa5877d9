"""Page loads by plain HTTP and WebSocket, without a browser, and the memory of the app meanwhile.

``python -m benchmarks.app_loads --loads 10000``. A load is what a browser does without its cache:
the page, all of its files, what the views ask the API for, and the stream, closed after its first
state. Visitors come from several loopback addresses, since one address may open 20 sockets a
second. Exits with 1 when the app has grown by more than 50 MB.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import itertools
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from websockets.sync.client import connect

from benchmarks.app_process import running

VISITORS = 6
API = (
    "/api/live", "/api/live/history", "/api/arms/shown/description", "/api/arms", "/api/choices",
    "/api/jobs", "/api/teach",
)  # fmt: skip
"""What the views of the front end ask for when they open."""
FILES = re.compile(r'"(/static/[^"]+)"')
MORE = re.compile(r"[\w-]+-[\w-]{8}\.(?:js|css)")
"""Names of further files in the page's script: the worker that draws."""
PATIENCE = 180.0
"""Longest wait for an answer [s]."""
MOST = 50.0
"""Growth of the app over 10,000 loads that is allowed [MB]."""


class Visitor:
    """A client with an address of its own, which keeps its connection as browsers do."""

    def __init__(self, address: str, number: int) -> None:
        self.address, self.own = address, (f"127.0.0.{10 + number}", 0)
        self._line = self._connection()

    def get(self, path: str) -> bytes:
        """Return a file, a large one compressed; a connection that had ended is made again."""
        for trial in itertools.count():
            try:
                self._line.request("GET", path, headers={"Accept-Encoding": "gzip"})
                answer = self._line.getresponse()
                data = answer.read()
            except (http.client.RemoteDisconnected, ConnectionError):
                self._line.close()
                self._line = self._connection()
                if trial == 2:
                    raise
                continue
            if answer.status != 200:
                raise OSError(f"{path}: {answer.status}")
            return data
        raise AssertionError

    def load(self, files: list[str]) -> None:
        """Load the page with its files once, and receive one state of the stream."""
        for path in ("/", *files, *API):
            self.get(path)
        stream = f"ws://{self.address}/api/stream?name=benchmark"
        with connect(stream, source_address=self.own, open_timeout=PATIENCE) as socket:
            for _ in range(2):
                socket.recv(PATIENCE)

    def files(self) -> list[str]:
        """Return the addresses of the page's files: those it names, and those that these name."""
        first = FILES.findall(_text(self.get("/")))
        texts = [_text(self.get(name)) for name in first]
        known = {Path(name).name for name in first}
        more = sorted(set(MORE.findall("".join(texts))) - known)
        return [*first, *(f"/static/assets/{name}" for name in more)]

    def close(self) -> None:
        """End the connection."""
        self._line.close()

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.address, timeout=PATIENCE, source_address=self.own)


def _text(data: bytes) -> str:
    """Return a text; small files are not compressed."""
    return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode()


def load_pages(address: str, loads: int, watch: Callable[[int], None], every: int) -> None:
    """Load the page many times.

    Args:
        address: of the app, ``host:port`` on a loopback address.
        loads: how often.
        watch: called with the number of loads so far.
        every: loads between two calls of ``watch``.
    """
    lock, done = threading.Lock(), itertools.count(1)
    left = iter(range(loads))

    def visit(number: int) -> None:
        visitor = Visitor(address, number)
        files = visitor.files()
        while True:
            with lock:
                if next(left, None) is None:
                    break
            visitor.load(files)
            with lock:
                if (count := next(done)) % every == 0:
                    watch(count)
        visitor.close()

    watch(0)
    with ThreadPoolExecutor(VISITORS) as pool:
        list(pool.map(visit, range(VISITORS)))


def tree(pid: int) -> Iterator[int]:
    """Yield a process and all that it started."""
    try:
        tasks = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return
    yield pid
    for child in " ".join(tasks).split():
        yield from tree(int(child))


def memory(pid: int) -> float:
    """Return the resident memory of a process [MB]; 0 where it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    own = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(own[1]) / 1000 if own else 0.0


def tree_memory(pid: int) -> float:
    """Return the resident memory of a process and all that it started [MB]."""
    return sum(memory(one) for one in tree(pid))


def slope(loads: list[int], sizes: list[float]) -> float:
    """Return the growth by the second half of the samples [kB a load], least squares."""
    half = len(loads) // 2
    return float(np.polyfit(loads[half:], sizes[half:], 1)[0]) * 1000


def measure(loads: int) -> tuple[list[int], list[float]]:
    """Return numbers of loads, and the memory of all of the app's processes [MB] at each."""
    seen: list[int] = []
    sizes: list[float] = []
    with running() as (process, address, _):

        def watch(done: int) -> None:
            seen.append(done)
            each = [memory(pid) for pid in tree(process.pid)]
            sizes.append(sum(each))
            parts = " + ".join(f"{size:.1f}" for size in each)
            print(f"{done:7} loads {sizes[-1]:8.1f} MB = {parts}", flush=True)

        load_pages(address, 20, lambda _: None, 20)
        load_pages(address, loads, watch, max(loads // 40, 1))
    return seen, sizes


def main() -> int:
    """Load, print and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, default=10_000, help="of the page")
    given = parser.parse_args()
    begun = time.monotonic()
    seen, sizes = measure(given.loads)
    grown = sizes[-1] - sizes[0]
    print(f"{given.loads} loads in {time.monotonic() - begun:.0f} s, load {os.getloadavg()[0]:.1f}")
    print(f"grown by {grown:.1f} MB (at most {MOST:g}), {slope(seen, sizes):.2f} kB a load over")
    print("the second half")
    return int(grown > MOST)


if __name__ == "__main__":
    sys.exit(main())
