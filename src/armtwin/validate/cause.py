"""A possible cause of a pose error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """A possible cause.

    Attributes:
        kind: joint offset, joint direction, base, tool, lag, unit or other arm.
        text: the finding as a sentence.
        removed: share of the squared pose error that it explains, 0 to 1.
        numbers: how many free numbers it has.
        joint: the joint, from 1, where it is about one.
        value: size of the change where it is one number: rad, or s for a lag.
    """

    kind: str
    text: str
    removed: float
    numbers: int
    joint: int | None = None
    value: float | None = None
