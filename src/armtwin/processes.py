"""Processes of this package: how they are started, and the memory that they may allocate."""

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


def module_command(module: str, *words: str) -> list[str]:
    """Return the command line that runs a Python module in a process of its own.

    ``-P`` keeps the current folder out of the module search path: a ``json.py`` there would be
    imported in place of the standard library's.

    Args:
        module: dotted name.
        words: its arguments.
    """
    return [sys.executable, "-P", "-m", module, *words]
