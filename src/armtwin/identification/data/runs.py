"""Recordings prepared for identification: zero-phase motion, signals, masks of used samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, MissingColumnError
from armtwin.identification.data.smoothing import (
    SmoothedMotion,
    bin_means,
    chosen_cutoff,
    derivative,
    motion,
)
from armtwin.identification.options import IdentifyOptions
from armtwin.kinematics.joints import warn_if_degrees
from armtwin.model.arm import Arm
from armtwin.recording.preparation.clock import is_uniform
from armtwin.recording.preparation.prepare import prepare
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

MIN_ROWS = 4
"""Equal extreme samples in a row that count as clipping; noise makes so many unlikely."""


def clipped(signal: Array) -> NDArray[np.bool_]:
    """Return the mask (n, channels) of samples at the extreme of a channel for four rows or more.

    A measured signal does not repeat its highest (or lowest) value for so long unless its range
    ends there. Constant channels are not called clipped.
    """
    hit = np.zeros(signal.shape, dtype=bool)
    for channel, values in enumerate(signal.T):
        low, high = values.min(), values.max()
        if high - low <= 1e-9 * max(abs(high), abs(low), 1e-12):
            continue
        for end in (low, high):
            hit[:, channel] |= _long_runs(values == end)
    return hit


def _long_runs(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the flags in runs of ``MIN_ROWS`` or more."""
    edges = np.diff(np.concatenate([[0], flags.astype(np.int8), [0]]))
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    kept = np.zeros(flags.size, dtype=bool)
    for start, stop in zip(starts, stops, strict=True):
        if stop - start >= MIN_ROWS:
            kept[start:stop] = True
    return kept


Rows = NDArray[np.bool_]
CHUNK = 4096
"""Rows that are processed at once; a power of two (see ``normal_equations.bin_width``)."""
FIT_RATE = 100.0
"""Samples per second that a fit needs at least: three times the highest cutoff of the motion."""


@dataclass(frozen=True)
class RunBlock:
    """One signal of a run with the motion that causes it.

    Attributes:
        kind: "current" [A] and "tau" [Nm] include friction, "target" [Nm] does not.
        motion: positions, speeds, accelerations (n, dof).
        signal: (n, dof).
        used: mask of the used samples (n, dof).
        rate: samples per second.
    """

    kind: str
    motion: SmoothedMotion
    signal: Array
    used: Rows
    rate: float

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[slice, SmoothedMotion]]:
        """Yield pieces of the motion, so that memory does not grow with the run."""
        for start in range(0, len(self.signal), size):
            rows = slice(start, start + size)
            yield rows, self.motion.rows(rows)

    def averaged(self) -> RunBlock:
        """Return the means of bins of 10 ms or less, as long as there are two rows in them.

        Motion is below ``recording.motion.MAX_CUTOFF``: a faster clock shows noise only. Bins
        with a sample that is not used are not used.
        """
        width = int(self.rate / FIT_RATE + 1e-6)
        if width < 2 or len(self.signal) < width:
            return self
        used = bin_means(self.used.astype(float), width) == 1
        signal, rate = bin_means(self.signal, width), self.rate / width
        return RunBlock(self.kind, self.motion.averaged(width), signal, used, rate)


@dataclass(frozen=True)
class IdentificationRun:
    """One recording.

    Attributes:
        name: its origin.
        rate: samples per second.
        time: (n,) [s] from zero.
        effort: motor signals.
        target: target torques.
        notes: processing notes.
        temperature: of the joints (n, dof) [degC], where recorded.
        start: first reading of the recording's own clock [s].
    """

    name: str
    rate: float
    time: Array
    effort: RunBlock | None
    target: RunBlock | None
    notes: tuple[str, ...]
    temperature: Array | None = None
    start: float = 0.0


def make_run(arm: Arm, recording: Recording, options: IdentifyOptions) -> IdentificationRun:
    """Return a recording with speeds and accelerations, low-passed without phase shift.

    Args:
        arm: the recorded arm.
        recording: joint positions and motor signals or target torques.
        options: signal, cutoff and speed of rest.

    Raises:
        MissingColumnError: no positions, or no motor signal.
        InputError: another number of joints than the arm has, or too few rows.
    """
    kind = _signal(recording, options)
    groups = ["q", kind] if kind else []
    targets = options.use_target and recording.has("target_tau")
    if targets:
        groups += [g for g in ("q", "target_q", "target_qd", "target_qdd", "target_tau")
                   if recording.has(g) and g not in groups]  # fmt: skip
    warm = recording.has("temperature") and recording.group("temperature").shape[1] == arm.dof
    selected = recording.select(*groups, *(["temperature"] if warm else []))
    even, notes = _on_even_clock(selected, recording.origin or "recording")
    for group in groups:
        if even.group(group).shape[1] != arm.dof:
            raise InputError(
                f"{recording.origin or 'recording'}: {even.group(group).shape[1]} columns of "
                f"{group}, but arm {arm.name!r} has {arm.dof} joints: is this the right arm?"
            )
    warn_if_degrees(arm, even.q)
    cutoff = options.cutoff or chosen_cutoff(even.q, even.rate)
    notes.append(
        f"speeds and accelerations: q low-passed at {cutoff:.3g} Hz without phase shift and "
        "differentiated" + ("" if recording.has("qdd") else " (no qdd is recorded)")
    )
    effort = _effort(even, kind, cutoff, options, notes) if kind else None
    target = _target(even, cutoff) if targets else None
    name = recording.origin or "recording"
    temperature = np.array(even.group("temperature")) if warm else None
    return IdentificationRun(
        name, even.rate, even.time - even.time[0], effort, target, tuple(notes), temperature,
        float(recording.time[0]),
    )  # fmt: skip


def _signal(recording: Recording, options: IdentifyOptions) -> str | None:
    """Return "current" or "tau", or None where only target torques are recorded."""
    wanted = [options.signal] if options.signal else ["current", "tau"]
    found = next((name for name in wanted if recording.has(name)), None)
    if found is None and (options.signal or not recording.has("q", "target_tau")):
        from armtwin.recording.columns.names import listed

        raise MissingColumnError(
            f"{recording.origin or 'the recording'}: identification needs joint positions and "
            f"{' or '.join(wanted)}; it has {listed(recording.columns)}; name the columns in a "
            "mapping file (see docs/recordings.md)"
        )
    return found


def _on_even_clock(recording: Recording, origin: str) -> tuple[Recording, list[str]]:
    """Return the recording on an even clock without gaps, and processing notes."""
    gappy = any(np.isnan(values).any() for values in recording.data.values())
    recording.require_clock()
    if not gappy and is_uniform(recording.time):
        return recording, []
    rate = float(np.round(recording.rate)) or recording.rate
    prepared = prepare(recording, rate=rate)
    lines = [str(step) for step in prepared.steps if step.name not in ("read", "clock")]
    return prepared.recording, [f"{origin}: put on an even clock: {'; '.join(lines)}"]


def _effort(
    even: Recording, kind: str, cutoff: float, options: IdentifyOptions, notes: list[str]
) -> RunBlock:
    moved = motion(even.q, even.rate, cutoff)
    signal = np.array(even.group(kind))
    used = np.abs(moved.qd) >= options.rest_speed
    used &= _inner(len(signal), even.rate, cutoff)[:, None]
    hit = clipped(signal)
    for joint in np.flatnonzero((hit & used).any(axis=0)):
        notes.append(
            f"{even.origin or 'recording'}: {kind}{joint + 1} is clipped at "
            f"{np.abs(signal[hit[:, joint], joint]).max():.4g} in {int(hit[:, joint].sum())} rows; "
            "they are left out"
        )
    return RunBlock(kind, moved, signal, used & ~hit, even.rate)


def _target(even: Recording, cutoff: float) -> RunBlock:
    """Return the target torques with the commanded motion."""
    if even.has("target_q", "target_qd", "target_qdd"):
        moved = SmoothedMotion(
            even.group("target_q"), even.group("target_qd"), even.group("target_qdd")
        )
    elif even.has("target_q", "target_qd"):
        qd = even.group("target_qd")
        moved = SmoothedMotion(even.group("target_q"), qd, derivative(qd, even.rate))
    else:
        moved = motion(even.group("target_q" if even.has("target_q") else "q"), even.rate, cutoff)
    signal = np.array(even.group("target_tau"))
    inner = _inner(len(signal), even.rate, cutoff)
    return RunBlock(
        "target", moved, signal, np.repeat(inner[:, None], signal.shape[1], axis=1), even.rate
    )


def _inner(rows: int, rate: float, cutoff: float) -> Rows:
    """Return which rows lie a filter's length away from both ends."""
    edge = int(np.ceil(rate / cutoff))
    index = np.arange(rows)
    return np.asarray((index >= edge) & (index < rows - edge))


def blocks(runs: Sequence[IdentificationRun], which: str) -> list[RunBlock]:
    """Return the runs' "effort" or "target" blocks to fit, those that have one."""
    found = [getattr(run, which) for run in runs]
    return [block.averaged() for block in found if block is not None]
