"""What happens to programs, kept once for every port that reports it to clients."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

MOST_EVENTS = 500
"""Events that are kept; older ones are forgotten."""


class ProgramChange(enum.Enum):
    """What happened to a program."""

    STARTED = "started"
    STOPPED = "stopped"
    PAUSED = "paused"
    RESUMED = "resumed"


@dataclass(frozen=True)
class ProgramEvent:
    """A change of the program that a controller plays.

    Attributes:
        clock: time on the controller's clock [s].
        change: what happened.
        name: the program's name, as in its ``def``.
    """

    clock: float
    change: ProgramChange
    name: str


@dataclass(frozen=True)
class ScriptFailure:
    """A program that could not be compiled or has failed while it ran.

    Attributes:
        clock: time on the controller's clock [s].
        name: the program's name; empty if it could not be compiled.
        text: the message, as a UR controller words it.
        line: line in the program, from 1; 0 if unknown.
        column: column in that line, from 1; 0 if unknown.
    """

    clock: float
    name: str
    text: str
    line: int = 0
    column: int = 0


Event = ProgramEvent | ScriptFailure


class Events:
    """Events of a controller.

    Attributes:
        recent: the last events, oldest first.
    """

    def __init__(self) -> None:
        self.recent: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._listeners: list[Callable[[Event], None]] = []

    def subscribe(self, listener: Callable[[Event], None]) -> None:
        """Call a function with every event from now on, within the control cycle."""
        self._listeners.append(listener)

    def add(self, event: Event) -> None:
        """Keep an event and pass it on."""
        self.recent.append(event)
        for listener in self._listeners:
            listener(event)
