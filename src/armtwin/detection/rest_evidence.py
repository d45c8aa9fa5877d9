"""Evidence of contact on a standing arm: changes of torque against their levels."""

from __future__ import annotations

from collections import deque

import numpy as np

from armtwin.detection.observers.standstill import Standstill
from armtwin.detection.thresholds import RestLevels
from armtwin.spatial import Array

CONFIRMED = 0.1
"""Time for which evidence must last where the controller's target is unknown [s].

Until then a joint that starts to move has shown it.
"""
HELD = 0.5
"""Ratio above which a joint takes part in a contact; its levels then stay as they are."""
FADED, QUIET = 0.5, 0.8
"""A contact ends below half of its largest deviation, or below 0.8 of all levels."""
RANKING = 0.026
"""Window over which samples are ranked by how likely there is contact [s].

Longer ones rank the rise of a force, where most of the ranking's errors are, behind quiet samples.
"""
STEADY = 5.0
"""Time after which a torque that does not change any more is the new level [s]."""


class RestEvidence:
    """Compare a standing arm's changes of torque with their levels, sample by sample.

    Args:
        standstill: the standing arm.
        levels: largest changes without contact; None for no judgement.
        step: time between samples [s].

    Attributes:
        ratios: deviations over their levels (windows, dof), not negative.
        score: largest ratio; above 1 is a contact.
        evidence: deviations and changes over a window of 26 ms against their usual size, each
            as root sum of squares. A change within levels that were held before is no deviation,
            but makes contact likelier.
        in_contact: whether a contact lasts.
    """

    def __init__(self, standstill: Standstill, levels: RestLevels | None, step: float) -> None:
        self.standstill, self.levels = standstill, levels
        windows, dof = standstill.bank.means.shape
        self.ratios = np.zeros((windows, dof))
        self.score = self.evidence = 0.0
        self.in_contact = False
        self._middle = windows // 2
        self._ranking = int(np.argmin(np.abs(standstill.bank.periods * step - RANKING)))
        self._scores: deque[float] = deque(maxlen=max(1, round(CONFIRMED / step)))
        self._held, self._peak, self._steady = np.zeros(dof, bool), np.zeros(dof), 0
        self._longest_steady = round(STEADY / step)

    def step(self, q: Array, qd: Array, tau: Array, *, target_still: bool | None = None) -> bool:
        """Take a sample and return whether the arm is at rest and can be judged.

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            tau: measured joint torques (dof,) [Nm | N].
            target_still: whether the controller's target stands; None where it is not known.
        """
        stand = self.standstill
        if not stand.step(q, qd, tau, target_still=target_still) or self.levels is None:
            self._stop()
            return False
        means = stand.deviations(self._held if self.in_contact else None)
        np.divide(means, self.levels.joints, out=self.ratios)
        ready = int(np.searchsorted(stand.bank.periods, stand.bank.filled, "right"))
        self.ratios[ready:] = 0.0
        starts = target_still is None and not self.in_contact and stand.starts(q, self.ratios)
        if starts:
            stand.restart()
            self._stop()
            return False
        np.abs(self.ratios, out=self.ratios)
        self._judge(confirm=target_still is None)
        usual = self.levels.usual[self._ranking]
        self.evidence = sum(
            float(np.linalg.norm(values[self._ranking] / usual))
            for values in (means, stand.changes)
        )
        return True

    def release(self) -> None:
        """End the contact; what is left of it becomes a level held without contact."""
        self.in_contact = False
        self._scores.clear()
        self.standstill.release()

    def released(self) -> bool:
        """Return whether the contact that lasts has ended, or its torque is steady for long."""
        assert self.levels is not None
        if self.score < QUIET:
            return True
        means, changes = self.standstill.bank.means, self.standstill.changes
        joint = int(np.argmax(np.abs(self._peak) / self.levels.joints[self._middle]))
        now, largest = means[self._middle, joint], self._peak[joint]
        back = -changes[:, joint] * np.sign(largest) / self.levels.joints[:, joint]
        turning = back[self._middle :].min() > 1.0
        changing = (np.abs(changes) > self.levels.joints)[:, self._held].any()
        self._steady = 0 if changing else self._steady + 1
        faded = abs(now) < FADED * abs(largest)
        return bool(faded or turning or self._steady > self._longest_steady)

    def _judge(self, *, confirm: bool) -> None:
        assert self.levels is not None
        both = np.sqrt((self.ratios**2).sum(axis=1)) / self.levels.combined
        now = max(float(self.ratios.max()), float(both.max()))
        self._scores.append(now)
        self.score = now
        if confirm and not self.in_contact:
            full = len(self._scores) == self._scores.maxlen
            self.score = min(self._scores) if full else min(now, 1.0)
        beyond = self.ratios.max(axis=0) > HELD
        if self.in_contact:
            self._held |= beyond
            peak = self.standstill.bank.means[self._middle]
            np.copyto(self._peak, peak, where=np.abs(peak) > np.abs(self._peak))
        elif self.score > 1.0:
            self.in_contact, self._steady = True, 0
            self._held[:] = beyond
            self._peak[:] = self.standstill.bank.means[self._middle]

    def _stop(self) -> None:
        self._scores.clear()
        self.score = self.evidence = 0.0
        self.in_contact = False
