"""External torques on a joint of a virtual robot for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

MAX_TORQUE, LONGEST_PUSH = 1000.0, 60.0
"""Largest torque on a joint [Nm], and its longest duration [s]."""


def check_push(controller: VirtualController, joint: int, torque: float, seconds: float) -> None:
    """Check a push of a joint, numbered from 1, with a torque [Nm] for some time [s].

    Args:
        controller: the robot's controller.
        joint: the joint's number, from 1.
        torque: what is exerted on it [Nm].
        seconds: how long [s].

    Raises:
        InputError: no such joint, a torque or time above the limits, or less than a cycle.
    """
    dof, dt = controller.arm.dof, controller.dt
    if not 1 <= joint <= dof:
        raise InputError(f"joint {joint}: there are 1 to {dof}")
    if not (abs(torque) <= MAX_TORQUE and 0 < seconds <= LONGEST_PUSH):
        raise InputError(
            f"a push has at most {MAX_TORQUE:g} Nm and lasts up to {LONGEST_PUSH:g} s, got "
            f"{torque:g} Nm for {seconds:g} s"
        )
    if seconds < dt:
        raise InputError(f"a push lasts at least one control cycle, {dt:g} s, got {seconds:g} s")


class ExternalPush:
    """Sets a controller's ``push`` and takes it away again, by the controller's clock."""

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._left = controller, -1

    def push(self, joint: int, torque: float, seconds: float) -> None:
        """Push a joint, numbered from 1, with a torque [Nm] for some time [s].

        Args:
            joint: its number, from 1.
            torque: [Nm].
            seconds: duration [s].

        Raises:
            InputError: no such joint, a torque or time above the limits, or less than a cycle.
        """
        controller, dof = self._controller, self._controller.arm.dof
        check_push(controller, joint, torque, seconds)
        controller.push = np.where(np.arange(dof) == joint - 1, torque, 0.0)
        self._left = round(seconds / controller.dt)

    def step(self) -> None:
        """Let go when the push has acted in its number of control cycles."""
        if self._left == 0:
            self._controller.push = np.zeros(self._controller.arm.dof)
        self._left = max(-1, self._left - 1)
