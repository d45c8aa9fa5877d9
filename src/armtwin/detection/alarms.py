"""Alarms: contacts followed from sample to sample."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armtwin.detection.observers.window_bank import WindowBank
from armtwin.spatial import Array

RELEASE = 0.5
"""A contact ends when its torque falls below this share of its largest value."""
STRONGER, CLEARLY = 1.5, 2.0
"""What a short window shows beyond 1.5 times the longest one, by 2 thresholds, is a new contact."""
QUIET = 0.8
"""Part of the thresholds below which all evidence must fall to end a contact that grew weak."""
TOGETHER = 0.25
"""Contacts that follow each other within this time [s], the longest window, are one."""


class Contact:
    """Track contacts from sample to sample and keep the alarms.

    Args:
        periods: lengths of the windows in samples (windows,).
        step: time between samples [s].
        limits: thresholds of every window and joint (windows, dof) [Nm].
        strength: largest torques of the joints (dof,) [Nm], by which a contact's are weighed.

    Attributes:
        alarms: the contacts so far.
        now: the contact that lasts.
        limits: thresholds in use; others while the arm stands.
    """

    def __init__(self, periods: Array, step: float, limits: Array, strength: Array) -> None:
        self.alarms: list[Alarm] = []
        self.now: Alarm | None = None
        self._periods, self._step, self.limits = periods, step, limits
        self._weight = 1 / strength
        self._strength = 0.0
        self._middle = len(periods) // 2
        self._mean, self._count = np.zeros(limits.shape[1]), 0
        self._begin = self._held = 0.0
        self._first = 0

    def step(
        self,
        time: float,
        score: float,
        ratios: Array,
        bank: WindowBank,
        *,
        lasts: bool = False,
    ) -> bool:
        """Take a sample's evidence; return True if earlier samples must be forgotten.

        Args:
            time: of the sample [s].
            score: largest ratio of evidence to threshold; above 1 is a contact.
            ratios: torque over threshold of every window and joint (windows, dof).
            bank: means of the external torque over all windows.
            lasts: whether a contact that has begun is known to last.
        """
        if self.now is None:
            if score > 1.0:
                self._start(time, ratios, bank)
            return False
        if self._outgrown(time, ratios, bank):
            self._begin_anew(time, ratios, bank)
            return True
        self._follow(time, ratios, bank)
        window = self._watching()
        if lasts or not self._released(time, score, ratios, bank, window):
            return False
        end = time - float(self._periods[window]) * self._step / 2
        self._keep(replace(self.now, end=max(end, self.now.time)))
        self.now = None
        return True

    def _released(
        self, time: float, score: float, ratios: Array, bank: WindowBank, window: int
    ) -> bool:
        """Return whether there is no evidence left, or little over a window within the contact."""
        assert self.now is not None
        if bank.filled < self._periods[window]:
            return False
        if score < QUIET:
            return True
        inside = self._inside(time, bank) >= self._periods[window]
        weak = abs(bank.means[window, self.now.joint - 1]) < RELEASE * abs(self.now.torque)
        return bool(inside and weak and ratios[: window + 1].max() < 1.0)

    def _inside(self, time: float, bank: WindowBank) -> float:
        """Return how many samples lie within the contact."""
        return min((time - self._begin) / self._step + 0.5, bank.filled)

    def _outgrown(self, time: float, ratios: Array, bank: WindowBank) -> bool:
        """Return whether something far stronger has begun on top of a long contact.

        The window that shows it and all shorter ones must still show the old contact, or have lost
        it long ago: the effect of a release on other joints is no new contact.
        """
        assert self.now is not None
        if time - self._begin <= (bank.longest + 1) * self._step or bank.filled < bank.longest:
            return False
        means, short = np.abs(bank.means[:, : ratios.shape[1]]), slice(0, self._middle)
        shown = means[short, self.now.joint - 1] > RELEASE * abs(self.now.torque)
        held = np.logical_and.accumulate(shown)
        if held[0]:
            self._held = time
        settled = time - self._held > bank.longest * self._step
        growth = means[short] - STRONGER * means[-1]
        grown = (growth * ratios[short] > CLEARLY * means[short]).any(axis=1)
        return bool((grown & (held | settled)).any())

    def _begin_anew(self, time: float, ratios: Array, bank: WindowBank) -> None:
        """End the contact so far and start another that was raised on top of it."""
        assert self.now is not None
        self._keep(replace(self.now, end=time))
        self._start(time, ratios[: self._middle], bank, on_top=True)

    def finish(self) -> None:
        """End the contact at the newest sample."""
        self.now = None

    def interrupt(self) -> None:
        """End a contact where the samples break off."""
        self.now = None

    def _start(self, time: float, ratios: Array, bank: WindowBank, *, on_top: bool = False) -> None:
        crossing = (ratios > 1.0).any(axis=1)
        first = int(crossing.argmax()) if crossing.any() else int(ratios.max(axis=1).argmax())
        self._first = first
        self._begin = time - float(self._periods[first]) * self._step
        self._held = time
        joint = self._hit(ratios[first], bank.means[first])
        dof = ratios.shape[1]
        torques = tuple(bank.means[first, :dof].tolist())
        last = self.alarms[-1] if self.alarms else None
        self.now = Alarm(time, joint + 1, torques[joint], time, joint + 1, torques)
        if not on_top and last is not None and time - last.end < TOGETHER:
            self.now = replace(last, end=time)
        else:
            self._strength, self._count = 0.0, 0
            self._mean[:] = 0.0
            self.alarms.append(self.now)
        self._follow(time, ratios, bank)

    def _follow(self, time: float, ratios: Array, bank: WindowBank) -> None:
        """Update the alarm from the longest window within the contact, up to the middle one.

        Until that one fits in, the strongest estimate counts, from then on the mean of its own.
        """
        assert self.now is not None
        fits = int(np.searchsorted(self._periods, self._inside(time, bank), "right")) - 1
        window = max(0, min(fits, self._middle))
        torques = bank.means[window, : ratios.shape[1]]
        joint = self._hit(ratios[window], torques)
        if window >= self._middle:
            if self._count and self._faded(torques):
                self._keep(replace(self.now, end=time))
                return
            self._count += 1
            self._mean += (torques - self._mean) / self._count
            torques, joint = self._mean, self._hit_so_far(joint, ratios[window, joint])
        elif ratios[window, joint] <= self._strength:
            self._keep(replace(self.now, end=time))
            return
        self._strength = max(self._strength, float(ratios[window, joint]))
        shown = np.flatnonzero(ratios[window] > 1.0)
        outermost = int(shown[-1]) + 1 if shown.size else self.now.link
        values = tuple(torques.tolist())
        self._keep(
            replace(
                self.now, joint=joint + 1, torque=values[joint], end=time,
                link=max(outermost, joint + 1), torques=values,
            )
        )  # fmt: skip

    def _faded(self, torques: Array) -> bool:
        """Return whether the torque has fallen too far to update the alarm."""
        assert self.now is not None
        return bool(abs(torques[self.now.joint - 1]) < RELEASE * abs(self.now.torque))

    def _hit_so_far(self, joint: int, ratio: float) -> int:
        """Return the joint of the strongest evidence since the contact began."""
        assert self.now is not None
        return joint if ratio > self._strength else self.now.joint - 1

    def _hit(self, ratios: Array, means: Array) -> int:
        """Return the joint, of those beyond their thresholds, with the largest part of its torque.

        Where none is beyond, only all together, it is the one nearest to its threshold.
        """
        if not (ratios > 1.0).any():
            return int(ratios.argmax())
        parts = np.abs(means[: ratios.size]) * self._weight
        return int(np.where(ratios > 1.0, parts, -1.0).argmax())

    def _keep(self, alarm: Alarm) -> None:
        self.now = self.alarms[-1] = alarm

    def _watching(self) -> int:
        """Return the shortest window whose threshold is below half of the contact's torque."""
        assert self.now is not None
        enough = self.limits[:, self.now.joint - 1] < RELEASE * abs(self.now.torque)
        return int(enough.argmax()) if enough.any() else self._first


@dataclass(frozen=True)
class Alarm:
    """A contact.

    Attributes:
        time: when the alarm was raised [s].
        joint: joint that is most likely hit, from 1.
        torque: its estimated external torque [Nm], signed.
        end: when the contact ended [s]; the newest sample while it lasts.
        link: the outermost link whose joint shows the contact, from 1.
        torques: estimated external torques of all joints [Nm].
    """

    time: float
    joint: int
    torque: float
    end: float
    link: int
    torques: tuple[float, ...]
    kind: str = "contact"
    """``contact``, or another report of a robot: ``stop``, ``pose``, ``warm``, ``nonsense``."""
    note: str = ""
    """Text of an alarm that is no contact."""
    lasting: bool = False
    """Whether a robot's contact still lasts."""

    @property
    def text(self) -> str:
        """One line of text."""
        return self.note or f"{self.torque:.1f} Nm at joint {self.joint}"
