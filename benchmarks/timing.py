"""Interleaved timing: every contender in turn, the best of several rounds each."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Contender:
    """A method of doing a task: ``call`` handles ``states`` configurations."""

    name: str
    call: Callable[[], object]
    states: int


@dataclass(frozen=True)
class Claim:
    """A ratio that must be reached: how many times faster than a peer, by name of the rows."""

    task: str
    ours: str
    peer: str
    times: float


TURN_NS = 5_000_000


def use_one_thread() -> None:
    """Let batches use one thread by default, as the peers do."""
    os.environ["ARMTWIN_THREADS"] = "1"


def nanoseconds(contenders: Sequence[Contender], rounds: int) -> dict[str, float]:
    """Return the best time per configuration of every contender [ns]; they take turns.

    A turn is as many calls as fit in 5 ms, one at least.
    """
    best = {c.name: float("inf") for c in contenders}
    for contender in contenders:
        contender.call()  # the first call derives, compiles and fills caches
    for _ in range(rounds):
        for contender in contenders:
            took = _turn(contender) / contender.states
            best[contender.name] = min(best[contender.name], took)
    return best


def _turn(contender: Contender) -> float:
    """Return the shortest call of a turn [ns]."""
    best, spent = float("inf"), 0
    while spent < TURN_NS:
        start = time.perf_counter_ns()
        contender.call()
        took = time.perf_counter_ns() - start
        best, spent = min(best, took), spent + took
    return best


def import_seconds(module: str, rounds: int = 5) -> float:
    """Return the best time that a fresh Python takes to import a module [s]."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(rounds)
    ]
    return min(float(run.stdout) for run in runs)
