"""Ticks at an exact rate inside an asyncio loop, at little cost.

asyncio's own timers wake on whole milliseconds. On Linux a ``timerfd`` (timerfd_create(2)) wakes
the loop within some ten microseconds of the wanted time and counts the ticks that were missed;
elsewhere the loop's timers have to do.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from armtwin.robots.ur_controller.ports.event_loop import add_timer_reader

LONGEST_DEBT = 0.25
"""Ticks that are late by more than this are skipped, not repeated [s]."""
_NONBLOCKING = os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0)


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Times(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("first", _Timespec))


@dataclass
class Pace:
    """Statistics of late ticks.

    Attributes:
        ticks: ticks that were made.
        late: of those, made up for after their time.
        lost: ticks that were given up; a clock that counts ticks stood still meanwhile.
    """

    ticks: int = 0
    late: int = 0
    lost: int = 0

    @property
    def share(self) -> float:
        """Pace of a clock that counts ticks, 1 in real time."""
        due = self.ticks + self.lost
        return self.ticks / due if due else 1.0

    def __str__(self) -> str:
        """Return the counts in words."""
        return (
            f"{self.ticks} control cycles, {self.late} late, {self.lost} lost, "
            f"clock at {100 * self.share:.1f} % of real time"
        )


class Ticker:
    """Calls ``tick(count)`` every period; ``count`` ticks have become due since the last call.

    Args:
        period: time between ticks [s].
        tick: what to call, in the loop's thread.

    Attributes:
        pace: counts of ticks that were made, late and lost.
    """

    def __init__(self, period: float, tick: Callable[[int], None]) -> None:
        self.period, self._tick, self.pace = period, tick, Pace()
        self._most = max(1, int(LONGEST_DEBT / period))
        self._descriptor: int | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0

    def start(self) -> None:
        """Begin to tick."""
        loop = asyncio.get_running_loop()
        if sys.platform == "linux":
            self._descriptor = _timer(self.period)
            add_timer_reader(self._descriptor, self._on_timer)
        else:
            self._due = loop.time() + self.period
            self._timer = loop.call_at(self._due, self._on_call)

    def stop(self) -> None:
        """Tick no more."""
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
        if self._timer is not None:
            self._timer.cancel()

    def _on_timer(self) -> None:
        assert self._descriptor is not None
        try:
            count = int.from_bytes(os.read(self._descriptor, 8), sys.byteorder)
        except BlockingIOError:
            return
        self.due(count)

    def _on_call(self) -> None:
        loop = asyncio.get_running_loop()
        count = 1 + max(0, int((loop.time() - self._due) / self.period))
        self._due += count * self.period
        self._timer = loop.call_at(self._due, self._on_call)
        self.due(count)

    def due(self, count: int) -> None:
        """Make the ticks that have become due since the last call, unless too many are late."""
        if count > self._most:
            self.pace.lost += count - 1
            count = 1
        self.pace.ticks += count
        self.pace.late += count - 1
        self._tick(count)


def _timer(period: float) -> int:
    """Return a descriptor that becomes readable every period, starting one period from now."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = int(libc.timerfd_create(time.CLOCK_MONOTONIC, _NONBLOCKING))
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "timerfd_create")
    step = _Timespec(int(period), int(period % 1 * 1e9))
    times = _Times(step, step)
    if libc.timerfd_settime(descriptor, 0, ctypes.byref(times), None) < 0:
        os.close(descriptor)
        raise OSError(ctypes.get_errno(), "timerfd_settime")
    return descriptor
