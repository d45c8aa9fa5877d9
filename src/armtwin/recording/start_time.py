"""When a recording was made: from its metadata, or from a clock that counts from 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

from armtwin.errors import InputError
from armtwin.spatial import Array

EARLIEST, LATEST = 946_684_800.0, 4_102_444_800.0
"""The years 2000 and 2100 in seconds since 1970: a clock in between is a date, not a duration."""


class HasStartTime(Protocol):
    """An object with a clock and, if known, the date and time at zero: a recording or its draft."""

    @property
    def time(self) -> Array:
        """Times (n,) [s]."""

    @property
    def timed(self) -> bool:
        """Whether there is a clock."""

    @property
    def started(self) -> str | None:
        """Date and time at time 0, ISO 8601."""


def start_time(recording: HasStartTime) -> tuple[datetime, str] | None:
    """Return the time of the first row in UTC, and where it comes from; None if it is not known.

    Raises:
        InputError: the metadata hold a date that cannot be read.
    """
    first = float(recording.time[0]) if recording.timed else 0.0
    if recording.started is not None:
        at = parse_time(recording.started, "the recording's start") + timedelta(seconds=first)
        return at, "the recording's metadata"
    if recording.timed and EARLIEST <= first <= LATEST:
        return datetime.fromtimestamp(first, UTC), "the recording's clock"
    return None


def parse_time(text: str, what: str = "time") -> datetime:
    """Return an ISO 8601 date and time in UTC.

    Raises:
        InputError: no such date, or one without a time zone.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            f"{what} is {text!r}; give a date and time such as 2026-05-04T13:30:00+02:00"
        ) from error
    if found.tzinfo is None:
        raise InputError(
            f"{what} is {text!r}, without a time zone; add one: {text}Z for UTC, or {text}+02:00"
        )
    return found.astimezone(UTC)
