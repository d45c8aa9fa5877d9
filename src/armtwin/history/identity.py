"""Identity of a recording: the arm and its serial number, the time, a hash of the samples."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

import numpy as np

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.recording.recording import Recording
from armtwin.recording.same_arm import refuse_other_arm
from armtwin.recording.start_time import parse_time, start_time

AHEAD = timedelta(days=1)
"""Longest time by which a recording may be ahead of this machine's clock."""


def content_key(recording: Recording) -> str:
    """Return the SHA-256 of a recording's samples: columns by name, and time from its first row."""
    state = hashlib.sha256()
    time = recording.time - recording.time[0]
    for name, values in [("time", time), *sorted(recording.data.items())]:
        state.update(name.encode() + b"\0")
        state.update(np.ascontiguousarray(values, "<f8").tobytes())
    return state.hexdigest()


def arm_of(recording: Recording, arm: ArmLike | None) -> Arm:
    """Return the arm given, or the one that the recording names.

    Raises:
        InputError: neither; or the recording is of another arm.
    """
    if arm is None and recording.arm is None:
        name = recording.origin or "the recording"
        raise InputError(f"{name} does not say which arm it is of; give it (arm=..., --arm)")
    found = as_arm(recording.arm if arm is None else arm)  # type: ignore[arg-type]
    refuse_other_arm(found, recording)
    return found


def serial_of(recording: Recording | None, serial: str | None) -> str:
    """Return the serial number given, or the recording's.

    Raises:
        InputError: neither, or the two differ.
    """
    known = recording.serial if recording is not None else None
    name = (recording.origin if recording is not None else "") or "the recording"
    if serial is not None and known is not None and serial != known:
        raise InputError(f"{name} is of serial number {known!r}, not {serial!r}: give that one")
    found = (serial or known or "").strip()
    if not found:
        raise InputError(
            f"{name} does not hold the arm's serial number; give it (serial=..., --serial)"
        )
    return found


def time_of(
    recording: Recording, given: datetime | str | float | None, *, now: datetime | None = None
) -> tuple[datetime, str]:
    """Return when a recording was made, in UTC, and where that is known from.

    The time of its file is never taken: copying changes it.

    Args:
        recording: the recording.
        given: the time; ISO 8601 with a time zone, seconds since 1970, or an aware datetime.
        now: the time now; None: this machine's clock.

    Raises:
        InputError: the time is not known, has no time zone, or lies in the future.
    """
    found = (_given(given), "given") if given is not None else start_time(recording)
    name = recording.origin or "the recording"
    if found is None:
        raise InputError(
            f"{name} does not say when it was made (the time of its file may be that of a copy); "
            "give it (time='2026-05-04T13:30:00+02:00', --time)"
        )
    if found[0] > (now or datetime.now(UTC)) + AHEAD:
        raise InputError(f"{name}: {found[0].isoformat()} ({found[1]}) lies in the future")
    return found


def _given(time: datetime | str | float) -> datetime:
    if isinstance(time, str):
        return parse_time(time)
    if isinstance(time, datetime):
        return parse_time(time.isoformat())
    try:
        return datetime.fromtimestamp(float(time), UTC)
    except (ValueError, OverflowError, OSError, TypeError) as error:
        raise InputError(
            f"time is {time!r}; give seconds since 1970 or an ISO 8601 date and time"
        ) from error
