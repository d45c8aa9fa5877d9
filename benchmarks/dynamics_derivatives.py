"""Derivatives of the dynamics beside Pinocchio: ``python -m benchmarks.dynamics_derivatives``.

Both get the same UR10e and the same random states, agree to 1e-9 of the largest entry before they
are timed, run on one core in one process and take turns. Exits with 1 when they disagree.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.compile.native import toolchain
from armtwin.compile.outputs import new_array
from armtwin.equations.dynamics import derivatives as derivative_equations
from benchmarks.dynamics_peers import Pinocchio, loop
from benchmarks.timing import Contender, nanoseconds, use_one_thread

STATES, FEW = 29_051, 1_000
OURS, KERNEL = "armtwin, new arrays", "armtwin, kernel without checks"
THEIRS = "Pinocchio, Python loop"
TASKS: dict[str, tuple[Callable[..., Any], Callable[..., Any], str]] = {
    "inverse dynamics": (
        at.inverse_dynamics_derivatives,
        derivative_equations.inverse_derivatives,
        "computeRNEADerivatives",
    ),
    "forward dynamics": (
        at.forward_dynamics_derivatives,
        derivative_equations.forward_derivatives,
        "computeABADerivatives",
    ),
}
"""Ours for every task, its equation, and Pinocchio's function."""


def largest_gap(ours: tuple[np.ndarray, ...], theirs: np.ndarray) -> float:
    """Return the largest difference relative to the largest entry; theirs is (n, 3, dof, dof)."""
    upper = theirs[:, 2]
    theirs[:, 2] = np.triu(upper) + np.triu(upper, 1).swapaxes(1, 2)
    pairs = ((a, theirs[:, k]) for k, a in enumerate(ours))
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)


def compare(task: str, states: int, rounds: int) -> int:
    """Print the times of a task; return 1 when the results differ."""
    ours, equation, name = TASKS[task]
    arm, rng = at.load("ur10e"), np.random.default_rng(0)
    state = [rng.uniform(-3, 3, (states, 6)) for _ in range(3)]
    few, one = [x[:FEW] for x in state], [x[0].copy() for x in state]
    peer = Pinocchio(arm)
    theirs = getattr(peer.pin, name)

    def call(*x: np.ndarray) -> np.ndarray:
        return np.array(theirs(peer.model, peer.data, *x))

    gap = largest_gap(ours(arm, *few), loop(call, *few))
    print(f"\nderivatives of {task}: largest relative difference {gap:.1e}")
    if not gap < 1e-9:
        return 1
    bare, flat = kernel(arm, equation), [new_array((states, 36)) for _ in range(3)]
    batch = [
        Contender(KERNEL, lambda: bare.run(list(state), flat), states),
        Contender(OURS, lambda: ours(arm, *state), states),
        Contender(THEIRS, lambda: loop(call, *few), len(few[0])),
    ]
    single = [
        Contender(OURS, lambda: _repeat(ours, arm, *one), FEW),
        Contender(THEIRS, lambda: _repeat(theirs, peer.model, peer.data, *one), FEW),
    ]
    for title, methods in (("batch, a configuration", batch), ("one call at a time", single)):
        print(f"  {title} [ns]")
        for who, ns in nanoseconds(methods, rounds).items():
            print(f"    {who:32s} {ns:10.0f}")
    return 0


def _repeat(call: Callable[..., object], *arguments: object) -> None:
    for _ in range(FEW):
        call(*arguments)


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=STATES, help="states in a batch")
    parser.add_argument("--rounds", type=int, default=9, help="rounds; the best one counts")
    options = parser.parse_args()
    use_one_thread()
    compiler = toolchain.find_compiler()
    print(f"{options.states} states, {toolchain.lanes()} lanes, {compiler and compiler.identity}")
    return max([compare(task, options.states, options.rounds) for task in TASKS])


if __name__ == "__main__":
    sys.exit(main())
