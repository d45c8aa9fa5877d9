"""Direct torque: joint torques that a program sets in every control cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armtwin.robots.ur_controller.motion.joint_moves import Move, Reference, TorqueCommand

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController


class DirectTorqueMove(Move):
    """Applies torques that are set again in every cycle; position control takes over else."""

    def __init__(self, controller: VirtualController, command: TorqueCommand) -> None:
        self._controller = controller
        self._command: TorqueCommand | None = command

    def set(self, command: TorqueCommand) -> None:
        """Set the torques for the next cycle."""
        self._command = command

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Let the reference follow the arm; end in a cycle without torques.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        body, (command, self._command) = self._controller.body, (self._command, None)
        reference.q, reference.qd, reference.qdd = body.q, body.qd, np.zeros_like(body.q)
        reference.command = command
        self._controller.collisions.watching = command is None
        return command is None
