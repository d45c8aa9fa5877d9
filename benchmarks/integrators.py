"""Error of MuJoCo's integrators in free motion: ``python -m benchmarks.integrators``.

A UR10e falls for 0.53 s from q = (0, -1.2, 1.0, -0.5, 0.5, 0.2) without torque and friction. The
reference is DOP853 (tolerance 1e-12) of armtwin's own forward dynamics. Times are of one core's
processor and of the integration alone.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import armtwin as at
from armtwin.simulation.integrators import LONGEST
from armtwin.simulation.plant import Plant

SECONDS = 0.53
START = np.array([0.0, -1.2, 1.0, -0.5, 0.5, 0.2])
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)


def reference(arm: at.Arm, start: np.ndarray, seconds: float) -> np.ndarray:
    """Return the joint vector after a fall, by DOP853."""
    n = arm.dof
    zero = np.zeros(n)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate(
            [y[n:], at.forward_dynamics(arm, y[:n], y[n:], zero, ignore_limits=True)]
        )

    state = np.concatenate([start, zero])
    return solve_ivp(rates, (0, seconds), state, method="DOP853", rtol=1e-12, atol=1e-12).y[:n, -1]


def fall(arm: at.Arm, integrator: str, step: float) -> tuple[np.ndarray, float]:
    """Return the joint vector after a fall in MuJoCo and the processor time it took [s]."""
    steps = int(np.ceil(SECONDS / step))
    plant = Plant(arm, SECONDS / steps, integrator=integrator)
    plant.reset(START, np.zeros(arm.dof))
    begin = time.process_time()
    plant.advance(np.zeros(arm.dof), (), steps)
    return plant.q.copy(), time.process_time() - begin


def main() -> int:
    """Print the table and return the exit code."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    arm = at.load("ur10e")
    truth = reference(arm, START, SECONDS)
    print("integrator     step [ms]   error [rad]   processor [ms per simulated s]")
    for integrator in LONGEST:
        for step in STEPS:
            runs = [fall(arm, integrator, step) for _ in range(5)]
            error = np.abs(runs[0][0] - truth).max()
            cost = min(run[1] for run in runs) / SECONDS * 1e3
            print(f"{integrator:14s} {step * 1e3:9.2f}   {error:11.1e}   {cost:10.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
