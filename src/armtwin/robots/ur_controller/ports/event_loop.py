"""The event loop of virtual robots: control cycles come first, then a few clients at a time.

asyncio works on all descriptors that are ready before it looks at its timers again. With hundreds
of connections that open, send or close at once this takes 10 ms and more. This loop takes
``MAX_EVENTS`` of them between two looks at the timer of the control cycle. The system hands out
ready descriptors in turn, so that none of them is left out.
"""

from __future__ import annotations

import asyncio
import math
import os
import select
import selectors
import socket
import sys
from collections.abc import Callable, Coroutine
from typing import Any

MAX_EVENTS = 8
"""Descriptors that are worked on between two looks at the timer of the control cycle."""
BACKLOG = 256
"""Connections of a port that may wait until they are accepted."""

if sys.platform == "linux":

    class FairSelector(selectors.EpollSelector):
        """Reports an urgent descriptor first, and a few others at a time.

        Args:
            most: other descriptors that are reported at once.
        """

        def __init__(self, most: int = MAX_EVENTS) -> None:
            super().__init__()
            self._most, self._urgent = most, select.epoll()
            self._all = select.epoll.fromfd(os.dup(self.fileno()))

        def hurry(self, descriptor: int) -> None:
            """Report a registered descriptor before all others, until it is closed."""
            self._urgent.register(descriptor, select.EPOLLIN)

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            """Return what is ready, urgent descriptors first; wait for it at most ``timeout`` s."""
            found = self._urgent.poll(0)
            wait = -1.0 if timeout is None else math.ceil(max(timeout, 0.0) * 1e3) * 1e-3
            others = self._all.poll(0 if found else wait, self._most)
            if not found:  # may have become ready in the meantime
                found = self._urgent.poll(0)
            urgent, keys = {descriptor for descriptor, _ in found}, self.get_map()
            ready = []
            for descriptor, event in [*found, *(o for o in others if o[0] not in urgent)]:
                key = keys.get(descriptor)
                if key is not None:
                    reads = selectors.EVENT_READ if event & ~select.EPOLLOUT else 0
                    writes = selectors.EVENT_WRITE if event & ~select.EPOLLIN else 0
                    ready.append((key, (reads | writes) & key.events))
            return ready

        def close(self) -> None:
            """Close the descriptors of the selector itself."""
            self._urgent.close()
            self._all.close()
            super().close()

    class RobotEventLoop(asyncio.SelectorEventLoop):
        """An event loop whose urgent readers are called before all others."""

        def __init__(self) -> None:
            self._fair = FairSelector()
            super().__init__(self._fair)

        def add_urgent_reader(self, descriptor: int, callback: Callable[[], None]) -> None:
            """Call a function whenever a descriptor is readable, before anything else."""
            self.add_reader(descriptor, callback)
            self._fair.hurry(descriptor)


def run_robots(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a new event loop for robots, as ``asyncio.run`` does."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        runner.run(work)


def _new_loop() -> asyncio.AbstractEventLoop:
    return RobotEventLoop() if sys.platform == "linux" else asyncio.new_event_loop()


def add_timer_reader(descriptor: int, callback: Callable[[], None]) -> None:
    """Let the running loop call a function when a timer's descriptor is readable, soon."""
    loop = asyncio.get_running_loop()
    if sys.platform == "linux" and isinstance(loop, RobotEventLoop):
        loop.add_urgent_reader(descriptor, callback)
    else:
        loop.add_reader(descriptor, callback)


async def listen(
    make: Callable[[], asyncio.Protocol], host: str, port: int, receive_buffer: int | None = None
) -> asyncio.Server:
    """Return a server that accepts one connection at a time; the others wait in the system.

    Args:
        make: returns the protocol of a new connection.
        host: address.
        port: port; 0 for any free one.
        receive_buffer: bytes that the system keeps for a connection; its own choice if None.
    """
    # asyncio accepts as many connections at once as may wait.
    server = await asyncio.get_running_loop().create_server(make, host, port, backlog=1)
    for listening in server.sockets:
        with listening.dup() as end:
            if receive_buffer is not None:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            end.listen(BACKLOG)
    return server
