"""Detection of contacts in whole recordings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from armtwin.detection.detection_signals import DetectionSignals, detection_signals, own_constants
from armtwin.detection.detector import Detector
from armtwin.detection.detector_calibration import (
    DetectorCalibration,
    self_calibrated,
    with_rest_levels,
)
from armtwin.detection.learning.adapt import TIME_CONSTANT
from armtwin.detection.learning.calibrate_thresholds import calibrated
from armtwin.detection.learning.learn import learn_model
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.window_bank import SECONDS, lengths
from armtwin.detection.options import DetectOptions
from armtwin.detection.result import Detection
from armtwin.detection.thresholds import PER_HOUR, Thresholds
from armtwin.errors import InputError
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.options import choose_options
from armtwin.progress import OnProgress, report_step
from armtwin.recording.read import RecordingLike, as_recording
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

REPORT_ROWS = 1000
"""Samples between two reports of progress, about 50 ms of work."""
SAME_RATE = 0.05
"""Largest relative difference of two sampling rates that count as the same."""
FEWEST_WINDOWS = 2
"""A growing contact is distinguished from a lasting one by comparing a short and a long window."""
MIN_USABLE, MAX_BEYOND = 0.5, 0.5
"""A run is judged where at least half of its samples are usable and half look undisturbed."""


def calibrate_detector(
    arm: ArmLike,
    clean: RecordingLike | Sequence[RecordingLike],
    *,
    learn: bool = True,
    per_hour: float = PER_HOUR,
    adaptation: float = TIME_CONSTANT,
    on_progress: OnProgress | None = None,
) -> DetectorCalibration:
    """Return a detector's model and thresholds learned from runs without contact.

    Args:
        arm: the arm, its catalogue name or its file.
        clean: one or more recordings of undisturbed motion, or their files.
        learn: also learn friction, model bias and, where needed, torque constants.
        per_hour: false alarms per hour that the thresholds stand for.
        adaptation: time constant with which the detector will follow friction [s].
        on_progress: called before each step; raise from it to cancel.

    Raises:
        MissingColumnError: neither torques nor currents.
        InputError: clean runs of several rates, too short, sampled too slowly, without a stretch
            free of NaN, at standstill, without measured torques, or not explained by the model.
    """
    arm = as_arm(arm)
    given = [clean] if isinstance(clean, Recording | str | Path) else list(clean)
    if not given:
        raise InputError("give at least one clean recording")
    report_step(on_progress, "reading the clean recordings", 0.0)
    runs = [detection_signals(arm, recording) for recording in given]
    _require_windows(runs[0])
    for run in runs[1:]:
        _require_rate(run, runs[0].step, "a clean recording")
    report_step(on_progress, "learning friction and bias", 0.2)
    model = learn_model(arm, runs) if learn else ObserverModel.plain(arm, own_constants(arm))
    report_step(on_progress, "learning thresholds", 0.6)
    levels = calibrated(model, runs, per_hour=per_hour, adaptation=adaptation)
    return DetectorCalibration(model, levels, runs[0].step, (*model.notes, *levels.notes))


def detect(
    arm: ArmLike,
    recording: RecordingLike,
    *,
    clean: RecordingLike | Sequence[RecordingLike] | DetectorCalibration | None = None,
    options: DetectOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: object,
) -> Detection:
    """Detect contacts in a recording, with the same alarms as a live detector.

    Args:
        arm: the arm, its catalogue name or its file.
        recording: joint positions, speeds, and torques or motor currents; or its file.
        clean: undisturbed runs, their files, or what was learned from them. Without them friction,
            bias and thresholds are learned from the recording itself, with outliers cut down.
        options: how to detect; or give its fields as keywords (``per_hour=0.1``).
        on_progress: called with every step; raise from it to cancel.
        **choices: fields of ``DetectOptions``.

    Raises:
        MissingColumnError: neither torques nor currents, or no torque constants to be had.
        InputError: sampled too slowly, nothing moves, nothing was measured, or the model does not
            explain what it is to learn from.
    """
    chosen = choose_options(DetectOptions, options, choices)
    per_hour, adaptation = chosen.per_hour, chosen.time_constant
    arm = as_arm(arm)
    report_step(on_progress, "reading the recording", 0.0)
    recording = as_recording(recording, arm)
    run = detection_signals(arm, recording)
    _require_windows(run)
    report_step(on_progress, "learning friction, bias and thresholds")
    if clean is None:
        ready = self_calibrated(arm, run, per_hour, adaptation)
    elif isinstance(clean, DetectorCalibration):
        ready = with_rest_levels(clean, run, per_hour)
    else:
        ready = calibrate_detector(arm, clean, per_hour=per_hour, adaptation=adaptation)
        ready = with_rest_levels(ready, run, per_hour)
    return run_detector(ready, recording, run, adaptation=adaptation, on_progress=on_progress)


def run_detector(
    ready: DetectorCalibration,
    recording: Recording,
    run: DetectionSignals,
    *,
    adaptation: float = TIME_CONSTANT,
    on_progress: OnProgress | None = None,
) -> Detection:
    """Run a live detector over every sample of a recording.

    Args:
        ready: the detector's model and thresholds.
        recording: the recording.
        run: its signals.
        adaptation: time constant with which friction is followed [s].
        on_progress: called every 1000 samples; raise from it to cancel.

    Raises:
        InputError: another sampling rate than that of the clean runs.
    """
    _require_rate(run, ready.step, "the recording")
    live = ready.detector(adaptation=adaptation)
    tau = np.ascontiguousarray(run.torque(ready.model.per_ampere))
    score, evidence = np.full((2, len(run.time)), np.nan)
    residual = np.full(run.q.shape, np.nan)
    for row, time in enumerate(run.time.tolist()):
        if row % REPORT_ROWS == 0:
            report_step(on_progress, "detecting contacts", row / len(run.time))
        missing = live.torque.missing
        reading = live.step(
            time, run.q[row], run.qd[row], tau[row], target_still=run.target_still_at(row)
        )
        if live.torque.missing == missing:
            score[row], evidence[row] = reading.score, live.evidence
            residual[row] = live.estimate
    return Detection(
        recording=recording,
        alarms=tuple(live.alarms),
        time=run.time,
        score=score,
        evidence=evidence,
        residual=residual,
        thresholds=ready.thresholds,
        model=ready.model,
        notes=(*run.notes, *ready.notes, *_sampling_notes(live)),
        reason=_reason_not_judged(score, residual, ready.thresholds),
    )


def _reason_not_judged(score: Array, residual: Array, levels: Thresholds) -> str:
    """Return why a run cannot be judged: unusable samples, or a model that does not explain it."""
    usable = np.isfinite(score)
    if usable.mean() < MIN_USABLE:
        return f"only {usable.mean():.0%} of the samples can be used; the others hold NaN"
    beyond = float((score[usable] > 1.0).mean())
    if beyond <= MAX_BEYOND:
        return ""
    rms = np.sqrt(np.mean(residual[usable] ** 2, axis=0))
    j = int(np.argmax(rms / levels.usual))
    return (
        f"the model does not explain this recording: {beyond:.0%} of its samples are beyond the "
        f"thresholds, joint {j + 1} shows {rms[j]:.3g} Nm RMS of external torque where the runs "
        f"learned from showed up to {levels.usual[j]:.3g}; payload, tool, mounting or friction "
        "differ from those runs, or something is in contact with the arm all the time; learn from "
        "a clean recording of this set-up"
    )


def _require_windows(run: DetectionSignals) -> None:
    """Raise InputError where samples are so far apart that all windows have the same length."""
    if len(lengths(run.step)) < FEWEST_WINDOWS:
        raise InputError(
            f"the recording has {1 / run.step:.3g} samples a second; windows of up to "
            f"{SECONDS[-1]:g} s need {1.5 / SECONDS[-1]:g} or more: record at a higher rate"
        )


def _require_rate(run: DetectionSignals, step: float, what: str) -> None:
    if abs(run.step / step - 1) > SAME_RATE:
        raise InputError(
            f"{what} has {1 / run.step:.6g} samples a second, the clean one "
            f"{1 / step:.6g}; thresholds hold for one rate only: resample one of them"
        )


def _sampling_notes(live: Detector) -> list[str]:
    torque, notes = live.torque, []
    if torque.missing:
        notes.append(f"{torque.missing} samples held NaN: no alarm was drawn from them")
    if torque.bridged:
        notes.append(f"{torque.bridged} short gaps were bridged by the mean over them")
    if torque.restarts:
        notes.append(f"{torque.restarts} longer gaps: the detector restarted after each")
    return notes


__all__ = [
    "SECONDS",
    "DetectorCalibration",
    "Detection",
    "calibrate_detector",
    "detect",
    "run_detector",
]
