"""Attacks on a running app: ``python -m benchmarks.stop_attacks ADDRESS NAME SECONDS``.

Each runs in a process of its own, so that the client that measures STOP is not slowed down by it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.client
import io
import json
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

Q = [0.0, -1.5, 1.5, -1.5, -1.5, 0.0]
ATTACKER = "attacker-1"


def export(address: str, seconds: float) -> None:
    """Teach 500 positions with rests of 600 s, then ask for the motion again and again."""
    rows = [{"name": f"p{k}", "q": [0.001 * k, *Q[1:]], "dwell": 600.0} for k in range(500)]
    _teach(address, rows)
    _repeat(seconds, lambda: _get(address, "/api/teach/export/motion.csv"))


def long_export(address: str, seconds: float) -> None:
    """Export a motion that is allowed: 20 positions with rests of 60 s."""
    rows = [{"name": f"p{k}", "q": [0.01 * k, *Q[1:]], "dwell": 60.0} for k in range(20)]
    _teach(address, rows)
    _repeat(seconds, lambda: _get(address, "/api/teach/export/motion.csv"))


def archive(address: str, seconds: float) -> None:
    """Upload an archive with 600,000 entries."""
    data = zip_of_entries(600_000)
    _repeat(seconds, lambda: _upload(address, "many.xlsx", data))


def bomb(address: str, seconds: float) -> None:
    """Upload 3 GB of text packed into 3 MB and let a job read it."""
    data = packed_text(3_000_000_000)

    def once() -> None:
        sent = json.loads(_upload(address, "bomb.csv.gz", data))
        job = {"kind": "validate", "recording": sent["id"]}
        _post(address, "/api/jobs", job)
        time.sleep(1.0)

    _repeat(seconds, once)


def upload(address: str, seconds: float) -> None:
    """Upload 100 MB again and again."""
    data = b"time,q1\n" + b"0.125,0.25\n" * 9_500_000
    _repeat(seconds, lambda: _upload(address, "large.csv", data))


def preview(address: str, seconds: float) -> None:
    """Send previews as fast as possible, on a new connection whenever one is closed."""
    asyncio.run(_flood(address, seconds))


async def _flood(address: str, seconds: float) -> None:
    text = json.dumps({"type": "preview", "q": Q})
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, WebSocketException, TimeoutError):
            async with connect(f"ws://{address}/api/stream", proxy=None) as socket:
                while time.monotonic() < end:
                    for _ in range(200):
                        await socket.send(text)
                    await asyncio.sleep(0.01)


def sockets(address: str, seconds: float) -> None:
    """Hold 64 WebSockets and 200 idle connections."""
    asyncio.run(_hold(address, seconds))


async def _hold(address: str, seconds: float) -> None:
    host, port = address.split(":")
    idle = [await asyncio.open_connection(host, int(port)) for _ in range(200)]

    async def watch() -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(OSError, WebSocketException, TimeoutError):
                async with connect(f"ws://{address}/api/stream", proxy=None) as socket:
                    async with asyncio.timeout(max(end - time.monotonic(), 0.01)):
                        async for _ in socket:
                            pass

    await asyncio.gather(*(watch() for _ in range(64)))
    for _, writer in idle:
        writer.close()


def requests(address: str, seconds: float) -> None:
    """Ask for the state and for inverse kinematics on 32 connections as fast as possible."""
    threads = [threading.Thread(target=_ask, args=(address, seconds)) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _ask(address: str, seconds: float) -> None:
    _repeat(seconds, lambda: _get(address, "/api/state"))


def pipeline(address: str, seconds: float) -> None:
    """Send requests without waiting for their answers, 250 kB at once."""
    host, port = address.split(":")
    data = b"GET / HTTP/1.1\r\n\r\n" * 14_000

    def once() -> None:
        with socket.create_connection((host, int(port)), 10) as line:
            line.sendall(data)

    _repeat(seconds, once)


def program(address: str, seconds: float) -> None:
    """Replace the taught program by one of 300,000 empty positions, 900 kB."""
    text = b'{"client":"attacker-1","program":{"name":"a","arm":"ur5e","positions":['
    data, head = text + b"{}," * 300_000 + b"{}]}}", {"Content-Type": "application/json"}
    _repeat(seconds, lambda: _request(address, "PUT", "/api/teach/program", data, head))


def connections(address: str, seconds: float, first: bytes = b"") -> None:
    """Open connections that send nothing as fast as possible, the newest 450 kept open."""
    host, port = address.split(":")
    kept: deque[socket.socket] = deque()

    def once() -> None:
        kept.append(socket.create_connection((host, int(port)), 10))
        kept[-1].sendall(first)
        if len(kept) > 450:
            kept.popleft().close()

    _repeat(seconds, once)


def heads(address: str, seconds: float) -> None:
    """Open connections as fast as possible, each of which begins a request."""
    connections(address, seconds, b"GET /api/state HTTP/1.1\r\n")


def bodies(address: str, seconds: float) -> None:
    """Begin 135 requests whose bodies never come, and 200 MB uploads that never begin."""
    host, port = address.split(":")
    head = f"HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: "
    starts = [f"POST /api/fk {head}1000\r\n\r\n{{"] * 135
    starts += [f"POST /api/uploads?name=a.csv {head}200000000\r\n\r\n"] * 20

    def once() -> None:
        with contextlib.ExitStack() as lines:
            for start in starts:
                line = lines.enter_context(socket.create_connection((host, int(port)), 10))
                line.sendall(start.encode())
            time.sleep(2.0)

    _repeat(seconds, once)


ATTACKS: dict[str, Callable[[str, float], None]] = {
    one.__name__: one
    for one in (
        export, long_export, archive, bomb, upload, preview, sockets, requests,
        pipeline, program, connections, heads, bodies,
    )
}  # fmt: skip


def zip_of_entries(count: int) -> bytes:
    """Return an archive of empty entries with one of a spreadsheet's names."""
    directory, out = io.BytesIO(), io.BytesIO()
    names = ["xl/workbook.xml", *(f"{k:x}" for k in range(count - 1))]
    for name in names:
        raw, place = name.encode(), out.tell()
        fields = (20, 0, 0, 0, 0, 0, 0, 0, len(raw), 0)
        out.write(struct.pack("<4s5H3I2H", b"PK\3\4", *fields) + raw)
        directory.write(struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, *fields, 0, 0, 0, 0, place) + raw)
    start, size = out.tell(), directory.tell()
    out.write(directory.getvalue())
    out.write(struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start))
    out.write(struct.pack("<4sIQI", b"PK\6\7", 0, start + size, 1))
    most = 0xFFFF
    out.write(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, most, most, size, start, 0))
    return out.getvalue()


def packed_text(size: int) -> bytes:
    """Return a gzip file of about ``size`` bytes of rows that a recording could have.

    It is a chain of equal gzip members, which unpack one after the other.
    """
    member = gzip.compress(b"0.125,0.25,0.25,0.25,0.25,0.25,0.25\n" * 30_000)
    count = size // (36 * 30_000)
    return gzip.compress(b"time,q1,q2,q3,q4,q5,q6\n") + member * count


def _teach(address: str, rows: list[dict[str, object]]) -> None:
    arm = json.loads(_get(address, "/api/teach"))["program"]["arm"]
    program = {"name": "long", "arm": arm, "positions": rows}
    _post(address, "/api/teach/program", {"client": ATTACKER, "program": program}, "PUT")


def _repeat(seconds: float, act: Callable[[], object]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, http.client.HTTPException, KeyError, ValueError):
            act()


def _get(address: str, path: str) -> bytes:
    return _request(address, "GET", path, None, {})


def _post(address: str, path: str, content: object, verb: str = "POST") -> bytes:
    head = {"Content-Type": "application/json"}
    return _request(address, verb, path, json.dumps(content).encode(), head)


def _upload(address: str, name: str, data: bytes) -> bytes:
    return _request(address, "POST", f"/api/uploads?name={name}", data, {})


def _request(address: str, verb: str, path: str, data: bytes | None, head: dict[str, str]) -> bytes:
    line = http.client.HTTPConnection(address, timeout=120)
    try:
        line.request(verb, path, data, head)
        return line.getresponse().read()
    finally:
        line.close()


if __name__ == "__main__":
    ATTACKS[sys.argv[2]](sys.argv[1], float(sys.argv[3]))
