"""One tree of errors.

Every message says what was given, what was expected, what exists and what to do.
"""

from __future__ import annotations

from typing import Any


class ArmTwinError(Exception):
    """Root of every error that armtwin raises on purpose."""


class InputError(ArmTwinError, ValueError):
    """A value of the wrong shape, type or range."""


class ArmFileError(ArmTwinError):
    """An arm file (TOML, URDF, MJCF) that cannot be read as an arm."""


class UnknownArmError(ArmTwinError, LookupError):
    """No catalogue arm and no file of that name."""


class MissingDataError(ArmTwinError):
    """The arm lacks the numbers that the question needs (masses, limits, motors)."""


class JointLimitError(InputError):
    """A joint beyond its limit."""


class UnreachableError(ArmTwinError):
    """A pose that the arm cannot take."""


class PlanError(ArmTwinError):
    """A motion that the arm cannot make: out of reach, through a singularity, beyond a limit."""


class ProgramError(ArmTwinError):
    """A program of taught positions that cannot be read, does not fit the arm, or cannot run."""


class JobError(ArmTwinError):
    """Work in the background that does not exist, has failed, or is one too many."""


class LimitError(InputError):
    """Work that would exceed a limit of rows, time or memory."""


class BusyError(ArmTwinError):
    """Work that cannot be done now, because too much of it waits or its process starts anew."""


class UnstableError(ArmTwinError):
    """A simulated arm that ran away.

    Attributes:
        recording: what had been recorded until then.
    """

    def __init__(self, message: str, recording: Any = None) -> None:
        super().__init__(message)
        self.recording = recording


class OutputExistsError(ArmTwinError):
    """A file that would be overwritten without permission."""


class RecordingError(ArmTwinError):
    """A file that cannot be read as a recording."""


class MissingColumnError(RecordingError, LookupError):
    """A recording without the columns that the question needs."""


class ClockError(RecordingError, ValueError):
    """Time stamps that are missing, repeated or run backwards."""


class CompileError(ArmTwinError):
    """Source that no compiler here could build."""


class LinkError(ArmTwinError):
    """A robot that cannot be reached, does not answer or refuses."""


class ProtocolError(LinkError):
    """Bytes on a connection that are not what the protocol allows there."""


class RefusedError(LinkError):
    """A robot that answers, and says no; ``names`` holds the fields it refused, if any."""

    def __init__(self, message: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.names = names


class NotPermittedError(LinkError):
    """A motion of hardware that nobody allowed, or one beyond the limits set for it."""


class NotDeliveredError(LinkError):
    """A stop that did not reach the robot, or of which nobody knows whether it did."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"NOT DELIVERED, use the robot's own stop: {reason}")


class FmuError(ArmTwinError):
    """An FMU that cannot be read, loaded or run."""


class UnitWarning(UserWarning):
    """Values that look like another unit than the one expected."""


class ModelWarning(UserWarning):
    """An arm whose numbers are readable but physically doubtful."""


class CompileWarning(UserWarning):
    """No compiled kernel: the slower NumPy target serves instead."""
