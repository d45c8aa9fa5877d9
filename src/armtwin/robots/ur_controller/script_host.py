"""URScript programs on the virtual controller: the controller as a ``ScriptHost``.

Force mode, freedrive and direct torque raise a ScriptError on a body that forces do not move.
Settings without effect on a virtual arm are accepted with a warning to the clients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.dynamics.rigid_body import coriolis, mass_matrix
from armtwin.errors import ArmTwinError
from armtwin.kinematics.forward import fk
from armtwin.robots.ur.protocol.codec import Level, TextMessage
from armtwin.robots.ur.tcp import Tcp, pose_from_vector, vector_from_pose
from armtwin.robots.ur_controller.script import ScriptHost
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.host import Quantity, Token
from armtwin.robots.ur_controller.script_commands import ScriptCommands
from armtwin.robots.ur_controller.script_motions import ScriptMotions, WaitCondition
from armtwin.robots.ur_controller.state.events import PopupShown

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

KILLED_STOP = 4.0
"""Deceleration when the thread that moves the arm is killed [rad/s2]."""
RATE_STEP = 1e-6
"""Half of the time over which the Jacobian's rate is taken [s]."""


class ControllerHost(ScriptHost):
    """Functions of the virtual controller for programs.

    Args:
        controller: the controller.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._motions = controller, ScriptMotions(controller)
        self._special: dict[str, Callable[[], Any]] = {
            "flange_pose": lambda: self.forward(tuple(controller.body.q.tolist()), (0.0,) * 6),
            "target_waypoint": lambda: tuple(self._motions.commands.waypoint.tolist()),
            "joint_torques": lambda: tuple(controller.collisions.residual.tolist()),
            "steady": lambda: controller.steady,
            "flags": lambda: self._settings.flags,
            "freedrive_status": lambda: self._settings.freedrive_status,
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
        return self._motions.start(motion)

    def finished(self, token: Token) -> bool:
        """Return whether the program may continue after a motion or popup."""
        return bool(token.over())

    def cancel(self, token: Token) -> None:
        """Bring the arm to rest if it still makes that motion."""
        if token.move is not None and self._controller.move is token.move:
            self._motions.commands.stopj(KILLED_STOP)

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
        """Return the joint positions of a pose.

        Args:
            pose: of the tool in base (6,) [m, rad].
            near: joint positions that the solution should be close to; None: the
                present ones.
            tcp: offset of the centre point (6,); None: the present one.
        """
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
        """Return a matrix or vector of the arm.

        Args:
            quantity: which one.
            q: joint positions [rad]; None: the present ones.
            qd: joint speeds [rad/s]; None: the present ones.
        """
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
        """Return the cycles since a contact began against a direction of the tool's motion."""
        force = self._controller.wrist.contact[:3]
        return self._controller.collisions.contact_steps(np.array(direction[:3]), force)

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
        return WaitCondition(lambda: not panel.popup)
