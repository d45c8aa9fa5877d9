"""The port between a URScript program and the controller that runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

from armtwin.robots.ur_controller.script.commands import Command, Popup
from armtwin.robots.ur_controller.script.motions import MotionCommand, Six

Quantity = Literal["mass_matrix", "coriolis", "jacobian", "jacobian_rate"]
Token = Any
"""Names a motion or popup that is under way; made and understood by the host only."""


class ScriptHost(ABC):
    """Functions of a controller for programs.

    The scheduler is stepped once per control cycle; a host changes its state between the steps.
    A method may raise an ``ArmTwinError``; the program then ends with a runtime exception that
    has the error's text.
    """

    @property
    @abstractmethod
    def dt(self) -> float:
        """Duration of a control cycle [s]."""

    @abstractmethod
    def time(self) -> float:
        """Return the controller's time [s]."""

    @abstractmethod
    def start(self, motion: MotionCommand) -> Token:
        """Begin a motion, in place of the one under way, and return its token."""

    @abstractmethod
    def finished(self, token: Token) -> bool:
        """Return whether the program may continue after a motion, or a popup was closed."""

    @abstractmethod
    def cancel(self, token: Token) -> None:
        """Give up a motion because its thread was killed: no thread controls the arm any more."""

    @abstractmethod
    def do(self, command: Command) -> None:
        """Carry out a command."""

    @abstractmethod
    def read(self, field: str) -> Any:
        """Return a field by its RTDE name: a number, or a tuple of numbers for a vector.

        Also ``joint_torques`` (external torques [Nm]), ``target_waypoint`` (pose),
        ``flange_pose`` (actual), ``steady`` (bool), ``flags`` (bits), ``freedrive_status``.
        """

    @abstractmethod
    def write(self, field: str, value: Any) -> None:
        """Set an output register by its RTDE name."""

    @abstractmethod
    def forward(self, q: Six, tcp: Six | None) -> Six:
        """Return the pose of the tool for joint positions; ``tcp`` None is the active one."""

    @abstractmethod
    def inverse(self, pose: Six, near: Six | None, tcp: Six | None) -> Six:
        """Return the joint positions of a pose, nearest to ``near`` or the present ones.

        Args:
            pose: of the tool in base (6,) [m, rad].
            near: joint positions that the solution should be close to; None: the
                present ones.
            tcp: offset of the centre point (6,); None: the present one.

        Raises:
            UnreachableError: there are none.
        """

    @abstractmethod
    def within_limits(self, values: Six, is_pose: bool) -> bool:
        """Return whether joint positions or a pose are reachable within the safety limits."""

    @abstractmethod
    def dynamics(self, quantity: Quantity, q: Six | None, qd: Six | None) -> Any:
        """Return a matrix (nested tuples) or vector of the arm, at the present state by default.

        Args:
            quantity: which one.
            q: joint positions [rad]; None: the present ones.
            qd: joint speeds [rad/s]; None: the present ones.
        """

    @abstractmethod
    def contact_steps(self, direction: Six) -> int:
        """Return the cycles since a contact of the tool began; 0 if there is none.

        Args:
            direction: tool velocity (6,) in base along which contacts count; zeros for all.
        """

    @abstractmethod
    def joint_history(self, steps: int) -> Six:
        """Return the actual joint positions some cycles ago [rad]."""

    @abstractmethod
    def log(self, text: str) -> None:
        """Send a text message to the clients."""

    @abstractmethod
    def popup(self, popup: Popup) -> Token:
        """Show a message window and return its token."""
