"""What the app shows and moves: one arm, simulated, virtual, real or recorded, behind one port."""

from __future__ import annotations

import abc
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from armtwin.errors import NotPermittedError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

Kind = Literal["simulated", "virtual", "real", "servo", "recording"]
FOLLOW_TIMEOUT = 0.3
"""An arm that follows comes to rest when it is not called for so long [s]."""
MOST_ALARMS = 200


@dataclass(frozen=True)
class State:
    """An arm at one moment; what its source does not know is None.

    Attributes:
        time: seconds since the body started.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        target: where the arm is going (dof,) [rad | m]; ``q`` when it rests.
        moving: whether it is on its way.
        status: a word or two for people: "ready", "moving", "lost", "protective stop", ...
        tau: joint torques (dof,) [Nm].
        current: motor currents (dof,) [A].
        residual: torques that the model does not explain (dof,) [Nm].
        threshold: the residuals above which an alarm is raised (dof,) [Nm].
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


@dataclass(frozen=True)
class BodyAlarm:
    """A contact that was noticed: when [s], at which joint (from 1), how hard [Nm].

    ``end`` is None while it lasts.
    """

    time: float
    end: float | None
    joint: int
    torque: float
    text: str


@dataclass
class Robot(abc.ABC):
    """One arm to watch and, where ``can_move``, to move.

    Attributes:
        arm: its model.
        title: its name for people.
        kind: what stands behind it.
        real: hardware that can hurt; shown in red.
        can_move: whether ``move`` and ``follow`` do anything but refuse.
        alarms: the newest contacts, oldest first.
    """

    arm: Arm
    title: str
    kind: Kind
    real: bool = False
    can_move: bool = True
    alarms: deque[BodyAlarm] = field(default_factory=lambda: deque(maxlen=MOST_ALARMS))

    @abc.abstractmethod
    async def start(self) -> None:
        """Begin to run; raise LinkError where there is nothing to run."""

    @abc.abstractmethod
    async def close(self) -> None:
        """Stop the arm, then let go of everything."""

    @abc.abstractmethod
    async def move(self, q: Array, speed: float) -> None:
        """Set out for ``q`` (dof,) and return when started.

        Args:
            q: where to go [rad | m].
            speed: share of the arm's own limits, above 0 and at most 1.

        Raises:
            ArmTwinError: a position beyond the limits, or an arm that cannot move now.
        """

    @abc.abstractmethod
    async def follow(self, q: Array, speed: float) -> None:
        """Aim at ``q`` (dof,), again and again; the arm rests 0.3 s after the last call."""

    @abc.abstractmethod
    async def stop(self) -> None:
        """Bring the arm to rest as fast as it may.

        Raises:
            NotDeliveredError: the stop did not reach the arm.
        """

    @abc.abstractmethod
    def state(self) -> State:
        """Return the arm as it is now, at once."""

    def require_motion(self) -> None:
        """Raise NotPermittedError where this body cannot be moved."""
        if not self.can_move:
            raise NotPermittedError(
                f"{self.title} cannot be moved: it is a {self.kind}; start the app with an arm, "
                "a virtual robot, or a real one with --i-mean-it"
            )
