"""Which step of some longer work runs, on a terminal's error stream."""

from __future__ import annotations

import sys


def show_step(step: str) -> None:
    """Show a step in place of the one before; an empty one clears the line."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{f'{step} ...' if step else ''}")
        sys.stderr.flush()
