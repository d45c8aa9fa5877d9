"""Contact thresholds of the live twin, learned from a recording of a UR robot."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from armtwin.detection.detect import calibrate_detector, run_detector
from armtwin.detection.detection_signals import detection_signals
from armtwin.detection.detector_calibration import DetectorCalibration
from armtwin.detection.learning.learn import require_motion
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.recording.read import read_recording
from armtwin.recording.recording import Recording
from armtwin.robots.ur.feed import RATE
from armtwin.robots.ur.monitor import contact_torques

USED = ("q", "qd", "tau", "current", "target_qd")
SAME_RATE = 0.05
"""Largest relative difference of the recording's rate from a multiple of the twin's."""


def learned_calibration(arm: Arm, path: Path) -> DetectorCalibration:
    """Return a detector for the live twin, learned from a recording without contact.

    Where learned friction does not explain the recording, the arm file's friction is kept and
    thresholds alone are learned, provided that they are below the fixed ones.

    Args:
        arm: the model of the recorded robot.
        path: the recording.

    Raises:
        InputError: another rate or arm, no motion, a recording that the model does not explain or
            that has contacts by its own thresholds.
        MissingColumnError: neither torques nor currents.
    """
    clean = as_streamed(read_recording(path, arm=arm))
    run = detection_signals(arm, clean)
    require_motion([run])
    try:
        ready = calibrate_detector(arm, clean)
    except InputError:
        ready = calibrate_detector(arm, clean, learn=False)
        if (ready.thresholds.drawn > contact_torques(arm)).any():
            raise
        kept = "learned friction does not explain the recording: that of the arm file was kept"
        ready = dataclasses.replace(ready, notes=(kept, *ready.notes))
    found = run_detector(ready, clean, run).alarms
    if found:
        raise InputError(
            f"the recording has contacts even by thresholds learned from it: {len(found)}, the "
            f"first after {found[0].time:.1f} s, {found[0].text}; record motion without contact"
        )
    return ready


def as_streamed(recording: Recording, rate: float = RATE) -> Recording:
    """Return the samples that a controller sends at a lower rate: every n-th, not filtered.

    Args:
        recording: a robot's samples at its own rate.
        rate: of the live twin [Hz].

    Raises:
        InputError: the recording's rate is no multiple of it.
    """
    time = recording.require_clock()
    if len(time) < 3:
        raise InputError(f"{recording.origin}: only {len(time)} samples; record for longer")
    own = 1.0 / float(np.median(np.diff(time)))
    every = max(1, round(own / rate))
    if abs(own / (every * rate) - 1) > SAME_RATE:
        raise InputError(
            f"the recording has {own:.4g} samples a second; thresholds hold for one rate, the live "
            f"twin's {rate:g}: a recording at a multiple of that is needed"
        )
    due = np.floor((time - time[0]) * rate + 0.5 / every)
    rows = np.flatnonzero(np.diff(due, prepend=-1.0) > 0)
    kept = recording.select(*(group for group in USED if recording.has(group)))
    data = {name: values[rows] for name, values in kept.data.items()}
    return dataclasses.replace(kept, time=time[rows], data=data)
