"""Arms that are pushed while they follow a circle, and what is believed of them.

A scenario is a plant, the model that controller and observers have of it, and the sensors. All of
them move on the same circle (radius 0.2 m, 4 s a lap, 500 Hz, computed torque).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

import armtwin as at
from armtwin.control.controller import ComputedTorque
from armtwin.control.controller_models import controller_model
from armtwin.identification.options import IdentifyOptions
from armtwin.model.arm import Arm, Joint
from armtwin.motion.motion import Motion
from armtwin.simulation.sensors import Sensors
from armtwin.simulation.typical_drives import real_sensors, with_real_drives
from benchmarks.planted import fourier

SCENARIOS = ("exact", "datasheet", "friction", "identified", "real", "real identified")
MEANING = {
    "exact": "the model is the plant; sensor noise",
    "datasheet": "datasheet masses, cylinders for inertias; no friction",
    "friction": "datasheet masses and inertias; plant with rotors and friction of a real UR10e",
    "identified": "same plant, model identified from 40 s of excitation",
    "real": "as friction, with the current noise of a real UR10e",
    "real identified": "as identified, with the current noise of a real UR10e",
}
WRIST = 0.25
"""Pushes on joints 4 to 6 are this part of those on joints 1 to 3: they are six times weaker."""
SPACING, FIRST = 1.2, 1.6


@dataclass(frozen=True, eq=False)
class Scenario:
    """A plant, what is believed of it, and its sensors."""

    name: str
    plant: Arm
    model: Arm
    sensors: Sensors

    def run(
        self, seconds: float, seed: int, pushes: tuple[at.Push, ...] = (), radius: float = 0.2
    ) -> at.Recording:
        """Return a run round the circle."""
        return at.simulate(
            self.plant,
            at.Circle(radius=radius, period=20 * radius, seconds=seconds),
            controller=ComputedTorque(self.model),
            sensors=self.sensors,
            pushes=pushes,
            seed=seed,
        )


def scenario(name: str) -> Scenario:
    """Return a scenario by its name."""
    arm = at.load("ur10e")
    if name == "exact":
        return Scenario(name, arm, arm, Sensors())
    if name == "datasheet":
        return Scenario(name, arm, controller_model(arm, "cylinders"), Sensors())
    plant = with_real_drives(arm)
    noisy = real_sensors(plant) if name.startswith("real") else Sensors()
    model = controller_model(plant, "datasheet")
    if name.endswith("identified"):
        model = identified(plant, noisy)
    return Scenario(name, plant, model, noisy)


def identified(plant: Arm, sensors: Sensors) -> Arm:
    """Return the plant identified from 40 s of excitation, torque constants known.

    An arm's own controller moves every joint; one with a datasheet's wrist would leave it at rest.
    """
    t, q, qd, qdd = fourier(plant, 40.0, 500.0, 4, speed=1.5, acceleration=4.0)
    motion = Motion(t, q, qd, qdd, "excitation")
    run = at.simulate(plant, motion, sensors=sensors, seed=5)
    start = plant.with_(joints=tuple(_bare(joint) for joint in plant.joints))
    unknown = ("links", "rotors", "friction", "offsets")
    options = IdentifyOptions(method=unknown, use_target=False, signal="tau")
    return at.identify(start, run, options=options).arm


def _bare(joint: Joint) -> Joint:
    assert joint.drive is not None
    drive = dataclasses.replace(joint.drive, friction=None, motor_inertia=0.0)
    return dataclasses.replace(joint, drive=drive)


def random_pushes(size: float, count: int, seed: int) -> tuple[at.Push, ...]:
    """Return pushes of a size [Nm], one after another, on random joints with random signs."""
    random = np.random.default_rng(seed)
    joints = random.permutation(np.resize(np.arange(1, 7), count)).tolist()
    signs = random.permutation(np.resize([1.0, -1.0], count)).tolist()
    pushes = []
    for k, (joint, sign) in enumerate(zip(joints, signs, strict=True)):
        torque = sign * size * (1.0 if joint <= 3 else WRIST)
        start = FIRST + SPACING * k + float(random.uniform(0, 0.2))
        duration = float(random.uniform(0.2, 0.4))
        pushes.append(at.Push(joint=int(joint), torque=torque, start=start, duration=duration))
    return tuple(pushes)


def seconds_of(count: int) -> float:
    """Return how long a run with that many pushes lasts [s], a whole number of laps."""
    return 4.0 * float(np.ceil((FIRST + SPACING * count + 1.0) / 4.0))
