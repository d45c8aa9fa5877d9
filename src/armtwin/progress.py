"""Progress of long work, as every library function reports it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Progress of long work.

    Attributes:
        step: what is being done, in a few words.
        done: share of the whole work that is done, 0 to 1; None where it is not known.
    """

    step: str
    done: float | None = None


OnProgress = Callable[[Progress], None]
"""A function that is called as the work goes on. Raise from it to cancel the work."""


def part_of(on_progress: OnProgress | None, start: float, end: float) -> OnProgress | None:
    """Return a callback for a part of the work, whose shares 0 to 1 are ``start`` to ``end``.

    Args:
        on_progress: the caller's function; None: nothing is reported.
        start: share of the whole work that is done before the part.
        end: share that is done after it.
    """
    if on_progress is None:
        return None

    def report(part: Progress) -> None:
        done = None if part.done is None else start + (end - start) * part.done
        on_progress(Progress(part.step, done))

    return report


def report_step(on_progress: OnProgress | None, step: str, done: float | None = None) -> None:
    """Report a step, if there is a callback.

    Args:
        on_progress: the caller's function; None: nothing is reported.
        step: what is being done, in a few words.
        done: share of the whole work that is done, 0 to 1; None where it is not known.
    """
    if on_progress is not None:
        on_progress(Progress(step, done))
