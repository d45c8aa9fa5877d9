"""Many plain RTDE readers in one process.

``python -m benchmarks.live_readers HOSTS COUNT SECONDS``. Reads ``actual_q`` and ``actual_qd`` at
500 Hz over COUNT connections to each of the comma-separated hosts, with little work of its own, and
prints as JSON what came. With COUNT 0 it only wakes every 2 ms, and prints the longest gap. It asks
for the priority of a robot, where that is allowed: its own waits are no gaps of the robot.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Any

from armtwin.robots.priority import control_priority
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Type, packet

RATE = 500.0
JITTER = 0.1
"""As in the statistics of our own client [s]."""
_STAMP = struct.Struct(">d")
HELLO = (
    packet(Type.PROTOCOL_VERSION, struct.pack(">H", 2))
    + packet(Type.OUTPUTS, codec.named_setup(["timestamp", "actual_q", "actual_qd"], RATE, 2))
    + packet(Type.START)
)


class Reader:
    """One connection and what came over it."""

    def __init__(self, host: str) -> None:
        self.socket = socket.create_connection((host, codec.PORT), timeout=60)
        self.socket.sendall(HELLO)
        self.socket.setblocking(False)
        self._chunks: list[bytes] = []
        self.arrivals: list[float] = []

    def read(self, now: float) -> None:
        """Take what has come."""
        self._chunks.append(self.socket.recv(1 << 18))
        self.arrivals.append(now)

    def share(self) -> float:
        """Return the share of samples that came, by time stamps and by the wall clock.

        Time that no stamp covers, when the robot's clock stood still, counts as missing samples;
        up to ``JITTER`` of it does not.
        """
        found = codec.Framer().feed(b"".join(self._chunks))
        stamps = [_STAMP.unpack_from(data, 1)[0] for kind, data in found if kind == Type.DATA]
        span = stamps[-1] - stamps[0]
        outage = max(0.0, self.arrivals[-1] - self.arrivals[0] - span - JITTER)
        return len(stamps) / (round(span * RATE) + 1 + outage * RATE)

    def clear(self) -> None:
        """Forget what came until now."""
        self._chunks.clear()
        self.arrivals.clear()

    @property
    def gaps(self) -> list[float]:
        """Times between arrivals [s]."""
        return [b - a for a, b in zip(self.arrivals, self.arrivals[1:], strict=False)]


def read_all(hosts: Sequence[str], count: int, seconds: float) -> dict[str, Any]:
    """Read for some seconds and return shares of samples and gaps between arrivals [s]."""
    readers = [Reader(host) for host in hosts for _ in range(count)]
    poll, by_number = select.epoll(), {r.socket.fileno(): r for r in readers}
    for number in by_number:
        poll.register(number, select.EPOLLIN)
    _read_until(poll, by_number, time.perf_counter() + 0.5)
    for reader in readers:
        reader.clear()
    _read_until(poll, by_number, time.perf_counter() + seconds)
    shares = [reader.share() for reader in readers]
    gaps = sorted(gap for reader in readers for gap in reader.gaps)
    return {
        "worst": min(shares), "mean": sum(shares) / len(shares),
        "p99": gaps[int(0.99 * len(gaps))], "longest": gaps[-1], "cpu": time.process_time(),
    }  # fmt: skip


def _read_until(poll: select.epoll, readers: dict[int, Reader], end: float) -> None:
    while (now := time.perf_counter()) < end:
        for number, _ in poll.poll(end - now, 512):
            readers[number].read(time.perf_counter())


def wake(seconds: float) -> dict[str, Any]:
    """Wake every 2 ms for some seconds and return the longest gap [s]."""
    longest, last = 0.0, time.perf_counter()
    end = last + seconds
    while last < end:
        time.sleep(1 / RATE)
        longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
    return {"longest": longest}


if __name__ == "__main__":
    hosts, count, seconds = sys.argv[1].split(","), int(sys.argv[2]), float(sys.argv[3])
    with control_priority():
        got = read_all(hosts, count, seconds) if count else wake(seconds)
    sys.stdout.write(json.dumps(got) + "\n")
