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
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion, Path
from armtwin.progress import OnProgress
from armtwin.recording.recording import Recording
from armtwin.report.numbers import rounded
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.simulation.options import SimulateOptions
from armtwin.simulation.simulate import Simulation

CLEAN_SEED = 1000
"""Added to the seed for the clean run, so that both runs have noise of their own."""


ERROR_FACTOR = 2.0
"""Integration error over the difference from half the step: 2 for an integrator of first order,
less for a higher one."""


@dataclass(frozen=True)
class IntegrationError:
    """Estimate of the largest integration error of a run, from a second run with half the step.

    Attributes:
        joints: of the joint positions [rad | m].
        tool: of the tool's position [m].
    """

    joints: float
    tool: float

    def __str__(self) -> str:
        """Return both in words."""
        joints, tool = rounded(self.joints, 2), rounded(self.tool, 2)
        return f"{joints} rad at a joint, {tool} m at the tool (from a run with half the step)"


def integration_error(run: Simulation) -> IntegrationError:
    """Return an estimate of a finished run's integration error.

    The run is repeated with half the physics step and the same noise:
    ``2 max |x_h - x_(h/2)|`` is the error itself for an integrator of first order, and above the
    error for one of a higher order.

    Args:
        run: a simulation that ran to its end.

    Raises:
        UnstableError: the second run became unstable.
    """
    finer = run.with_half_steps()
    finer.run()
    ours, theirs = run.log, finer.log
    apart = np.abs(ours.true_q - theirs.true_q).max()
    tools = [fk(log.links, log.true_q, ignore_limits=True)[:, :3, 3] for log in (ours, theirs)]
    tool = np.linalg.norm(tools[0] - tools[1], axis=1).max()
    return IntegrationError(ERROR_FACTOR * float(apart), ERROR_FACTOR * float(tool))


@dataclass(frozen=True, eq=False)
class SimulationResult(Result):
    """A simulated run.

    Attributes:
        arm: the arm as its file has it, whose forward kinematics gives the target path of the tool.
        simulation: the run that made it: plant, motion and options.
        recording: what the sensors measured, with the truth beside it.
        times_real_time: how many simulated seconds a second of computing gave.
        error: estimate of the integration error; None where it was not computed.
        detection: contacts detected in the recording; None where detection was not run.
    """

    arm: Arm
    simulation: Simulation
    recording: Recording
    times_real_time: float
    error: IntegrationError | None = None
    detection: Detection | None = None

    def detected(self, model: Arm, on_progress: OnProgress | None = None) -> SimulationResult:
        """Return the result with the contacts that a detector finds in it.

        It learns from a second run of the same motion, without pushes and posts.

        Args:
            model: the arm as the detector models it.
            on_progress: called with the step and the share of it that is done.
        """
        ready = calibrate_detector(model, clean_run(self.simulation, on_progress))
        found = detect(model, self.recording, clean=ready, on_progress=on_progress)
        return dataclasses.replace(self, detection=found)

    def page(self) -> Page:
        """Return tracking and contacts as a page."""
        page = pages.page(self.arm, self.recording, self.detection)
        speed = ("Simulated at", f"{self.times_real_time:.2g} x real time")
        error = () if self.error is None else (("Integration error, estimate", str(self.error)),)
        notes = tuple(("Processing", line) for line in self.recording.notes)
        return dataclasses.replace(page, facts=(*page.facts, speed, *error, *notes))

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
            "integrator": self.simulation.integrator,
            "integration_error": None if self.error is None else dataclasses.asdict(self.error),
            "processing": list(self.recording.notes),
        }
        if self.detection is not None:
            found = self.detection.to_dict()
            result |= {name: found[name] for name in ("verdict", "reason", "alarms", "notes")}
        return result


def clean_run(run: Simulation, on_progress: OnProgress | None = None) -> Recording:
    """Return a recording of the same motion without pushes and posts, with noise of its own."""
    seed = run.options.seed + CLEAN_SEED
    quiet = dataclasses.replace(run.options, pushes=(), posts=(), seed=seed)
    return Simulation(run.arm, run.motion, quiet).run(on_progress, "simulating a clean run")


def run_simulation(
    plant: Arm,
    path: Path | Motion,
    *,
    arm: Arm | None = None,
    options: SimulateOptions | None = None,
    estimate_error: bool = True,
    on_progress: OnProgress | None = None,
) -> SimulationResult:
    """Simulate a run and return its result.

    Args:
        plant: the arm that is simulated.
        path: the path to follow; a Motion brings its own rate.
        arm: the arm as its file has it, where the plant differs from it.
        options: how to simulate.
        estimate_error: run again with half the physics step, to estimate the integration error.
        on_progress: called with the share done.

    Raises:
        PlanError: the arm cannot follow the path.
        UnstableError: the run became unstable; the error holds the recording so far.
    """
    run = Simulation(plant, path, options)
    begin = time.perf_counter()
    recording = run.run(on_progress)
    speed = recording.duration / (time.perf_counter() - begin)
    error = integration_error(run) if estimate_error else None
    return SimulationResult(arm or plant, run, recording, speed, error)
