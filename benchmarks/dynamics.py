"""Dynamics beside Pinocchio, roboticstoolbox and MuJoCo: ``python -m benchmarks.dynamics``.

All contenders get the same UR10e and the same random states, agree to 1e-9 before they are timed,
run on one core in one process and take turns. Then ours on one thread and on all cores, with larger
batches. ``--lanes 4`` measures AVX2 on a wider processor. Exits with 1 when a claim is missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator

import numpy as np

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.compile.native import toolchain
from armtwin.compile.outputs import new_array
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from benchmarks.dynamics_peers import MuJoCo, Pinocchio, loop, toolbox
from benchmarks.dynamics_threads import STATES as THREADED
from benchmarks.dynamics_threads import show_scaling
from benchmarks.starts import start_seconds
from benchmarks.timing import Contender, nanoseconds, use_one_thread

STATES, FEW = 29_051, 2_000
OURS, GIVEN = "armtwin, new array", "armtwin, given array (out=)"
KERNEL = "armtwin, kernel without checks"
PIN, PIN_LOOP = "Pinocchio, Python loop", "Pinocchio, its C++ loop"
RTB, MJ = "roboticstoolbox, rne in C", "MuJoCo, Python loop"

TASKS: dict[str, tuple[Callable[..., np.ndarray], str, int]] = {
    "forward kinematics": (at.fk, tool_pose_equations.tool_pose, 1),
    "Jacobian": (at.jacobian, tool_pose_equations.jacobian, 1),
    "inverse dynamics": (at.inverse_dynamics, rigid_body_equations.inverse_dynamics, 3),
    "mass matrix": (at.mass_matrix, rigid_body_equations.mass_matrix, 1),
    "Coriolis matrix": (at.coriolis, rigid_body_equations.coriolis, 2),
    "gravity": (at.gravity, rigid_body_equations.gravity, 1),
    "regressor": (at.regressor, rigid_body_equations.regressor, 3),
    "forward dynamics": (at.forward_dynamics, rigid_body_equations.forward_dynamics, 3),
}
"""Ours for every task, its equation, and how many of q, qd and qdd (or tau) it takes."""

MIN_RATIO = 30.0
MAX_NS = {"forward kinematics": 14.0, "inverse dynamics": 26.0, "mass matrix": 40.0}
MAX_NS_A_CALL = 1200.0
SINGLE = ("forward kinematics", "inverse dynamics")
MAX_FIRST, MAX_LATER = 5.0, 0.050


class Bench:
    """The arm, its peers and the states."""

    def __init__(self, states: int) -> None:
        """Prepare ``states`` random states of the UR10e."""
        self.arm = at.load("ur10e")
        rng = np.random.default_rng(0)
        self.state = tuple(rng.uniform(-3, 3, (states, 6)) for _ in range(3))
        self.few = tuple(x[:FEW] for x in self.state)
        self.pin = Pinocchio(self.arm) if _installed("pinocchio") else None
        self.robot = toolbox(self.arm) if _installed("roboticstoolbox") else None
        self.mujoco = MuJoCo(self.arm) if _installed("mujoco") else None

    def batches(self, task: str) -> list[Contender]:
        """Return the methods that compute a whole batch."""
        ours, equation, count = TASKS[task]
        state, few, arm = self.state[:count], self.few[:count], self.arm
        out = new_array(ours(arm, *state).shape)
        rows, some = len(state[0]), len(few[0])
        bare, flat = kernel(arm, equation), out.reshape(rows, -1)
        methods = [
            Contender(KERNEL, lambda: bare.run(list(state), [flat]), rows),
            Contender(GIVEN, lambda: ours(arm, *state, out=out), rows),
            Contender(OURS, lambda: ours(arm, *state), rows),
        ]
        if self.pin:
            call, cpp = self.pin.methods()[task], self.pin.cpp_loop
            methods.append(Contender(PIN, lambda: loop(call, *few), some))
            if task in ("inverse dynamics", "forward dynamics"):
                methods.append(Contender(PIN_LOOP, lambda: cpp(task, *state), rows))
        if task == "inverse dynamics" and self.robot:
            methods.append(Contender(RTB, lambda: self.robot.rne(*few), some))
        if task == "inverse dynamics" and self.mujoco:
            methods.append(Contender(MJ, lambda: loop(self.mujoco.torque, *few), some))
        return methods

    def singles(self, task: str) -> list[Contender]:
        """Return the methods that compute one state, called again and again."""
        ours, _, count = TASKS[task]
        arm, calls = self.arm, range(FEW)
        one = [x[0].copy() for x in self.state[:count]]

        def repeat(call: Callable[..., object], *arguments: object) -> None:
            for _ in calls:
                call(*arguments)

        methods = [Contender(OURS, lambda: repeat(ours, arm, *one), FEW)]
        if self.pin:
            theirs = self.pin.methods()[task] if task != "inverse dynamics" else self.pin.pin.rnea
            first = () if task != "inverse dynamics" else (self.pin.model, self.pin.data)
            methods.append(Contender(PIN, lambda: repeat(theirs, *first, *one), FEW))
        return methods

    def check(self) -> None:
        """Stop when a contender disagrees by more than 1e-9."""
        for task, (ours, _, count) in TASKS.items():
            mine = ours(self.arm, *self.few[:count])
            for name, theirs in self.theirs(task, count):
                gap = float(np.abs(theirs - mine).max())
                if not gap < 1e-9 * max(1.0, float(np.abs(mine).max())):
                    sys.exit(f"{task}: {name} differs from armtwin by {gap:g}; nothing was timed")

    def theirs(self, task: str, count: int) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the peers' results where they have the same meaning as ours."""
        few = self.few[:count]
        if self.pin and task not in ("regressor", "Coriolis matrix"):
            found = loop(self.pin.methods()[task], *few)
            if task == "mass matrix":
                found = np.triu(found) + np.triu(found, 1).swapaxes(1, 2)
            yield PIN, found
        if task == "inverse dynamics":
            if self.pin:
                yield PIN_LOOP, self.pin.cpp_loop(task, *few)
            if self.robot:
                yield RTB, self.robot.rne(*few)
            if self.mujoco:
                yield MJ, loop(self.mujoco.torque, *few)


def _installed(module: str) -> bool:
    there = importlib.util.find_spec(module) is not None
    if not there:
        print(f"{module} is not installed: pip install -r requirements/bench.txt")
    return there


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=STATES, help="states in a batch")
    parser.add_argument(
        "--threaded", type=int, default=THREADED, help="states in a batch on several cores"
    )
    parser.add_argument("--rounds", type=int, default=9, help="rounds; the best one counts")
    parser.add_argument("--lanes", choices=["1", "2", "4", "8"], help="numbers per vector")
    options = parser.parse_args()
    use_one_thread()
    if options.lanes:
        os.environ["ARMTWIN_LANES"] = options.lanes
    bench = Bench(options.states)
    bench.check()
    compiler = toolchain.find_compiler()
    print(f"{options.states} states, {toolchain.lanes()} lanes, {compiler and compiler.identity}")
    missed = 0
    for task in TASKS:
        missed += _show(f"{task}, batch", nanoseconds(bench.batches(task), options.rounds), task)
    for task in SINGLE:
        missed += _show_single(task, nanoseconds(bench.singles(task), options.rounds))
    calls = {task: (ours, count) for task, (ours, _, count) in TASKS.items()}
    show_scaling(bench.arm, calls, options.rounds, options.threaded)
    missed += _show_starts(min(options.rounds, 2))
    return 1 if missed else 0


def _show(title: str, best: dict[str, float], task: str) -> int:
    """Print a task's rows and judge its claims; return how many are missed."""
    print(f"\n{title} [ns per configuration]")
    given = best[GIVEN]
    for name, ns in best.items():
        print(f"  {name:32s} {ns:10.1f}   {ns / given:8.1f} x")
    missed = 0
    if PIN in best:
        ratio = best[PIN] / given
        what = f"{ratio:.0f} x a Python loop over Pinocchio"
        missed += _claim(what, ratio >= MIN_RATIO, f"at least {MIN_RATIO:g}")
    if task in MAX_NS and toolchain.lanes() >= 4:
        bare, most = best[KERNEL], MAX_NS[task]
        missed += _claim(f"the kernel takes {bare:.1f} ns", bare <= most, f"at most {most:g}")
    return missed


def _show_single(task: str, best: dict[str, float]) -> int:
    print(f"\n{task}, one call at a time [ns]")
    for name, ns in best.items():
        print(f"  {name:32s} {ns:10.0f}")
    ours = best[OURS]
    missed = _claim(f"{ours:.0f} ns a call", ours <= MAX_NS_A_CALL, f"at most {MAX_NS_A_CALL:g}")
    if PIN in best:
        missed += _claim(
            "not slower than Pinocchio", ours <= best[PIN], f"{best[PIN] / ours:.2f} x"
        )
    return missed


def _show_starts(rounds: int) -> int:
    """Print how long an arm's equations take to be ready the first time and later."""
    equations = [equation for _, equation, _ in TASKS.values()]
    first, later = start_seconds("ur10e", equations, rounds)
    print(f"\nall {len(equations)} equations of a new arm derived and compiled: {first:.2f} s")
    print(f"the same at later starts, from the cache: {later * 1e3:.0f} ms")
    missed = _claim(f"{first:.2f} s", first < MAX_FIRST, f"below {MAX_FIRST:g} s")
    return missed + _claim(
        f"{later * 1e3:.0f} ms", later < MAX_LATER, f"below {MAX_LATER * 1e3:g} ms"
    )


def _claim(what: str, reached: bool, demand: str) -> int:
    print(f"  {'reached' if reached else 'MISSED'}: {what} ({demand})")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
