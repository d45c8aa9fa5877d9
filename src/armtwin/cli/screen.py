"""Live display of verbs that monitor a robot."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

    from armtwin.robots.ur.protocol.client import Batch
    from armtwin.robots.ur.protocol.stream import Stream
    from armtwin.robots.ur.statistics import Statistics

PACE = 0.2
"""Time between two updates [s]."""


async def for_seconds(stream: Stream, seconds: float | None) -> AsyncIterator[Batch]:
    """Yield a robot's samples for some seconds from the first on, or until Ctrl-C."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(TimeoutError, asyncio.CancelledError):
        async with asyncio.timeout(None) as limit, contextlib.aclosing(stream.batches()) as batches:
            async for batch in batches:
                if limit.when() is None and seconds is not None:
                    limit.reschedule(loop.time() + seconds)
                yield batch


class Screen:
    """A live table on the error stream; nothing if that is not a terminal."""

    def __init__(self, *, shown: bool = True) -> None:
        self._live: Any = None
        self._last = 0.0
        if shown and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)

    def __enter__(self) -> Screen:
        """Start the display."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the display."""
        if self._live is not None:
            self._live.stop()

    @property
    def due(self) -> bool:
        """Whether an update is due."""
        return self._live is not None and time.monotonic() - self._last >= PACE

    def show(self, content: RenderableType) -> None:
        """Update the display."""
        if self._live is not None:
            self._last = time.monotonic()
            self._live.update(content, refresh=True)


def joint_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    """Return a table with one row per joint.

    Args:
        title: of the table.
        heads: of the columns after the joint's number.
        rows: cells, one row per joint.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("joint", justify="right")
    for head in heads:
        table.add_column(Text(head), justify="right", no_wrap=True)
    for number, row in enumerate(rows, 1):
        table.add_row(str(number), *row)
    return table


def network_line(statistics: Statistics) -> str:
    """Return rate, gaps and losses in one line."""
    s = statistics
    parts = [
        f"{s.received} samples",
        f"{s.rate:.0f}/s",
        f"{s.missing} missing ({s.missed} in {s.gaps} gaps)",
        f"99 % within {1e3 * s.wait(0.99):.1f} ms",
        f"longest {1e3 * s.longest:.1f} ms",
    ]
    if s.outage:
        parts.append(f"{s.outage:.1f} s of outages")
    if s.reconnections:
        parts.append(f"{s.reconnections} reconnections")
    if s.jumps:
        parts.append(f"clock set {s.jumps} times")
    if s.bad_packets:
        parts.append(f"{s.bad_packets} unreadable packets")
    return ", ".join(parts)


def network_summary(statistics: Statistics) -> dict[str, Any]:
    """Return network statistics as plain values."""
    s = statistics
    return {
        "received": s.received, "missing": s.missing, "share": s.share, "gaps": s.gaps,
        "missing_in_gaps": s.missed, "outage": s.outage,
        "rate": s.rate, "wait_p99": s.wait(0.99), "wait_longest": s.longest,
        "repeats": s.repeats, "clock_jumps": s.jumps, "reconnections": s.reconnections,
        "bad_packets": s.bad_packets,
    }  # fmt: skip
