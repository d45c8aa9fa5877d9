"""Collision detection: scenarios times observers, and the time of a live step beside a peer.

``python -m benchmarks.detection [--pushes 40] [--jobs 2] [--scenarios exact,friction]``: 40 random
pushes of every size over all six joints, both signs (a quarter of the size on the wrist), on a
circle. Every observer learns from one clean run of 60 s; false alarms are counted on 120 s of other
clean runs on the same circle and on 40 s of a smaller, faster one that no run has taught.
Exit status 1 when a wanted figure is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass

import numpy as np

from benchmarks import detection_speed
from benchmarks.detection_observers import CONTESTANTS, Score, score
from benchmarks.detection_trials import (
    MEANING,
    SCENARIOS,
    Scenario,
    random_pushes,
    scenario,
    seconds_of,
)

SIZES = (20.0, 10.0, 5.0, 3.0, 2.0, 1.0, 0.5)
CLEAN, HELD, ELSEWHERE = 60.0, 120.0, 40.0
STRONG = 20.0


@dataclass(frozen=True)
class Line:
    """One observer in one scenario: scores by size, false alarms on held-out clean runs."""

    scenario: str
    observer: str
    scores: dict[float, Score]
    false: int
    elsewhere: int

    def smallest(self, last_joint: int = 6) -> float | None:
        """Return the smallest size from which on every push on joints 1... was found, or None."""
        found = None
        for size in sorted(self.scores, reverse=True):
            if any(joint <= last_joint for joint in self.scores[size].missed):
                break
            found = size
        return found


def lines(name: str, count: int) -> list[Line]:
    """Return what all observers make of a scenario."""
    given = scenario(name)
    clean, held = given.run(CLEAN, 1), given.run(HELD, 2)
    elsewhere = given.run(ELSEWHERE, 3, radius=0.12)
    runs = {size: _pushed(given, size, count, k) for k, size in enumerate(SIZES)}
    found = []
    for observer, make in CONTESTANTS.items():
        one = make()
        one.learn(given.model, clean)
        scores = {
            size: score(one.detect_contacts(run), pushes) for size, (run, pushes) in runs.items()
        }
        false, other = len(one.detect_contacts(held)), len(one.detect_contacts(elsewhere))
        found.append(Line(name, observer, scores, false, other))
    return found


def _pushed(given: Scenario, size: float, count: int, k: int):  # noqa: ANN202
    pushes = random_pushes(size, count, 10 + k)
    return given.run(seconds_of(count), 100 + k, pushes), pushes


def _ms(values: tuple[float, ...]) -> str:
    if not values:
        return "      -      "
    return f"{1e3 * np.median(values):5.0f} /{1e3 * max(values):5.0f} "


def _say(line: Line) -> None:
    strong = line.scores[STRONG]
    rmse = np.sqrt(np.mean(np.square(strong.errors))) if strong.errors else np.nan
    least = [line.smallest(), line.smallest(3)]
    small = " ".join(f"{'> 20' if x is None else format(x, 'g'):>5s}" for x in least)
    rates = " ".join(f"{100 * line.scores[size].rate:4.0f}" for size in SIZES)
    print(
        f"{line.scenario:16s} {line.observer:12s} {rates}  {_ms(strong.delays)} {rmse:6.2f} "
        f"{small} {line.false:6d} {line.elsewhere:6d} {strong.twice:6d}"
    )


def _head(count: int) -> None:
    print(f"load {os.getloadavg()[0]:.1f}; {count} pushes of every size; found [%] by size [Nm]")
    for name, meaning in MEANING.items():
        print(f"  {name:16s} {meaning}")
    sizes = " ".join(f"{size:4g}" for size in SIZES)
    print(
        f"\n{'':29s} {sizes}   delay [ms]   RMSE  least [Nm]  false alarms  20 Nm\n"
        f"{'scenario':16s} {'observer':12s} {'':34s}  median/max    [Nm]   all   1-3  120 s   40 s"
        "  twice"
    )


def misses(found: list[Line]) -> list[str]:
    """Return which wanted figures were missed."""
    trouble = []
    for line in found:
        strong = line.scores[STRONG]
        where = f"{line.scenario}, {line.observer}"
        if line.observer != "default":
            continue
        if line.false:
            trouble.append(f"{where}: {line.false} false alarms")
        if line.scenario == "exact":
            if max(np.abs(strong.errors)) > 0.3:
                trouble.append(
                    f"{where}: 20 Nm are read up to {max(np.abs(strong.errors)):.2f} off"
                )
            if not (np.median(strong.delays) <= 0.004 and max(strong.delays) <= 0.006):
                trouble.append(f"{where}: delay")
            if (line.smallest() or np.inf) > 1.0:
                trouble.append(f"{where}: 1 Nm is not always found")
        elif strong.rate < 0.95:
            trouble.append(f"{where}: {strong.rate:.0%} of 20 Nm pushes found")
    return trouble


def main() -> int:
    """Print the matrix and the live step's time."""
    from joblib import Parallel, delayed

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushes", type=int, default=40, help="of every size")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    options = parser.parse_args()
    _head(options.pushes)
    work = Parallel(n_jobs=options.jobs, return_as="generator")
    names = options.scenarios.split(",")
    found: list[Line] = []
    for some in work(delayed(lines)(name, options.pushes) for name in names):
        found += some
        for line in some:
            _say(line)
    trouble = misses(found) + detection_speed.main()
    for text in trouble:
        print(f"MISSED: {text}")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
