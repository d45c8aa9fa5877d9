"""The memory that a process may allocate."""

from __future__ import annotations

import sys


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
