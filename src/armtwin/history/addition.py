"""Additions to a history: a recording, its file, or a result, and their figures of the arm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armtwin.detection.result import Detection
from armtwin.errors import InputError
from armtwin.history import figures
from armtwin.history.identity import arm_of
from armtwin.history.options import AddOptions
from armtwin.history.row import HistoryRow, PerJoint
from armtwin.identification.result.fit import Fit
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike
from armtwin.recording.read import RecordingLike, read_recording
from armtwin.recording.recording import Recording
from armtwin.validation.result import Check

Addable = Recording | Check | Fit | Detection | str | Path
"""Possible additions: a recording, its file, or a result."""


def recording_of(
    source: Addable,
    recording: RecordingLike | None,
    arm: ArmLike | None,
    options: AddOptions,
) -> Recording:
    """Return the recording that a source is, or is a result of.

    Args:
        source: what is added.
        recording: the recording, if given as well.
        arm: the arm, for the order of the file's joints.
        options: the names of the file's columns.
    """
    if isinstance(source, Check | Detection):
        return source.recording
    if isinstance(source, Fit):
        if recording is None and len(source.inputs) != 1:
            raise InputError("give the recording that the Fit is of (recording=...)")
        source = source.inputs[0] if recording is None else recording
    if isinstance(source, Recording):
        return source
    if not isinstance(source, str | Path):
        raise InputError(
            f"a history takes a recording, its file, or a Check, Fit or Detection, not "
            f"{type(source).__name__}"
        )
    return read_recording(source, arm, mapping=options.mapping)


def arm_of_source(source: Addable, recording: Recording, arm: ArmLike | None) -> Arm:
    """Return the arm of a result, or the one given or recorded.

    Args:
        source: what is added.
        recording: the recording that it is of.
        arm: the arm, if given.
    """
    if arm is None and isinstance(source, Check):
        return source.arm
    if arm is None and isinstance(source, Fit):
        return source.before
    if arm is None and isinstance(source, Detection):
        return source.model.arm
    return arm_of(recording, arm)


def figures_of(source: Addable, speeds: PerJoint) -> dict[str, Any]:
    """Return the figures of a result, friction at some speeds; none of a recording."""
    if isinstance(source, Check):
        return figures.of_check(source)
    if isinstance(source, Fit):
        return figures.of_fit(source, speeds)
    return figures.of_detection(source) if isinstance(source, Detection) else {}


def adds(row: HistoryRow, given: dict[str, Any]) -> bool:
    """Return whether a result has figures that a row lacks, or others than it has."""
    return any(getattr(row, name) != value for name, value in given.items())


def refuse_other_arm(rows: Sequence[HistoryRow], serial: str, arm: str, dof: int) -> None:
    """Raise InputError where a serial number belongs to another arm.

    Args:
        rows: rows of that serial number.
        serial: the serial number.
        arm: name of the arm that is added.
        dof: number of its joints.
    """
    others = [row for row in rows if row.serial == serial and (row.arm, row.dof) != (arm, dof)]
    if others:
        raise InputError(
            f"serial number {serial!r} is an arm {others[0].arm!r} with {others[0].dof} joints "
            f"since {others[0].recorded:%Y-%m-%d}; a recording of {arm!r} with {dof} joints is of "
            "another arm: give its own serial number"
        )
