"""How long an arm's equations take to be ready in a fresh Python, without and with a cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from armtwin.equations.equation import Build

CODE = """
import importlib, sys, time
import armtwin
from armtwin.compile.kernel import kernel
arm = armtwin.load(sys.argv[1])
start = time.perf_counter()
for place in sys.argv[2:]:
    module, _, function = place.partition(":")
    kernel(arm, getattr(importlib.import_module(module), function))
print(time.perf_counter() - start)
"""


def start_seconds(arm: str, equations: list[Build], rounds: int = 2) -> tuple[float, float]:
    """Return the best time to make kernels ready, with an empty cache and with a full one [s]."""
    first, later = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            first.append(_start(folder, arm, equations))
            later += [_start(folder, arm, equations) for _ in range(2)]
    return min(first), min(later)


def _start(folder: str, arm: str, equations: list[Build]) -> float:
    places = [f"{equation.__module__}:{equation.__name__}" for equation in equations]
    run = subprocess.run(
        [sys.executable, "-c", CODE, arm, *places],
        env={**os.environ, "ARMTWIN_CACHE": folder},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)
