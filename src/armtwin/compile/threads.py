"""Threads for batches: how many cores may be used, and rows divided over them.

Rows are independent, and a row is computed by the same operations whichever thread computes it: the
number of threads changes no bit of a result.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from armtwin.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

VARIABLE = "ARMTWIN_THREADS"
"""Environment variable with the largest number of threads that a batch uses by default."""
WORKER_VARIABLE = "OMP_NUM_THREADS"
"""Set by joblib, Ray, Dask and job schedulers in their workers, so that these share the cores."""
MIN_OPERATIONS = 4_000_000
"""Operations (rows times steps of the program) per thread from which a batch is divided by default.

Handing a part to a thread and waiting for it takes 40 to 100 us; a step of a row takes 0.05 to
0.17 ns in SIMD lanes. Measured with two cores, UR10e, operations of both threads together: 0.7 x
(slower) at 2 million, 1.0 to 1.5 x at 4 million, 1.3 to 1.6 x at 8 million, 1.8 x at 64 million.
Two threads begin at 8 million: 82,000 poses, 13,000 inverse or 7,500 forward dynamics."""
MIN_ROWS = 2048
"""Rows for which a thread is used at least, also where the caller gives a number of threads."""
MAX_THREADS = 256
"""Size of the pool; threads start when they are first used."""
UNIT = 64
"""Parts begin at multiples of this row: aligned for streaming stores, whole blocks of lanes, and
more than the rows that a batch leaves over after its last block."""


def available_cores() -> int:
    """Return the number of cores that this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def default_threads() -> int:
    """Return how many threads a large batch uses where the caller gives no number.

    All cores that the process may run on; ``ARMTWIN_THREADS`` or else ``OMP_NUM_THREADS`` lowers
    the number. One in processes of ``multiprocessing``, whose parent uses the other cores.

    Raises:
        InputError: ``ARMTWIN_THREADS`` is no whole number of 1 or more.
    """
    cores = available_cores()
    given = os.environ.get(VARIABLE, "")
    if given:
        if not given.isdecimal() or int(given) < 1:
            raise InputError(f"{VARIABLE} is {given!r}; give a whole number, 1 or more")
        return min(cores, int(given))
    import multiprocessing  # slow to import, and needed by large batches only

    if multiprocessing.parent_process() is not None:
        return 1
    shared = os.environ.get(WORKER_VARIABLE, "").split(",")[0]  # a list is for nested regions
    return min(cores, int(shared)) if shared.isdecimal() and int(shared) else cores


def checked_threads(threads: int | None) -> int | None:
    """Return the number of threads as given, None for the default.

    Raises:
        InputError: neither None nor a whole number of 1 or more.
    """
    if threads is None or (isinstance(threads, int) and threads >= 1):
        return threads
    raise InputError(
        f"threads is {threads!r}; give a whole number, 1 or more, or None for all cores"
    )


def parts_of(rows: int, steps: int, threads: int | None) -> int:
    """Return in how many parts a batch is divided, one per thread.

    Args:
        rows: states of the batch.
        steps: operations per state.
        threads: most threads; None for all cores, as far as the batch is large enough.
    """
    if threads is not None:
        return max(1, min(threads, rows // MIN_ROWS, MAX_THREADS))
    worth = min(rows * steps // MIN_OPERATIONS, rows // MIN_ROWS)
    return 1 if worth < 2 else min(worth, default_threads(), MAX_THREADS)


def run_parts(run: Callable[[int, int], None], rows: int, parts: int, unit: int = UNIT) -> None:
    """Call ``run(start, stop)`` for every part of a batch, the first one in this thread.

    Args:
        run: computes rows ``start`` to ``stop``; it must release the interpreter lock to gain.
        rows: states of the batch.
        parts: in how many parts it is divided.
        unit: parts begin at multiples of this row.
    """
    blocks = -(-rows // unit)
    cuts = [min(rows, blocks * k // parts * unit) for k in range(parts + 1)]
    if parts == 1:
        run(0, rows)
        return
    pairs = list(zip(cuts[1:], cuts[2:], strict=False))
    jobs = [_pool().submit(run, start, stop) for start, stop in pairs]
    try:
        run(0, cuts[1])
    finally:
        faults = [job.exception() for job in jobs]  # waits: arrays stay alive until all are done
    for fault in faults:
        if fault is not None:
            raise fault


@functools.cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads of this process; each is started when it is first needed."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="armtwin-batch")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
