"""Observers under test: what each of them calls a contact, learned from the same clean run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

import armtwin as at
from armtwin.detection.detect import calibrate_detector, detect
from armtwin.detection.detection_signals import detection_signals
from armtwin.detection.observers.momentum import MomentumObserver
from armtwin.model.arm import Arm
from armtwin.spatial import Array

GAIN, MARGIN = 25.0, 1.2
SETTLING = 0.3
"""Alarms this long after a push [s] still belong to it."""


@dataclass(frozen=True)
class DetectedContact:
    """An alarm: when it was raised, and what was read at each joint [Nm]."""

    time: float
    end: float
    torques: tuple[float, ...]


class Contestant(ABC):
    """An observer that learns from a clean run and then detects contacts."""

    @abstractmethod
    def learn(self, model: Arm, clean: at.Recording) -> None:
        """Find the thresholds, and whatever else it learns."""

    @abstractmethod
    def detect_contacts(self, run: at.Recording) -> list[DetectedContact]:
        """Return the contacts of a run."""


class FirstOrder(Contestant):
    """The first-order momentum observer, K = 25, with the plain model.

    Thresholds are 1.2 times the largest residual of the clean run, joint by joint.
    """

    def learn(self, model: Arm, clean: at.Recording) -> None:
        """Take the largest residuals."""
        self.model = model
        self.limits = MARGIN * np.abs(self._residual(clean)).max(axis=0)

    def detect_contacts(self, run: at.Recording) -> list[DetectedContact]:
        """Return stretches in which a residual is beyond its threshold."""
        residual = self._residual(run)
        over = (np.abs(residual) > self.limits).any(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], over, [False]]).astype(int)))
        found = []
        for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            largest = residual[a:b][np.abs(residual[a:b]).argmax(axis=0), np.arange(6)]
            found.append(
                DetectedContact(float(run.time[a]), float(run.time[b - 1]), tuple(largest.tolist()))
            )
        return found

    def _residual(self, run: at.Recording) -> Array:
        data = detection_signals(self.model, run)
        return MomentumObserver(self.model, GAIN).run(data.time, data.q, data.qd, data.torque(None))


class Bank(Contestant):
    """The window bank, with what the clean run teaches or with the plain model."""

    def __init__(self, *, learning: bool) -> None:
        self.learning = learning

    def learn(self, model: Arm, clean: at.Recording) -> None:
        """Calibrate."""
        self.model, self.ready = model, calibrate_detector(model, clean, learn=self.learning)

    def detect_contacts(self, run: at.Recording) -> list[DetectedContact]:
        """Return the alarms."""
        alarms = detect(self.model, run, clean=self.ready).alarms
        return [DetectedContact(alarm.time, alarm.end, alarm.torques) for alarm in alarms]


CONTESTANTS = {
    "first order": FirstOrder,
    "bank, plain": lambda: Bank(learning=False),
    "default": lambda: Bank(learning=True),
}


@dataclass(frozen=True)
class Score:
    """What became of pushes of one size.

    Attributes:
        pushes: how many there were.
        delays: of those found [s].
        errors: of the torques read [Nm], joints 1 to 3 only: a wrist without rotors spins off.
        missed: joints of those not found.
        twice: pushes with more than one alarm.
        others: alarms without a push.
    """

    pushes: int
    delays: tuple[float, ...]
    errors: tuple[float, ...]
    missed: tuple[int, ...]
    twice: int
    others: int

    @property
    def rate(self) -> float:
        """Part of the pushes that was found."""
        return len(self.delays) / self.pushes


def score(contacts: list[DetectedContact], pushes: tuple[at.Push, ...]) -> Score:
    """Compare alarms with pushes; an alarm counts if it is raised while the push acts."""
    delays, errors, missed, twice, used = [], [], [], 0, set()
    for push in pushes:
        end = push.start + push.duration
        mine = [k for k, alarm in enumerate(contacts) if push.start <= alarm.time <= end + SETTLING]
        hits = [contacts[k] for k in mine if contacts[k].time <= end]
        used.update(mine)
        twice += len(mine) > 1
        if not hits:
            missed.append(push.joint)
        else:
            delays.append(hits[0].time - push.start)
            if push.joint <= 3:
                errors.append(hits[0].torques[push.joint - 1] - push.torque)
    others = len(contacts) - len(used)
    return Score(len(pushes), tuple(delays), tuple(errors), tuple(missed), twice, others)
