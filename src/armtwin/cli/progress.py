"""Progress of long work, on the error stream, once it has taken two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar


def show_step(step: str) -> None:
    """Show a step in place of the one before; an empty one clears the line."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{f'{step} ...' if step else ''}")
        sys.stderr.flush()


PATIENCE = 2.0


class Part(Protocol):
    """A part of some work that knows how much of the whole is done with it."""

    @property
    def done(self) -> float:
        """Share of the work that ends with this part, 0 to 1."""
        ...


P = TypeVar("P", bound=Part)


def progress(parts: Iterable[P], what: str) -> Iterator[P]:
    """Yield the parts and, from the second second on, tell a person how far the work is."""
    start = shown = time.monotonic()
    for part in parts:
        yield part
        now = time.monotonic()
        if now - start > PATIENCE and now - shown > PATIENCE / 4:
            shown = now
            left = (now - start) * (1 / max(part.done, 1e-6) - 1)
            _show(f"{what}: {part.done:4.0%}, about {left:.0f} s left")
    if shown != start:
        _show("")


def reporter(what: str) -> Callable[[float], None]:
    """Return a function that takes the share done and, after two seconds, tells a person."""
    start = shown = time.monotonic()

    def report(done: float) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - start > PATIENCE and now - shown > PATIENCE / 4:
            shown = now
            left = (now - start) * (1 / max(done, 1e-6) - 1)
            _show(f"{what}: {done:4.0%}, about {left:.0f} s left")
        if done >= 1 and shown != start:
            _show("")

    return report


def _show(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
    elif text:
        sys.stderr.write(text + "\n")
    sys.stderr.flush()
