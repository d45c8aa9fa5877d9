"""Samples of a UR controller, their age, the twin's values for them, and alarms."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque

import numpy as np

from armtwin.detection.alarms import Alarm
from armtwin.detection.detector_calibration import DetectorCalibration
from armtwin.errors import ArmTwinError, InputError
from armtwin.model.arm import Arm
from armtwin.robots.sample import Sample
from armtwin.robots.ur import live_twin as twins
from armtwin.robots.ur.monitor import Monitor, RobotAlarms
from armtwin.robots.ur.protocol.recipe import Rows
from armtwin.robots.ur.protocol.stream import Stream
from armtwin.spatial import Array

GAP = 0.04
"""A longer time between samples is a pause of the robot or of the network [s]."""
DECAY = 5.0
"""A backlog that does not shrink decays at this rate [s/s]: then the robot, or its clock, stood
still."""
RATE = 125.0
"""Samples a second that are requested: every generation of UR controllers has them."""
SILENCE = 0.5
"""Without a sample for this long the robot is lost [s]: 62 samples at 125 Hz."""
TURN, LONGEST_TURN = 0.02, 0.1
"""Time between counts of the silence, and the most that one adds [s]. Where more has passed, this
process was held up: what the robot sent meanwhile waits to be read."""
LOOK = 0.004
"""Polling period while waiting for a sample [s]: half a sample period."""
AGAIN = 1.0
"""Time before a lost connection is opened again [s]."""
MAX_EVENTS = 20
"""Newest events of the connection that are kept."""


class UrFeed:
    """Reads a controller until closed; reconnects when the connection is lost.

    Args:
        arm: the arm's model.
        host: the controller's address.
        alarms: the robot's alarms, to which new ones are added.

    Attributes:
        events: the newest errors of the connection.
        began: creation time (monotonic clock) [s]; times of alarms count from here.
        calibration: of the detector in use; None with fixed thresholds.
    """

    def __init__(self, arm: Arm, host: str, alarms: deque[Alarm]) -> None:
        self.arm, self.host = arm, host
        self.events: deque[str] = deque(maxlen=MAX_EVENTS)
        self.began, self._heard, self._silence = time.monotonic(), -np.inf, np.inf
        self._monitor, self._age = Monitor(arm), SampleAge()
        self._alarms = RobotAlarms(self._monitor, alarms)
        self.calibration: DetectorCalibration | None = None
        self._twin: twins.Twin | None = None
        self._reads = 0
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Return with the first sample; raise LinkError if no robot answers."""
        self._twin = await asyncio.to_thread(twins.Twin, self.arm, self._monitor)
        first = asyncio.Event()
        reading = asyncio.create_task(self._read(self._twin, first))
        waiting = asyncio.create_task(first.wait())
        await asyncio.wait([reading, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if reading.done():
            reading.result()
        self._tasks = [reading, asyncio.create_task(self._count_silence())]

    async def close(self) -> None:
        """Close the connection."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def sample(self) -> Sample | None:
        """The newest sample."""
        return self._twin.recent[-1] if self._twin is not None and self._twin.recent else None

    @property
    def energy(self) -> float:
        """Energy from the supply so far [J]."""
        return 0.0 if self._twin is None else self._twin.energy

    @property
    def threshold(self) -> Array:
        """External torques that are a contact (dof,) [Nm]; learned ones are those of motion."""
        ready = self.calibration
        return self._monitor.contact_torques if ready is None else ready.thresholds.drawn

    async def calibrate(self, calibration: DetectorCalibration | None) -> None:
        """Detect contacts by learned thresholds from the next sample on; None: by fixed ones.

        Raises:
            InputError: it is not started.
        """
        if self._twin is None:
            raise InputError("the robot is not connected yet; start it first")
        detector = None
        if calibration is not None:
            detector = await asyncio.to_thread(calibration.detector)
        self._twin.calibrate(calibration, detector)
        self.calibration = calibration

    @property
    def lost(self) -> bool:
        """Whether no sample has come for ``SILENCE`` in which this process could read one."""
        return self._silence > SILENCE

    @property
    def age(self) -> float:
        """Age of the newest sample [s], network delays included."""
        return self._age.at(time.monotonic())

    async def heard_after(self, moment: float, seconds: float) -> bool:
        """Wait for a sample that the controller took after a time (monotonic clock).

        What is read first may have waited in this machine since before; a second read counts.

        Args:
            moment: the sample must be newer than this, and this not later than now [s].
            seconds: longest wait [s].

        Returns:
            Whether one came; False as soon as the robot is lost.
        """
        end, counted = time.monotonic() + seconds, self._reads + 2
        while self._reads < counted or time.monotonic() - self.age < moment:
            if self.lost or time.monotonic() > end:
                return False
            await asyncio.sleep(LOOK)
        return True

    @property
    def now(self) -> float:
        """Time since creation [s]; it stops while the robot is lost."""
        return min(time.monotonic(), self._heard + SILENCE) - self.began

    async def _count_silence(self) -> None:
        """Count the time without a sample, but not that in which this process was held up."""
        before = time.monotonic()
        while True:
            await asyncio.sleep(TURN)
            now = time.monotonic()
            self._silence += min(now - before, LONGEST_TURN)
            before = now

    async def _read(self, twin: twins.Twin, first: asyncio.Event) -> None:
        """Read samples until cancelled; only the first connection may fail."""
        while True:
            stream = Stream(
                self.host, twins.FIELDS, optional=twins.OPTIONAL, rate=RATE, patience=1.0,
                persistence=float("inf"),
            )  # fmt: skip
            try:
                async with contextlib.aclosing(stream.batches()) as batches:
                    async for batch in batches:
                        self._take(twin, batch.rows, float(batch.arrivals[-1]))
                        first.set()
            except ArmTwinError as error:
                if not first.is_set():
                    raise
                self.events.append(str(error))
            await asyncio.sleep(AGAIN)

    def _take(self, twin: twins.Twin, rows: Rows, arrival: float) -> None:
        twin.add(rows)
        self._reads += 1
        self._heard, self._silence = arrival, 0.0
        self._age.add(float(rows["timestamp"][-1]), arrival)
        if twin.recent:
            self._alarms.update(twin.recent[-1], arrival - self.began)


class SampleAge:
    r"""Estimates how long samples waited in the network.

    When a network pauses, its samples arrive late and all at once. With the time between two
    arrivals :math:`\Delta a` and between the robot's own stamps :math:`\Delta s`, the newest sample
    has waited for

    .. math:: w_k = \max(0, w_{k-1} + \Delta a - \Delta s)

    where positive differences only count across a gap, and :math:`w` decays. So neither a robot
    whose clock is slow nor one that stood still makes its samples look old for long.
    """

    def __init__(self) -> None:
        self._stamp = self._arrival = self._waited = np.nan

    def add(self, stamp: float, arrival: float) -> None:
        """Add the newest sample.

        Args:
            stamp: time on the robot's clock [s].
            arrival: when it arrived [s, monotonic clock].
        """
        passed, stamped = arrival - self._arrival, stamp - self._stamp
        self._arrival, self._stamp = arrival, stamp
        if not (np.isfinite(passed) and stamped > 0):
            self._waited = 0.0
        elif passed > GAP:
            self._waited = max(0.0, self._waited + passed - stamped)
        else:
            self._waited = max(0.0, self._waited + min(passed - stamped, 0.0) - DECAY * passed)

    def at(self, now: float) -> float:
        """Return the age of the newest sample at a time [s]; infinite before the first."""
        age = now - self._arrival + self._waited
        return float(age) if np.isfinite(age) else np.inf
