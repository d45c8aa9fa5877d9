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
    attacks["programs of 530 kB"] = (SCRIPTS[1], PROGRAM)
    with robots(HOSTS[:1]) as server:
        yield Figure("no flood: longest gap", 1e3 * _gap(server, seconds)[0], None, "ms")
        for name, (port, text) in attacks.items():
            with _flooding(port, text):
                gap, cpu = _gap(server, seconds)
            yield Figure(f"flood of {name}: longest gap", 1e3 * gap, 10.0, "ms")
            yield Figure(f"flood of {name}: processor", 100 * cpu, None, "%")
        with contextlib.ExitStack() as stack:
            for port in LINES:
                for _ in range(64):
                    sock = socket.create_connection((HOSTS[0], port), 60)
                    stack.enter_context(sock).sendall(b"def f():\n half a li")
            gap, _ = _gap(server, seconds)
        yield Figure("64 half-open sockets on each port: longest gap", 1e3 * gap, 10.0, "ms")


def _gap(server: Process, seconds: float) -> tuple[float, float]:
    """Return the longest gap between samples [s] and the share of a core that the robot used."""
    line = [sys.executable, "-m", "benchmarks.live_readers", HOSTS[0], "1", str(seconds)]
    before, begin = server.cpu(), time.perf_counter()
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    used = (server.cpu() - before) / (time.perf_counter() - begin)
    return float(json.loads(done.stdout)["longest"]), used


@contextlib.contextmanager
def _flooding(port: int, text: bytes) -> Iterator[None]:
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
