"""Moves that programs can command, with their usual arguments, one method each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError
from armtwin.robots.motion_generator import RateLimits
from armtwin.robots.ur.tcp import vector_from_pose
from armtwin.robots.ur_controller.motion.blending import Leg
from armtwin.robots.ur_controller.motion.execution import StopThenMove
from armtwin.robots.ur_controller.motion.joint_moves import (
    Brake,
    Move,
    MoveJoints,
    Reference,
    Servo,
    SpeedJoints,
    TorqueCommand,
)
from armtwin.robots.ur_controller.motion.move_sequence import PathMove
from armtwin.robots.ur_controller.motion.optimal_moves import (
    OptimalJoints,
    OptimalTool,
    line_rates,
    shares,
)
from armtwin.robots.ur_controller.motion.tool_moves import BrakeTool, MoveTool, ServoTool, SpeedTool
from armtwin.robots.ur_controller.motion.torque_moves import DirectTorqueMove
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

FASTEST, HARDEST = 10.0, 100.0
"""Speeds [rad/s, m/s] and accelerations [rad/s2, m/s2] beyond these are cut."""
PROMPT = 4.0
"""Deceleration before an optimised move [rad/s2]."""


class Commands:
    """The moves of a controller, for programs.

    Attributes:
        waypoint: pose vector (6,) that the last move leads to.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller = controller
        self.waypoint = controller.registers["target_TCP_pose"].copy()
        self._path: tuple[Move, PathMove] | None = None

    def joints(self, target: Array) -> Array:
        """Return the joints of a target: itself, or those that reach a pose (4, 4)."""
        if target.shape == (4, 4):
            return self._controller.tcp.inverse(target, self._controller.reference.q)
        if target.shape != (self._controller.arm.dof,) or not np.isfinite(target).all():
            raise InputError(f"{self._controller.arm.dof} finite joints expected, got {target}")
        return target

    def pose(self, target: Array) -> Array:
        """Return the pose (4, 4) of a target: itself, or where joints take the tool."""
        if target.shape == (4, 4):
            return target
        q = self.joints(target)
        return self._controller.tcp.state(q, np.zeros_like(q)).T

    def movej(
        self, target: Array, a: float = 1.4, v: float = 1.05, t: float = 0.0, r: float = 0.0
    ) -> None:
        """Move straight in joint space to joints (dof,) or a pose (4, 4).

        Args:
            target: joints (dof,) [rad] or pose (4, 4) of the tool.
            a: acceleration [rad/s2].
            v: speed [rad/s].
            t: duration instead of both, if positive [s].
            r: blend radius [m]; not used here.
        """
        q, a, v = self.joints(target), rate(a, HARDEST), rate(v, FASTEST)
        self._aim(self.pose(q))
        limits = self.shares(1.0, 1.0)
        self._begin(
            StopThenMove(a, lambda start: MoveJoints(start.q, q, v, a, limits=limits, seconds=t))
        )

    def movel(
        self, target: Array, a: float = 1.2, v: float = 0.25, t: float = 0.0, r: float = 0.0
    ) -> None:
        """Move the tool straight to a pose (4, 4), or to where joints (dof,) take it.

        Args:
            target: pose (4, 4) of the tool or joints (dof,) [rad].
            a: acceleration [m/s2].
            v: speed [m/s].
            t: duration instead of both, if positive [s].
            r: blend radius [m]; not used here.
        """
        goal, a, v = self.pose(target), rate(a, HARDEST), rate(v, FASTEST)
        self._aim(goal)
        tcp, limits = self._controller.tcp, self.shares(1.0, 1.0)

        def make(reference: Reference) -> Move:
            start = tcp.state(reference.q, reference.qd).T
            if t <= 0:
                return MoveTool(tcp, start, goal, v, a)
            most = line_rates(tcp, reference.q, goal, limits)
            return MoveTool(tcp, start, goal, v, a, seconds=t, most=most)

        self._begin(StopThenMove(a, make))

    def optimovej(self, target: Array, a: float, v: float) -> None:
        """Move straight in joint space with shares (0 to 1] of acceleration and speed.

        Args:
            target: joints (dof,) or pose (4, 4).
            a: share of the accelerations.
            v: share of the speeds.
        """
        q, limits = self.joints(target), self.shares(a, v)
        self._aim(self.pose(q))
        self._begin(StopThenMove(PROMPT, lambda start: OptimalJoints(start.q, q, limits)))

    def optimovel(self, target: Array, a: float, v: float) -> None:
        """Move the tool straight with shares (0 to 1] of acceleration and speed.

        Args:
            target: joints (dof,) or pose (4, 4).
            a: share of the accelerations.
            v: share of the speeds.
        """
        goal, limits, tcp = self.pose(target), self.shares(a, v), self._controller.tcp
        self._aim(goal)
        self._begin(StopThenMove(PROMPT, lambda start: OptimalTool(tcp, start.q, goal, limits)))

    def shares(self, a: float, v: float) -> RateLimits:
        """Return shares (0 to 1] of the joints' accelerations and speeds."""
        return shares(RateLimits.of(self._controller.arm), self._controller.top, v, a)

    def path(self, legs: Sequence[Leg], progress: Callable[[int], None] | None = None) -> None:
        """Make several moves in a row, corners rounded where their legs say so."""
        if not legs:
            return
        self._aim(self.pose(legs[-1].end))
        path = PathMove(self._controller.tcp, legs, self.shares(1.0, 1.0), progress)
        move = StopThenMove(max(leg.acceleration for leg in legs), lambda _: path)
        self._path = (move, path)
        self._begin(move)

    @property
    def blending(self) -> bool:
        """Whether the move under way ends in a blend, so that the next one can continue it."""
        return (
            self._path is not None
            and self._path[0] is self._controller.move
            and (self._path[1].open)
        )

    def blend(self, leg: Leg) -> Callable[[], bool]:
        """Continue the blended path under way, or begin one.

        Returns:
            A function that returns whether the leg is inside the blend at its end, or finished.
        """
        if not self.blending:
            self.path([leg])
            number = 0
        else:
            assert self._path is not None
            self._aim(self.pose(leg.end))
            number = self._path[1].add(leg)
        assert self._path is not None
        return functools.partial(self._path[1].blends, number)

    def servoj(
        self, q: Array, t: float = 0.002, lookahead_time: float = 0.1, gain: float = 300.0
    ) -> None:
        """Follow joints (dof,) that are set again and again.

        Args:
            q: joints (dof,) [rad].
            t: how long the command counts [s].
            lookahead_time: how late the joints follow [s].
            gain: 100 to 2000.
        """
        target, move = self.joints(q), self._controller.move
        if isinstance(move, Servo):
            move.set(target, lookahead_time, gain)
        else:
            self._begin(Servo(target, lookahead_time, gain, self._controller.top, t))

    def servoc(self, goal: Array, a: float = 1.2, v: float = 0.25, r: float = 0.0) -> None:
        """Chase a pose (4, 4) that is set again and again.

        Args:
            goal: pose (4, 4) of the tool.
            a: acceleration [m/s2].
            v: speed [m/s].
            r: blend radius [m]; not used here.
        """
        move, speeds = self._controller.move, (rate(v, FASTEST), rate(a, HARDEST))
        if isinstance(move, ServoTool):
            move.set(goal, *speeds)
        else:
            self._begin(ServoTool(self._controller.tcp, goal, *speeds))

    def speedj(self, qd: Array, a: float = 1.4, t: float | None = None) -> None:
        """Take up joint speeds (dof,) [rad/s], none beyond the joint's own top speed.

        Args:
            qd: speeds (dof,) [rad/s].
            a: acceleration [rad/s2].
            t: duration [s]; without end if None.
        """
        if qd.shape != self._controller.top.shape or not np.isfinite(qd).all():
            raise InputError(f"{self._controller.arm.dof} finite joint speeds expected, got {qd}")
        speeds = np.clip(qd, -self._controller.top, self._controller.top)
        self._begin(SpeedJoints(speeds, rate(a, HARDEST), t))

    def speedl(self, xd: Array, a: float = 1.2, t: float | None = None) -> None:
        """Take up a twist of the tool (6,) in base [m/s, rad/s].

        Args:
            xd: twist (6,) [m/s, rad/s].
            a: acceleration [m/s2].
            t: duration [s]; without end if None.
        """
        if xd.shape != (6,) or not np.isfinite(xd).all():
            raise InputError(f"a twist of six finite numbers expected, got {xd}")
        self._begin(SpeedTool(self._controller.tcp, xd, rate(a, HARDEST), t))

    def direct_torque(self, command: TorqueCommand) -> None:
        """Apply torques for one cycle."""
        move = self._controller.move
        if isinstance(move, DirectTorqueMove):
            move.set(command)
        else:
            self._begin(DirectTorqueMove(self._controller, command))

    def stopj(self, a: float = 2.0) -> None:
        """Bring the joints to rest."""
        self._begin(Brake(rate(a, HARDEST)))

    def stopl(self, a: float = 2.0) -> None:
        """Bring the tool to rest along its path."""
        self._begin(BrakeTool(self._controller.tcp, rate(a, HARDEST)))

    def _begin(self, move: Move) -> None:
        self._controller.begin(move)

    def _aim(self, pose: Array) -> None:
        self.waypoint = vector_from_pose(pose)


def rate(value: float, most: float) -> float:
    """Return a speed or acceleration that can be used.

    Raises:
        InputError: it is zero, negative or not a number.
    """
    if not value > 0:
        raise InputError(f"speeds and accelerations are positive, got {value}")
    return min(float(value), most)
