"""External torques on a joint of a virtual robot for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

MAX_TORQUE, LONGEST_PUSH = 1000.0, 60.0
"""Largest torque on a joint [Nm], and its longest duration [s]."""


def check_push(dof: int, joint: int, torque: float, seconds: float) -> None:
    """Check a push of a joint, numbered from 1, with a torque [Nm] for some time [s].

    Args:
        dof: joints of the arm.
        joint: the joint's number, from 1.
        torque: what is exerted on it [Nm].
        seconds: how long [s].

    Raises:
        InputError: no such joint, or a torque or time above the limits.
    """
    if not 1 <= joint <= dof:
        raise InputError(f"joint {joint}: there are 1 to {dof}")
    if not (abs(torque) <= MAX_TORQUE and 0 < seconds <= LONGEST_PUSH):
        raise InputError(
            f"a push has at most {MAX_TORQUE:g} Nm and lasts up to {LONGEST_PUSH:g} s, got "
            f"{torque:g} Nm for {seconds:g} s"
        )


class ExternalPush:
    """Sets a controller's ``push`` and takes it away again, by the controller's clock."""

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._end = controller, 0

    def push(self, joint: int, torque: float, seconds: float) -> None:
        """Push a joint, numbered from 1, with a torque [Nm] for some time [s].

        Args:
            joint: its number, from 1.
            torque: [Nm].
            seconds: duration [s].

        Raises:
            InputError: no such joint, or a torque or time above the limits.
        """
        controller, dof = self._controller, self._controller.arm.dof
        check_push(dof, joint, torque, seconds)
        controller.push = np.where(np.arange(dof) == joint - 1, torque, 0.0)
        self._end = controller.cycles + max(1, round(seconds / controller.dt))

    def step(self) -> None:
        """Let go when it is time."""
        if self._controller.cycles == self._end:
            self._controller.push = np.zeros(self._controller.arm.dof)
