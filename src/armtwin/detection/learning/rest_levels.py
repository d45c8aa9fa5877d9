"""Levels of the standing arm, learned from standstill with or without contacts.

Levels come from changes against the base level of ``observers.standstill``. The deviations that a
detector judges are never larger: earlier levels are no contact either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from armtwin.detection.detection_signals import DetectionSignals
from armtwin.detection.observers.standstill import LAG, SETTLING, SLOW, SPAN, UNPOWERED
from armtwin.detection.observers.window_bank import lengths, weights
from armtwin.detection.thresholds import RestLevels, level, scales
from armtwin.spatial import Array

MIN_SECONDS = 5.0
"""Standstill that is needed to learn its noise [s]."""
PASSES = 4
"""Passes over a run with contacts; each leaves out what the levels of the one before detect."""
FEW, WIDER = 0.25, 1.3
"""Part of the standstill that must look free of contact; first limits are widened until it is."""
MAX_SAMPLES = 20000
"""Samples that are looked at; of longer standstill every second, third, ... one."""
BULK, BULK_SCALE = 0.25, 15.7
"""Quantile of changes that contacts leave alone; times 15.7 it is 5 standard deviations."""
FREE, FREE_SCALE = 0.9, 1.824
"""The same where contacts were left out."""
NEAR = 0.15
"""Time before and after a contact's change that is left out as well [s]."""
TOGETHER = 0.7
"""Least level of all joints together, in levels of one joint."""


def rest_levels(
    runs: Sequence[DetectionSignals],
    per_ampere: Array | None,
    per_hour: float,
    least: Array,
    *,
    robust: bool = False,
) -> tuple[RestLevels | None, str]:
    """Return the levels at standstill and a processing note.

    Args:
        runs: signals of the runs.
        per_ampere: torque at each joint per ampere (dof,) [Nm/A], for runs without torques.
        per_hour: accepted false alarms per hour of standstill.
        least: least change that counts as contact (dof,) [Nm].
        robust: the runs may hold contacts in up to half of their standstill.

    Returns:
        None, and why, where the arm stands for less than 5 s.
    """
    step = runs[0].step
    parts = [part for run in runs for part in _standing(run, run.torque(per_ampere))]
    stood = sum(len(part) for part in parts) * step
    if stood < MIN_SECONDS:
        return None, (
            f"{stood:.1f} s of standstill to learn from, 5 are needed: contacts of a standing arm "
            "are judged against its dry friction"
        )
    every = max(1, round(stood / step) // MAX_SAMPLES)
    changes = np.concatenate([_changes(part, step)[::every] for part in parts])
    note = f"contacts at rest are judged by the noise of {stood:.0f} s of standstill"
    if not robust:
        none = np.zeros_like(least)
        scale = np.maximum(scales(changes, np.zeros_like(changes), none), least)
        return _levels(changes, scale, step * every, per_hour, robust=False), note
    found, left = _without_contacts(changes, step * every, per_hour, least)
    return found, f"{note}, {1 - left:.0%} of it left out as contacts or near them"


def _without_contacts(
    changes: Array, step: float, per_hour: float, least: Array
) -> tuple[RestLevels, float]:
    """Return levels of standstill with contacts, and the part of it that is free of them."""
    limits = np.maximum(BULK_SCALE * np.quantile(np.abs(changes), BULK, axis=0), least)
    near = np.ones(2 * round(NEAR / step) + 1)
    free = _free(changes, limits, near)
    while free.mean() < FEW:
        limits = limits * WIDER
        free = _free(changes, limits, near)
    for _ in range(PASSES):
        kept = changes[free]
        scale = np.maximum(FREE_SCALE * np.quantile(np.abs(kept), FREE, axis=0), least)
        found, left = _levels(kept, scale, step, per_hour, robust=True), float(free.mean())
        free = _free(changes, found.joints, near)
        if free.mean() < FEW:
            break
    return found, left


def _free(changes: Array, limits: Array, near: Array) -> NDArray[np.bool_]:
    """Return which samples (n,) are away from changes beyond limits (windows, dof) [Nm]."""
    beyond = (np.abs(changes) > limits).any(axis=(1, 2))
    return np.asarray(np.convolve(beyond, near, "same") < 0.5)


def _levels(
    changes: Array, scale: Array, step: float, per_hour: float, *, robust: bool
) -> RestLevels:
    """Return levels; half of the rate goes to single joints, half to all together."""
    ratios = np.abs(changes) / scale
    factor, _ = level(ratios.max(axis=(1, 2)), step, per_hour / 2, robust=robust)
    factor = max(factor, 1.0)
    together = np.sqrt((ratios**2).sum(axis=2)).max(axis=1) / factor
    both, _ = level(together, step, per_hour / 2, robust=robust)
    combined = np.full(len(scale), max(both, TOGETHER))
    return RestLevels(factor * scale, combined, scale)


def _standing(run: DetectionSignals, tau: Array) -> Iterator[Array]:
    """Yield external torques (n, dof) [Nm] of settled standstill, without gaps and NaN."""
    still = run.target_still
    if still is None:
        still = np.nan_to_num(np.abs(run.qd), nan=np.inf).max(axis=1) < SLOW
    whole: NDArray[np.bool_] = still & np.isfinite(np.hstack([run.q, run.qd, tau])).all(axis=1)
    held = np.abs(tau).sum(axis=1)
    whole &= held > UNPOWERED * np.median(held[whole]) if whole.any() else whole
    whole[1:] &= np.abs(np.diff(run.time) / run.step - 1) < 0.5
    edges = np.flatnonzero(np.diff(np.concatenate([[False], whole, [False]]).astype(int)))
    settling, least = round(SETTLING / run.step), round((LAG + SPAN) / run.step)
    for begin, end in edges.reshape(-1, 2).tolist():
        if end - begin > settling + 2 * least:
            yield -tau[begin + settling : end]


def _changes(y: Array, step: float) -> Array:
    """Return changes over every window from the base level (n, windows, dof) [Nm]."""
    periods = lengths(step)
    lag, span, longest = round(LAG / step), round(SPAN / step), int(periods.max())
    box = sliding_window_view(y, span, axis=0).mean(axis=-1)
    rows = sliding_window_view(y[lag + span - longest + 1 :], longest, axis=0)
    means = np.einsum("nds,ws->nwd", rows, weights(periods), optimize=True)
    return np.asarray(means - box[: len(means), None])
