"""Contacts of a standing arm: found, false, ranked, and how well they could be ranked at all.

``python -m benchmarks.contacts_at_rest`` plants 29 contacts in 90 s of a standing UR5
(``benchmarks.standing_arms``), five times, and prints how many raise an alarm, how many alarms are
false, and the area under the curve of ``evidence`` for samples over 8 N. Beside it stand two
limits. *Noise-free* ranks by what the motors feel, without any noise, with the level before every
contact and its end known. *Matched filter* knows shape, direction and beginning of every contact
and the covariance of the noise; only whether there is a contact is unknown. Then 30 minutes without
contact (``--minutes``): standing, and stopping and going with and without target speeds. Exit
status 1 where an alarm is false.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import armtwin as at
from armtwin.detection.detect import calibrate_detector
from armtwin.detection.result import Detection
from armtwin.spatial import Array
from benchmarks.standing_arms import (
    NM_PER_AMPERE,
    NOISE,
    STEP,
    Planted,
    hunting,
    standing,
    stop_and_go,
)

CONTACT = 8.0
"""Force above which a sample is one of contact [N]."""
SEEDS, NUMBER = (1, 2, 3, 4, 5), 29
EARLY, LATE = 0.2, 0.3
"""Time before and after a contact within which an alarm belongs to it [s]."""
WINDOW = 300
"""Samples that the matched filter looks at, 2.4 s: longer than any planted contact."""


def spans(truth: Planted, least: float = CONTACT) -> list[tuple[int, int]]:
    """Return first and last row (and one) of the contacts over a force [N]."""
    inside = np.concatenate([[False], truth.force > least, [False]])
    edges = np.flatnonzero(np.diff(inside.astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def counted(found: Detection, truth: Planted) -> tuple[int, int]:
    """Return how many contacts raise an alarm and how many alarms are false."""
    times = [alarm.time for alarm in found.alarms]
    true = [(STEP * a - EARLY, STEP * b + LATE) for a, b in spans(truth)]
    hits = sum(any(a <= t <= b for t in times) for a, b in true)
    return hits, sum(not any(a <= t <= b for a, b in true) for t in times)


def area(score: Array, contact: Array) -> float:
    """Return the area under the curve of hits over false alarms; equal scores count half."""
    from scipy.stats import rankdata

    ranks, hits, misses = rankdata(score), contact.sum(), (~contact).sum()
    return float((ranks[contact].sum() - hits * (hits + 1) / 2) / (hits * misses))


def noise_free_area(truth: Planted) -> float:
    """Return the area of the change that the motors feel since the contact's beginning."""
    change = np.zeros_like(truth.transmitted)
    for a, b in spans(truth, 0.0):
        change[a:b] = truth.transmitted[a:b] - truth.transmitted[a - 1]
    size = np.linalg.norm(change / NM_PER_AMPERE / NOISE, axis=1)
    return area(size, truth.force > CONTACT)


def precisions(count: int = 60000) -> list[Array]:
    """Return the precision of noise and hunting (WINDOW, WINDOW) per joint; any level is equal."""
    from scipy.linalg import toeplitz

    x, found = hunting(np.random.default_rng(99), count), []
    for j in range(6):
        y = x[:, j] - x[:, j].mean()
        lagged = np.array([np.mean(y[k:] * y[: count - k]) for k in range(WINDOW)])
        level = 100.0 * lagged[0] * np.ones((WINDOW, WINDOW))
        found.append(np.linalg.inv(toeplitz(lagged) + NOISE[j] ** 2 * np.eye(WINDOW) + level))
    return found


def matched_filter_area(truth: Planted, precision: list[Array]) -> float:
    """Return the mean probability that a sample of contact outranks one without.

    With the signal s up to a sample, known but for whether it is there, and Gaussian noise that is
    ``Phi(d / sqrt(2))``, ``d^2 = s^T C^-1 s``.
    """
    from scipy.stats import norm

    found = []
    for a, b in spans(truth, 0.0):
        change = np.zeros((WINDOW + b - a, 6))
        change[WINDOW:] = (truth.transmitted[a:b] - truth.transmitted[a - 1]) / NM_PER_AMPERE
        for k in np.flatnonzero(truth.force[a:b] > CONTACT):
            s = change[k + 1 : k + 1 + WINDOW]
            d2 = sum(float(s[:, j] @ precision[j] @ s[:, j]) for j in range(6))
            found.append(norm.cdf(np.sqrt(d2 / 2)))
    return float(np.mean(found))


def print_contacts() -> int:
    """Print what is found of planted contacts and return the number of false alarms."""
    precision, false = precisions(), 0
    for seed in SEEDS:
        run, truth = standing(seed, number=NUMBER)
        found = at.detect("ur5", run)
        hits, wrong = counted(found, truth)
        false += wrong
        ranked = area(np.nan_to_num(found.evidence), truth.force > CONTACT)
        limits = noise_free_area(truth), matched_filter_area(truth, precision)
        print(
            f"seed {seed}: {hits} of {len(spans(truth))} found, {wrong} false, area {ranked:.3f}; "
            f"noise-free {limits[0]:.3f}, matched filter {limits[1]:.3f}",
            flush=True,
        )
    return false


def print_quiet(minutes: float) -> int:
    """Print and return the alarms of some minutes without contact."""
    runs = {"standing": standing(21, seconds=60 * minutes, cold=True)[0]}
    for with_target in (True, False):
        name = f"stop and go, {'with' if with_target else 'without'} target speeds"
        runs[name] = stop_and_go(22, seconds=60 * minutes, with_target=with_target)
    total = 0
    for name, run in runs.items():
        start, clean = time.process_time(), None
        if name != "standing":
            taught = stop_and_go(23, seconds=60.0, with_target=run.has("target_qd"))
            clean = calibrate_detector("ur5", taught)
        found = at.detect("ur5", run, clean=clean)
        total += len(found.alarms)
        largest = float(np.nanmax(found.score))
        spent = time.process_time() - start
        print(
            f"{name}, {minutes:g} min: {len(found.alarms)} alarms, largest score {largest:.2f} "
            f"({spent:.0f} s of processor time)",
            flush=True,
        )
    return total


def main() -> int:
    """Print all figures; 1 where an alarm is false."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="time without contact")
    minutes = parser.parse_args().minutes
    false = print_contacts() + print_quiet(minutes)
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
