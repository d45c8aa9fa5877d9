"""Motions of least energy beside the trapezoid and TOPP-RA: ``python -m benchmarks.energy``.

24 random moves of the UR5e with the electro-mechanical document's constants, free of collisions,
against trapezoids of 3 rad/s and 6 rad/s2: once within the arm's limits (v <= pi rad/s, a <= 15
rad/s2), which the trapezoid does not use, once within the trapezoid's own. Motors alone, no idle
power, under the rule that is named. Then the rules for generated power on 60 random cycles,
and excitations beside random ones. Exits with 1 when a claim is missed.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import armtwin
from armtwin.dynamics.regeneration import RULES
from armtwin.energy.ledger import ledger
from armtwin.energy.optimize import no_worse
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.motion.clearance.clearance import Environment, is_free
from armtwin.motion.excitation.random_waypoints import random_cycle
from armtwin.motion.limits import MotionLimits
from armtwin.motion.optimal.fastest import fastest
from armtwin.motion.optimal.leg_times import USUAL, least_energy
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.motion.waypoints import Waypoints
from armtwin.spatial import Array

FACTORS = (1.0, 1.25, 1.5, 2.0)
SLOWEST_SOLVE = 1.0
LIMITS, EQUAL = MotionLimits(np.pi, 15.0), MotionLimits(USUAL.vmax, USUAL.amax)
CLAIMS = {LIMITS: {1.0: 0.09, 1.5: 0.23}, EQUAL: {1.0: 0.03, 1.5: 0.2}}
"""Least mean saving by time against the trapezoid's, within the limits."""


def free_moves(arm: Arm, count: int, seed: int) -> list[Array]:
    """Return random pairs of postures with a clear straight path between."""
    rng, found = np.random.default_rng(seed), list[Array]()
    while len(found) < count:
        pair = rng.uniform(-2.6, 2.6, (2, arm.dof))
        if is_free(arm, np.linspace(pair[0], pair[1], 25), Environment()).all():
            found.append(pair)
    return found


def solve(task: Task, move: Array, slower: float) -> Optimum:
    """Return the optimum of a move, as ``armtwin.optimize`` does."""
    return no_worse(task, move, least_energy(task, move, slower=slower))


def savings(
    rule: str, moves: list[Array], arm: Arm, limits: MotionLimits
) -> tuple[dict[float, Array], Array]:
    """Return what is saved per factor (moves,), and the seconds of every solve."""
    task = Task(arm, limits, RULES[rule], Environment())
    solve(task, moves[0], FACTORS[-1])  # derives the programme
    saved: dict[float, list[float]] = {factor: [] for factor in FACTORS}
    took = []
    for move in moves:
        plain = ledger(arm, Waypoints(move, USUAL.vmax, USUAL.amax).motion(arm), rule=rule).motors
        for factor in FACTORS:
            best = solve(task, move, factor)
            took.append(best.solve_seconds)
            saved[factor].append(1 - ledger(arm, best.motion, rule=rule).motors / plain)
    return {factor: np.array(values) for factor, values in saved.items()}, np.array(took)


def slowed(rule: str, moves: list[Array], arm: Arm) -> dict[float, Array]:
    """Return what plain time scaling of the trapezoid saves per factor."""
    found: dict[float, list[float]] = {factor: [] for factor in FACTORS}
    for move in moves:
        plain = ledger(arm, Waypoints(move, USUAL.vmax, USUAL.amax).motion(arm), rule=rule).motors
        for factor in FACTORS:
            motion = Waypoints(move, USUAL.vmax / factor, USUAL.amax / factor**2).motion(arm)
            found[factor].append(1 - ledger(arm, motion, rule=rule).motors / plain)
    return {factor: np.array(values) for factor, values in found.items()}


def show_moves(rule: str, count: int, seed: int) -> bool:
    """Print savings and solve times within both limits; return whether the claims hold."""
    arm = armtwin.load("ur5e-energy")
    moves = free_moves(arm, count, seed)
    met = [show_limits(rule, moves, arm, limits) for limits in CLAIMS]
    show_fastest(arm, rule, moves)
    return all(met)


def show_limits(rule: str, moves: list[Array], arm: Arm, limits: MotionLimits) -> bool:
    """Print what is saved within limits; return whether the claims for them hold."""
    saved, took = savings(rule, moves, arm, limits)
    plain = slowed(rule, moves, arm)
    print(
        f"\n{len(moves)} random moves, rule {rule}, v <= {limits.speed:.3g} rad/s, "
        f"a <= {limits.acceleration:g} rad/s2:\nmotor energy saved against the trapezoid of "
        f"{USUAL.vmax:g} rad/s and {USUAL.amax:g} rad/s2 [%]"
    )
    print(f"{'time':>6} {'mean':>8} {'least':>8} {'most':>8} {'plain time scaling':>20}")
    for factor, values in saved.items():
        low, high, peer = values.min(), values.max(), plain[factor].mean()
        print(
            f"{factor:6.2f} {100 * values.mean():8.1f} {100 * low:8.1f} {100 * high:8.1f}", end=""
        )
        print(f" {100 * peer:20.1f}")
    print(f"a solve takes {took.mean():.2f} s of processor time, at most {took.max():.2f} s")
    met = all(saved[factor].mean() >= claim - 1e-9 for factor, claim in CLAIMS[limits].items())
    return met and float(took.max()) < SLOWEST_SOLVE


def show_fastest(arm: Arm, rule: str, moves: list[Array]) -> None:
    """Print time and energy of TOPP-RA's fastest motion against the trapezoid."""
    rows = []
    for move in moves:
        try:
            quick = fastest(arm, move, LIMITS)
        except MissingDataError as error:
            print(f"TOPP-RA: {error}")
            return
        plain = Waypoints(move, USUAL.vmax, USUAL.amax).motion(arm)
        costs = [ledger(arm, motion, rule=rule).motors for motion in (quick, plain)]
        rows.append((quick.duration / plain.duration - 1, costs[0] / costs[1] - 1))
    shorter, dearer = np.mean(rows, axis=0)
    print(f"TOPP-RA's fastest: time {100 * shorter:+.0f} %, energy {100 * dearer:+.0f} %")


def show_cycles(count: int) -> None:
    """Print the mean energy of random six-waypoint cycles under every rule."""
    arm, rng = armtwin.load("ur5e-energy"), np.random.default_rng(0)
    motions = [Waypoints(random_cycle(arm, rng), 3.0, 6.0).motion(arm, 200) for _ in range(count)]
    print(f"\n{count} random six-waypoint cycles: motor energy [J]")
    for rule in RULES:
        books = [ledger(arm, motion, rule=rule) for motion in motions]
        cost = np.array([book.motors for book in books])
        share = np.mean([book.efficiency for book in books])
        print(
            f"{rule:18} {cost.mean():7.0f}  ({cost.min():.0f} to {cost.max():.0f})  eta {share:.3f}"
        )


def show_excitations() -> None:
    """Print how well excitations determine parameters, and how long they take to find."""
    arm = armtwin.load("ur5e-energy")
    print("\nexcitations of the UR5e: standard deviation against random motions, condition")
    for kind in ("fourier", "waypoints"):
        armtwin.excite(arm, kind, seed=1)
        start = time.perf_counter()
        found = armtwin.excite(arm, kind)
        took = time.perf_counter() - start
        print(f"{kind:10} {found.deviation:6.2f} {found.condition:8.1f}   found in {took:.1f} s")


def main() -> None:
    """Print everything; exit with 1 when a claim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=24)
    parser.add_argument("--cycles", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", nargs="+", default=["ideal", "lossy-shared-bus"])
    options = parser.parse_args()
    met = [show_moves(rule, options.moves, options.seed) for rule in options.rules]
    show_cycles(options.cycles)
    show_excitations()
    print("\nclaims met" if all(met) else "\na claim is missed")
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
