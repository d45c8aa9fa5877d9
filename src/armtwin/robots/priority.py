"""Priorities and collections of control processes and of those beside them."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

CONTROL = -20
"""Niceness of the control process, where the system allows it."""
OOM_SCORE = 500
"""Makes the kernel end a process with heavy work before the control process."""


FULL_COLLECTIONS = 1000
"""Collections of younger objects between two that look at all objects; Python's own are 10."""
SHORT_SLICE, USUAL_SLICE, LONG_SLICE = 100_000, 0, 20_000_000
"""Time slices [ns]; 0 is the system's own. Since Linux 6.12 a process may request a short one (at
least 0.1 ms) without any privilege: it then preempts processes with longer ones when it wakes."""
SCHED_GETATTR = {"x86_64": 315, "aarch64": 275}
"""Numbers of the system call by machine; that of ``sched_setattr`` is one less."""


def raise_priority() -> bool:
    """Give this process short waits and a high priority; return whether the latter was allowed."""
    _set_slice(SHORT_SLICE)
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, CONTROL)
        _set_session(CONTROL)
        return True
    return False


@contextlib.contextmanager
def control_priority() -> Iterator[None]:
    """Give this process short waits and, where allowed, a high priority while it runs a robot.

    A process with a user-set niceness (``nice -n 5``) is not changed.
    """
    if not hasattr(os, "getpriority") or os.getpriority(os.PRIO_PROCESS, 0):
        yield
        return
    raise_priority()
    try:
        yield
    finally:
        take_usual_priority()
        reset_priority()


def reset_priority() -> None:
    """Undo ``raise_priority`` for this process's session when the app or the robot ends."""
    _set_session(0)


def take_usual_priority() -> None:
    """Give this process the priority that programs have, whatever its parent's is."""
    _set_slice(USUAL_SLICE)
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)


@contextlib.contextmanager
def short_collections() -> Iterator[None]:
    """Let garbage collections of a control process hold it up as little as possible.

    A collection that looks at what is loaded takes up to 30 ms, so that stays out of them. One that
    looks at all other objects takes up to 10 ms with hundreds of connections, so there are few.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*usual[:2], FULL_COLLECTIONS)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def let_others_preempt(wanted: bool) -> None:
    """Let any process that wakes preempt this one, which gets its share in long time slices."""
    _set_slice(LONG_SLICE if wanted else USUAL_SLICE)


def lower_priority(nice: int) -> None:
    """Give this process a low priority, and let the kernel end it first when memory runs out.

    It is scheduled as a batch process, which does not preempt others when it wakes. None of this
    needs a privilege.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    if sys.platform == "linux":
        _set_slice(USUAL_SLICE)
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")


class _SchedAttr(ctypes.Structure):
    """``struct sched_attr`` of sched_setattr(2), version 0."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def _set_slice(nanoseconds: int) -> bool:
    """Set the time slice of this thread and of threads that it starts; return whether it is set."""
    number = SCHED_GETATTR.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return False
    call, attr = ctypes.CDLL(None).syscall, _SchedAttr()
    size = ctypes.c_uint32(ctypes.sizeof(attr))
    if call(number, 0, ctypes.byref(attr), size, 0):
        return False
    attr.runtime = nanoseconds
    return bool(call(number - 1, 0, ctypes.byref(attr), 0) == 0)


def _set_session(nice: int) -> None:
    """Set the niceness of this process's session, if the session is its own.

    Linux shares the processors between sessions first where ``sched_autogroup`` is on, as it is on
    most desktops; a process's own niceness then only counts within its session. The session of a
    terminal or of a script has other programs too: raised with them, it would starve the virtual
    robots and the app's work, which have sessions of their own.
    """
    if sys.platform != "linux" or os.getsid(0) != os.getpid():
        return
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(nice), encoding="ascii")
