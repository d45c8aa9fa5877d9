"""The product in one run: an arm follows a circle, is pushed, and its twin notices and proves it.

No arm is at hand, so one is made up that the twin does not know: the catalogue's UR10e with the
rotors, friction and noise of real ones, and lengths and zero positions off as a factory leaves
them. The twin is the catalogue's arm; it learns friction from one undisturbed run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.control.controller import ComputedTorque
from armtwin.detection.detect import Detection, calibrate, detect
from armtwin.detection.page import tracking
from armtwin.fmu.export.export import Exported, export_fmu
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Arm
from armtwin.motion.paths import Circle
from armtwin.recording.recording import Recording
from armtwin.simulation.as_built import as_built
from armtwin.simulation.pushes import Push
from armtwin.simulation.simulate import Simulation
from armtwin.simulation.typical_drives import real_sensors, with_real_drives
from armtwin.spatial import Array
from armtwin.validation.result import Check
from armtwin.validation.validate import validate

PUSH = Push(joint=2, torque=20.0, start=6.0, duration=0.5)
RADIUS, PERIOD, SECONDS = 0.2, 4.0, 12.0
SOON = 0.1
"""An alarm this long after the push begins is late [s]."""
SAME = 1e-9
"""Largest difference of the FMU from Python [m]."""


def built(arm: Arm, seed: int = 3) -> Arm:
    """Return an arm as a factory might build it: real drives, lengths and zeros slightly off."""
    return with_real_drives(as_built(arm, seed))


def staged(plant: Arm, pushes: tuple[Push, ...], seed: int) -> Simulation:
    """Return the run of the plant round the circle, ready to start."""
    motion = Circle(radius=RADIUS, period=PERIOD, seconds=SECONDS).motion(plant)
    return Simulation(
        plant,
        motion,
        controller=ComputedTorque(plant),
        pushes=pushes,
        sensors=real_sensors(plant),
        seed=seed,
    )


@dataclass(frozen=True, eq=False)
class Story:
    """What was seen.

    Attributes:
        arm: the twin.
        plant: the arm that it mirrors.
        run: the pushed run.
        felt: what the detector says of it.
        check: the twin's poses and torques against the run.
        fmu: the twin's forward kinematics as an FMU.
        fmu_gap: its largest difference from Python over the run [m].
    """

    arm: Arm
    plant: Arm
    run: Recording
    felt: Detection
    check: Check
    fmu: Exported
    fmu_gap: float

    @property
    def tracking(self) -> tuple[float, float]:
        """Tool off its path: RMS before the push and the largest after it began [m]."""
        off, before = tracking(self.plant, self.run), self.run.time < PUSH.start
        return float(np.sqrt(np.mean(off[before] ** 2))), float(off[~before].max())

    @property
    def delay(self) -> float | None:
        """From the push to the first alarm that it can have raised [s]; None without one."""
        late = [a.time - PUSH.start for a in self.felt.alarms if a.time >= PUSH.start]
        return min(late) if late else None

    @property
    def failures(self) -> list[str]:
        """What did not go as it should, in words."""
        found = []
        if self.delay is None or self.delay > SOON:
            found.append("the push was not felt in time")
        elif self.felt.alarms[0].joint != PUSH.joint or len(self.felt.alarms) > 1:
            found.append("more than the push was felt, or on another joint")
        if not self.check.passed:
            found.append(self.check.verdict)
        if not self.fmu_gap <= SAME:
            found.append(f"the FMU is {self.fmu_gap:.1e} m off Python")
        return found


def finish(arm: Arm, plant: Arm, run: Recording, clean: Recording, fmu: Path) -> Story:
    """Return the story of a pushed run and a clean one; the FMU is written to a file."""
    felt = detect(arm, run, clean=calibrate(arm, clean))
    check = validate(arm, run, efforts=False)
    made = export_fmu(arm, fmu, force=True)
    return Story(arm, plant, run, felt, check, made, _fmu_gap(arm, run, fmu))


def _fmu_gap(arm: Arm, run: Recording, fmu: Path) -> float:
    from armtwin.kinematics.forward import fk

    inputs = Signals(run.time, {f"q{j}": run[f"q{j}"] for j in range(1, arm.dof + 1)})
    told = run_fmu(fmu, inputs).signals.columns
    there: Array = np.stack([told[axis] for axis in "xyz"], axis=1)
    return float(np.abs(there - fk(arm, run.q, ignore_limits=True)[:, :3, 3]).max())
