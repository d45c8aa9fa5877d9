"""The control loop over the plant, and the recording that it produces."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.control.controller import ComputedTorque
from armtwin.errors import InputError, UnstableError
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.drive import effort_limits
from armtwin.motion.motion import Motion, Path
from armtwin.options import choose_options
from armtwin.progress import OnProgress, report_step
from armtwin.recording.recording import Recording
from armtwin.simulation.integrators import choose_integrator, longest_step
from armtwin.simulation.log import SimulationLog
from armtwin.simulation.options import Clock, SimulateOptions
from armtwin.simulation.plant import Plant
from armtwin.simulation.pushes import Push
from armtwin.simulation.sensors import SensorReading, Sensors
from armtwin.simulation.stability import StabilityWatch

ROWS_A_PART = 250
"""Rows between reports of progress: 0.5 s of motion at 500 Hz."""


@dataclass(frozen=True)
class SimulatedPart:
    """A part of a run; ``done`` is the share of the whole that ends with it, 0 to 1."""

    done: float


class Simulation:
    """One run of an arm along a motion under a controller.

    Args:
        arm: the plant, its catalogue name or its file.
        path: the path to follow; a Motion brings its own rate.
        options: how to simulate; or give its fields as keywords (``pushes=[...]``).
        **choices: fields of ``SimulateOptions``.
    """

    def __init__(
        self,
        arm: ArmLike,
        path: Path | Motion,
        options: SimulateOptions | None = None,
        **choices: Any,
    ) -> None:
        self.options = options = choose_options(SimulateOptions, options, choices)
        self.arm = arm = as_arm(arm)
        arm.require_free_joints("simulation")
        clock = options.clock or Clock()
        self.motion = path if isinstance(path, Motion) else path.motion(arm, clock.rate)
        if self.motion.q.shape[1] != arm.dof:
            raise InputError(f"the motion has {self.motion.q.shape[1]} joints, not {arm.dof}")
        for push in options.pushes:
            push.check(arm)
        self.pushes, self.sensors = tuple(options.pushes), options.sensors or Sensors()
        self.sensors.check(arm)
        self.controller = options.controller or ComputedTorque(arm)
        if not callable(getattr(self.controller, "torque", None)):
            raise InputError(
                f"controller is {self.controller!r}; give a subclass of armtwin.Controller with "
                "torque(q, qd, q_ref, qd_ref, qdd_ref, time)"
            )
        self._steps = self._choose_steps(clock)
        flexibility = options.flexibility
        self.plant = Plant(
            arm, self.motion.step / self._steps, options.posts, integrator=self.integrator,
            flexibility=flexibility, hulls=options.hulls,
        )  # fmt: skip
        side = "motor" if flexibility is None else flexibility.encoder
        self._seen = (self.plant.motor_q, self.plant.motor_qd)
        if side == "link":
            self._seen = (self.plant.q, self.plant.qd)
        self._measured = SensorReading(self.sensors, arm, len(self.motion), options.seed)
        self._effort = effort_limits(arm)
        self.log = SimulationLog(
            arm, self.motion, self.plant, contacts=bool(options.posts), seed=options.seed,
            integrator=self.integrator,
        )  # fmt: skip

    @property
    def name(self) -> str:
        """The controller's name, or that of its class."""
        return getattr(self.controller, "name", "") or type(self.controller).__name__

    def _choose_steps(self, clock: Clock) -> int:
        """Choose the integrator and return the physics steps of a control period."""
        q, options = self.motion.q, self.options
        self.integrator = choose_integrator(self.arm, q, options.posts, options.integrator)
        longest = longest_step(self.arm, q, self.integrator, options.flexibility, clock.physics)
        return max(1, int(np.ceil(self.motion.step / longest - 1e-9)))

    def with_half_steps(self) -> Simulation:
        """Return the same run with physics steps of half the length."""
        clock = Clock(1 / self.motion.step, self.motion.step / (2 * self._steps))
        options = dataclasses.replace(self.options, clock=clock, integrator=self.integrator)
        return Simulation(self.arm, self.motion, options)

    def run(self, on_progress: OnProgress | None = None, step: str = "simulating") -> Recording:
        """Run to the end, report the progress and return the recording."""
        for part in self.parts():
            report_step(on_progress, step, part.done)
        return self.recording()

    def parts(self) -> Iterator[SimulatedPart]:
        """Run, and yield the progress every 250 rows.

        Raises:
            InputError: a post intersects the arm at its start.
            UnstableError: the run became unstable; the error holds the recording so far.
        """
        motion, log = self.motion, self.log
        self.plant.reset(motion.q[0], motion.qd[0])
        inside = self.plant.contacts()
        if inside:
            raise InputError(
                f"{', '.join(inside).replace('_', ' ')}: stands where the arm starts, q = "
                f"{np.round(motion.q[0], 3).tolist()}; move the post or start elsewhere"
            )
        watch = StabilityWatch(
            self.arm, self._effort, falling=getattr(self.controller, "lets_fall", False)
        )
        for row in range(len(motion)):
            self._measure(row)
            if row == 0:
                self._reset_controller()
            self._control(row)
            trouble = watch.trouble(row, log)
            if trouble:
                log.filled = max(row, 1)
                raise UnstableError(trouble, self.recording())
            log.filled = row + 1
            if row + 1 < len(motion):
                self._advance(row)
            if row % ROWS_A_PART == 0:
                yield SimulatedPart((row + 1) / len(motion))
        yield SimulatedPart(1.0)

    def recording(self) -> Recording:
        """Return what has been recorded so far."""
        made = self.log.recording(self.name, self.pushes)
        return made.with_notes(*self.options.notes)

    def _measure(self, row: int) -> None:
        log = self.log
        log.true_q[row], log.true_qd[row] = self.plant.q, self.plant.qd
        self._measured.read(0, row, self._seen[0], log.q[row])
        self._measured.read(1, row, self._seen[1], log.qd[row])
        log.external[row] = self.plant.external
        if log.force is not None:
            log.force[row] = self.plant.force

    def _reset_controller(self) -> None:
        reset = getattr(self.controller, "reset", None)
        if reset is not None:
            reset(self.log.q[0], self.log.qd[0], float(self.motion.time[0]))

    def _control(self, row: int) -> None:
        log, motion, seen = self.log, self.motion, max(0, row - self.sensors.delay)
        reference = motion.q[row], motion.qd[row], motion.qdd[row]
        time = float(motion.time[row])
        command = self.controller.torque(log.q[seen], log.qd[seen], *reference, time)
        if not _is_torque(command, self.arm.dof):
            raise InputError(
                f"controller {self.name} returned {command!r} at t = {time:g} s; expected "
                f"{self.arm.dof} finite torques"
            )
        np.clip(command, -self._effort, self._effort, out=log.command[row])
        if row == 0:
            self._measured.read(2, 0, log.command[0], log.tau[0])

    def _advance(self, row: int) -> None:
        log, time = self.log, self.motion.time
        tau = log.command[max(0, row - self.sensors.command_delay)]
        self.plant.advance(tau, self._acting(time[row], time[row + 1]), self._steps)
        self._measured.read(2, row + 1, tau, log.tau[row + 1])

    def _acting(self, start: float, end: float) -> list[tuple[Push, float]]:
        shares = [(push, push.share(start, end)) for push in self.pushes]
        return [(push, share) for push, share in shares if share > 0]


def _is_torque(value: Any, dof: int) -> bool:
    """Return whether a controller's answer is one finite number per joint."""
    whole = isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.shape == (dof,)
    return whole and math.isfinite(value.dot(value))


def simulate(
    arm: ArmLike,
    path: Path | Motion,
    *,
    options: SimulateOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: Any,
) -> Recording:
    """Simulate an arm that follows a path; return a recording with origin ``simulated``.

    Row k holds the measurements at ``t_k``: positions, speeds, and the torques of the control
    period that ended there. ``target_*`` is the reference; ``tau_ext1...`` [Nm] is the true
    external torque of that period, ``true_x true_y true_z`` [m] the true tool position.

    Args:
        arm: the plant, its catalogue name or its file.
        path: the path to follow; a Motion brings its own rate.
        options: how to simulate; or give its fields as keywords (``pushes=[...], seed=1``).
        on_progress: called with the share done.
        **choices: fields of ``SimulateOptions``.

    Raises:
        PlanError: the arm cannot follow the path.
        UnstableError: the run became unstable; the error holds the recording so far.
    """
    return Simulation(arm, path, options, **choices).run(on_progress)
