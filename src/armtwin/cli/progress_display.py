"""Progress of long work on standard error, after two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from armtwin.app.server.plain_text import printable
from armtwin.progress import OnProgress, Progress


def show_step(step: str) -> None:
    """Print a step over the previous one; an empty step clears the line."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{f'{printable(step)} ...' if step else ''}")
        sys.stderr.flush()


PATIENCE = 2.0
"""Seconds before the first report: shorter work needs none."""
MIN_SHARE = 0.01
"""Share done before the remaining time is estimated."""


class WorkPart(Protocol):
    """A part of the work, and the share of the whole that is done at its end."""

    @property
    def done(self) -> float:
        """Share of the work that ends with this part, 0 to 1."""
        ...


P = TypeVar("P", bound=WorkPart)


def progress(parts: Iterable[P], what: str) -> Iterator[P]:
    """Yield the parts and, once two seconds have passed, print the share that is done."""
    start = shown = time.monotonic()
    for part in parts:
        yield part
        now = time.monotonic()
        if now - start > PATIENCE and now - shown > PATIENCE / 4:
            shown = now
            _show(_share(what, part.done, now - start))
    if shown != start:
        _show("")


def reporter(what: str) -> OnProgress:
    """Return an ``on_progress`` function that prints the share done once two seconds have passed.

    Args:
        what: what is worked on, printed before the share.
    """
    start = shown = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal shown
        now, done = time.monotonic(), progress.done or 0.0
        if now - start > PATIENCE and now - shown > PATIENCE / 4:
            shown = now
            _show(_share(what, done, now - start))
        if done >= 1 and shown != start:
            _show("")

    return report


def _share(what: str, done: float, elapsed: float) -> str:
    if done < MIN_SHARE:
        return f"{what}: {done:4.0%}"
    return f"{what}: {done:4.0%}, about {elapsed * (1 / done - 1):.0f} s left"


def _show(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{printable(text)}")
    elif text:
        sys.stderr.write(printable(text) + "\n")
    sys.stderr.flush()
