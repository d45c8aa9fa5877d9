"""A detector's model and thresholds, from clean runs or from the recording under test."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.detection.detection_signals import DetectionSignals, own_constants
from armtwin.detection.detector import Detector
from armtwin.detection.learning.adapt import TIME_CONSTANT
from armtwin.detection.learning.calibrate_thresholds import calibrated, least
from armtwin.detection.learning.learn import explains, is_at_rest, learn_model, require_motion
from armtwin.detection.learning.rest_levels import rest_levels
from armtwin.detection.learning.torque_constants import usual_constants
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.window_bank import lengths
from armtwin.detection.thresholds import Thresholds
from armtwin.model.arm import Arm
from armtwin.model.drive import typical_efforts


@dataclass(frozen=True, eq=False)
class DetectorCalibration:
    """A detector's model and thresholds, ready for any run of the arm.

    Attributes:
        model: the model of the arm, with learned corrections.
        thresholds: thresholds of every window and joint.
        step: time between samples for which they hold [s].
        notes: what was learned, from how much data.
    """

    model: ObserverModel
    thresholds: Thresholds
    step: float
    notes: tuple[str, ...] = ()

    def detector(self, *, adaptation: float = TIME_CONSTANT) -> Detector:
        """Return a new detector for live use."""
        return Detector(self.model, self.thresholds, self.step, adaptation=adaptation)


def self_calibrated(
    arm: Arm, run: DetectionSignals, per_hour: float, adaptation: float
) -> DetectorCalibration:
    """Return a detector learned from the recording under test, which may hold contacts.

    Args:
        arm: the arm.
        run: signals of the recording.
        per_hour: accepted false alarms per hour.
        adaptation: time constant with which friction is followed [s].
    """
    constants = own_constants(arm)
    if is_at_rest(run):
        return _standing(arm, run, per_hour)
    if explains(arm, run, constants):
        model, what = ObserverModel.plain(arm, constants), "thresholds were"
    else:
        model, what = learn_model(arm, [run], robust=True), "friction, bias and thresholds were"
    levels = calibrated(model, [run], per_hour=per_hour, adaptation=adaptation, robust=True)
    note = f"no clean recording: {what} learned from this one itself"
    return DetectorCalibration(model, levels, run.step, (note, *model.notes, *levels.notes))


def _standing(arm: Arm, run: DetectionSignals, per_hour: float) -> DetectorCalibration:
    """Return a detector for a recording in which nothing moves; motion would not be judged."""
    own, usual = own_constants(arm), usual_constants(arm)
    constants, note = (own, "") if own is not None else (usual, USUAL_NOTE)
    if run.tau is None and constants is None:
        constants, note = np.ones(arm.dof), UNKNOWN_NOTE
    model = ObserverModel.plain(arm, constants)
    rest, how = rest_levels([run], constants, per_hour, least(model), robust=True)
    if rest is None:
        require_motion([run])
    efforts = np.tile(typical_efforts(arm), (len(lengths(run.step)), 1))
    levels = Thresholds(
        efforts, np.ones(len(efforts)), efforts[0], model.dry_friction(), per_hour, rest=rest
    )
    still = "no joint moves in this recording: only standstill is judged"
    notes = (still, how, note) if run.tau is None and note else (still, how)
    return DetectorCalibration(model, levels, run.step, notes)


USUAL_NOTE = "the arm file has no torque constants: those of such joints were taken"
UNKNOWN_NOTE = (
    "torque per ampere is unknown: what is given as torque [Nm] is motor current [A]; give the arm "
    "file torque constants"
)


def with_rest_levels(
    ready: DetectorCalibration, run: DetectionSignals, per_hour: float
) -> DetectorCalibration:
    """Return the detector with levels of this recording's own standstill where it is long.

    Args:
        ready: the detector's model and thresholds.
        run: signals of the recording.
        per_hour: accepted false alarms per hour of standstill.
    """
    model = ready.model
    rest, how = rest_levels([run], model.per_ampere, per_hour, least(model), robust=True)
    if rest is None:
        return ready
    levels = dataclasses.replace(ready.thresholds, rest=rest)
    return dataclasses.replace(ready, thresholds=levels, notes=(*ready.notes, f"{how} of its own"))
