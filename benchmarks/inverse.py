"""Inverse kinematics beside EAIK, ssik, roboticstoolbox, trac-ik: ``python -m benchmarks.inverse``.

Every library gets the same arm and the same poses in one process and takes turns; each solution of
a peer must be among armtwin's. Times are CPU time of the thread; the best round counts, so that
other work on the machine disturbs little. Exits with 1 where a stated figure is not reached.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import armtwin as at
from armtwin.errors import UnreachableError
from armtwin.model.arm import Arm
from benchmarks.inverse_peers import InversePeer, peers
from benchmarks.real_arms import SEVEN, SIX, SKEWED

POSES, BATCH, COMPARED, BURST = 200, 4_096, 60, 10
SIX_CALL, SIX_BATCH, SEVEN_CALL, ONE_CALL, ONE_SOLVED = 5.0, 0.6, 10.0, 60.0, 0.999
"""Stated figures: us a call, us a pose in a batch, us a call, us median, part of the poses."""


SPREAD, PAUSE = 10, 0.15
"""Rounds between two pauses, and their length [s]."""


@dataclass(frozen=True)
class Figure:
    """A measured figure with its limit."""

    what: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def reached(self) -> bool:
        """Whether the figure keeps its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def joints_of(arm: Arm, number: int) -> np.ndarray:
    """Return random joint vectors within the limits and within a turn."""
    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    return np.random.default_rng(0).uniform(low, high, (number, arm.dof))


def best_us(calls: list[Callable[[], object]], count: int, rounds: int) -> float:
    """Return the CPU time per pose [us] of short calls over ``count`` poses each.

    Each call's best round counts, and the mean over the calls. The rounds are spread over a second
    or more, so that a slow phase of the machine does not hold all of them.
    """
    times = np.full((rounds, len(calls)), np.inf)
    for number, row in enumerate(times):
        if number % SPREAD == 0:
            time.sleep(PAUSE)
        for k, call in enumerate(calls):
            start = time.thread_time_ns()
            call()
            row[k] = time.thread_time_ns() - start
    return float(times.min(axis=0).mean()) / count / 1000


def each(function: Callable[..., object], *rows: np.ndarray) -> list[Callable[[], object]]:
    """Return calls that apply a function to ``BURST`` rows each, one by one."""
    pairs = list(zip(*rows, strict=True))
    groups = [pairs[k : k + BURST] for k in range(0, len(pairs), BURST)]
    return [lambda group=group: [function(*pair) for pair in group] for group in groups]  # type: ignore[misc]


def closed_forms(arm: Arm, rounds: int) -> list[Figure]:
    """Return the times of ``ik`` and ``ik_batch``; seven joints at the seed's redundancy."""
    q = joints_of(arm, POSES)
    limit = SIX_CALL if arm.dof == 6 else SEVEN_CALL
    at.ik(arm, at.fk(arm, q[0]), seed=q[0])
    calls = each(lambda T, seed: at.ik(arm, T, seed=seed), at.fk(arm, q), q)
    one = best_us(calls, BURST, rounds)
    many = joints_of(arm, BATCH)
    T = at.fk(arm, many)
    batch = best_us([lambda: at.ik_batch(arm, T, seed=many)], len(T), rounds)
    if arm is SKEWED:
        print(f"  {arm.name}: ik {one:.2f} us a call, ik_batch {batch:.2f} us a pose (no goal)")
        return []
    figures = [Figure(f"{arm.name}: ik, all branches [us a call]", one, limit)]
    if arm.dof == 6:
        figures.append(Figure(f"{arm.name}: ik_batch [us a pose]", batch, SIX_BATCH))
    else:
        print(f"  {arm.name}: ik_batch, one redundancy {batch:.2f} us a pose")
    return figures


def one_solution(arm: Arm, number: int) -> list[Figure]:
    """Return how many poses ``ik_one`` solves from the middle of the limits, and its time."""
    T = at.fk(arm, joints_of(arm, number))
    at.ik_one(arm, T[0])
    times, solved = np.zeros(len(T)), 0
    for k, pose in enumerate(T):
        start = time.thread_time_ns()
        try:
            q = at.ik_one(arm, pose)
        except UnreachableError:
            q = np.full(arm.dof, np.nan)
        times[k] = (time.thread_time_ns() - start) / 1000
        solved += bool(np.isfinite(q).all() and np.abs(at.fk(arm, q) - pose).max() < 1e-8)
    print(
        f"  {arm.name}: ik_one mean {times.mean():.1f} us, 99 % {np.quantile(times, 0.99):.0f} us"
    )
    return [
        Figure(f"{arm.name}: ik_one, median [us]", float(np.median(times)), ONE_CALL),
        Figure(f"{arm.name}: ik_one, part solved", solved / len(T), ONE_SOLVED, at_least=True),
    ]


def beside(arm: Arm, peer: InversePeer, rounds: int) -> Figure | None:
    """Print a peer's time; return how many of its branches armtwin lacks."""
    q = joints_of(arm, COMPARED)
    T = at.fk(arm, q)
    try:
        found = [peer.solve(pose) for pose in T]
    except (RuntimeError, ValueError, TypeError) as error:
        print(f"  {arm.name}: {peer.name} fails: {error}")
        return None
    us = best_us(each(peer.solve, T), BURST, 3 if peer.name == "ssik" else rounds)
    right = [_exact(arm, pose, theirs) for pose, theirs in zip(T, found, strict=True)]
    solved = sum(len(theirs) > 0 for theirs in right) / len(T)
    count = np.mean([len(theirs) for theirs in right])
    print(
        f"  {arm.name}: {peer.name} {us:.1f} us, {100 * solved:.1f} % solved, {count:.2f} solutions"
    )
    if not peer.all_branches:
        return None
    lost = sum(_lost(arm, pose, theirs) for pose, theirs in zip(T, right, strict=True))
    return Figure(f"{arm.name}: branches of {peer.name} that armtwin lacks", lost, 0)


def _exact(arm: Arm, pose: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the joint vectors that take the tool to the pose, to 1e-6."""
    if not len(q):
        return q
    gap = np.abs(at.fk(arm, q, ignore_limits=True) - pose).max(axis=(1, 2))
    return np.asarray(q[gap < 1e-6])


def _lost(arm: Arm, pose: np.ndarray, theirs: np.ndarray) -> int:
    """Return how many solutions of a peer are not among ours (at their own redundancy)."""
    lost = 0
    for q in theirs:
        ours = at.ik(arm, pose, seed=q, ignore_limits=True).q
        apart = np.abs((ours - q + np.pi) % (2 * np.pi) - np.pi).max(axis=1)
        lost += bool(apart.min() > 1e-4)
    return lost


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="rounds; the best one counts")
    parser.add_argument("--poses", type=int, default=10_000, help="poses of ik_one")
    parser.add_argument("--alone", action="store_true", help="without other libraries")
    options = parser.parse_args()
    arms = (at.load("ur10e"), *SIX, SKEWED, *SEVEN)
    fk = best_us(each(lambda q: at.fk(arms[0], q), np.zeros((100, 6))), BURST, options.rounds)
    print(f"for comparison, one call of fk: {fk:.2f} us")
    figures: list[Figure] = []
    for arm in arms:
        print(arm.name)
        figures += closed_forms(arm, options.rounds)
        if arm.dof == 7:
            figures += one_solution(arm, options.poses)
        found, missing = ([], []) if options.alone else peers(arm)
        for reason in missing:
            print(f"  not compared: {reason}")
        judged = [beside(arm, peer, options.rounds) for peer in found]
        figures += [figure for figure in judged if figure is not None]
    print("\nfigures")
    for figure in figures:
        word = "reached" if figure.reached else "MISSED"
        sign = "at least" if figure.at_least else "at most"
        print(f"  {word}: {figure.what} {figure.value:.4g} ({sign} {figure.limit:g})")
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
