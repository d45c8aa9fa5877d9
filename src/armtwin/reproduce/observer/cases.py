"""The momentum-observer document's experiment, with models that are right and wrong.

A UR10e goes round a horizontal circle under computed torque and is pushed by 20 Nm at joint 2. The
document's model has cylinders for inertias and the wrist lengths of the older UR10; its inverse
kinematics has them, too.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.control.controller import ComputedTorque
from armtwin.control.controller_models import controller_model, cylinders, without_drives
from armtwin.detection.detect import Detection, calibrate_detector, detect
from armtwin.detection.detection_signals import detection_signals
from armtwin.detection.observers.momentum import MomentumObserver
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.motion.paths import Circle, default_centre
from armtwin.recording.recording import Recording
from armtwin.simulation.pushes import Push
from armtwin.simulation.simulate import simulate
from armtwin.simulation.typical_drives import with_real_drives
from armtwin.spatial import Array

JOINT, TORQUE = 2, 20.0
"""The document's push: joint, from 1, and torque [Nm]."""
PUSH = Push(joint=JOINT, torque=TORQUE, start=6.0, duration=0.5)
RADIUS, PERIOD, SECONDS = 0.2, 4.0, 12.0
"""Our circle [m], time of a turn and of the run [s]; the document gives none."""
GAIN, MARGIN = 25.0, 1.2
"""Gain K of the observer [1/s]; its threshold is this times the largest residual of a clean run."""
OLDER_WRIST = {4: 0.1639, 5: 0.1157, 6: 0.0922}
"""Table 2's d4, d5, d6 [m]."""
J = JOINT - 1
"""The joint, from 0."""


@dataclass(frozen=True, eq=False)
class Case:
    """One model against one plant.

    Attributes:
        name: what is right or wrong, for people.
        plant: the simulated arm.
        model: the arm that controller, planner and observer assume.
        run: the pushed run.
        residual: of the first-order observer in it (n, dof) [Nm].
        quiet: of the first-order observer in a clean run (n, dof) [Nm].
        found: contacts in the pushed run by the default detector, calibrated on the clean run.
        centre: of the circle (3,) [m].
    """

    name: str
    plant: Arm
    model: Arm
    run: Recording
    residual: Array
    quiet: Array
    found: Detection
    centre: Array

    @property
    def level(self) -> Array:
        """Thresholds of the first-order observer (dof,) [Nm]."""
        return np.asarray(MARGIN * np.abs(self.quiet).max(axis=0))

    @property
    def joint_error(self) -> float:
        """RMS of all joints' tracking errors before the push [rad]."""
        free = self.run.time < PUSH.start
        off = self.run.group("target_q")[free] - self.run.q[free]
        return float(np.sqrt((off**2).mean()))

    @property
    def tool_error(self) -> float:
        """RMS distance of the true tool from the reference circle, before the push [m]."""
        free = self.run.time < PUSH.start
        off = np.linalg.norm(self.tool - self.wanted, axis=1)[free]
        return float(np.sqrt((off**2).mean()))

    @property
    def wanted(self) -> Array:
        """Planned tool positions (n, 3) [m]: on the circle, by the planner's model."""
        from armtwin.kinematics.forward import fk

        return np.asarray(fk(self.model, self.run.group("target_q"), ignore_limits=True)[:, :3, 3])

    @property
    def tool(self) -> Array:
        """True tool positions (n, 3) [m]."""
        return np.stack([self.run[f"true_{axis}"] for axis in "xyz"], axis=1)

    @property
    def reading(self) -> float:
        """Mean residual of joint 2 over the second half of the push [Nm]."""
        half, end = PUSH.start + PUSH.duration / 2, PUSH.start + PUSH.duration
        held = (self.run.time > half) & (self.run.time <= end)
        return float(self.residual[held, J].mean())

    @property
    def at_rest(self) -> tuple[float, float]:
        """RMS and largest residual of joint 2 without any push [Nm]."""
        quiet = self.quiet[:, J]
        return float(np.sqrt((quiet**2).mean())), float(np.abs(quiet).max())

    @property
    def first_order_delay(self) -> float:
        """From the push to the residual's crossing its threshold [s]; NaN where it does not."""
        over = (np.abs(self.residual) > self.level).any(axis=1)
        acting = (self.run.time > PUSH.start) & (self.run.time <= PUSH.start + PUSH.duration)
        hits = np.flatnonzero(over & acting)
        return float(self.run.time[hits[0]] - PUSH.start) if hits.size else float("nan")

    @property
    def default_delay(self) -> float:
        """From the push to the default detector's alarm [s]; NaN without one."""
        late = [a.time - PUSH.start for a in self.found.alarms if a.time >= PUSH.start]
        return min(late) if late else float("nan")


def cases() -> tuple[Case, ...]:
    """Return the exact model, the document's, and the document's against a plant with friction."""
    arm = load("ur10e")
    wrong, rubbed = documents_model(arm), with_real_drives(arm)
    return (
        make("exact model", arm, controller_model(arm, "exact")),
        make("the document's model", arm, wrong),
        make("the document's model, plant with friction", rubbed, wrong),
    )


def documents_model(arm: Arm) -> Arm:
    """Return the arm with cylinders for inertias and the older wrist, without drives."""
    joints = [
        dataclasses.replace(joint, d=OLDER_WRIST.get(k, joint.d))
        for k, joint in enumerate(arm.joints, 1)
    ]
    return cylinders(without_drives(arm.with_(joints=tuple(joints))))


def make(name: str, plant: Arm, model: Arm) -> Case:
    """Return a case: a pushed run and a clean one, observed.

    Args:
        name: of the case, for people.
        plant: the simulated arm.
        model: the arm that controller and observer assume.
    """
    centre = default_centre(plant)
    path = Circle(radius=RADIUS, period=PERIOD, seconds=SECONDS, centre=centre)
    motion, controller = path.motion(model), ComputedTorque(model)
    run = simulate(plant, motion, controller=controller, pushes=[PUSH], seed=1)
    clean = simulate(plant, motion, controller=controller, seed=2)
    found = detect(model, run, clean=calibrate_detector(model, clean))
    return Case(
        name, plant, model, run, _residual(model, run), _residual(model, clean), found, centre
    )


def _residual(model: Arm, run: Recording) -> Array:
    data = detection_signals(model, run)
    return MomentumObserver(model, GAIN).run(data.time, data.q, data.qd, data.torque(None))
