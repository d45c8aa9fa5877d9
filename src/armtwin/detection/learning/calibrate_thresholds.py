"""Running a detector over clean runs to find its thresholds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.detection.detection_signals import DetectionSignals
from armtwin.detection.detector import Detector
from armtwin.detection.learning.adapt import TIME_CONSTANT
from armtwin.detection.learning.recurring import at_reversals, recurring
from armtwin.detection.learning.rest_levels import rest_levels
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.window_bank import SECONDS, lengths
from armtwin.detection.thresholds import (
    PER_HOUR,
    Thresholds,
    bulk_scales,
    combined_scales,
    level,
    ranking,
    scales,
    usual_torques,
)
from armtwin.errors import InputError
from armtwin.model.drive import effort_limits
from armtwin.report.numbers import counted
from armtwin.spatial import Array

MIN_TORQUE_SHARE = 1e-3
"""Part of a joint's largest torque below which nothing counts as contact."""
TOGETHER = 1.0
"""Least level of all joints together: below it friction that wanders at each would count."""
FEW = 0.3
"""Part of a run's samples that must look free of contact for the run to teach its own levels."""


@dataclass(frozen=True, eq=False)
class CleanEvidence:
    """Evidence of clean runs, from a detector without thresholds.

    Attributes:
        means: external torques over all windows (n, windows, dof) [Nm].
        allowance: what is allowed for in them (n, windows, dof) [Nm].
        states: positions and speeds (n, 2 dof).
        time: (n,) [s].
    """

    means: Array
    allowance: Array
    states: Array
    time: Array

    def where(self, rows: NDArray[np.bool_]) -> CleanEvidence:
        """Return some of the rows."""
        return CleanEvidence(
            self.means[rows], self.allowance[rows], self.states[rows], self.time[rows]
        )


def calibrated(
    model: ObserverModel,
    runs: Sequence[DetectionSignals],
    *,
    per_hour: float = PER_HOUR,
    adaptation: float = TIME_CONSTANT,
    robust: bool = False,
) -> Thresholds:
    """Return the thresholds under which clean runs stay at the stated rate.

    With ``robust`` the run may hold contacts. First levels from the bulk of its samples
    decide which of them to leave out, but for errors that recur; the levels of the rest count.

    Args:
        model: the arm's model as the observer uses it.
        runs: signals of the clean runs.
        per_hour: accepted false alarms per hour.
        adaptation: time constant with which friction is followed [s].
        robust: allow contacts in up to half of the time.
    """
    step = runs[0].step
    rest, note = rest_levels(runs, model.per_ampere, per_hour, least(model), robust=robust)
    seen = _observed(model, runs, step, adaptation)
    notes: tuple[str, ...] = (note,)
    if robust:
        first = _levels(model, seen, step, per_hour, robust=True)
        free = _away_from(_in_contact(first, seen), round(SECONDS[-1] / step))
        if free.mean() < FEW:
            return dataclasses.replace(first, notes=(*first.notes, MOSTLY_CONTACT), rest=rest)
        notes = (f"{1 - free.mean():.0%} of the samples left out as contacts or near them", note)
        seen = seen.where(free)
    found = _levels(model, seen, step, per_hour)
    return dataclasses.replace(found, notes=(*found.notes, *notes), rest=rest)


MOSTLY_CONTACT = (
    "most of the run does not look like undisturbed motion: thresholds are rough; a clean "
    "recording is needed"
)


def _levels(
    model: ObserverModel,
    seen: CleanEvidence,
    step: float,
    per_hour: float,
    *,
    robust: bool = False,
) -> Thresholds:
    """Return thresholds from window means and allowances; half of the rate goes to either kind."""
    means, allowance, dry = seen.means, seen.allowance, model.dry_friction()
    scale = bulk_scales(means, dry) if robust else scales(means, allowance, dry)
    beyond = ((np.abs(means) - allowance) / scale).max(axis=(1, 2))
    factor, how = level(beyond, step, per_hour / 2, robust=robust)
    joints = np.maximum(factor * scale, least(model))
    ratios = np.abs(means) / (joints + allowance)
    both = _bulk_combined(ratios) if robust else combined_scales(ratios)
    together = (np.sqrt((ratios**2).sum(axis=2)) / both).max(axis=1)
    factor, _ = level(together, step, per_hour / 2, robust=robust)
    notes = (f"thresholds for {counted(per_hour, 'false alarm')} an hour: {how}",)
    usual = np.maximum(usual_torques(means), 1e-9)
    combined = np.maximum(factor * both, TOGETHER)
    return Thresholds(joints, combined, usual, dry, per_hour, notes)


def _away_from(marked: NDArray[np.bool_], rows: int) -> NDArray[np.bool_]:
    """Return which samples (n,) lie more than some rows away from any that is marked.

    What a long window still holds of a contact, just below its level, would spoil the levels.
    """
    near = np.convolve(marked, np.ones(2 * rows + 1), "full")[rows : rows + marked.size]
    return np.asarray(near < 0.5)


def _in_contact(levels: Thresholds, seen: CleanEvidence) -> NDArray[np.bool_]:
    """Return which samples (n,) are beyond the levels and do not look so on every pass."""
    ratios = np.abs(seen.means) / (levels.joints + seen.allowance)
    both = np.sqrt((ratios**2).sum(axis=2)) / levels.combined
    beyond = np.maximum(ratios.max(axis=(1, 2)), both.max(axis=1)) > 1.0
    window = ranking(ratios.shape[1])
    errors = seen.means[:, window] / levels.joints[window]
    dof = ratios.shape[2]
    marked = ratios.max(axis=1) > 1.0
    only = marked & ~at_reversals(marked, seen.states[:, dof:], seen.time)
    others = only.any(axis=1) | ~marked.any(axis=1)
    return np.asarray(beyond & others & ~recurring(beyond, errors, seen.states, seen.time))


def least(model: ObserverModel) -> Array:
    """Return the least torque that counts as contact (dof,) [Nm]; 0 without an effort limit."""
    return MIN_TORQUE_SHARE * effort_limits(model.arm, missing=0.0)


def _observed(
    model: ObserverModel, runs: Sequence[DetectionSignals], step: float, adaptation: float
) -> CleanEvidence:
    """Return the evidence of clean runs without thresholds, where all windows are filled."""
    dof, count = model.arm.dof, len(lengths(step))
    open_levels = Thresholds(
        np.full((count, dof), np.inf), np.full(count, np.inf), np.ones(dof), model.dry_friction()
    )
    means, allowance, states, times, begin = [], [], [], [], 0.0
    for run in runs:
        live = Detector(model, open_levels, step, adaptation=adaptation)
        tau = np.ascontiguousarray(run.torque(model.per_ampere))
        for row, time in enumerate(run.time.tolist()):
            live.step(time, run.q[row], run.qd[row], tau[row])
            if live.bank.filled == live.bank.longest:
                means.append(live.bank.means[:, :dof].copy())
                allowance.append(live.bank.means[:, dof:].copy())
                states.append((run.q[row], run.qd[row]))
                times.append(begin + time)
        begin += float(run.time[-1]) + SECONDS[-1]
    if not means:
        raise InputError(
            f"no stretch of {SECONDS[-1]} s without gaps and NaN to learn thresholds from, in "
            f"{sum(len(run.time) for run in runs)} samples; record undisturbed motion for longer"
        )
    return CleanEvidence(
        np.array(means),
        np.array(allowance),
        np.array(states).reshape(len(times), -1),
        np.array(times),
    )


def _bulk_combined(ratios: Array) -> Array:
    return np.asarray(2 * np.median(np.sqrt((ratios**2).sum(axis=2)), axis=0))
