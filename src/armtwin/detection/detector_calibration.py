"""A detector's model and thresholds, from clean runs or from the recording under test."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
from armtwin.detection.thresholds import RestLevels, Thresholds
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.drive import typical_efforts
from armtwin.spatial import Array


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

    def to_dict(self) -> dict[str, Any]:
        """Return all but the arm as plain values, as JSON can hold them."""
        model, levels, rest = self.model, self.thresholds, self.thresholds.rest
        names = ("joints", "combined", "usual")
        return {
            "step": self.step,
            "notes": list(self.notes),
            "theta": model.theta.tolist(),
            "smoothing": model.smoothing,
            "per_ampere": None if model.per_ampere is None else model.per_ampere.tolist(),
            "per_hour": levels.per_hour,
            **{name: getattr(levels, name).tolist() for name in (*names, "dry")},
            "rest": None if rest is None else {n: getattr(rest, n).tolist() for n in names},
        }

    @classmethod
    def from_dict(cls, arm: Arm, content: Mapping[str, Any]) -> DetectorCalibration:
        """Return the calibration of ``to_dict``, whose detector gives the same readings.

        Args:
            arm: the arm that it was learned for.
            content: what ``to_dict`` returned.

        Raises:
            InputError: something is missing, no number, or belongs to another number of joints.
        """
        try:
            return _restored(arm, content)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"no calibration of arm {arm.name!r}: {error!r}") from error


def _restored(arm: Arm, content: Mapping[str, Any]) -> DetectorCalibration:
    step, notes, dof = float(content["step"]), tuple(map(str, content["notes"])), arm.dof
    windows = len(lengths(step))
    shapes = {"joints": (windows, dof), "combined": (windows,)}
    motion = {"usual": (dof,), "dry": (dof,), **shapes}
    found, rest = _arrays(content, motion), content["rest"]
    levels = None
    if rest is not None:
        levels = RestLevels(**_arrays(rest, {"usual": (windows, dof), **shapes}))
    amperes = content["per_ampere"]
    if amperes is not None:
        amperes = _arrays(content, {"per_ampere": (dof,)})["per_ampere"]
    theta = np.array(content["theta"], float)
    model = ObserverModel(arm, theta, float(content["smoothing"]), amperes)
    joints, combined, usual, dry = (found[n] for n in ("joints", "combined", "usual", "dry"))
    rate = float(content["per_hour"])
    thresholds = Thresholds(joints, combined, usual, dry, rate, rest=levels)
    return DetectorCalibration(model, thresholds, step, notes)


def _arrays(content: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """Return arrays by name; raise ValueError where one has another shape or holds NaN."""
    found = {name: np.array(content[name], float) for name in shapes}
    for name, values in found.items():
        if values.shape != shapes[name] or np.isnan(values).any():
            raise ValueError(f"{name} has shape {values.shape}, expected {shapes[name]}, no NaN")
    return found


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
