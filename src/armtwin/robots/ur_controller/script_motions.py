"""Motions of URScript programs on the virtual controller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.model.drive import COULOMB_SCALE, VISCOUS_SCALE
from armtwin.robots.ur.tcp import pose_from_vector
from armtwin.robots.ur_controller.motion.blending import Leg
from armtwin.robots.ur_controller.motion.commands import FASTEST, HARDEST, PROMPT, Commands, rate
from armtwin.robots.ur_controller.motion.joint_moves import Move, SpeedJoints, TorqueCommand
from armtwin.robots.ur_controller.motion.tool_moves import SpeedTool
from armtwin.robots.ur_controller.script import ScriptError
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script_commands import need_forces
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

MIN_RATE = 1e-3
"""Smallest acceleration of a speed command; spline segments request 0 [rad/s2, m/s2]."""


@dataclass(eq=False)
class WaitCondition:
    """Condition that a program waits for: the end of a motion or of a popup.

    Attributes:
        over: whether the program may continue.
        move: the controller's move; None for a popup.
    """

    over: Callable[[], bool]
    move: Move | None = None


class ScriptMotions:
    """Starts the motions of programs.

    Args:
        controller: the controller.

    Attributes:
        commands: its moves.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self.commands = controller, Commands(controller)

    def start(self, motion: m.MotionCommand) -> WaitCondition:
        """Begin a motion."""
        controller = self._controller
        passed = self._begin_path(motion)
        if passed is not None:
            move = controller.move
            return WaitCondition(lambda: passed() or controller.move is not move, move)
        seconds = self._begin(motion)
        move = controller.move
        if seconds is not None and isinstance(move, SpeedJoints | SpeedTool):
            return WaitCondition(
                lambda: controller.move is not move or self._lasted(move, seconds), move
            )
        if seconds is not None:
            end = controller.cycles + max(1, round(seconds / self._controller.dt))
            return WaitCondition(lambda: controller.cycles >= end, move)
        return WaitCondition(lambda: controller.move is not move or _speed_reached(move), move)

    def _lasted(self, move: SpeedJoints | SpeedTool, seconds: float) -> bool:
        """Return whether a speed command has lasted so long, to the nearest cycle.

        Its time is scaled like that of all moves, so that speeds which a program steps through
        lead to the same place at any speed scaling.
        """
        half = self._controller.dt * self._controller.reference.scale / 2
        return move.elapsed > 0 and move.elapsed >= seconds - half

    def _begin_path(self, motion: m.MotionCommand) -> Callable[[], bool] | None:
        """Begin or continue a blended path; return None if the motion belongs to none."""
        if isinstance(motion, m.MoveCircle):
            return self._begin_circle(motion)
        if not isinstance(motion, m.JointMoveCommand | m.ToolMoveCommand | m.MoveProcess):
            return None
        if not (motion.blend > 0 or self.commands.blending):
            return None
        do, target = self.commands, _target(motion.target)
        end = do.joints(target) if isinstance(motion, m.JointMoveCommand) else do.pose(target)
        if getattr(motion, "optimal", False):
            limits = do.shares(motion.acceleration, motion.speed)
            return do.blend(Leg(end, FASTEST, PROMPT, motion.blend, limits=limits))
        seconds = getattr(motion, "seconds", 0.0)
        given = (motion.speed, motion.acceleration)
        speed, acceleration = given if seconds <= 0 else (v or MIN_RATE for v in given)
        rates = (rate(speed, FASTEST), rate(acceleration, HARDEST))
        return do.blend(Leg(end, *rates, motion.blend, seconds=seconds))

    def _begin_circle(self, motion: m.MoveCircle) -> Callable[[], bool]:
        """Begin a circle, or continue a blended path with it."""
        do = self.commands
        end, via = do.pose(_target(motion.target)), do.pose(_target(motion.via))
        rates = (rate(motion.speed, FASTEST), rate(motion.acceleration, HARDEST))
        return do.blend(Leg(end, *rates, motion.blend, via, motion.fixed_orientation))

    def _begin(self, motion: m.MotionCommand) -> float | None:
        """Begin a motion; return how long the program waits [s], None if until its end."""
        do = self.commands
        if getattr(motion, "optimal", False):
            assert isinstance(motion, m.JointMoveCommand | m.ToolMoveCommand)
            move = do.optimovej if isinstance(motion, m.JointMoveCommand) else do.optimovel
            move(_target(motion.target), motion.acceleration, motion.speed)
        elif isinstance(motion, m.JointMoveCommand | m.ToolMoveCommand):
            move = do.movej if isinstance(motion, m.JointMoveCommand) else do.movel
            rates = (motion.acceleration or MIN_RATE, motion.speed or MIN_RATE)
            move(_target(motion.target), *rates, motion.seconds)
        elif isinstance(motion, m.MoveProcess):
            do.movel(_target(motion.target), motion.acceleration, motion.speed)
        elif isinstance(motion, m.StopJoints):
            do.stopj(motion.acceleration)
        elif isinstance(motion, m.StopTool):
            do.stopl(motion.acceleration)
        else:
            return self._begin_timed(motion)
        return None

    def _begin_timed(self, motion: m.MotionCommand) -> float | None:
        """Start a streamed motion; return how long the program waits [s]."""
        do = self.commands
        if isinstance(motion, m.ServoJoints):
            joints = np.array(motion.joints)
            do.servoj(joints, motion.seconds, motion.lookahead, motion.gain)
        elif isinstance(motion, m.ServoCircle):
            do.servoc(_target(motion.target), motion.acceleration, motion.speed)
            return self._controller.dt
        elif isinstance(motion, m.JointSpeedCommand):
            do.speedj(np.array(motion.speeds), max(motion.acceleration, MIN_RATE))
        elif isinstance(motion, m.ToolSpeedCommand):
            do.speedl(np.array(motion.velocity), max(motion.acceleration, MIN_RATE))
        elif isinstance(motion, m.DirectTorque):
            need_forces(self._controller, "direct_torque")
            do.direct_torque(_torque_command(motion))
            return self._controller.dt
        else:
            raise ScriptError(f"{type(motion).__name__} is not a motion of the virtual robot")
        return motion.seconds


def _speed_reached(move: Move | None) -> bool:
    """Return whether a move without end has reached its speed."""
    return isinstance(move, SpeedJoints | SpeedTool) and move.left is None and move.reached


def _torque_command(motion: m.DirectTorque) -> TorqueCommand:
    """Return the torques with shares of friction; the old switch is none or the default."""
    viscous, coulomb = motion.viscous_scale, motion.coulomb_scale
    if viscous is None or coulomb is None:
        on = bool(motion.friction_compensation)
        viscous, coulomb = (VISCOUS_SCALE, COULOMB_SCALE) if on else ((0.0,) * 6, (0.0,) * 6)
    torques, shares = np.array(motion.torques), (np.array(viscous), np.array(coulomb))
    return TorqueCommand(torques, *shares, tracks=False)


def _target(target: m.MotionTarget) -> Array:
    """Return joint positions (6,), or a pose (4, 4)."""
    return pose_from_vector(target.values) if target.is_pose else np.array(target.values)
