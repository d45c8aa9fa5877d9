"""Contacts in whole recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.detection.alarms import Alarm
from armtwin.detection.detection_signals import DetectionSignals, own_constants, signals
from armtwin.detection.detector import Detector
from armtwin.detection.learning.adapt import TIME_CONSTANT
from armtwin.detection.learning.calibrate_thresholds import calibrated
from armtwin.detection.learning.learn import explains, learn_model
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.window_bank import SECONDS
from armtwin.detection.thresholds import PER_HOUR, Thresholds
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

SAME_RATE = 0.05
NOT_JUDGED = "not judged"
LEAST_USABLE, MOST_BEYOND = 0.5, 0.5
"""A run is judged where at least half of its samples are usable and half look undisturbed."""


@dataclass(frozen=True, eq=False)
class Detection:
    """What was felt in a recording.

    Attributes:
        alarms: the contacts.
        time: (n,) [s].
        score: evidence of contact (n,), 1 at the threshold; NaN where a sample was not usable.
        evidence: how likely there is contact (n,), for ranking samples; see ``Detector``.
        residual: external torques over a middle window (n, dof) [Nm].
        thresholds: the levels used.
        model: what the arm was taken to be.
        notes: what a reader should know: how thresholds were found, gaps, missing samples.
        doubt: why the recording cannot be judged; "" where it can.
    """

    alarms: tuple[Alarm, ...]
    time: Array
    score: Array
    evidence: Array
    residual: Array
    thresholds: Thresholds
    model: ObserverModel
    notes: tuple[str, ...]
    doubt: str = ""

    @property
    def verdict(self) -> str:
        """``contact``, ``no contact``, or ``not judged`` for the reason in ``doubt``."""
        if self.doubt:
            return NOT_JUDGED
        return "contact" if self.alarms else "no contact"


@dataclass(frozen=True, eq=False)
class DetectorCalibration:
    """A detector's model and thresholds, ready for any run of the arm."""

    model: ObserverModel
    thresholds: Thresholds
    step: float
    notes: tuple[str, ...] = ()

    def detector(self, *, adaptation: float = TIME_CONSTANT) -> Detector:
        """Return a fresh detector for live use."""
        return Detector(self.model, self.thresholds, self.step, adaptation=adaptation)


def calibrate(
    arm: Arm,
    clean: Recording | Sequence[Recording],
    *,
    learn: bool = True,
    per_hour: float = PER_HOUR,
    adaptation: float = TIME_CONSTANT,
) -> DetectorCalibration:
    """Return a detector's model and thresholds learned from runs without contact.

    Args:
        arm: the arm.
        clean: one or more recordings of undisturbed motion.
        learn: also learn friction, model bias and, where needed, torque constants.
        per_hour: false alarms per hour that the thresholds shall stand for.
        adaptation: time constant with which the detector will follow friction [s].

    Raises:
        MissingColumnError: neither torques nor currents.
        InputError: clean runs of several rates, too short, without a stretch free of NaN, at
            standstill, or so that the model does not explain them.
    """
    recordings = [clean] if isinstance(clean, Recording) else list(clean)
    if not recordings:
        raise InputError("give at least one clean recording")
    runs = [signals(arm, recording) for recording in recordings]
    for run in runs[1:]:
        _require_rate(run, runs[0].step, "a clean recording")
    model = learn_model(arm, runs) if learn else ObserverModel.plain(arm, own_constants(arm))
    step = runs[0].step
    levels = calibrated(model, runs, per_hour=per_hour, adaptation=adaptation)
    notes = (*model.notes, *levels.notes)
    return DetectorCalibration(model, levels, step, notes)


def detect(
    arm: Arm,
    recording: Recording,
    *,
    clean: Recording | Sequence[Recording] | DetectorCalibration | None = None,
    per_hour: float = PER_HOUR,
    adaptation: float = TIME_CONSTANT,
) -> Detection:
    """Return the contacts in a recording, the same as a live detector would raise.

    Args:
        arm: the arm.
        recording: with joint positions, speeds, and torques or motor currents.
        clean: undisturbed runs, or what was learned from them. Without them friction, bias and
            thresholds are learned from the recording itself, cutting down large errors.
        per_hour: false alarms per hour that the thresholds shall stand for.
        adaptation: time constant with which friction is followed [s]; infinite for not at all.

    Raises:
        MissingColumnError: neither torques nor currents, or no torque constants to be had.
        InputError: nothing moves, or the model does not explain what it is to learn from.
    """
    run = signals(arm, recording)
    if clean is None:
        ready = _from_itself(arm, run, per_hour, adaptation)
    elif isinstance(clean, DetectorCalibration):
        ready = clean
    else:
        ready = calibrate(arm, clean, per_hour=per_hour, adaptation=adaptation)
    return run_detector(ready, run, adaptation=adaptation)


def run_detector(
    ready: DetectorCalibration, run: DetectionSignals, *, adaptation: float = TIME_CONSTANT
) -> Detection:
    """Return what a live detector says of every sample of a run.

    Raises:
        InputError: another sampling rate than that of the clean runs.
    """
    _require_rate(run, ready.step, "the recording")
    live = ready.detector(adaptation=adaptation)
    tau = np.ascontiguousarray(run.torque(ready.model.per_ampere))
    score, evidence = np.full((2, len(run.time)), np.nan)
    residual = np.full(run.q.shape, np.nan)
    for row, time in enumerate(run.time.tolist()):
        missing = live.torque.missing
        reading = live.step(time, run.q[row], run.qd[row], tau[row])
        if live.torque.missing == missing:
            score[row], evidence[row] = reading.score, live.evidence
            residual[row] = live.estimate
    notes = (*run.notes, *ready.notes, *_troubles(live))
    return Detection(
        tuple(live.alarms),
        run.time,
        score,
        evidence,
        residual,
        ready.thresholds,
        ready.model,
        notes,
        _doubt(score, residual, ready.thresholds),
    )


def _doubt(score: Array, residual: Array, levels: Thresholds) -> str:
    """Return why a run cannot be judged: unusable samples, or a model that does not explain it."""
    usable = np.isfinite(score)
    if usable.mean() < LEAST_USABLE:
        return f"only {usable.mean():.0%} of the samples can be used; the others hold NaN"
    beyond = float((score[usable] > 1.0).mean())
    if beyond <= MOST_BEYOND:
        return ""
    rms = np.sqrt(np.mean(residual[usable] ** 2, axis=0))
    j = int(np.argmax(rms / levels.usual))
    return (
        f"the model does not explain this recording: {beyond:.0%} of its samples are beyond the "
        f"thresholds, joint {j + 1} shows {rms[j]:.3g} Nm RMS of external torque where the runs "
        f"learned from showed up to {levels.usual[j]:.3g}; payload, tool, mounting or friction "
        "differ from those runs, or something touches the arm all the time; learn from a clean "
        "recording of this set-up"
    )


def _require_rate(run: DetectionSignals, step: float, what: str) -> None:
    if abs(run.step / step - 1) > SAME_RATE:
        raise InputError(
            f"{what} has {1 / run.step:.6g} samples a second, the clean one "
            f"{1 / step:.6g}; thresholds hold for one rate only: resample one of them"
        )


def _from_itself(
    arm: Arm, run: DetectionSignals, per_hour: float, adaptation: float
) -> DetectorCalibration:
    constants = own_constants(arm)
    if explains(arm, run, constants):
        model, taken = ObserverModel.plain(arm, constants), "thresholds were"
    else:
        model, taken = learn_model(arm, [run], robust=True), "friction, bias and thresholds were"
    levels = calibrated(model, [run], per_hour=per_hour, adaptation=adaptation, robust=True)
    note = f"no clean recording: {taken} learned from this one itself"
    return DetectorCalibration(model, levels, run.step, (note, *model.notes, *levels.notes))


def _troubles(live: Detector) -> list[str]:
    torque, notes = live.torque, []
    if torque.missing:
        notes.append(f"{torque.missing} samples held NaN: no alarm was drawn from them")
    if torque.bridged:
        notes.append(f"{torque.bridged} short gaps were bridged by the mean over them")
    if torque.restarts:
        notes.append(f"{torque.restarts} longer gaps: the detector started anew after each")
    return notes


__all__ = ["SECONDS", "DetectorCalibration", "Detection", "calibrate", "detect", "run_detector"]
