"""The ``Robot`` port: one arm to watch and move, simulated, virtual, real or recorded."""

from __future__ import annotations

import abc
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from armtwin.detection.alarms import Alarm
from armtwin.errors import InputError, LinkError, NotPermittedError, PlanError
from armtwin.model.arm import Arm
from armtwin.model.drive import dry_friction
from armtwin.motion.motion import Motion
from armtwin.spatial import Array

Kind = Literal["simulated", "virtual", "real", "servo", "recording"]
FOLLOW_TIMEOUT = 0.3
"""A robot that follows brakes this long after the last call [s]: 15 states at 50 Hz."""
AT_START = 5e-3
"""Largest distance of a robot from the start of a motion that it shall follow [rad | m]."""
MAX_ALARMS = 200
"""Newest alarms that are kept."""
UNHEARD = ("connecting", "lost", "closed")
"""Statuses of a robot that sends nothing: its positions are old or unknown."""
SURE, HARDEST = 1.8, 2.0
"""Thresholds of a push that is surely detected, and of the hardest one that is proposed."""


@dataclass(frozen=True)
class RobotState:
    """A robot at one time; values that its source does not know are None.

    Attributes:
        time: seconds since the robot was started.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        target: where the robot moves to (dof,) [rad | m]; ``q`` at rest.
        moving: whether it moves or is about to.
        status: short text: "ready", "moving", "lost", "protective stop", ...
        tau: joint torques (dof,) [Nm].
        current: motor currents (dof,) [A].
        residual: external torque estimate (dof,) [Nm].
        threshold: external torques above which an alarm is raised (dof,) [Nm].
        power: electric power [W].
        energy: electric energy since the start [J].
    """

    time: float
    q: Array
    qd: Array
    target: Array
    moving: bool
    status: str
    tau: Array | None = None
    current: Array | None = None
    residual: Array | None = None
    threshold: Array | None = None
    power: float | None = None
    energy: float | None = None


@dataclass
class Robot(abc.ABC):
    """One arm to watch and, where ``can_move``, to move.

    Attributes:
        arm: its model.
        title: its displayed name.
        kind: simulated, virtual, real, servo or recording.
        real: hardware that can hurt; shown in red.
        can_move: whether ``move`` and ``follow`` are allowed.
        clock: current time [s]; tests inject their own.
        alarms: the newest alarms, oldest first, with times as ``RobotState.time``.
    """

    arm: Arm
    title: str
    kind: Kind
    real: bool = False
    can_move: bool = True
    clock: Callable[[], float] = field(default=time.monotonic)
    alarms: deque[Alarm] = field(default_factory=lambda: deque(maxlen=MAX_ALARMS))

    @abc.abstractmethod
    async def start(self) -> None:
        """Connect and begin to run; raise LinkError if no robot answers."""

    @abc.abstractmethod
    async def close(self) -> None:
        """Stop the robot, then release everything."""

    @abc.abstractmethod
    async def move(self, q: Array, speed: float) -> None:
        """Start towards ``q`` (dof,) and return.

        Args:
            q: where to go [rad | m].
            speed: share of the arm's own limits, above 0 and at most 1.

        Raises:
            ArmTwinError: a position beyond the limits, or a robot that cannot move now.
        """

    @abc.abstractmethod
    async def follow(self, q: Array, speed: float) -> None:
        """Aim at a ``q`` (dof,) that changes; the robot brakes 0.3 s after the last call."""

    @abc.abstractmethod
    async def stop(self) -> None:
        """Bring the robot to rest as fast as its limits allow.

        Raises:
            NotDeliveredError: the stop did not reach the robot.
        """

    async def end_motion(self) -> None:
        """Bring the robot to rest because a button was released: on its path, where it can.

        Raises:
            NotDeliveredError: as ``stop``.
        """
        await self.stop()

    @abc.abstractmethod
    def state(self) -> RobotState:
        """Return the newest state, without waiting."""

    @property
    def can_move_along(self) -> bool:
        """Whether this robot follows a motion (``move_along``)."""
        return False

    async def move_along(self, motion: Motion) -> None:
        """Start along a motion of the joints that begins where the robot rests, and return.

        Raises:
            ArmTwinError: a robot that cannot, cannot now, or is not where the motion begins.
        """
        raise self.not_along()

    def not_along(self) -> NotPermittedError:
        """Return the error of a robot that does not follow motions."""
        return NotPermittedError(
            f"{self.title} cannot move its tool on a line: its board takes one joint position at a "
            "time; make the move joint"
        )

    def require_start(self, motion: Motion) -> None:
        """Raise PlanError unless the robot rests where a motion begins."""
        state = self.state()
        far = float(np.abs(state.q - motion.q[0]).max())
        if state.moving or far > AT_START:
            raise PlanError(
                f"{self.title} is not at rest where the motion begins: {far:.2g} rad or m away"
            )

    @property
    def can_push(self) -> bool:
        """Whether ``push`` exerts a torque on this robot."""
        return False

    async def push(self, joint: int, torque: float, seconds: float) -> None:
        """Exert an external torque on a joint for a while.

        Args:
            joint: from 1.
            torque: [Nm | N].
            seconds: duration [s].

        Raises:
            NotPermittedError: a robot that can only be pushed by hand, or not at all.
            InputError: no such joint.
        """
        raise NotPermittedError(f"{self.title} cannot be pushed from here")

    def require_heard(self) -> None:
        """Raise LinkError while the robot sends nothing, so that its positions are not current."""
        status = self.state().status
        if status in UNHEARD:
            raise LinkError(
                f"{self.title} is not heard ({status}), so where it stands is not known; wait "
                "until it is connected"
            )

    def require_motion(self) -> None:
        """Raise NotPermittedError if this robot cannot be moved."""
        if not self.can_move:
            raise NotPermittedError(
                f"{self.title} cannot be moved: it is a {self.kind}; start the app with an arm, "
                "a virtual robot, or a real one with --i-mean-it (i_mean_it=True)"
            )


def sure_pushes(arm: Arm, threshold: Array) -> Array:
    """Return torques (dof,) [Nm | N] that are surely detected when a joint is pushed with them.

    That is 1.8 times the threshold and the joint's dry friction, which can hide a push of an arm
    at rest, but at most two thresholds: a UR controller stops to protect itself at a little more.
    Two digits are kept.

    Args:
        arm: the arm.
        threshold: external torques that are a contact (dof,) [Nm | N].
    """
    wanted = np.minimum(SURE * threshold + dry_friction(arm), HARDEST * threshold)
    digit = 10.0 ** (np.floor(np.log10(np.maximum(wanted, 1e-6))) - 1)
    return np.asarray(np.round(np.floor(wanted / digit + 1e-9) * digit, 9))


def require_share(speed: float) -> None:
    """Raise InputError unless a speed is a share of the limits."""
    if not 0 < speed <= 1:
        raise InputError(f"speed is a share of the limits, above 0 and at most 1; got {speed}")
