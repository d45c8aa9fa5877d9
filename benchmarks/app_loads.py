"""Page loads by plain HTTP and WebSocket, and the memory of the app meanwhile.

A load is what a browser does without its cache: the page, all of its files, what the views ask the
API for, and the stream, closed after its first state. Visitors come from several loopback
addresses, since one address may open 20 sockets a second.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import numpy as np
from websockets.asyncio.client import connect

VISITORS = 6
API = (
    "/api/live", "/api/live/history", "/api/arms/shown/description", "/api/arms", "/api/choices",
    "/api/jobs", "/api/teach",
)  # fmt: skip
"""What the views of the front end ask for when they open."""
FILES = re.compile(r'"(/static/[^"]+)"')
MORE = re.compile(r"[\w-]+-[\w-]{8}\.(?:js|css)")
"""Names of further files in the page's script: the worker that draws."""


def load_pages(address: str, loads: int, watch: Callable[[int], None], every: int) -> None:
    """Load the page many times.

    Args:
        address: of the app, ``host:port`` on a loopback address.
        loads: how often.
        watch: called with the number of loads so far.
        every: loads between two calls of ``watch``.
    """
    asyncio.run(_load_pages(address, loads, watch, every))


async def _load_pages(address: str, loads: int, watch: Callable[[int], None], every: int) -> None:
    left, done = iter(range(loads)), 0

    async def visitor(number: int) -> None:
        nonlocal done
        own = f"127.0.0.{10 + number}"
        transport = httpx.AsyncHTTPTransport(local_address=own, retries=2)
        base = f"http://{address}"
        async with httpx.AsyncClient(transport=transport, base_url=base, timeout=60) as web:
            files = await _files(web)
            for _ in left:
                await _load(web, address, own, files)
                done += 1
                if done % every == 0:
                    watch(done)

    watch(0)
    await asyncio.gather(*(visitor(number) for number in range(VISITORS)))


async def _load(web: httpx.AsyncClient, address: str, own: str, files: list[str]) -> None:
    """Load the page once.

    Args:
        web: a client.
        address: of the app.
        own: address of the client.
        files: of the page, as ``_files`` finds them.
    """
    for path in ("/", *files, *API):
        async with web.stream("GET", path) as answer:
            answer.raise_for_status()
            async for _ in answer.aiter_raw():
                pass
    async with connect(f"ws://{address}/api/stream?name=benchmark", local_addr=(own, 0)) as socket:
        for _ in range(2):
            await socket.recv()


async def _files(web: httpx.AsyncClient) -> list[str]:
    """Return the addresses of the page's files: those it names, and those that these name."""
    first = FILES.findall((await web.get("/")).text)
    texts = [(await web.get(name)).text for name in first]
    known = {Path(name).name for name in first}
    more = sorted(set(MORE.findall("".join(texts))) - known)
    return [*first, *(f"/static/assets/{name}" for name in more)]


def tree_memory(pid: int) -> float:
    """Return the resident memory of a process and all that it started [MB]."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        tasks = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return 0.0
    own = re.search(r"VmRSS:\s+(\d+) kB", status)
    started = sum(tree_memory(int(child)) for child in " ".join(tasks).split())
    return started + (int(own[1]) / 1000 if own else 0.0)


def slope(loads: list[int], sizes: list[float]) -> float:
    """Return the growth by the second half of the samples [kB a load], least squares."""
    half = len(loads) // 2
    return float(np.polyfit(loads[half:], sizes[half:], 1)[0]) * 1000
