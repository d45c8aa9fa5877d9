"""Contacts of a kinematic arm, which has no motors that could feel them."""

from __future__ import annotations

from collections import deque
from math import exp

import numpy as np

from armtwin.detection.alarms import Alarm
from armtwin.detection.observers.momentum import GAIN
from armtwin.model.arm import Arm
from armtwin.robots.sample import Sample
from armtwin.robots.ur.monitor import Monitor, RobotAlarms
from armtwin.spatial import Array

PERIOD = 0.008
"""Time between two samples [s]: those of a UR robot in the app."""
ROUNDING = 1e-9
"""Of times [s]."""
FADED = 1e-3
"""Part of a threshold below which an estimate counts as zero."""


class SimulatedContacts:
    r"""External torques, and the alarms that a monitor raises for them.

    The estimate is that of a momentum observer of an arm whose model is exact,

    .. math:: \dot r = K (\tau_{ext} - r),

    and the monitor that of a UR robot without a calibrated detector. Samples are made up to the
    time of a call, so that alarms do not depend on how often it is called.

    Args:
        arm: the arm.
        alarms: the robot's alarms, to which new ones are added.
    """

    def __init__(self, arm: Arm, alarms: deque[Alarm]) -> None:
        self._arm = arm
        self._monitor = Monitor(arm)
        self._alarms = RobotAlarms(self._monitor, alarms)
        self._zero, self._nothing = np.zeros(arm.dof), np.full(arm.dof, np.nan)
        self._external, self._until = self._zero, 0.0
        self._estimate: Array | None = None
        self._time: float | None = None

    @property
    def threshold(self) -> Array:
        """External torques that are a contact (dof,) [Nm | N]."""
        return self._monitor.contact_torques

    def push(self, now: float, joint: int, torque: float, seconds: float) -> None:
        """Begin a push.

        Args:
            now: current time [s].
            joint: from 1.
            torque: [Nm | N].
            seconds: duration [s].
        """
        self.at(now)
        self._external = self._zero.copy()
        self._external[joint - 1] = torque
        self._until = now + seconds
        if self._time is None:
            self._time = now

    def at(self, now: float) -> Array | None:
        """Return the estimate (dof,) [Nm | N] at a time; None before the first push."""
        while self._time is not None and self._time + PERIOD <= now + ROUNDING:
            self._time += PERIOD
            self._step(self._time)
        return self._estimate

    def _step(self, time: float) -> None:
        """Take a sample; stop once nothing is left of a push."""
        external = self._external if time <= self._until + ROUNDING else self._zero
        before = self._zero if self._estimate is None else self._estimate
        self._estimate = external + exp(-GAIN * PERIOD) * (before - external)
        sample = self._sample(time, self._estimate)
        self._monitor.look(sample)
        self._alarms.update(sample, time)
        faded = (np.abs(self._estimate) < FADED * self.threshold).all()
        if time > self._until and faded and not self._monitor.in_contact:
            self._time, self._estimate = None, self._zero

    def _sample(self, time: float, estimate: Array) -> Sample:
        zero, nothing = self._zero, self._nothing
        return Sample(
            time, zero, zero, zero, nothing, zero, nothing, estimate, zero, (0.0, 0.0), 0.0, 0.0,
            7, 1,
        )  # fmt: skip
