"""The default collision detector: window bank, thresholds, slow friction, one sample at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.detection.alarms import Alarm, Contact
from armtwin.detection.learning.adapt import TIME_CONSTANT, Adaptation
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.window_bank import SECONDS, ExternalTorque, WindowBank
from armtwin.detection.thresholds import Thresholds, ranking
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
    """

    contact: bool
    score: float
    joint: int = 0
    torque: float = 0.0


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
        evidence: torques over the window of 0.17 s against their thresholds, root sum of squares;
            it has no memory of alarms and ranks samples by how likely there is contact.
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
        strength = np.array([joint.limits.effort or 1.0 for joint in model.arm.driven])
        self.contact = Contact(self.bank.periods, step, thresholds.joints, strength)
        self.ratios = np.zeros((len(self.bank.periods), dof))
        self.estimate = np.zeros(dof)
        self._middle = len(self.bank.periods) // 2
        self._ranking, self.evidence = ranking(len(self.bank.periods)), 0.0
        self._dof, self._sample = dof, np.zeros(2 * dof)
        self._score = 0.0

    @property
    def alarms(self) -> list[Alarm]:
        """The contacts so far; one that still lasts ends at the newest sample."""
        return self.contact.alarms

    def step(self, time: float, q: Array, qd: Array, tau: Array) -> Reading:
        """Take a sample: joint positions, speeds and torques (dof,) at a time [s].

        Args:
            time: of the sample [s].
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            tau: measured joint torques (dof,) [Nm | N].
        """
        restarts = self.torque.restarts
        count = self.torque.step(time, q, qd, tau)
        if self.torque.restarts != restarts:
            self.bank.restart()
            self.contact.interrupt()
            self._score = 0.0
        if count:
            self._take(count, qd)
            if self.contact.step(time, self._score, self.ratios, self.bank):
                self.bank.forget()
        state = self.contact.now
        if state is None:
            return Reading(False, self._score)
        return Reading(True, self._score, state.joint, state.torque)

    def _take(self, count: int, qd: Array) -> None:
        dof, sample = self._dof, self._sample
        np.add(self.torque.x, self.adaptation.torque(qd), out=sample[:dof])
        dry = self.thresholds.dry + self.adaptation.grown
        np.multiply(dry, np.exp(-((qd / SLOW) ** 2)), out=sample[dof:])
        inertial = np.abs(self.torque.inertial)
        sample[dof:] += UNSURE * inertial + COUPLED * inertial.sum()
        for _ in range(count):
            self.bank.push(sample)
        means = self.bank.update()
        self.estimate[:] = means[self._middle, :dof]
        ranked = means[self._ranking, :dof] / self.thresholds.usual
        self.evidence = float(np.sqrt(ranked @ ranked))
        np.divide(np.abs(means[:, :dof]), self.thresholds.joints + means[:, dof:], out=self.ratios)
        ready = int(np.searchsorted(self.bank.periods, self.bank.filled, "right"))
        self.ratios[ready:] = 0.0
        both = np.sqrt((self.ratios**2).sum(axis=1)) / self.thresholds.combined
        self._score = max(float(self.ratios.max()), float(both.max()))
        if self.adaptation.active:
            self.adaptation.follow(sample[:dof], qd, 1.0 if self.contact.now else self._score)
