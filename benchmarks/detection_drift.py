"""Friction that creeps up by a fifth, with and without following it.

``python -m benchmarks.detection_drift``: a plant with drives of a real UR10e and its noise goes
round the circle; its friction grows by 1 % every 20 s. Printed are the alarms and the largest score
(1 is the threshold) of every stretch. Exit status 1 when the detector that follows raises any.
"""

from __future__ import annotations

import sys

import numpy as np

import armtwin as at
from armtwin.control.controller import ComputedTorque
from armtwin.control.controller_models import controller_model
from armtwin.detection.detect import calibrate_detector
from armtwin.detection.detection_signals import DetectionSignals, detection_signals
from armtwin.detection.detector import Detector
from armtwin.simulation.typical_drives import real_sensors, with_real_drives

SECONDS = 20.0
FACTORS = tuple(1 + 0.01 * k for k in range(21))


def run(factor: float, seed: int, seconds: float = SECONDS) -> tuple[at.Arm, at.Recording]:
    """Return the model and a run whose friction is that many times the usual."""
    plant = with_real_drives(at.load("ur10e"), friction=factor)
    model = controller_model(plant, "datasheet")
    given = {"controller": ComputedTorque(model), "sensors": real_sensors(plant)}
    return model, at.simulate(plant, at.Circle(seconds=seconds), seed=seed, **given)


def watch(live: Detector, begin: float, data: DetectionSignals) -> tuple[int, float]:
    """Return the alarms and the largest score of a stretch."""
    before, largest, tau = len(live.alarms), 0.0, data.torque(None)
    for row, time in enumerate(data.time.tolist()):
        largest = max(largest, live.step(begin + time, data.q[row], data.qd[row], tau[row]).score)
    return len(live.alarms) - before, largest


def main() -> int:
    """Print what both detectors say of every stretch."""
    model, clean = run(1.0, 1, 40.0)
    ready = calibrate_detector(model, clean)
    followed, fixed = ready.detector(), ready.detector(adaptation=np.inf)
    print("friction   following: alarms, largest score   fixed: alarms, largest score")
    for k, factor in enumerate(FACTORS):
        data = detection_signals(model, run(factor, 20 + k)[1])
        begin = k * (SECONDS + 1.0)
        (a, x), (b, y) = watch(followed, begin, data), watch(fixed, begin, data)
        print(f"{100 * factor:6.0f} % {a:17d} {x:15.2f} {b:14d} {y:15.2f}")
    print(f"alarms in all: following {len(followed.alarms)}, fixed {len(fixed.alarms)}")
    return 1 if followed.alarms else 0


if __name__ == "__main__":
    sys.exit(main())
