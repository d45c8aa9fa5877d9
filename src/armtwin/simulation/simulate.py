"""The control loop over the plant, and the recording that it leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.control.controller import ComputedTorque, Controller
from armtwin.errors import InputError, UnstableError
from armtwin.model.arm import Arm
from armtwin.model.drive import effort_limits
from armtwin.motion.motion import RATE, Motion, Path
from armtwin.recording.recording import Recording
from armtwin.simulation.log import SimulationLog
from armtwin.simulation.plant import Plant
from armtwin.simulation.pushes import Post, Push
from armtwin.simulation.sensors import SensorReading, Sensors
from armtwin.simulation.stability import StabilityWatch

ROWS_A_PART = 250


@dataclass(frozen=True)
class Clock:
    """Rates of a simulation.

    Attributes:
        rate: control periods per second.
        physics: longest physics step [s]; a whole number of them fits into a period.
    """

    rate: float = RATE
    physics: float = 2.5e-4

    @property
    def steps(self) -> int:
        """Physics steps in a control period."""
        if not (np.isfinite(self.rate) and 1 <= self.rate <= 1e5 and 0 < self.physics <= 0.1):
            raise InputError(
                f"a control rate is 1 to 100000 Hz and a physics step at most 0.1 s; got {self}"
            )
        return max(1, int(np.ceil(1 / (self.rate * self.physics) - 1e-9)))


@dataclass(frozen=True)
class Part:
    """A part of a run; ``done`` is the share of the whole that ends with it."""

    done: float


class Simulation:
    """One run of an arm along a motion under a controller.

    Args:
        arm: the plant: the arm as it is.
        path: where it shall go; a Motion brings its own rate.
        controller: computed torque with the plant's own numbers if not given.
        pushes: pushes at chosen times.
        posts: things in the way.
        sensors: errors of the sensors.
        clock: control and physics rates.
        seed: of the noise; the same seed gives the same run, bit for bit.
    """

    def __init__(
        self,
        arm: Arm,
        path: Path | Motion,
        *,
        controller: Controller | None = None,
        pushes: Sequence[Push] = (),
        posts: Sequence[Post] = (),
        sensors: Sensors | None = None,
        clock: Clock | None = None,
        seed: int = 0,
    ) -> None:
        self.arm, clock = arm, clock or Clock()
        self.motion = path if isinstance(path, Motion) else path.motion(arm, clock.rate)
        if self.motion.q.shape[1] != arm.dof:
            raise InputError(f"the motion has {self.motion.q.shape[1]} joints, not {arm.dof}")
        for push in pushes:
            push.check(arm)
        self.pushes, self.sensors = tuple(pushes), sensors or Sensors()
        self.sensors.check(arm)
        self.controller = controller or ComputedTorque(arm)
        self._steps = Clock(1 / self.motion.step, clock.physics).steps
        self.plant = Plant(arm, self.motion.step / self._steps, posts)
        self._measured = SensorReading(self.sensors, arm, len(self.motion), seed)
        self._effort = effort_limits(arm)
        self.log = SimulationLog(arm, self.motion, self.plant, contacts=bool(posts), seed=seed)

    def parts(self) -> Iterator[Part]:
        """Run, and yield from time to time how far it is.

        Raises:
            InputError: a post stands where the arm starts.
            UnstableError: the arm ran away; the error holds the recording so far.
        """
        motion, log = self.motion, self.log
        self.plant.reset(motion.q[0], motion.qd[0])
        inside = self.plant.touching()
        if inside:
            raise InputError(
                f"{', '.join(inside).replace('_', ' ')}: stands where the arm starts, q = "
                f"{np.round(motion.q[0], 3).tolist()}; move the post or start elsewhere"
            )
        watch = StabilityWatch(self.arm, self._effort)
        for row in range(len(motion)):
            self._measure(row)
            self._control(row)
            trouble = watch.trouble(row, log)
            if trouble:
                log.filled = max(row, 1)
                raise UnstableError(trouble, self.recording())
            log.filled = row + 1
            if row + 1 < len(motion):
                self._advance(row)
            if row % ROWS_A_PART == 0:
                yield Part((row + 1) / len(motion))
        yield Part(1.0)

    def recording(self) -> Recording:
        """Return what has been recorded so far."""
        return self.log.recording(self.controller.name, self.pushes)

    def _measure(self, row: int) -> None:
        log = self.log
        log.true_q[row], log.true_qd[row] = self.plant.q, self.plant.qd
        self._measured.read(0, row, self.plant.q, log.q[row])
        self._measured.read(1, row, self.plant.qd, log.qd[row])
        log.external[row] = self.plant.external
        if log.force is not None:
            log.force[row] = self.plant.force

    def _control(self, row: int) -> None:
        log, motion, seen = self.log, self.motion, max(0, row - self.sensors.delay)
        wish = self.controller.torque(
            log.q[seen], log.qd[seen], motion.q[row], motion.qd[row], motion.qdd[row]
        )
        np.clip(wish, -self._effort, self._effort, out=log.command[row])
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


def simulate(
    arm: Arm,
    path: Path | Motion,
    *,
    controller: Controller | None = None,
    pushes: Sequence[Push] = (),
    posts: Sequence[Post] = (),
    sensors: Sensors | None = None,
    clock: Clock | None = None,
    seed: int = 0,
) -> Recording:
    """Return the recording of an arm led along a path, with origin ``simulated``.

    Row k holds what the sensors say at ``t_k``: positions, speeds, and the torques of the control
    period that ended there. ``target_*`` is what was wanted; ``tau_ext1...`` [Nm] is the true
    external torque of that period, ``true_x true_y true_z`` [m] the true tool.

    Args:
        arm: the plant: the arm as it is.
        path: where it shall go; a Motion brings its own rate.
        controller: computed torque with the plant's own numbers if not given.
        pushes: pushes at chosen times.
        posts: things in the way.
        sensors: errors of the sensors.
        clock: control and physics rates.
        seed: of the noise; the same seed gives the same run, bit for bit.

    Raises:
        PlanError: the arm cannot follow the path.
        UnstableError: the arm ran away; the error holds the recording so far.
    """
    run = Simulation(
        arm, path, controller=controller, pushes=pushes, posts=posts, sensors=sensors,
        clock=clock, seed=seed,
    )  # fmt: skip
    for _ in run.parts():
        pass
    return run.recording()
