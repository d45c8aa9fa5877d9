"""Maps over the workspace on a GPU and on the processor: a part of ``python -m benchmarks.gpu``.

``python -m benchmarks.gpu_maps [--poses 1e8] [--cpu-poses 1e7]`` runs it alone; without a GPU only
the processor is measured.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import armtwin as at
from armtwin.workspace.device import WORTH_A_GPU, choose

POSES, CPU_POSES = 100_000_000, 10_000_000
DRAWS, DRAW_POSES = 1_000_000, 100
NOISE = 1e-4


def fitted() -> Any:
    """Return a calibration of a UR10 to 60 of its own poses with 0.1 mm of noise."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-2.5, 2.5, (60, 6))
    seen = at.tool_coordinates("ur10", q)
    position = seen.position + rng.normal(0, NOISE, (60, 3))
    groups = {"q": q, "position": position, "quaternion": seen.quaternion}
    poses = at.Recording.of(np.arange(60.0), groups)
    return at.calibrate("ur10", [poses], parameters="lengths", compliance=False, curves=False)


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long a call takes [s], all of it, and its result."""
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def maps(arm: str, poses: int = POSES, cpu_poses: int = CPU_POSES) -> dict[str, dict[str, float]]:
    """Return times of a reachability map and of a Monte-Carlo, on every device that is there.

    Args:
        arm: the arm of the reachability map.
        poses: of the map on a GPU.
        cpu_poses: of the map on the processor.
    """
    fit, found = fitted(), {}
    for device in ["cpu", "gpu"][: 2 if choose("auto", WORTH_A_GPU).name == "gpu" else 1]:
        count = poses if device == "gpu" else cpu_poses
        draws = DRAWS if device == "gpu" else DRAWS // 100
        at.reachability(arm, poses=1000, device=device)  # compiles
        at.tool_uncertainty(fit, draws=10, poses=10, device=device)
        whole, map_ = seconds(lambda d=device, n=count: at.reachability(arm, poses=n, device=d))
        took, _ = seconds(
            lambda d=device, n=draws: at.tool_uncertainty(fit, draws=n, poses=DRAW_POSES, device=d)
        )
        found[device] = {
            "reachability: poses": count,
            "reachability: seconds": map_.seconds,
            "reachability: seconds with condition numbers": whole,
            "reachability: ns a pose": map_.seconds / count * 1e9,
            "reachability: cells": int(map_.reached.sum()),
            "uncertainty: draws": draws,
            "uncertainty: poses": DRAW_POSES,
            "uncertainty: seconds": took,
            "uncertainty: ns a draw and pose": took / draws / DRAW_POSES * 1e9,
        }
    return found


def print_maps(found: dict[str, dict[str, float]]) -> None:
    """Print the times of every device."""
    for device, figures in found.items():
        print(f"\nmaps over the workspace, {device}")
        for name, value in figures.items():
            print(f"  {name:46s}{value:14,.3f}" if value % 1 else f"  {name:46s}{value:14,.0f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arm", default="ur10e")
    parser.add_argument("--poses", type=float, default=POSES)
    parser.add_argument("--cpu-poses", type=float, default=CPU_POSES)
    given = parser.parse_args()
    print_maps(maps(given.arm, int(given.poses), int(given.cpu_poses)))


if __name__ == "__main__":
    main()
