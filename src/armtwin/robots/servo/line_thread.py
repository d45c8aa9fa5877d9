"""The serial line of a servo arm, spoken to by one thread: orders first, then a look."""

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
"""Time between two looks at a resting arm [s]; each also tells the board: the host is here."""
AGAIN = 1.0
LONGEST_MOVE = 60.0


@dataclass(frozen=True, eq=False)
class Order:
    """A motion to start: joints (dof,) [rad] and the share of the top speeds."""

    q: Array
    share: float


class ServoLine(threading.Thread):
    """Keeps a servo arm in view and gives it the newest order.

    Args:
        opening: what opens the arm; called again when the line broke.

    Attributes:
        status: what was seen last, with when (monotonic clock).
        trouble: the last refusal or fault, for people.
        lost: whether the line is broken now.
        busy: whether an order has been given whose effect has not been seen yet.
    """

    def __init__(self, opening: Callable[[], ServoArm]) -> None:
        super().__init__(name="servo line", daemon=True)
        self.status: tuple[ArmStatus, float] | None = None
        self.trouble, self.lost = "", False
        self._opening = opening
        self._order: Order | None = None
        self._halting = self._obeyed = self.busy = False
        self._stopped, self._wake, self._end = threading.Event(), threading.Event(), False

    def order(self, order: Order) -> None:
        """Give an order in the place of one that was not yet carried out."""
        self._order, self.busy = order, True
        self._wake.set()

    def halt(self, patience: float = 2.0) -> bool:
        """Stop the arm before anything else; return whether the board has said yes in time.

        A broken line is told to stop as soon as it works again.
        """
        self._order, self._halting, self._obeyed = None, True, False
        self._stopped.clear()
        self._wake.set()
        if self.is_alive() and not self.lost:
            self._stopped.wait(patience)
        return self._obeyed

    def finish(self) -> None:
        """Let go of the line."""
        self._end = True
        self._wake.set()
        self.join(5.0)

    def run(self) -> None:
        """Speak to the board until told to end; a broken line is opened again."""
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

    def _seconds(self, servo: ServoArm, order: Order) -> float:
        """Return the time of a move whose slowest joint uses a share of its top speed [s]."""
        here = self.status[0].q if self.status is not None else servo.status().q
        top = servo.mapping.settings.speed * np.array([a.speed for a in servo.mapping.joints])
        return min(LONGEST_MOVE, float((np.abs(order.q - here) / top).max()) / order.share)
