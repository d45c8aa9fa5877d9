"""Waits until a moving arm rests, and checks why it came to rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from armtwin.errors import LinkError
from armtwin.robots.servo.messages import BoardStatus, Mode, Reason
from armtwin.spatial import Array

POLL = 0.1
"""Polling period of a moving arm [s]; a poll also resets the board's watchdog (1 s)."""

AT_REST = (Mode.HOLDING, Mode.PAUSED)


@dataclass(frozen=True, eq=False)
class ArmStatus:
    """Commanded position (servos report nothing back) and the board's status.

    Attributes:
        q: joint angles (dof,) [rad].
        opening: of the gripper, 0 closed to 1 open.
        board: the board's status.
    """

    q: Array
    opening: float
    board: BoardStatus


def never(status: ArmStatus) -> bool:
    """Return False: wait for rest."""
    return False


def wait_for_rest(
    look: Callable[[], ArmStatus], enough: Callable[[ArmStatus], bool] = never
) -> ArmStatus:
    """Return the status once the arm rests, or once ``enough`` returns True.

    Raises:
        LinkError: the board restarted, or the arm was stopped before arrival.
    """
    was_on = False
    while True:
        status = look()
        if was_on and not status.board.switched_on:
            raise LinkError(
                "the board restarted while the arm moved, and its servos are limp: most often "
                "its supply broke down; feed the servos from a supply of their own"
            )
        was_on = status.board.switched_on
        if enough(status):
            return status
        if status.board.mode in AT_REST:
            return _arrived(status)
        time.sleep(POLL)


def _arrived(status: ArmStatus) -> ArmStatus:
    if status.board.reason == Reason.WATCHDOG:
        raise LinkError(
            "the board received nothing from this host for too long and stopped the arm"
        )
    if status.board.reason == Reason.STOPPED:
        raise LinkError("the arm was stopped before arrival by another client")
    return status
