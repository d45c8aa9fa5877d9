"""The error tree: every error of armtwin is an ``ArmTwinError``.

Every message says what was given, what was expected, what exists and what to do.
"""

from __future__ import annotations

from typing import Any


class ArmTwinError(Exception):
    """Root of every error that armtwin raises."""


class InputError(ArmTwinError, ValueError):
    """A value of the wrong shape, type or range."""


class ArmFileError(ArmTwinError):
    """An arm file (TOML, URDF, MJCF) that cannot be read as an arm."""


class UnknownArmError(ArmTwinError, LookupError):
    """No catalogue arm and no file of that name."""


class MissingDataError(ArmTwinError):
    """The arm lacks numbers that the computation needs (masses, limits, motors)."""


class JointLimitError(InputError):
    """A joint position beyond its limit."""


class UnreachableError(ArmTwinError):
    """A pose that the arm cannot reach."""


class PlanError(ArmTwinError):
    """A motion that cannot be planned: out of reach, singular, or beyond a limit."""


class ProgramError(ArmTwinError):
    """A program of taught positions that cannot be read, does not fit the arm, or cannot run."""


class JobError(ArmTwinError):
    """A background job that does not exist, has failed, or exceeds the number allowed."""


class LimitError(InputError):
    """A request beyond a limit of rows, time or memory."""


class BusyError(ArmTwinError):
    """A request that cannot be served now: the queue is full or the work process restarts."""


class UnstableError(ArmTwinError):
    """A simulation that became unstable.

    Attributes:
        recording: the recording up to that time.
    """

    def __init__(self, message: str, recording: Any = None) -> None:
        super().__init__(message)
        self.recording = recording


class OutputExistsError(ArmTwinError):
    """A file that would be overwritten without permission."""


class RecordingError(ArmTwinError):
    """A file that cannot be read as a recording."""


class MissingColumnError(RecordingError, LookupError):
    """A recording without the columns that the computation needs."""


class ClockError(RecordingError, ValueError):
    """Time stamps that are missing, repeated or run backwards."""


class CompileError(ArmTwinError):
    """Source code that cannot be compiled on this machine."""


class LinkError(ArmTwinError):
    """A robot that cannot be reached, does not answer or refuses."""


class ProtocolError(LinkError):
    """Received bytes that violate the protocol."""


class RefusedError(LinkError):
    """A request that the robot refused; ``names`` holds the refused fields, if any."""

    def __init__(self, message: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.names = names


class NotPermittedError(LinkError):
    """A motion of hardware without permission, or beyond the limits set for it."""


class NotDeliveredError(LinkError):
    """A stop command that did not reach the robot, or was not confirmed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"NOT DELIVERED, use the robot's own stop: {reason}")


class FmuError(ArmTwinError):
    """An FMU that cannot be read, loaded or run."""


class UnitWarning(UserWarning):
    """Values that appear to be in another unit than expected."""


class ModelWarning(UserWarning):
    """An arm whose numbers are physically implausible."""


class HistoryWarning(UserWarning):
    """A file of a history that cannot be read and is left out."""


class CompileWarning(UserWarning):
    """No compiled kernel: the slower NumPy target is used instead."""
