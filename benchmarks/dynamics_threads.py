"""Batches on one thread and on all cores: the last part of ``python -m benchmarks.dynamics``.

The shortest of many calls counts, in turns: on a machine with other work, a call on two threads is
only as fast as the slower core, and seldom finds both free.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import armtwin as at
from armtwin.compile.outputs import new_array
from armtwin.compile.threads import available_cores

STATES = 400_000
TURNS = 12
"""Calls per round and number of threads."""


def show_scaling(
    arm: at.Arm,
    calls: dict[str, tuple[Callable[..., np.ndarray], int]],
    rounds: int,
    states: int = STATES,
) -> None:
    """Print the times of large batches on 1, 2, 4, ... threads up to the available cores.

    Args:
        arm: the arm.
        calls: per task the function and how many of q, qd and qdd (or tau) it takes.
        rounds: repetitions; the best counts.
        states: in a batch.
    """
    cores = available_cores()
    numbers = [n for n in (1, 2, 4, 8, 16, 32, 64) if n < cores] + [cores]
    print(f"\nthreads: {states:,} states, checks included, out= given [ns per configuration]")
    print(f"  {'':20s}" + "".join(f"{n:>9d}" for n in numbers) + "   1 to all   same bits")
    rng = np.random.default_rng(1)
    state = [rng.uniform(-3, 3, (states, arm.dof)) for _ in range(3)]
    for task, (call, count) in calls.items():
        best, equal = _times(arm, call, state[:count], numbers, rounds)
        cells = "".join(f"{best[n] / states:9.1f}" for n in numbers)
        print(f"  {task:20s}{cells}   {best[1] / best[cores]:6.2f} x   {'yes' if equal else 'NO'}")


def _times(
    arm: at.Arm,
    call: Callable[..., np.ndarray],
    state: list[np.ndarray],
    numbers: list[int],
    rounds: int,
) -> tuple[dict[int, float], bool]:
    """Return the best time per number of threads [ns], and whether all results are equal."""
    first = call(arm, *state, threads=1)
    out, best, equal = new_array(first.shape), dict.fromkeys(numbers, float("inf")), True
    for _ in range(rounds * TURNS):
        for number in numbers:
            start = time.perf_counter_ns()
            call(arm, *state, threads=number, out=out)
            best[number] = min(best[number], time.perf_counter_ns() - start)
    for number in numbers:
        equal &= np.array_equal(call(arm, *state, threads=number, out=out), first)
    return best, equal
