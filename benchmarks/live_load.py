"""Load on virtual robots: many robots, many readers, floods, and how fast one starts."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Type
from armtwin.robots.ur_controller.virtual_robot import DASHBOARD, INTERPRETER, SCRIPTS
from benchmarks.live_processes import CLI, Process, robots
from benchmarks.live_readers import HELLO

HOSTS = [f"127.0.72.{k}" for k in range(1, 11)]
TARGETS = {(1, 100): 99.9, (10, 1): 99.9, (1, 200): 95.0}
"""Share of samples [%] by robots and readers of each."""
MATRIX = ((1, 1), (1, 10), (1, 50), (1, 100), (1, 200), (4, 1), (4, 10), (10, 1), (10, 10))
FLOOD = 10 << 20
"""Bytes of a flood."""
LINES = {
    DASHBOARD: b"robotmode\n", INTERPRETER: b"x = 1\n", SCRIPTS[0]: b"textmsg(1)\n",
    SCRIPTS[1]: b"movej([0,-1.57,1.57,-1.57,-1.57,0])\n", SCRIPTS[2]: b"x = 3\n",
}  # fmt: skip
LONG_LINES = b"".join(b"x=" + b"+".join([b"1"] * 100) + b"+%d\n" % k for k in range(1000))
"""Lines of 200 characters that differ, so that each of them has to be compiled."""
PROGRAM = (
    b"def f():\n" + b"  movej([0,-1.57,1.57,-1.57,-1.57,0], a=1.2, v=0.5)\n" * 10_000 + b"end\n"
)


@dataclass(frozen=True)
class Figure:
    """A measured value with its target, if it has one; ``most``: an upper bound."""

    name: str
    value: float
    target: float | None
    unit: str
    most: bool = True

    @property
    def holds(self) -> bool:
        """Whether the target is met."""
        if self.target is None:
            return True
        return self.value <= self.target if self.most else self.value >= self.target

    def __str__(self) -> str:
        """Return the figure in one line."""
        line = f"{self.name:56} {self.value:9.3f} {self.unit:3}"
        if self.target is None:
            return line
        sign, verdict = "<=" if self.most else ">=", "ok" if self.holds else "MISSED"
        return f"{line} {sign} {self.target:g}  {verdict}"


def matrix(seconds: float, pairs: Sequence[tuple[int, int]] = MATRIX) -> Iterator[Figure]:
    """Serve robots x readers of each; the robots wander, in one process."""
    for count, readers in pairs:
        hosts, name = HOSTS[:count], f"{count} robots x {readers} readers"
        with robots(hosts, "--wander") as server:
            line = [sys.executable, "-m", "benchmarks.live_readers"]
            line += [",".join(hosts), str(readers), str(seconds)]
            before, start = server.cpu(), time.perf_counter()
            done = subprocess.run(line, capture_output=True, text=True, check=True)
            used = (server.cpu() - before) / (time.perf_counter() - start)
        got, target = json.loads(done.stdout), TARGETS.get((count, readers))
        yield Figure(f"{name}: samples, worst reader", 100 * got["worst"], target, "%", most=False)
        yield Figure(f"{name}: 99 % of gaps within", 1e3 * got["p99"], None, "ms")
        yield Figure(f"{name}: processor per robot", 100 * used / count, None, "%")


def start() -> Iterator[Figure]:
    """Start ``armtwin robot`` until its first sample; the best of three."""
    best, used = float("inf"), float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        with Process([*CLI, "robot", "ur5e", "--host", HOSTS[0]]) as server:
            _first_sample(HOSTS[0], begin + 60)
            best, used = min(best, time.perf_counter() - begin), min(used, server.cpu())
    yield Figure("start of armtwin robot to its first sample", best, 1.0, "s")
    yield Figure("start of armtwin robot: processor time", used, None, "s")


def _first_sample(host: str, end: float) -> None:
    while time.perf_counter() < end:
        with contextlib.suppress(OSError), socket.create_connection((host, codec.PORT), 60) as sock:
            sock.sendall(HELLO)
            framer = codec.Framer()
            while data := sock.recv(1 << 16):
                if any(kind == Type.DATA for kind, _ in framer.feed(data)):
                    return
        time.sleep(0.005)
    raise SystemExit(f"no sample from {host}")


def flood(seconds: float) -> Iterator[Figure]:
    """Read samples while other clients flood each text port, one after the other."""
    attacks = {f"lines on {port}": (port, line) for port, line in LINES.items()}
    attacks["long lines"] = (SCRIPTS[2], LONG_LINES)
    attacks["programs of 530 kB"] = (SCRIPTS[1], PROGRAM)
    with robots(HOSTS[:1]) as server:
        yield from _gaps(server, "no flood", seconds, None)
        for name, (port, text) in attacks.items():
            with flooding(port, text):
                yield from _gaps(server, f"flood of {name}", seconds)
        attack = threading.Thread(target=half_open, args=(time.perf_counter() + seconds,))
        attack.start()
        yield from _gaps(server, "64 half-open sockets on each port", seconds)
        attack.join()


def half_open(end: float) -> None:
    """Open all connections that text ports allow, with unfinished texts, and close them again."""
    while time.perf_counter() < end:
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in LINES:
                for _ in range(64):
                    sock = socket.create_connection((HOSTS[0], port), 60)
                    stack.enter_context(sock).sendall(b"def f():\n half a li")
            time.sleep(1.0)


def _gaps(
    server: Process, name: str, seconds: float, target: float | None = 10.0
) -> Iterator[Figure]:
    """Read samples for some seconds.

    Beside the longest gap stands that of a process that does nothing but wake every 2 ms: it shows
    what the machine itself adds.
    """
    module = [sys.executable, "-m", "benchmarks.live_readers"]
    before, begin = server.cpu(), time.perf_counter()
    witness = subprocess.Popen([*module, "none", "0", str(seconds + 1)], stdout=subprocess.PIPE)
    line = [*module, HOSTS[0], "1", str(seconds)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    used = (server.cpu() - before) / (time.perf_counter() - begin)
    idle = json.loads(witness.communicate()[0])["longest"]
    gap = json.loads(done.stdout)["longest"]
    yield Figure(f"{name}: longest gap", 1e3 * gap, target, "ms")
    yield Figure(f"{name}: of an idle process", 1e3 * idle, None, "ms")
    yield Figure(f"{name}: processor", 100 * used, None, "%")


@contextlib.contextmanager
def flooding(port: int, text: bytes) -> Iterator[None]:
    """Send a text again and again, up to 10 MB, and read what comes."""
    with socket.create_connection((HOSTS[0], port), 60) as sock:
        workers = [
            threading.Thread(target=_send, args=(sock, text), daemon=True),
            threading.Thread(target=_swallow, args=(sock,), daemon=True),
        ]
        for worker in workers:
            worker.start()
        yield
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
        for worker in workers:
            worker.join()


def _send(sock: socket.socket, text: bytes) -> None:
    with contextlib.suppress(OSError):
        for _ in range(FLOOD // len(text)):
            sock.sendall(text)


def _swallow(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while sock.recv(1 << 16):
            pass
