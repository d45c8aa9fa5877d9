"""The thread that communicates with a servo arm's board: commands first, then the status."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError, LinkError, NotPermittedError, RefusedError
from armtwin.robots.servo.arrival import AT_REST, ArmStatus
from armtwin.robots.servo.servo_arm import ServoArm
from armtwin.spatial import Array

LOOK = 0.1
"""Polling period of a resting arm [s]; a poll also resets the board's watchdog."""
AGAIN = 1.0
"""Time before a lost line is opened again [s]."""
LONGEST_MOVE = 60.0
"""Longest expected duration of a move [s]."""


@dataclass(frozen=True, eq=False)
class ServoMove:
    """A motion to start: joints (dof,) [rad] and the share of the top speeds."""

    q: Array
    share: float


class ServoLine(threading.Thread):
    """Polls a servo arm's status and sends it the newest command.

    Args:
        opening: opens the arm; called again after the line broke.

    Attributes:
        status: the last status and its time (monotonic clock) [s].
        trouble: the last refusal or fault, for people.
        lost: whether the line is broken now.
        busy: whether the status does not show the newest command yet.
    """

    def __init__(self, opening: Callable[[], ServoArm]) -> None:
        super().__init__(name="servo line", daemon=True)
        self.status: tuple[ArmStatus, float] | None = None
        self.trouble, self.lost = "", False
        self._opening = opening
        self._order: ServoMove | None = None
        self._halting = self._obeyed = self.busy = False
        self._stopped, self._wake, self._end = threading.Event(), threading.Event(), False

    def order(self, order: ServoMove) -> None:
        """Replace a command that has not been sent yet."""
        self._order, self.busy = order, True
        self._wake.set()

    def halt(self, patience: float = 2.0) -> bool:
        """Stop the arm before anything else; return whether the board confirmed in time.

        The stop is sent over a broken line as soon as it works again.
        """
        self._order, self._halting, self._obeyed = None, True, False
        self._stopped.clear()
        self._wake.set()
        if self.is_alive() and not self.lost:
            self._stopped.wait(patience)
        return self._obeyed

    def finish(self) -> None:
        """End the thread and close the line."""
        self._end = True
        self._wake.set()
        self.join(5.0)

    def run(self) -> None:
        """Exchange messages with the board until ``finish``; reopen a broken line."""
        while not self._end:
            try:
                with self._opening() as servo:
                    self.lost = False
                    self._serve(servo)
            except LinkError as error:
                self.lost, self.trouble = True, str(error)
                self._order, self.busy = None, False
                self._stopped.set()
                self._wake.wait(AGAIN)
                self._wake.clear()

    def _serve(self, servo: ServoArm) -> None:
        while True:
            self._obey(servo)
            self.status = servo.status(), time.monotonic()
            self.busy = self._order is not None
            if self._end:
                return
            if self.status[0].board.mode in AT_REST and self._order is None:
                self._wake.wait(LOOK)
            self._wake.clear()

    def _obey(self, servo: ServoArm) -> None:
        if self._halting:
            self._halting, self.trouble = False, ""
            servo.board.stop()
            self._obeyed = True
            self._stopped.set()
        order, self._order = self._order, None
        if order is None:
            return
        try:
            servo.set_out(order.q, seconds=self._seconds(servo, order))
            self.trouble = ""
        except (InputError, NotPermittedError, RefusedError) as error:
            self.trouble = str(error)

    def _seconds(self, servo: ServoArm, order: ServoMove) -> float:
        """Return the duration of a move whose slowest joint uses a share of its top speed [s]."""
        here = self.status[0].q if self.status is not None else servo.status().q
        top = servo.mapping.settings.speed * np.array([a.speed for a in servo.mapping.joints])
        return min(LONGEST_MOVE, float((np.abs(order.q - here) / top).max()) / order.share)
