"""The demo's scenario: an arm follows a circle and is pushed; its twin detects the push.

The real arm is simulated: the catalogue's UR10e with rotors, friction and noise like those of real
arms, and with small errors in lengths and zero positions. The twin is the catalogue's arm; it
learns friction from one undisturbed run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.control.controller import ComputedTorque
from armtwin.detection.detect import Detection, calibrate_detector, detect
from armtwin.detection.page import tracking
from armtwin.fmu.export.export import FmuExport, export_fmu
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Arm
from armtwin.motion.paths import Circle
from armtwin.recording.recording import Recording
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.simulation.as_built import as_built
from armtwin.simulation.pushes import Push
from armtwin.simulation.simulate import Simulation
from armtwin.simulation.typical_drives import real_sensors, with_real_drives
from armtwin.spatial import Array
from armtwin.validation.result import Check
from armtwin.validation.validate import validate

PUSH = Push(joint=2, torque=20.0, start=6.0, duration=0.5)
RADIUS, PERIOD, SECONDS = 0.2, 4.0, 12.0
"""The circle [m], the time of a turn and of the run [s]: three turns, the push in the second."""
SOON = 0.1
"""An alarm later than this after the push begins counts as late [s]."""
SAME = 1e-9
"""Largest difference of the FMU from Python [m]."""


def built(arm: Arm, seed: int = 3) -> Arm:
    """Return an arm with real drives and with errors in lengths and zero positions."""
    return with_real_drives(as_built(arm, seed))


def staged(plant: Arm, pushes: tuple[Push, ...], seed: int) -> Simulation:
    """Return the simulation of the plant on the circle, ready to start.

    Args:
        plant: the simulated arm.
        pushes: external torques on it.
        seed: of the sensor noise.
    """
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
class DemoResult(Result):
    """Results of the demo.

    Attributes:
        arm: the twin.
        plant: the simulated arm, as built.
        run: the pushed run.
        detection: contacts in the pushed run.
        check: the twin's poses against the run.
        fmu: the twin's forward kinematics as an FMU.
        fmu_gap: its largest difference from Python over the run [m].
    """

    arm: Arm
    plant: Arm
    run: Recording
    detection: Detection
    check: Check
    fmu: FmuExport
    fmu_gap: float

    @property
    def tracking(self) -> tuple[float, float]:
        """Tracking error of the tool [m]: RMS before the push, largest value after it began."""
        off, before = tracking(self.plant, self.run), self.run.time < PUSH.start
        return float(np.sqrt(np.mean(off[before] ** 2))), float(off[~before].max())

    @property
    def delay(self) -> float | None:
        """Time from the push to the first alarm after it [s]; None without an alarm."""
        late = [a.time - PUSH.start for a in self.detection.alarms if a.time >= PUSH.start]
        return min(late) if late else None

    @property
    def failures(self) -> list[str]:
        """Description of the failure; empty for a good run."""
        found = []
        if self.delay is None or self.delay > SOON:
            found.append("the push was not detected in time")
        elif self.detection.alarms[0].joint != PUSH.joint or len(self.detection.alarms) > 1:
            found.append("a false alarm, or an alarm on the wrong joint")
        if not self.check.passed:
            found.append(self.check.verdict)
        if not self.fmu_gap <= SAME:
            found.append(f"the FMU is {self.fmu_gap:.1e} m off Python")
        return found

    def page(self) -> Page:
        """Return the result as a page."""
        from armtwin.demo.demo_page import page

        return page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        before, after = self.tracking
        return {
            "arm": self.arm.name,
            "passed": not self.failures,
            "failures": self.failures,
            "tracking": {"rms_before": before, "max_after": after},
            "delay": self.delay,
            "fmu_gap": self.fmu_gap,
            "detection": self.detection.to_dict(),
            "check": self.check.to_dict(),
        }


def finish(arm: Arm, plant: Arm, run: Recording, clean: Recording, fmu: Path) -> DemoResult:
    """Evaluate a pushed run with a clean one.

    Args:
        arm: the twin.
        plant: the simulated arm.
        run: the pushed run.
        clean: an undisturbed run to learn from.
        fmu: file that the FMU is written to.
    """
    detection = detect(arm, run, clean=calibrate_detector(arm, clean))
    check = validate(arm, run, efforts=False)
    made = export_fmu(arm, fmu, force=True)
    return DemoResult(arm, plant, run, detection, check, made, _fmu_gap(arm, run, fmu))


def _fmu_gap(arm: Arm, run: Recording, fmu: Path) -> float:
    from armtwin.kinematics.forward import fk

    inputs = Signals(run.time, {f"q{j}": run[f"q{j}"] for j in range(1, arm.dof + 1)})
    columns = run_fmu(fmu, inputs).signals.columns
    position: Array = np.stack([columns[axis] for axis in "xyz"], axis=1)
    return float(np.abs(position - fk(arm, run.q, ignore_limits=True)[:, :3, 3]).max())
