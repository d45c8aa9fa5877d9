"""The record button: one recording at a time, the newest five for download."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from armtwin.app.control.ownership import NOBODY, Owner, eviction_candidate
from armtwin.app.control.session import Session
from armtwin.errors import ArmTwinError, InputError
from armtwin.extras import require
from armtwin.robots.robot import UNHEARD, Robot
from armtwin.robots.state_recorder import StateRecorder
from armtwin.robots.ur import recorder as rtde
from armtwin.robots.ur.protocol.stream import Stream
from armtwin.robots.ur.ur_robot import UrRobot

LONGEST = 600.0
"""Longest recording [s]: 300,000 rows at 500 Hz."""
MAX_FILES = 5
"""Finished recordings that are kept: they bound the disk space, at up to 300,000 rows each."""


FinishLog = Callable[[Path, Path], Awaitable[Any]]


async def _in_thread(log: Path, out: Path) -> None:
    await asyncio.to_thread(rtde.finish_log, log, out)


@dataclass(frozen=True)
class FinishedRecording:
    """A finished recording, who made it, and the title of the robot."""

    name: str
    path: Path
    rows: int
    owner: Owner = NOBODY
    robot: str = ""


class RunRecorder:
    """Records the current robot: a UR robot sample by sample, others state by state.

    Args:
        session: the running app.
        finish_log: writes a UR robot's recording, up to 300,000 rows, from its log: log, then
            Parquet file. The app does that in its worker process; else it is a thread.

    Attributes:
        finished: the newest recordings by name, oldest first.
        owner: who makes the running recording, or made the last one.
    """

    def __init__(self, session: Session, finish_log: FinishLog | None = None) -> None:
        self._session, self._finish_log = session, finish_log or _in_thread
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.finished: dict[str, FinishedRecording] = {}
        self._failure = self._unread = ""
        self.owner = NOBODY
        self._begun: float | None = None
        self._states: StateRecorder | None = None
        self._samples: rtde.Recorder | None = None
        self._out, self._title = Path(), ""
        self._tasks: list[asyncio.Task[None]] = []
        session.on_change.append(self._changed)
        session.on_close.append(self.close)

    @property
    def seconds(self) -> float | None:
        """Duration of the running recording [s]; None without one."""
        return None if self._begun is None else time.monotonic() - self._begun

    @property
    def rows(self) -> int:
        """Rows of the running recording."""
        source = self._samples or self._states
        return 0 if source is None else source.rows

    @property
    def trouble(self) -> str:
        """Why the running recording gets no samples, or the last one failed; else empty."""
        if self._begun is None:
            return self._failure
        status = self._session.robot.state().status
        reason = status if status in UNHEARD else self._unread
        return reason and f"{self._title} sends no samples now ({reason}); nothing is recorded"

    def start(self, owner: Owner = NOBODY) -> None:
        """Start recording for an owner.

        Raises:
            InputError: it is recording already.
            LinkError: the robot is not heard.
            MissingDataError: the extra ``recordings`` is not installed.
        """
        if self._begun is not None:
            raise InputError("it is recording already; stop that first")
        require("recording to a Parquet file", "pyarrow")
        robot = self._session.robot
        robot.require_heard()
        self._failure, self._unread, self.owner = "", "", owner
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")[:-4]
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="armtwin-recordings-")
        self._out = Path(self._folder.name) / f"{_plain(robot.arm.name)}_{stamp}.parquet"
        self._begun, self._title = time.monotonic(), robot.title
        if isinstance(robot, UrRobot):
            self._samples = rtde.Recorder(self._out, origin=robot.title, arm=robot.arm.name)
            self._tasks = [asyncio.create_task(self._read(robot.host, self._samples))]
        else:
            self._states = StateRecorder(robot.arm.name, robot.title)
            self._session.hub.listeners.append(self._states.add)
        self._tasks.append(asyncio.create_task(self._end_in_time()))

    async def stop(self) -> FinishedRecording:
        """End the recording and return it.

        Raises:
            InputError: it is not recording.
            RecordingError: no sample came.
        """
        if self._begun is None:
            raise InputError("it is not recording; start first")
        self._begun = None
        await self._end_tasks()
        rows, samples, states = self.rows, self._samples, self._states
        self._samples = self._states = None
        if states is not None:
            self._session.hub.listeners.remove(states.add)
            await asyncio.to_thread(states.save, self._out)
        if samples is not None:
            with samples:
                await self._finish_log(samples.close(), self._out)
        return self._keep(
            FinishedRecording(self._out.name, self._out, rows, self.owner, self._title)
        )

    def _keep(self, made: FinishedRecording) -> FinishedRecording:
        if len(self.finished) >= MAX_FILES:
            kept = self.finished.values()
            leaving = eviction_candidate(kept, lambda file: file.owner, made.owner)
            assert leaving is not None
            self.finished.pop(leaving.name).path.unlink(missing_ok=True)
        self.finished[made.name] = made
        return made

    async def _read(self, host: str, samples: rtde.Recorder) -> None:
        """Write every sample of a robot at its own rate; reconnect when the connection is lost."""
        while True:
            stream = Stream(host, rtde.FIELDS, optional=rtde.OPTIONAL, persistence=float("inf"))
            try:
                async with contextlib.aclosing(stream.batches()) as batches:
                    async for batch in batches:
                        samples.add(batch)
                        self._unread = ""
            except ArmTwinError as error:
                self._unread = str(error)
            await asyncio.sleep(1.0)

    async def _end_in_time(self) -> None:
        await asyncio.sleep(LONGEST)
        self._tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        await self._finish()

    async def _end_tasks(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _changed(self, _: Robot) -> None:
        await self._finish()

    async def _finish(self) -> None:
        """End a recording that was not stopped; keep its error in ``trouble``."""
        if self._begun is None:
            return
        try:
            await self.stop()
        except ArmTwinError as error:
            self._failure = str(error)

    async def close(self) -> None:
        """End, and delete all recordings."""
        self._begun = None
        await self._end_tasks()
        if self._samples is not None:
            with self._samples:
                pass
        if self._folder is not None:
            self._folder.cleanup()


def _plain(name: str) -> str:
    """Return a name that is valid as a file name on every system."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)[:40]
