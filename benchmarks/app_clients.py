"""Clients of the app, in a process of their own: ``python -m benchmarks.app_clients ADDRESS ...``.

Each holds a WebSocket open and counts states; the first also leads the arm to and fro, so that
every state is new. Prints the states a second that the slowest client got.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time

from websockets.asyncio.client import ClientConnection, connect

SWING = 1.0


async def main() -> None:
    """Run the clients for the given time and print what they got."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="host:port")
    parser.add_argument("--clients", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    jobs = [watch(given.address, given.seconds, leads=k == 0) for k in range(given.clients)]
    rates = await asyncio.gather(*jobs)
    print(json.dumps({"slowest": min(rates), "clients": len(rates)}))


async def watch(address: str, seconds: float, *, leads: bool) -> float:
    """Return the states a second that one client got."""
    async with connect(f"ws://{address}/api/stream?name=benchmark") as socket:
        leading = asyncio.create_task(lead(socket)) if leads else None
        count, begun = 0, time.monotonic()
        while time.monotonic() - begun < seconds:
            text = await socket.recv()
            count += '"type":"state"' in str(text[:20])
        if leading is not None:
            leading.cancel()
    return count / (time.monotonic() - begun)


async def lead(socket: ClientConnection) -> None:
    """Move the first joint to and fro for ever."""
    await socket.send(json.dumps({"type": "take"}))
    side = 1
    while True:
        q = [side * SWING, -1.57, 1.57, -1.57, -1.57, side * SWING]
        await socket.send(json.dumps({"type": "move", "q": q, "speed": 0.3}))
        for _ in range(8):
            await socket.send(json.dumps({"type": "heartbeat"}))
            await asyncio.sleep(0.5)
        side = -side


if __name__ == "__main__":
    asyncio.run(main())
