"""Priorities and memory limits of the app's processes."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

CONTROL = -10
"""Niceness of the control process, where the system allows it."""
OOM_SCORE = 500
"""Makes the kernel end a process with heavy work before the control process."""


def raise_priority() -> bool:
    """Give this process a high priority; return whether it was allowed."""
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, CONTROL)
        _set_group(CONTROL)
        return True
    return False


def reset_priority() -> None:
    """Undo ``raise_priority`` for this process's session when the app ends."""
    _set_group(0)


def lower_priority(nice: int) -> None:
    """Give this process a low priority, and let the kernel end it first when memory runs out."""
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")


def _set_group(nice: int) -> None:
    """Set the niceness of this process's session.

    Linux shares the processors between sessions first where ``sched_autogroup`` is on, as it is on
    most desktops; a process's own niceness then only counts within its session.
    """
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(nice), encoding="ascii")


def limit_memory(size: int, *, hard: bool = True) -> None:
    """Let this process allocate at most ``size`` bytes (Linux); more raises MemoryError.

    Args:
        size: the limit [bytes].
        hard: its children, and it itself, can never raise it.
    """
    if sys.platform != "linux":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    ceiling = size if most == resource.RLIM_INFINITY else min(size, most)
    resource.setrlimit(resource.RLIMIT_DATA, (ceiling, ceiling if hard else most))
