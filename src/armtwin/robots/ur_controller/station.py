"""Running virtual robots: one timer for all of them, in this thread or in a separate one."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from armtwin.errors import InputError, LinkError
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.motion.joint_moves import Brake
from armtwin.robots.ur_controller.pacing import Pace, Ticker
from armtwin.robots.ur_controller.ports.event_loop import run_robots
from armtwin.robots.ur_controller.virtual_robot import VirtualRobot

T = TypeVar("T")
STOP = 10.0
"""Deceleration with which robots are stopped before they are switched off [rad/s2]."""
LONGEST_STOP = 1.0
"""Longest time to brake [s]: enough from 10 rad/s at ``STOP``; a UR3e's wrists reach 6.3 rad/s."""
LATE_BATCH = 8
"""Late cycles whose samples are sent in one piece."""
REPORT = 5.0
"""Time between two warnings about lost cycles [s]."""


class Station:
    """Robots whose control cycles run at the same pace.

    As a context manager it runs them in a separate thread:

    .. code-block:: python

        with Station([Robot(controller)]) as station:
            ...

    Args:
        robots: the robots; they share one length of the control cycle.
        realtime: run in real time; else as fast as clients read and the machine can.

    Attributes:
        pace: control cycles that ran, ran late, and were lost on a busy machine.
    """

    def __init__(self, robots: Sequence[VirtualRobot], *, realtime: bool = True) -> None:
        if not robots or len({robot.controller.dt for robot in robots}) != 1:
            raise InputError("give one or more robots with the same length of cycle")
        self.robots, self.realtime = list(robots), realtime
        self.pace = Pace()
        self._told_lost, self._told_at = 0, -REPORT
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._end: asyncio.Event | None = None
        self._opened = threading.Event()
        self._error: BaseException | None = None

    async def run(self, on_open: Callable[[], None] | None = None) -> None:
        """Open the robots and run until ``stop`` is called or the task is cancelled.

        Args:
            on_open: called once all robots listen.
        """
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        try:
            for robot in self.robots:
                await robot.open()
            self._opened.set()
            if on_open is not None:
                on_open()
            await (self._run_realtime() if self.realtime else self._run_fast())
        finally:
            self._halt()
            for robot in self.robots:
                await robot.close()

    async def _run_realtime(self) -> None:
        assert self._end is not None
        ticker = Ticker(self.robots[0].controller.dt, self._tick)
        self.pace = ticker.pace
        for robot in self.robots:
            robot.controller.pace = self.pace
        ticker.start()
        try:
            await self._end.wait()
        finally:
            ticker.stop()

    async def _run_fast(self) -> None:
        assert self._end is not None
        while not self._end.is_set():
            unread = any(s.unread for robot in self.robots for s in robot.rtde.sessions)
            if unread:
                self._serve()
                self._send()
            else:
                self._tick(1)
            await asyncio.sleep(5e-4 if unread else 0)

    def _tick(self, count: int) -> None:
        if self.pace.lost > self._told_lost:
            self.warn_of_lost_cycles(time.monotonic())
        self._serve()
        for number in range(1, count + 1):
            for robot in self.robots:
                robot.cycle()
            if number % LATE_BATCH == 0 or number == count:
                self._send()
        if count > 1:  # what clients sent in the time of late ticks does not delay them further
            self._serve(count - 1)

    def warn_of_lost_cycles(self, now: float) -> None:
        """Report to clients and terminal that the machine is too slow, once in a while."""
        if now - self._told_at < REPORT:
            return
        lost, self._told_lost = self.pace.lost - self._told_lost, self.pace.lost
        self._told_at = now
        for robot in self.robots:
            seconds = lost * robot.controller.dt
            robot.controller.say(
                f"{lost} control cycles ({seconds:.1f} s) were lost, this machine is too busy; "
                f"in all: {self.pace}",
                Level.WARNING,
            )

    def _serve(self, ticks: int = 1) -> None:
        """Work on what clients have sent, as much as fits into some ticks."""
        for robot in self.robots:
            robot.intake.refill(ticks)

    def _send(self) -> None:
        """Send clients the cycles that have run."""
        for robot in self.robots:
            robot.send()

    def _halt(self) -> None:
        """Bring every arm to rest before anything else ends."""
        for robot in self.robots:
            controller = robot.controller
            controller.stop_program()
            if not controller.idle:
                controller.begin(Brake(STOP))
            for _ in range(int(LONGEST_STOP / controller.dt)):
                if controller.idle:
                    break
                robot.cycle()
            robot.send()

    def stop(self) -> None:
        """Let ``run`` end; from any thread."""
        if self._loop is not None and self._end is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end.set)

    # In a separate thread

    def __enter__(self) -> Station:
        """Run the robots in a thread; return once they listen."""
        self._thread = threading.Thread(target=self._run_thread, name="robots", daemon=True)
        self._thread.start()
        self._opened.wait()
        if self._error is not None:
            raise self._error
        return self

    def __exit__(self, *error: object) -> None:
        """Stop the robots."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def _run_thread(self) -> None:
        try:
            run_robots(self.run())
        except BaseException as error:  # noqa: BLE001 - shown in the thread that started this one
            self._error = error
        finally:
            self._opened.set()

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in the robots' thread and return its result."""

        async def inside() -> T:
            return function(*arguments)

        return self.wait(inside())

    def wait(self, work: Coroutine[Any, Any, T], timeout: float = 30.0) -> T:
        """Run a coroutine in the robots' thread and return its result."""
        if self._loop is None:
            raise LinkError("the robots are not running")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout)
