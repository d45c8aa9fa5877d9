"""Running a detector over clean runs to find its thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.observe.adapt import TIME_CONSTANT
from armtwin.observe.detector import Detector
from armtwin.observe.model import ObserverModel
from armtwin.observe.signals import Signals
from armtwin.observe.thresholds import (
    PER_HOUR,
    Thresholds,
    bulk_scales,
    combined_scales,
    level,
    scales,
    usual_torques,
)
from armtwin.observe.windows import lengths
from armtwin.spatial import Array

LEAST = 1e-3
"""Part of a joint's largest torque below which nothing counts as contact."""


def calibrated(
    model: ObserverModel,
    runs: Sequence[Signals],
    *,
    per_hour: float = PER_HOUR,
    adaptation: float = TIME_CONSTANT,
    robust: bool = False,
) -> Thresholds:
    """Return the thresholds under which clean runs stay at the stated rate.

    With ``robust`` the run may hold contacts: levels come from the bulk of its samples, widened
    as a normal distribution would ask for.
    """
    step, dry = runs[0].step, model.dry_friction()
    means, allowance = _observed(model, runs, step, adaptation)
    scale = bulk_scales(means, dry) if robust else scales(means, allowance, dry)
    beyond = ((np.abs(means) - allowance) / scale).max(axis=(1, 2))
    factor, how = level(beyond, step, per_hour / 2, robust=robust)
    joints = np.maximum(factor * scale, least(model))
    ratios = np.abs(means) / (joints + allowance)
    both = combined_scales(ratios) if not robust else _bulk_combined(ratios)
    together = (np.sqrt((ratios**2).sum(axis=2)) / both).max(axis=1)
    factor, _ = level(together, step, per_hour / 2, robust=robust)
    notes = (f"thresholds for {per_hour:g} false alarms an hour: {how}",)
    usual = np.maximum(usual_torques(means), 1e-9)
    return Thresholds(joints, factor * both, usual, dry, per_hour, notes)


def least(model: ObserverModel) -> Array:
    """Return the least torque that counts as contact at each joint (dof,) [Nm]."""
    return np.array([LEAST * (joint.limits.effort or 0.0) for joint in model.arm.driven])


def _observed(
    model: ObserverModel, runs: Sequence[Signals], step: float, adaptation: float
) -> tuple[Array, Array]:
    """Return window means and allowances (n, windows, dof) of clean runs."""
    dof, count = model.arm.dof, len(lengths(step))
    open_levels = Thresholds(
        np.full((count, dof), np.inf), np.full(count, np.inf), np.ones(dof), model.dry_friction()
    )
    means, allowance = [], []
    for run in runs:
        live = Detector(model, open_levels, step, adaptation=adaptation)
        tau = np.ascontiguousarray(run.torque(model.per_ampere))
        for row, time in enumerate(run.time.tolist()):
            live.step(time, run.q[row], run.qd[row], tau[row])
            if live.bank.filled == live.bank.longest:
                means.append(live.bank.means[:, :dof].copy())
                allowance.append(live.bank.means[:, dof:].copy())
    return np.array(means), np.array(allowance)


def _bulk_combined(ratios: Array) -> Array:
    return np.asarray(2 * np.median(np.sqrt((ratios**2).sum(axis=2)), axis=0))
