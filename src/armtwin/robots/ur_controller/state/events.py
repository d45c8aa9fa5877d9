"""Events that a controller reports to clients, in their order."""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.robots.ur.protocol.codec import TextMessage


@dataclass(frozen=True)
class ProgramStarted:
    """A program has begun to run."""

    name: str


@dataclass(frozen=True)
class ProgramStopped:
    """A program has ended, for whatever reason."""

    name: str


@dataclass(frozen=True)
class ProgramPaused:
    """The program is held."""

    name: str


@dataclass(frozen=True)
class ProgramResumed:
    """The program continues after a pause."""

    name: str


@dataclass(frozen=True)
class LabelReached:
    """A program has come to one of its labels."""

    number: int
    text: str


@dataclass(frozen=True)
class RuntimeException:
    """A program cannot be compiled or has failed.

    Attributes:
        line: in the program, from 1; 0 if unknown.
        column: in that line, from 1; 0 if unknown.
        text: as a UR controller words it.
    """

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class PopupShown:
    """A message window was opened.

    Attributes:
        title: its title.
        text: its text.
        kind: ``message``, ``warning`` or ``error``.
        blocking: whether the program waits for it.
    """

    title: str
    text: str
    kind: str
    blocking: bool


ProgramReport = ProgramStarted | ProgramStopped | ProgramPaused | ProgramResumed
Report = TextMessage | ProgramReport | LabelReached | RuntimeException | PopupShown


@dataclass(frozen=True)
class Event:
    """A report and its time.

    Attributes:
        clock: time on the controller's clock [s].
        report: what happened.
    """

    clock: float
    report: Report
