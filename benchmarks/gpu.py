"""Kernels on a GPU through the public functions, beside the copy bandwidth and peers.

``python -m benchmarks.gpu [--rows 16777216] [--arm ur10e] [--out gpu.json]``

Every figure is the median over bursts of 10 calls between CUDA events; "lasting" is that of 300
calls, and "checked" includes the check of joint limits, which waits for the GPU. A state's bytes
count every input and output once; the share is that of the bandwidth of a copy on the same GPU.
Then maps over the workspace: reachability of 1e8 poses, a million draws of a calibration; and
peers in the same run (``gpu_peers``), as far as they are installed. ``--limit`` seconds after the
start no further part begins, and the JSON file has what there is by then.
Needs PyTorch and CuPy with a GPU, no network. Exit code 1: a goal is missed.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import armtwin as at
from benchmarks.gpu_maps import maps, print_maps
from benchmarks.gpu_peers import ROWS as PEER_ROWS
from benchmarks.gpu_peers import peers, print_peers

GOALS = {"fk": 0.93, "inverse_dynamics": 1.0, "mass_matrix": 0.9, "forward_dynamics": 0.65}
"""Least share of the copy bandwidth in float64."""
MIN_POSES = 1e9
"""Least rate of inverse kinematics with all branches [poses/s]."""
FUNCTIONS = {
    "fk": (at.fk, 1, 16), "jacobian": (at.jacobian, 1, 36), "gravity": (at.gravity, 1, 6),
    "inverse_dynamics": (at.inverse_dynamics, 3, 6), "mass_matrix": (at.mass_matrix, 1, 36),
    "coriolis": (at.coriolis, 2, 36), "forward_dynamics": (at.forward_dynamics, 3, 6),
}  # fmt: skip
"""Function, number of inputs (rows, 6), entries of an output row."""


BURST, LASTING = 10, 300
"""Calls between two events. The processor prepares a call while the GPU computes the one before.
Kernels limited by float64 arithmetic run at a lower clock when they go on for longer."""
PAUSE = 0.05
"""Rest before a measurement [s]."""


def median_seconds(
    torch: Any, run: Callable[[], object], calls: int = BURST, repeats: int = 7
) -> float:
    """Return the median time of a call on the GPU [s]."""
    run()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        time.sleep(PAUSE)
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        run()  # the clock rises again
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e-3 / calls)
    return statistics.median(times)


def copy_bandwidth(torch: Any) -> float:
    """Return the bytes read and written per second by a copy of 4 GB."""
    source = torch.rand(1 << 29, dtype=torch.float64, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.nbytes / median_seconds(torch, lambda: target.copy_(source))


def measure(torch: Any, arm: at.Arm, rows: int, kind: Any) -> dict[str, Any]:
    """Return seconds, share of the copy bandwidth and error by function."""
    bandwidth = copy_bandwidth(torch)
    generator = torch.Generator("cuda").manual_seed(0)
    inputs = [
        (torch.rand((rows, arm.dof), generator=generator, dtype=kind, device="cuda") - 0.5) * 4
        for _ in range(3)
    ]
    found = {}
    for name, (function, count, width) in FUNCTIONS.items():
        x = inputs[:count]
        size = x[0].element_size() * (count * arm.dof + width)
        out = function(arm, *x, ignore_limits=True)
        call = functools.partial(function, arm, *x, out=out)
        free = functools.partial(call, ignore_limits=True)
        seconds, lasting = median_seconds(torch, free), median_seconds(torch, free, LASTING, 2)
        checked = median_seconds(torch, call)
        few = [v[:1000].double().cpu().numpy() for v in x]
        expected = function(arm, *few)
        error = np.abs(out[:1000].double().cpu().numpy() - expected).max() / np.abs(expected).max()
        found[name] = {
            "ps a state": seconds / rows * 1e12,
            "ps a state, lasting": lasting / rows * 1e12,
            "ps a state with checks": checked / rows * 1e12,
            "share of copy": rows * size / seconds / bandwidth,
            "relative error": float(error),
        }
    return {"copy bandwidth [TB/s]": bandwidth * 1e-12, "functions": found}


def inverse_kinematics(torch: Any, rows: int) -> dict[str, float]:
    """Return poses per second with all branches, by arm; poses of random joints within limits."""
    found = {}
    for name, redundancy in (("ur10e", None), ("kr16", None), ("panda", 0.3)):
        arm = at.load(name)
        low, high = (torch.tensor(x, device="cuda") for x in (arm.lower, arm.upper))
        q = low + (high - low) * torch.rand((rows, arm.dof), dtype=torch.float64, device="cuda")
        T = at.fk(arm, q)
        call = functools.partial(at.ik_batch, arm, T, redundancy=redundancy)
        found[name] = rows / median_seconds(torch, call, 3, 3)
    return found


def print_table(title: str, result: dict[str, Any]) -> None:
    """Print the figures of one number type."""
    print(f"\n{title}: copy {result['copy bandwidth [TB/s]']:.2f} TB/s")
    print(f"{'':18}{'ps a state':>12}{'lasting':>10}{'checked':>10}{'of copy':>10}{'error':>10}")
    for name, row in result["functions"].items():
        ps, lasting, checked, share, error = row.values()
        print(f"{name:18}{ps:12.1f}{lasting:10.1f}{checked:10.1f}{100 * share:9.1f}%{error:10.1e}")


def extra(result: dict[str, Any], arm: str, end: float) -> None:
    """Add maps and peers to the result, as long as there is time.

    Args:
        result: all figures so far.
        arm: name of the arm.
        end: time after which nothing is begun (``time.monotonic``).
    """
    parts: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
        "maps": (lambda: maps(arm), print_maps),
        "peers": (lambda: peers(arm, PEER_ROWS, gpu=True), print_peers),
    }
    for name, (measured, show) in parts.items():
        if time.monotonic() > end:
            result[name] = None
            print(f"\n{name}: left out, no time")
            continue
        result[name] = measured()
        show(result[name])


def main() -> None:
    """Run everything and print a table and the goals."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1 << 24, help="states of a batch")
    parser.add_argument("--arm", default="ur10e")
    parser.add_argument("--out", help="write all figures to this JSON file")
    parser.add_argument("--limit", type=float, default=480, help="begin no part after this [s]")
    given = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("this benchmark needs PyTorch: pip install torch")
    if not torch.cuda.is_available():
        sys.exit("no CUDA device: this benchmark needs an NVIDIA GPU")
    arm, start = at.load(given.arm), time.monotonic()
    result = {"device": torch.cuda.get_device_name(), "rows": given.rows, "arm": given.arm}
    for name, kind in {"float64": torch.float64, "float32": torch.float32}.items():
        result[name] = measure(torch, arm, given.rows, kind)
        print_table(f"{result['device']}, {given.arm}, {given.rows} states, {name}", result[name])
    result["inverse kinematics [poses/s]"] = inverse_kinematics(torch, given.rows)
    for name, rate in result["inverse kinematics [poses/s]"].items():
        print(f"inverse kinematics, all branches, {name}: {rate:.3g} poses/s")
    extra(result, given.arm, start + given.limit)
    print(f"\ngoals, after {time.monotonic() - start:.0f} s")
    missed = 0
    for name, goal in GOALS.items():
        share = result["float64"]["functions"][name]["share of copy"]
        missed += share < goal
        print(f"  {'MISSED' if share < goal else 'reached'}: {name} {share:.3f} (at least {goal})")
    rate = result["inverse kinematics [poses/s]"]["ur10e"]
    missed += rate < MIN_POSES
    word = "MISSED" if rate < MIN_POSES else "reached"
    print(f"  {word}: ur10e, all branches {rate:.3g} poses/s (at least {MIN_POSES:g})")
    if given.out:
        Path(given.out).write_text(json.dumps(result, indent=1), encoding="utf-8")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
