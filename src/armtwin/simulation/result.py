"""A simulated run as a result: its recording, its tracking and the contacts detected in it."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.detection import page as pages
from armtwin.detection.detect import calibrate_detector, detect
from armtwin.detection.result import Detection
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion, Path
from armtwin.progress import OnProgress
from armtwin.recording.recording import Recording
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.simulation.options import SimulateOptions
from armtwin.simulation.simulate import Simulation

CLEAN_SEED = 1000
"""Added to the seed for the clean run, so that both runs have noise of their own."""


@dataclass(frozen=True, eq=False)
class SimulationResult(Result):
    """A simulated run.

    Attributes:
        arm: the arm as its file has it, whose forward kinematics gives the target path of the tool.
        simulation: the run that made it: plant, motion and options.
        recording: what the sensors measured, with the truth beside it.
        times_real_time: how many simulated seconds a second of computing gave.
        detection: contacts detected in the recording; None where nobody searched.
    """

    arm: Arm
    simulation: Simulation
    recording: Recording
    times_real_time: float
    detection: Detection | None = None

    def detected(self, model: Arm, on_progress: OnProgress | None = None) -> SimulationResult:
        """Return the result with the contacts that a detector finds in it.

        It learns from a second run of the same motion, without pushes and posts.

        Args:
            model: the arm as the detector models it.
            on_progress: called with the step and the share of it that is done.
        """
        run, seed = self.simulation, self.simulation.options.seed + CLEAN_SEED
        quiet = dataclasses.replace(run.options, pushes=(), posts=(), seed=seed)
        clean = Simulation(run.arm, run.motion, quiet).run(on_progress, "simulating a clean run")
        ready = calibrate_detector(model, clean)
        found = detect(model, self.recording, clean=ready, on_progress=on_progress)
        return dataclasses.replace(self, detection=found)

    def page(self) -> Page:
        """Return tracking and contacts as a page."""
        page = pages.page(self.arm, self.recording, self.detection)
        speed = ("Simulated at", f"{self.times_real_time:.0f} x real time")
        notes = tuple(("Processing", line) for line in self.recording.notes)
        return dataclasses.replace(page, facts=(*page.facts, speed, *notes))

    def to_dict(self) -> dict[str, Any]:
        """Return rows, tracking [m], speed, alarms and processing notes as plain data."""
        off = pages.tracking(self.arm, self.recording)
        result: dict[str, Any] = {
            "arm": self.arm.name,
            "rows": len(self.recording),
            "duration": self.recording.duration,
            "tracking_rms": float(np.sqrt(np.mean(off**2))),
            "tracking_max": float(off.max()),
            "times_real_time": self.times_real_time,
            "processing": list(self.recording.notes),
        }
        if self.detection is not None:
            found = self.detection.to_dict()
            result |= {name: found[name] for name in ("verdict", "reason", "alarms", "notes")}
        return result


def run_simulation(
    plant: Arm,
    path: Path | Motion,
    *,
    arm: Arm | None = None,
    options: SimulateOptions | None = None,
    on_progress: OnProgress | None = None,
) -> SimulationResult:
    """Simulate a run and return its result.

    Args:
        plant: the arm that is simulated.
        path: the path to follow; a Motion brings its own rate.
        arm: the arm as its file has it, where the plant differs from it.
        options: how to simulate.
        on_progress: called with the share done.

    Raises:
        PlanError: the arm cannot follow the path.
        UnstableError: the run became unstable; the error holds the recording so far.
    """
    run = Simulation(plant, path, options)
    begin = time.perf_counter()
    recording = run.run(on_progress)
    speed = recording.duration / (time.perf_counter() - begin)
    return SimulationResult(arm or plant, run, recording, speed)
