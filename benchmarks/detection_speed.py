"""Time of a live step: ours, and the plain momentum observer written on Pinocchio."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import armtwin as at
from armtwin.control.controller import ComputedTorque
from armtwin.control.controller_models import controller_model
from armtwin.detection.detect import calibrate_detector
from armtwin.detection.detection_signals import DetectionSignals, detection_signals
from armtwin.detection.observers.momentum import MomentumObserver
from armtwin.model.arm import Arm
from armtwin.model.formats.urdf_writer import write_urdf
from armtwin.simulation.typical_drives import real_sensors, with_real_drives
from armtwin.spatial import Array
from benchmarks.timing import Contender, nanoseconds

GAIN, STEP, ROWS = 25.0, 0.002, 500
LIMIT = 100.0
"""Longest time of a live step [us]."""


class PinocchioObserver:
    """The textbook's form: mass matrix, Coriolis matrix and gravity, Euler's integral."""

    def __init__(self, arm: Arm, gain: float) -> None:
        """Build the model from the arm's URDF."""
        import pinocchio as pin

        self.pin, self.gain = pin, gain
        self.model = pin.buildModelFromXML(write_urdf(arm))
        self.model.gravity.linear = np.array(arm.gravity)
        self.data = self.model.createData()
        self.residual = np.zeros(arm.dof)
        self.integral: Array | None = None

    def step(self, q: Array, qd: Array, tau: Array, h: float) -> Array:
        """Return the residual after one more sample."""
        pin, model, data = self.pin, self.model, self.data
        M = pin.crba(model, data, q)
        C = pin.computeCoriolisMatrix(model, data, q, qd)
        g = pin.computeGeneralizedGravity(model, data, q)
        p = M @ qd
        if self.integral is None:
            self.integral = p
        self.integral = self.integral + (tau + C.T @ qd - g + self.residual) * h
        self.residual = self.gain * (p - self.integral)
        return self.residual


def _run() -> tuple[Arm, Any, DetectionSignals]:
    plant = with_real_drives(at.load("ur10e"))
    model = controller_model(plant, "datasheet")
    given = {"controller": ComputedTorque(model), "sensors": real_sensors(plant)}
    clean = at.simulate(plant, at.Circle(seconds=12), seed=1, **given)
    return model, calibrate_detector(model, clean), detection_signals(model, clean)


def _contenders(model: Arm, ready: Any, run: DetectionSignals) -> list[Contender]:
    tau = run.torque(None)
    rows = [(run.q[k], run.qd[k], tau[k]) for k in range(1000, 1000 + ROWS)]
    live, plain = ready.detector(), MomentumObserver(model, GAIN)
    clock = [0.0]

    def default() -> None:
        for q, qd, t in rows:
            clock[0] += STEP
            live.step(clock[0], q, qd, t)

    def first_order() -> None:
        for q, qd, t in rows:
            plain.step(q, qd, t, STEP)

    found = [Contender("armtwin, default detector", default, ROWS),
             Contender("armtwin, first order", first_order, ROWS)]  # fmt: skip
    try:
        peer = PinocchioObserver(model, GAIN)
    except ImportError:
        print("Pinocchio is not installed: no comparison")
        return found

    def theirs() -> None:
        for q, qd, t in rows:
            peer.step(q, qd, t, STEP)

    return [*found, Contender("Pinocchio, first order", theirs, ROWS)]


def same_residual(model: Arm, run: DetectionSignals) -> float:
    """Return the largest difference of our first-order residual from the peer's [Nm]."""
    ours, peer = MomentumObserver(model, GAIN), PinocchioObserver(model, GAIN)
    tau, largest = run.torque(None), 0.0
    for k in range(1500):
        a = ours.step(run.q[k], run.qd[k], tau[k], STEP if k else 0.0)
        b = peer.step(run.q[k], run.qd[k], tau[k], STEP if k else 0.0)
        largest = max(largest, float(np.abs(a - b).max()))
    return largest


def main() -> list[str]:
    """Print times a step; return what is too slow."""
    model, ready, run = _run()
    contenders = _contenders(model, ready, run)
    found = nanoseconds(contenders, 30)
    print(f"\nlive step, best of 30 turns of {ROWS} samples, load {os.getloadavg()[0]:.1f}")
    for name, took in found.items():
        print(f"  {name:26s} {took / 1e3:7.2f} us")
    ours, first = (found[c.name] / 1e3 for c in contenders[:2])
    if len(contenders) > 2:
        theirs = found[contenders[2].name] / 1e3
        print(f"  Pinocchio / ours: first order {theirs / first:.2f}, default {theirs / ours:.2f}")
        print(f"  largest difference of the residuals {same_residual(model, run):.2g} Nm")
    return [f"a live step takes {ours:.0f} us"] if ours > LIMIT else []


if __name__ == "__main__":
    print("\n".join(main()))
