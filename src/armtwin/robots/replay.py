"""A recording replayed as a robot, in a loop, with pause and seek."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armtwin.detection.alarms import Alarm
from armtwin.detection.detect import Detection, detect
from armtwin.errors import ArmTwinError, InputError, MissingColumnError
from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording
from armtwin.robots.robot import Robot, RobotState
from armtwin.spatial import Array

MAX_ROWS = 300_000
"""Longer recordings are replayed without detection, which would take minutes."""


class ReplayAlarms:
    """Contacts in a recording and external torques, by the time since its first row.

    Args:
        arm: the arm.
        recording: what is replayed.
        start: time of the first row that is replayed, on the recording's clock [s].

    Attributes:
        trouble: why there are no external torques, or no reliable ones: the recording is too long
            or has no torques, or the model does not fit it.
        threshold: external torques that are a contact (dof,) [Nm]; None until known.
    """

    def __init__(self, arm: Arm, recording: Recording, start: float) -> None:
        self._arm, self._recording, self._start = arm, recording, start
        self._found: Detection | None = None
        self.trouble = ""
        self.threshold: Array | None = None

    async def find(self) -> None:
        """Detect contacts in a thread."""
        if len(self._recording) > MAX_ROWS:
            self.trouble = f"more than {MAX_ROWS} rows: contacts are not detected"
            return
        try:
            found = await asyncio.to_thread(detect, self._arm, self._recording)
        except ArmTwinError as error:
            self.trouble = str(error)
            return
        self.threshold = found.thresholds.drawn
        self.trouble = found.reason
        self._found = found

    def residual(self, position: float) -> Array | None:
        """Return the external torques (dof,) [Nm] at a position in the recording [s]."""
        if self._found is None:
            return None
        row = int(np.searchsorted(self._found.time, self._start + position + 1e-9, "right")) - 1
        values = self._found.residual[max(row, 0)]
        return values if np.isfinite(values).all() else None

    def between(self, before: float, now: float) -> list[Alarm]:
        """Return the contacts that begin after ``before`` and up to ``now`` [s]."""
        if self._found is None:
            return []
        alarms = self._found.alarms
        return [self._shifted(a) for a in alarms if before < a.time - self._start <= now]

    def _shifted(self, alarm: Alarm) -> Alarm:
        return replace(alarm, time=alarm.time - self._start, end=alarm.end - self._start)


Rows = NDArray[np.intp]
PERIOD = 0.02
"""Time between two steps [s]: the app sends 50 states a second."""
RESTING = 2e-3
"""Joint speed below which the arm is at rest [rad/s | m/s]."""


class ReplayedRobot(Robot):
    """A recording that is replayed; it cannot be moved.

    Args:
        arm: the arm that was recorded.
        recording: with time stamps and joint positions.
        clock: current time [s].

    Attributes:
        times: of the rows, from 0 [s].
        duration: of one round [s].
        paused: whether it stands still.
    """

    def __init__(
        self, arm: Arm, recording: Recording, clock: Callable[[], float] = time.monotonic
    ) -> None:
        title = f"Recording of {arm.name}: {recording.origin or 'unnamed'}"
        super().__init__(arm, title, "recording", can_move=False, clock=clock)
        rows = _usable(arm, recording)
        stamps = recording.require_clock()[rows]
        self.times = stamps - stamps[0]
        self.duration, self.paused = float(self.times[-1]), False
        self._q = recording.group("q")[rows]
        self._qd = _speeds(recording, rows)
        self._tau, self._current = (_group(recording, name, rows) for name in ("tau", "current"))
        self._target = _group(recording, "target_q", rows)
        self._power = _power(recording, rows)
        self._energy = None if self._power is None else _integral(self._power, self.times)
        self._detection = ReplayAlarms(arm, recording, float(stamps[0]))
        self._position, self._played, self._stepped = 0.0, 0.0, clock()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Replay from the beginning; contacts are detected meanwhile."""
        self._stepped = self.clock()
        self._tasks = [
            asyncio.create_task(self._run()),
            asyncio.create_task(self._detection.find()),
        ]

    async def close(self) -> None:
        """Stop playing."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def move(self, q: Array, speed: float) -> None:
        """Raise NotPermittedError: a recording cannot be moved."""
        self.require_motion()

    async def follow(self, q: Array, speed: float) -> None:
        """Raise NotPermittedError: a recording cannot be moved."""
        self.require_motion()

    async def stop(self) -> None:
        """Pause."""
        self.paused = True

    @property
    def position(self) -> float:
        """Current position in the recording [s]."""
        return self._position

    def seek(self, position: float) -> None:
        """Continue from another position [s].

        Raises:
            InputError: a position outside the recording.
        """
        if not 0 <= position <= self.duration:
            raise InputError(f"the recording has 0 to {self.duration:.3f} s, got {position:g}")
        self._position = position

    def state(self) -> RobotState:
        """Return the newest row not later than now."""
        row = int(np.searchsorted(self.times, self._position + 1e-9, "right")) - 1
        qd = np.zeros(self.arm.dof) if self.paused else self._qd[row]
        moving = bool(np.abs(qd).max(initial=0.0) > RESTING)
        target = self._q[row] if self._target is None else self._target[row]
        return RobotState(
            self._played, self._q[row], qd, target, moving, "paused" if self.paused else "playing",
            tau=_row(self._tau, row), current=_row(self._current, row),
            residual=self._detection.residual(self._position),
            threshold=self._detection.threshold,
            power=_number(self._power, row), energy=_number(self._energy, row),
        )  # fmt: skip

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            now = self.clock()
            dt, self._stepped = now - self._stepped, now
            if not self.paused:
                self._advance(dt)

    def _advance(self, dt: float) -> None:
        """Replay ``dt`` more seconds and raise the alarms that begin within them."""
        before, self._played = self._position, self._played + dt
        self._position = before + dt
        for alarm in self._detection.between(before, self._position):
            start = self._played - (self._position - alarm.time)
            end = start + alarm.end - alarm.time
            self.alarms.append(replace(alarm, time=start, end=end))
        if self._position > self.duration:
            self._position = 0.0


def _usable(arm: Arm, recording: Recording) -> Rows:
    """Return the rows whose joint positions are all finite."""
    q = recording.group("q")
    if q.shape[1] != arm.dof:
        raise MissingColumnError(
            f"{recording.origin or 'the recording'} has {q.shape[1]} joints, arm {arm.name!r} has "
            f"{arm.dof}; name the arm that was recorded"
        )
    rows = np.flatnonzero(np.isfinite(q).all(axis=1))
    if rows.size < 2:
        raise InputError(
            f"{recording.origin or 'the recording'} has no two rows with all joint positions"
        )
    return rows


def _speeds(recording: Recording, rows: Rows) -> Array:
    """Return the recorded speeds (n, dof); derived ones where there are none, 0 on a lone row."""
    known = _group(recording, "qd", rows)
    if known is not None and np.isfinite(known).all():
        return known
    derived = np.nan_to_num(recording.select("q").motion().qd[rows])
    return derived if known is None else np.where(np.isfinite(known), known, derived)


def _group(recording: Recording, name: str, rows: Rows) -> Array | None:
    if not recording.has(name):
        return None
    values = recording.group(name)[rows]
    return values if np.isfinite(values).any() else None


def _power(recording: Recording, rows: Rows) -> Array | None:
    """Return the electric power [W]: recorded, or ``U I`` of the supply."""
    if recording.has("power"):
        return recording["power"][rows]
    if recording.has("voltage") and recording.has("supply_current"):
        return np.asarray(recording["voltage"][rows] * recording["supply_current"][rows])
    return None


def _integral(values: Array, times: Array) -> Array:
    from scipy.integrate import cumulative_trapezoid

    return np.asarray(cumulative_trapezoid(np.nan_to_num(values), times, initial=0.0))


def _row(values: Array | None, row: int) -> Array | None:
    return None if values is None else values[row]


def _number(values: Array | None, row: int) -> float | None:
    return None if values is None or not np.isfinite(values[row]) else float(values[row])
