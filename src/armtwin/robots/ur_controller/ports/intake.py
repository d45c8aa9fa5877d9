"""Work on what clients send, for a bounded time per control cycle.

A virtual robot serves all clients and the control cycle in one event loop. Bytes of a client are
worked on at once while time is left in the present cycle; the rest waits for the next one, and the
client is not read from until then. So one client cannot hold up the samples of the others.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import asyncio

LATER: Literal["later"] = "later"
"""Yielded by work that can go on at the next tick at the earliest."""
Step = Literal["later"] | None
"""Yielded by work in short steps; None if it can go on at once."""
BUDGET = 0.5e-3
"""Time per tick for what all clients of a robot send [s]: a quarter of a 2 ms cycle."""
MAX_DEBT = 8
"""Budgets that are paid back after a long step, or spent at once after late ticks, at most."""
SLICE = 2048
"""Bytes that are taken from one client before the next one has its turn."""
MAX_WAITING = 1 << 16
"""Bytes that may wait for one client before it is not read from [B]."""
MAX_EXPIRED = 4
"""Deadlines whose consequences are carried out in one tick."""


class Deadlines:
    """Calls functions when their time is up, a few at a tick; all wait equally long.

    Args:
        clock: returns the time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due: dict[object, tuple[float, Callable[[], None]]] = {}

    def __contains__(self, owner: object) -> bool:
        """Return whether something of that owner waits for its time."""
        return owner in self._due

    def start(self, owner: object, seconds: float, action: Callable[[], None]) -> None:
        """Call a function in so many seconds.

        Args:
            owner: whom it belongs to, for ``cancel``.
            seconds: not less than those of functions that wait already [s].
            action: the function.
        """
        self._due[owner] = (self._clock() + seconds, action)

    def cancel(self, owner: object) -> None:
        """Forget what waits for its time."""
        self._due.pop(owner, None)

    def step(self) -> None:
        """Call the functions that are due, ``MAX_EXPIRED`` at most."""
        for owner, (due, action) in [*itertools.islice(self._due.items(), MAX_EXPIRED)]:
            if due > self._clock():
                return
            self.cancel(owner)
            action()


class Intake:
    """Shares the time of a tick among the clients that have sent something.

    Args:
        budget: time per tick [s].
        clock: returns the time [s]; if not given the thread's processor time: a busy machine then
            slows this work down no more than the control cycle.

    Attributes:
        deadlines: of unfinished texts.
    """

    def __init__(
        self, budget: float = BUDGET, clock: Callable[[], float] = time.thread_time
    ) -> None:
        self.budget, self._clock, self._left = budget, clock, budget
        self._waiting: deque[Inbox] = deque()
        self._later: list[Inbox] = []
        self.deadlines = Deadlines()

    @property
    def busy(self) -> bool:
        """Whether something waits for the next tick."""
        return bool(self._waiting or self._later)

    def refill(self, ticks: int = 1) -> None:
        """Begin another tick, or several late ones, and work on what waits.

        Time used beyond a tick's is paid back. Late ticks bring their budgets with them: else
        commands would wait ever longer on a busy machine, and move the arm when they are old. What
        they do not need for what waits now lapses: else it would be spent before the next cycle,
        on top of that one's time.
        """
        gained = min(ticks, MAX_DEBT) * self.budget
        self._left = min(gained, max(self._left, -MAX_DEBT * self.budget) + gained)
        self._waiting.extend(self._later)
        self._later.clear()
        self.deadlines.step()
        self.serve()
        self._left = min(self._left, self.budget)

    def add(self, inbox: Inbox) -> None:
        """Let a client that has sent something wait for its turn."""
        self._waiting.append(inbox)

    def serve(self) -> None:
        """Work on the clients in turn, one short step each, while time is left."""
        while self._waiting and self._left > 0:
            start = self._clock()
            inbox = self._waiting.popleft()
            if inbox.step():
                (self._later if inbox.later else self._waiting).append(inbox)
            self._left -= self._clock() - start


class Inbox:
    """The bytes that one client has sent and that have not been worked on.

    Args:
        intake: the robot's intake.
        work: takes some bytes and works on them in short steps.
        transport: the client's connection; reading from it pauses while much is waiting.

    Attributes:
        later: whether the last step requested the next tick.
    """

    def __init__(
        self,
        intake: Intake,
        work: Callable[[bytes], Iterator[Step]],
        transport: asyncio.Transport,
    ) -> None:
        self._intake, self._work, self._transport = intake, work, transport
        self._chunks: deque[memoryview] = deque()
        self._running: Iterator[Step] = iter(())
        self.later = False
        self._size, self._queued, self._paused, self._closed = 0, False, False, False
        self._after: Callable[[], None] | None = None

    def feed(self, data: bytes) -> None:
        """Take bytes, and work on them now if the tick has time left."""
        if self._closed:
            return
        self._chunks.append(memoryview(data))
        self._size += len(data)
        if self._size > MAX_WAITING and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        if not self._queued:
            self._queued = True
            self._intake.add(self)
        self._intake.serve()

    def finish(self, after: Callable[[], None]) -> None:
        """Call a function once everything that has come is worked on; the client has left."""
        if self._queued:
            self._after = after
        else:
            after()

    def close(self) -> None:
        """Forget what waits; the client was dropped."""
        self._closed, self._size = True, 0
        self._chunks.clear()
        self._running = iter(())

    def step(self) -> bool:
        """Do one short step; return whether there is more to do."""
        for step in self._running:
            self.later = step == LATER
            return True
        self.later = False
        if self._chunks:
            self._running = self._work(self._next_slice())
            return True
        self._queued = False
        if self._after is not None:
            self._after()
        return False

    def _next_slice(self) -> bytes:
        """Return the next ``SLICE`` bytes, or all that there are, from one read or several."""
        parts: list[memoryview] = []
        room = SLICE
        while self._chunks and room:
            chunk = self._chunks.popleft()
            parts.append(chunk[:room])
            if chunk[room:]:
                self._chunks.appendleft(chunk[room:])
            room -= len(parts[-1])
        self._size -= SLICE - room
        if self._paused and self._size <= MAX_WAITING // 2:
            self._paused = False
            if not self._transport.is_closing():
                self._transport.resume_reading()
        return b"".join(parts)
