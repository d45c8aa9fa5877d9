"""Collision detectors, one sample at a time: with learned thresholds, and with fixed ones.

Both compare the external torque over windows of many lengths with thresholds, and track contacts by
one rule (``alarms.Contact``).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from armtwin.detection.alarms import Alarm, Contact
from armtwin.detection.learning.adapt import TIME_CONSTANT, Adaptation
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.standstill import Standstill
from armtwin.detection.observers.window_bank import SECONDS, ExternalTorque, WindowBank
from armtwin.detection.rest_evidence import RestEvidence
from armtwin.detection.thresholds import Thresholds, ranking
from armtwin.model.drive import typical_efforts
from armtwin.spatial import Array

SLOW = 0.01
"""Speed below which a joint's dry friction may point either way [rad/s]."""
UNSURE, COUPLED = 0.01, 0.002
"""Parts of a joint's own and of all inertial torques that are allowed for.

After a push the arm moves as it never did on a clean run, and no model is exact.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """Output of the detector at a sample.

    Attributes:
        contact: whether an alarm is on.
        score: how far the evidence is, 1 at the threshold.
        joint: joint that is most likely hit, from 1; 0 without contact.
        torque: its estimated external torque [Nm], signed; 0 without contact.
        since: time of the contact's alarm [s]; NaN without contact.
    """

    contact: bool
    score: float
    joint: int = 0
    torque: float = 0.0
    since: float = nan

    @classmethod
    def of(cls, alarm: Alarm | None, score: float) -> Reading:
        """Return the reading of a contact that lasts, or of none."""
        if alarm is None:
            return cls(False, score)
        return cls(True, score, alarm.joint, alarm.torque, alarm.time)


class Detector:
    """Detect contacts sample by sample, in constant time and memory.

    Args:
        model: the arm's model.
        thresholds: largest evidence without contact.
        step: time between samples [s].
        seconds: lengths of the windows [s].
        adaptation: time constant with which friction is followed [s]; infinite for not at all.

    Attributes:
        alarms: the contacts so far.
        estimate: external torque over a middle window (dof,) [Nm].
        evidence: torques over the window of 0.17 s against their thresholds, root sum of squares,
            at rest that of ``RestEvidence``; it ranks samples by how likely there is contact.
    """

    def __init__(
        self,
        model: ObserverModel,
        thresholds: Thresholds,
        step: float,
        *,
        seconds: tuple[float, ...] = SECONDS,
        adaptation: float = TIME_CONSTANT,
    ) -> None:
        dof = model.arm.dof
        self.model, self.thresholds = model, thresholds
        self.torque = ExternalTorque(model, step)
        self.bank = WindowBank(step, 2 * dof, seconds)
        self.adaptation = Adaptation(model, step, adaptation)
        strength = typical_efforts(model.arm)
        self.contact = Contact(self.bank.periods, step, thresholds.joints, strength)
        self.ratios = np.zeros((len(self.bank.periods), dof))
        self.estimate = np.zeros(dof)
        self._middle = len(self.bank.periods) // 2
        self._ranking, self.evidence = ranking(len(self.bank.periods)), 0.0
        self._dof, self._sample = dof, np.zeros(2 * dof)
        self._score = 0.0
        self._rest = RestEvidence(Standstill(dof, step), thresholds.rest, step)
        self._resting = False

    @property
    def alarms(self) -> list[Alarm]:
        """The contacts so far; one that still lasts ends at the newest sample."""
        return self.contact.alarms

    def step(
        self,
        time: float,
        q: Array,
        qd: Array,
        tau: Array,
        *,
        target_still: bool | None = None,
    ) -> Reading:
        """Take a sample and return what it shows.

        Args:
            time: of the sample [s].
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            tau: joint torques (dof,) [Nm | N], measured.
            target_still: whether the controller's target stands; None where it is not known.
        """
        restarts = self.torque.restarts
        count = self.torque.step(time, q, qd, tau)
        if self.torque.restarts != restarts:
            self._restart()
        if count:
            self._take(count, qd)
            if self._at_rest(q, qd, tau, target_still):
                self._judge_rest(time)
            else:
                self._judge_motion(time)
        return Reading.of(self.contact.now, self._score)

    def _restart(self) -> None:
        """Start with empty windows, as after a gap."""
        self.bank.restart()
        self._rest.standstill.restart()
        self.contact.interrupt()
        self._score, self._resting = 0.0, False

    def _at_rest(self, q: Array, qd: Array, tau: Array, target_still: bool | None) -> bool:
        """Return whether the arm is at rest and is judged by the thresholds of standstill.

        A contact that began in motion is followed to its end by the thresholds of motion.
        """
        judged = self._rest.step(q, qd, tau, target_still=target_still)
        return judged and (self.contact.now is None or self._resting)

    def _judge_motion(self, time: float) -> None:
        if self._rest.standstill.waits:
            self._score = 0.0
            return
        self._resting, self.contact.limits = False, self.thresholds.joints
        if self.contact.step(time, self._score, self.ratios, self.bank):
            self.bank.forget()

    def _judge_rest(self, time: float) -> None:
        rest = self._rest
        assert rest.levels is not None
        self._resting, self.contact.limits = True, rest.levels.joints
        self._score, self.evidence = rest.score, rest.evidence
        self.estimate[:] = rest.standstill.bank.means[self._middle]
        bank = rest.standstill.bank
        if self.contact.step(time, rest.score, rest.ratios, bank, lasts=rest.in_contact):
            bank.forget()
        if rest.in_contact and rest.released():
            self.contact.finish()
            rest.release()

    def _take(self, count: int, qd: Array) -> None:
        dof, sample = self._dof, self._sample
        np.add(self.torque.x, self.adaptation.torque(qd), out=sample[:dof])
        dry = self.thresholds.dry + self.adaptation.grown
        np.multiply(dry, np.exp(-((qd / SLOW) ** 2)), out=sample[dof:])
        inertial = np.abs(self.torque.inertial)
        sample[dof:] += UNSURE * inertial + COUPLED * np.add.reduce(inertial)
        for _ in range(count):
            self.bank.push(sample)
        means = self.bank.update()
        self.estimate[:] = means[self._middle, :dof]
        ranked = means[self._ranking, :dof] / self.thresholds.usual
        self.evidence = float(np.sqrt(ranked @ ranked))
        np.divide(np.abs(means[:, :dof]), self.thresholds.joints + means[:, dof:], out=self.ratios)
        if self.bank.filled < self.bank.longest:
            ready = int(np.searchsorted(self.bank.periods, self.bank.filled, "right"))
            self.ratios[ready:] = 0.0
        squares = np.add.reduce(self.ratios * self.ratios, axis=1)
        both = np.sqrt(squares) / self.thresholds.combined
        self._score = max(float(self.ratios.max()), float(both.max()))
        if self.adaptation.active:
            self.adaptation.follow(sample[:dof], qd, 1.0 if self.contact.now else self._score)


FIXED_STEP = 0.002
"""Period to which an external torque estimate is resampled [s]: the fastest UR controllers."""
FIXED_SECONDS = tuple(length for length in SECONDS if length > 0.02)
"""Windows of a detector with fixed thresholds [s]: noise of a few samples raises no alarm."""
LONGEST_GAP = 0.1
"""A longer time between samples restarts the windows [s]."""


class FixedThresholdDetector:
    """Detects contacts in an external torque estimate without any learning from clean runs.

    For a robot of which no recording without contact exists. The estimate comes from a momentum
    observer; the thresholds must be large enough for the errors of the arm's model.

    Args:
        thresholds: external torques that are a contact (dof,) [Nm], the same for all windows.
        strength: largest torques of the joints (dof,) [Nm], by which a contact's are weighed.
    """

    def __init__(self, thresholds: Array, strength: Array) -> None:
        self.bank = WindowBank(FIXED_STEP, len(thresholds), FIXED_SECONDS)
        self._limits = np.tile(thresholds, (len(self.bank.periods), 1))
        self.contact = Contact(self.bank.periods, FIXED_STEP, self._limits, strength)
        self._time: float | None = None

    def step(self, time: float, torque: Array) -> Reading:
        """Take an external torque estimate (dof,) [Nm] at a time [s]; one with NaN is not used."""
        if not (isfinite(time) and np.isfinite(torque).all()):
            return Reading.of(self.contact.now, 0.0)
        gap = 0.0 if self._time is None else time - self._time
        if self._time is None or not 0 <= gap <= LONGEST_GAP:
            self.bank.restart()
            self.contact.interrupt()
            self._time = time
            return Reading(False, 0.0)
        periods = round(gap / FIXED_STEP)
        self._time += periods * FIXED_STEP
        for _ in range(periods):
            self.bank.push(torque)
        ratios = np.abs(self.bank.update()) / self._limits
        ratios[int(np.searchsorted(self.bank.periods, self.bank.filled, "right")) :] = 0.0
        score = float(ratios.max())
        if self.contact.step(time, score, ratios, self.bank):
            self.bank.forget()
        return Reading.of(self.contact.now, score)
