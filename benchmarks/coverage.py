"""How often 95 % intervals hold the truth: Monte Carlo over noise, motion and datasheet.

``python -m benchmarks.coverage`` runs what is missing from coverage.json beside it (200 runs, two
processes) and prints the shares; ``--runs N`` and ``--processes N`` change that. After a change
of the estimator ``--fresh`` forgets what was run before.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.files import replace_file
from armtwin.identification.identify import identify
from armtwin.model.arm import Arm
from benchmarks.planted import misprinted, planted, true_arm, without_drives

CACHE = Path(__file__).with_name("coverage.json")
KINDS = ("torque_constant", "viscous", "coulomb_direct", "coulomb_reverse", "offset")
"""Estimates that are counted. Base parameters come from the targets here, which are free of noise:
their intervals stand on a floor, not on chance."""

WANTED = (0.93, 0.97)


def truths(arm: Arm) -> dict[str, float]:
    """Return every planted number by the name that an estimate has."""
    found = {}
    for j, joint in enumerate(arm.driven, 1):
        assert joint.drive is not None and joint.drive.friction is not None
        found[f"torque_constant{j}"] = float(joint.drive.torque_constant or 0)
        found[f"offset{j}"] = 0.0
        for name, value in joint.drive.friction.parameters:
            found[f"{name}{j}"] = value
    return found


def one_run(seed: int, seconds: float = 50.0, rate: float = 500.0) -> dict[str, Any]:
    """Return which intervals held the truth in one identification, and the errors of k_t [%]."""
    arm = true_arm()
    truth = truths(arm)
    start = without_drives(misprinted(arm, seed))
    fit = identify(start, planted(arm, seed, seconds=seconds, rate=rate))
    hits: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for estimate in fit.estimates:
        kind = estimate.name.rstrip("0123456789")
        if kind in KINDS and estimate.name in truth:
            hits[kind][0] += int(estimate.low <= truth[estimate.name] <= estimate.high)
            hits[kind][1] += 1
    constants = [fit.estimate(f"torque_constant{j}").value for j in range(1, arm.dof + 1)]
    errors = [100 * (value / truth[f"torque_constant{j}"] - 1)
              for j, value in enumerate(constants, 1)]  # fmt: skip
    laws = sum(choice.best.law == "power-flow" for choice in fit.choices)
    return {"seed": seed, "hits": dict(hits), "kt_error": errors, "laws": laws}


def shares(runs: list[dict[str, Any]]) -> dict[str, tuple[float, int]]:
    """Return per kind (and "all") the share of intervals that held, and how many there were."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for run in runs:
        for kind, (held, count) in run["hits"].items():
            for key in (kind, "all"):
                totals[key][0] += held
                totals[key][1] += count
    return {kind: (held / count, count) for kind, (held, count) in totals.items() if count}


def main() -> int:
    """Run what is missing, keep it, print the shares; 1 where they are not 93 to 97 %."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    runs = [] if options.fresh or not CACHE.exists() else json.loads(CACHE.read_text())
    missing = [seed for seed in range(options.runs) if seed not in {run["seed"] for run in runs}]
    for start in range(0, len(missing), 4 * options.processes):
        batch = missing[start : start + 4 * options.processes]
        runs += _batch(batch, options.processes)
        replace_file(CACHE, json.dumps(runs, indent=0).encode())
        print(f"{len(runs)} runs kept", flush=True)
    return _report(runs[: options.runs])


def _batch(seeds: list[int], processes: int) -> list[dict[str, Any]]:
    from joblib import Parallel, delayed

    return list(Parallel(n_jobs=processes)(delayed(one_run)(seed) for seed in seeds))


def _report(runs: list[dict[str, Any]]) -> int:
    print(f"\n95 % intervals over {len(runs)} runs of 50 s at 500 Hz, 45 mA, 17 bits")
    for kind, (share, count) in shares(runs).items():
        print(f"  {kind:16s} {100 * share:5.1f} % of {count}")
    errors = np.array([run["kt_error"] for run in runs])
    for j, row in enumerate(errors.T, 1):
        rms, worst = np.sqrt(np.mean(row**2)), np.abs(row).max()
        print(f"  k_t of joint {j}: {rms:.3f} % RMS, {worst:.3f} % at worst")
    print(f"  friction law found in {sum(run['laws'] for run in runs)} of {6 * len(runs)} joints")
    share = shares(runs)["all"][0]
    return 0 if WANTED[0] <= share <= WANTED[1] else 1


if __name__ == "__main__":
    sys.exit(main())
