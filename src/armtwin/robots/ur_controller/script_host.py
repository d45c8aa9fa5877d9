"""URScript programs on the virtual controller: the controller as a ``ScriptHost``.

Circular and optimised motions, force mode, freedrive, direct torque, another gravity and an
external force sensor raise a ScriptError. Settings without effect on a virtual arm are accepted
with a warning to the clients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.dynamics.rigid_body import coriolis, mass_matrix
from armtwin.errors import ArmTwinError
from armtwin.kinematics.forward import fk
from armtwin.robots.ur.protocol.codec import Level, TextMessage
from armtwin.robots.ur.tcp import Tcp, pose_from_vector, vector_from_pose
from armtwin.robots.ur_controller.body.collisions import CONTACT
from armtwin.robots.ur_controller.motion.blending import Leg
from armtwin.robots.ur_controller.motion.commands import FASTEST, HARDEST, Commands, rate
from armtwin.robots.ur_controller.motion.joint_moves import Move, SpeedJoints
from armtwin.robots.ur_controller.motion.tool_moves import SpeedTool
from armtwin.robots.ur_controller.script import ScriptHost
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.host import Quantity, Token
from armtwin.robots.ur_controller.script_commands import ScriptCommands, not_simulated
from armtwin.robots.ur_controller.state.reports import PopupShown
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

LEAST_RATE = 1e-3
"""Smallest acceleration of a speed command; spline segments ask for 0 [rad/s2, m/s2]."""
KILLED_STOP = 4.0
"""Deceleration when the thread that moves the arm is killed [rad/s2]."""
RATE_STEP = 1e-6
"""Half of the time over which the Jacobian's rate is taken [s]."""


@dataclass(eq=False)
class Waiting:
    """What a program waits for: a motion or a popup.

    Attributes:
        over: whether the program may continue.
        move: the controller's move; None for a popup.
    """

    over: Callable[[], bool]
    move: Move | None = None


class ControllerHost(ScriptHost):
    """What programs can ask of the virtual controller.

    Args:
        controller: the controller.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._commands = controller, Commands(controller)
        self._special: dict[str, Callable[[], Any]] = {
            "flange_pose": lambda: self.forward(tuple(controller.body.q.tolist()), (0.0,) * 6),
            "target_waypoint": lambda: tuple(self._commands.waypoint.tolist()),
            "joint_torques": lambda: tuple(controller.collisions.residual.tolist()),
            "steady": lambda: controller.steady,
            "flags": lambda: self._settings.flags,
            "freedrive_status": lambda: 0,
        }
        self._settings = ScriptCommands(controller)

    @property
    def dt(self) -> float:
        """Duration of a control cycle [s]."""
        return self._controller.dt

    def time(self) -> float:
        """Return the controller's time [s]."""
        return self._controller.clock

    # Motions

    def start(self, motion: m.MotionCommand) -> Token:
        """Begin a motion."""
        controller = self._controller
        passed = self._begin_path(motion)
        if passed is not None:
            move = controller.move
            return Waiting(lambda: passed() or controller.move is not move, move)
        seconds = self._begin(motion)
        move = controller.move
        if seconds is not None:
            end = controller.cycles + max(1, round(seconds / self.dt))
            return Waiting(lambda: controller.cycles >= end, move)
        return Waiting(lambda: controller.move is not move or _speed_reached(move), move)

    def _begin_path(self, motion: m.MotionCommand) -> Callable[[], bool] | None:
        """Begin or continue a blended path; return None if the motion belongs to none."""
        if not isinstance(motion, m.JointMoveCommand | m.ToolMoveCommand | m.MoveProcess):
            return None
        if getattr(motion, "optimal", False):
            not_simulated("optimovej" if isinstance(motion, m.JointMoveCommand) else "optimovel")
        timed = getattr(motion, "seconds", 0.0) > 0
        if timed or not (motion.blend > 0 or self._commands.blending):
            return None
        do, target = self._commands, _target(motion.target)
        end = do.joints(target) if isinstance(motion, m.JointMoveCommand) else do.pose(target)
        rates = (rate(motion.speed, FASTEST), rate(motion.acceleration, HARDEST))
        return do.blend(Leg(end, *rates, motion.blend))

    def _begin(self, motion: m.MotionCommand) -> float | None:
        """Begin a motion; return how long the program waits [s], None if until its end."""
        do = self._commands
        if isinstance(motion, m.JointMoveCommand | m.ToolMoveCommand):
            move = do.movej if isinstance(motion, m.JointMoveCommand) else do.movel
            rates = (motion.acceleration or LEAST_RATE, motion.speed or LEAST_RATE)
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
        """Begin what is set again and again; return how long the program waits [s]."""
        do = self._commands
        if isinstance(motion, m.ServoJoints):
            joints = np.array(motion.joints)
            do.servoj(joints, motion.seconds, motion.lookahead, motion.gain)
        elif isinstance(motion, m.ServoCircle):
            do.servoc(_target(motion.target), motion.acceleration, motion.speed)
            return self.dt
        elif isinstance(motion, m.JointSpeedCommand):
            do.speedj(np.array(motion.speeds), max(motion.acceleration, LEAST_RATE))
        elif isinstance(motion, m.ToolSpeedCommand):
            do.speedl(np.array(motion.velocity), max(motion.acceleration, LEAST_RATE))
        else:
            not_simulated("movec" if isinstance(motion, m.MoveCircle) else "direct_torque")
        return motion.seconds

    def finished(self, token: Token) -> bool:
        """Return whether the program may continue after a motion or popup."""
        return bool(token.over())

    def cancel(self, token: Token) -> None:
        """Bring the arm to rest if it still makes that motion."""
        if token.move is not None and self._controller.move is token.move:
            self._commands.stopj(KILLED_STOP)

    # Commands and fields

    def do(self, command: c.Command) -> None:
        """Carry out a command."""
        self._settings.do(command)

    def read(self, field: str) -> Any:
        """Return a field of the controller."""
        if field in self._special:
            return self._special[field]()
        values = self._controller.registers[field].tolist()
        return values[0] if len(values) == 1 else tuple(values)

    def write(self, field: str, value: Any) -> None:
        """Set an output register."""
        self._controller.registers[field] = value

    # Kinematics and dynamics

    def forward(self, q: m.Six, tcp: m.Six | None) -> m.Six:
        """Return the tool's pose."""
        offset = self._controller.tcp.offset if tcp is None else pose_from_vector(tcp)
        T = fk(self._controller.arm, q, ignore_limits=True) @ offset
        return tuple(vector_from_pose(T).tolist())

    def inverse(self, pose: m.Six, near: m.Six | None, tcp: m.Six | None) -> m.Six:
        """Return the joint positions of a pose."""
        tool = self._controller.tcp
        if tcp is not None:
            tool = Tcp(self._controller.arm)
            tool.set(tcp)
        seed = self._controller.reference.q if near is None else np.array(near)
        return tuple(tool.inverse(pose_from_vector(pose), seed).tolist())

    def within_limits(self, values: m.Six, is_pose: bool) -> bool:
        """Return whether joint positions or a pose are within the joint limits."""
        arm = self._controller.arm
        try:
            q = np.array(self.inverse(values, None, None) if is_pose else values)
        except ArmTwinError:
            return False
        return bool(((q >= arm.lower) & (q <= arm.upper)).all())

    def dynamics(self, quantity: Quantity, q: m.Six | None, qd: m.Six | None) -> Any:
        """Return a matrix or vector of the arm."""
        body, arm = self._controller.body, self._controller.arm
        here, rates = (
            (body.q if q is None else np.array(q)),
            (body.qd if qd is None else np.array(qd)),
        )
        if quantity == "mass_matrix":
            return mass_matrix(arm, here).tolist()
        if quantity == "coriolis":
            return (coriolis(arm, here, rates) @ rates).tolist()
        state = self._controller.tcp.state
        if quantity == "jacobian":
            return state(here, rates).J.tolist()
        ahead, behind = (state(here + s * RATE_STEP * rates, rates).J for s in (1, -1))
        return ((ahead - behind) / (2 * RATE_STEP)).tolist()

    def contact_steps(self, direction: m.Six) -> int:
        """Return 1 while something touches the arm; the direction is not considered."""
        return int(self._controller.collisions.ratio >= CONTACT)

    def joint_history(self, steps: int) -> m.Six:
        """Return the actual joint positions some cycles ago."""
        history = self._controller.history
        return tuple(history[max(len(history) - 1 - steps, 0)].tolist())

    # Messages

    def log(self, text: str) -> None:
        """Send a text message to the clients."""
        self._controller.say(text)

    def popup(self, popup: c.Popup) -> Token:
        """Show a popup; a client closes it over the dashboard (``close popup``)."""
        panel = self._controller.panel
        level = Level.INFO if popup.kind == "message" else Level.WARNING
        text = TextMessage(f"{popup.title}: {popup.message}", "armtwin", level)
        self._controller.texts.append(text)
        shown = PopupShown(popup.title, popup.message, popup.kind, popup.blocking)
        self._controller.report(shown)
        panel.popup = popup.message or popup.title
        return Waiting(lambda: not panel.popup)


def _speed_reached(move: Move | None) -> bool:
    """Return whether a move without end has reached its speed."""
    return isinstance(move, SpeedJoints | SpeedTool) and move.left is None and move.reached


def _target(target: m.MotionTarget) -> Array:
    """Return joint positions (6,), or a pose (4, 4)."""
    return pose_from_vector(target.values) if target.is_pose else np.array(target.values)
