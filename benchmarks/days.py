"""Do intervals for the same day and for any day hold the truth when friction varies?

``python -m benchmarks.days`` plants friction that differs from day to day by 5, 15 and 30 %
(standard deviation, each joint, speed-dependent and dry part on their own), identifies from one,
two and three days, and counts how many intervals hold the friction of that day (of several: the
mean over all days) and of a day that was not recorded (any day). Then friction that falls while
gears warm up, with and without recorded temperatures: how often it is found, how well it is
estimated, how often it is found where there is none. Last, errors that persist for 2 s below white
noise, in 60 s of one day. ``--runs N`` changes the number of repetitions (3; some two minutes of
one core). Every repetition is announced with the time it took.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

import armtwin as at
from armtwin.identification.result.fit import Fit
from armtwin.identification.variation.day_effects import spread_between
from armtwin.model.arm import Arm
from armtwin.model.drive import MOVING
from armtwin.spatial import Array
from benchmarks.planted import CURRENT_NOISE, fourier, planted, true_arm

T = TypeVar("T")
RATE, SECONDS = 25.0, 60.0
SPREADS, DAYS = (0.05, 0.15, 0.3), (2, 3, 5)
"""Of the formula alone, which costs nothing."""
CASES = ((0.05, 1), (0.05, 2), (0.15, 1), (0.15, 2), (0.15, 3), (0.3, 2), (0.3, 3))
"""Spread between days and number of days that are identified from simulated currents."""
WARM_CASES = ((False, 0.0), (False, 0.25), (True, 0.0), (True, 0.25))
"""Whether temperatures are recorded, and friction of cold joints above that of warm ones."""
SLOW_SHARES, SLOW_SECONDS = (0.0, 0.1, 0.5), 2.0
"""Shares of the variance of the currents' errors that persist, and for how long [s]."""
MIN_COVERAGE = 0.92
"""Coverage that intervals for any day must have where the spread is estimated or as assumed."""


def scaled(arm: Arm, factors: Array) -> Arm:
    """Return the arm with its friction times factors (dof, 2) of speed-dependent and dry parts."""
    joints = []
    for joint, (moving, dry) in zip(arm.driven, factors, strict=True):
        assert joint.drive is not None and joint.drive.friction is not None
        friction = joint.drive.friction
        numbers = tuple(
            (name, value * (moving if name in MOVING else dry) if name != "smoothing" else value)
            for name, value in friction.parameters
        )
        drive = dataclasses.replace(
            joint.drive, friction=dataclasses.replace(friction, parameters=numbers)
        )
        joints.append(dataclasses.replace(joint, drive=drive))
    rows = iter(joints)
    return arm.with_(joints=tuple(j if j.kind == "fixed" else next(rows) for j in arm.joints))


def frictionless(arm: Arm) -> Arm:
    """Return the arm as an identification of its friction starts: drives known, friction not."""
    joints = [
        j if j.drive is None else dataclasses.replace(
            j, drive=dataclasses.replace(j.drive, friction=None)
        )
        for j in arm.joints
    ]  # fmt: skip
    return arm.with_(joints=tuple(joints))


def identified(arm: Arm, recordings: list[at.Recording], **options: str) -> Fit:
    """Return friction and offsets identified from recordings; links and motors are known."""
    unknown = ("friction", "offsets")
    return at.identify(
        frictionless(arm), recordings, method=unknown, friction="power-flow", **options
    )


def friction_of(arm: Arm) -> dict[str, float]:
    """Return an arm's friction by the names of estimates."""
    return {
        f"{name}{j}": value
        for j, joint in enumerate(arm.driven, 1)
        if joint.drive is not None and joint.drive.friction is not None
        for name, value in joint.drive.friction.parameters
    }


def days_run(seed: int, count: int, spread: float) -> tuple[int, int, int]:
    """Return how many same-day and any-day intervals hold, and how many there are."""
    arm, rng = true_arm(), np.random.default_rng([seed, 7])
    effects = np.maximum(1 + spread * rng.standard_normal((count + 1, arm.dof, 2)), 0.05)
    arms = [scaled(arm, effect) for effect in effects]
    runs = [
        planted(one, 100 * seed + k, seconds=SECONDS, rate=RATE, target=False)
        for k, one in enumerate(arms[:-1])
    ]
    fit = identified(arm, runs, days="each")
    mean, other = friction_of(arms[0] if count == 1 else arm), friction_of(arms[-1])
    same = sum(low <= mean[n] <= high for n, (low, high) in fit.intervals.items() if n in mean)
    wide = fit.any_day_intervals
    any_day = sum(low <= other[name] <= high for name, (low, high) in wide.items())
    return same, any_day, len(wide)


def formula_coverage(count: int, spread: float, common: float, draws: int = 500) -> float:
    """Return how often intervals for any day hold when the days' effects are known exactly.

    Args:
        count: days that are recorded.
        spread: standard deviation of friction between days.
        common: share of that variance that all joints have in common (room temperature).
        draws: of six joints with two parts each.
    """
    rng, held = np.random.default_rng(count), []
    for _ in range(draws):
        own, shared = rng.standard_normal((count + 1, 6, 2)), rng.standard_normal((count + 1, 1, 1))
        days = spread * (np.sqrt(1 - common) * own + np.sqrt(common) * shared)
        mean = days[:-1].mean(axis=0)
        found = spread_between(days[:-1] - mean, np.zeros((count, 6, 2)))
        widths = [[found.half_widths(j, k, 1.0, 0.0)[1] for k in (0, 1)] for j in range(6)]
        held.append(np.abs(days[-1] - mean) <= np.array(widths))
    return float(np.mean(held))


def warming(arm: Arm, seed: int, fall: float, *, measured: bool) -> at.Recording:
    """Return 12 minutes in which friction of joints 4 to 6 falls with a time constant of 4 min.

    Args:
        arm: the arm, warm.
        seed: of motion and noise.
        fall: friction of the cold joints above that of the warm ones, relative.
        measured: whether temperatures are recorded, too.
    """
    t, q, qd, qdd = fourier(arm, 720.0, 25.0, seed)
    tau = at.inverse_dynamics(arm, q, qd, qdd, ignore_limits=True)
    cold = at.inverse_dynamics(frictionless(arm), q, qd, qdd, ignore_limits=True)
    whole, without = at.motor_current(arm, qd, tau), at.motor_current(frictionless(arm), qd, cold)
    x = np.exp(-t / 240.0)[:, None] * np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    rng = np.random.default_rng([seed, 1])
    current = without + (1 + fall * x) * (whole - without)
    current += CURRENT_NOISE * rng.standard_normal(q.shape)
    columns = {"q": q, "current": current}
    if measured:
        columns["temperature"] = 40 - 12 * x + 0.2 * rng.standard_normal(q.shape)
    return at.Recording.of(t, columns, arm=arm.name, origin=f"warming {seed}")


def warm_run(seed: int, fall: float, *, measured: bool) -> tuple[Array, list[float]]:
    """Return the joints that were found to warm up (dof,), and their change of friction."""
    arm = true_arm()
    fit = identified(arm, [warming(arm, seed, fall, measured=measured)])
    assert fit.variation is not None
    found = np.zeros(arm.dof, dtype=bool)
    found[[one.joint - 1 for one in fit.variation.warm_ups]] = True
    return found, [one.change for one in fit.variation.warm_ups if one.joint > 3]


def slow_run(seed: int, share: float) -> tuple[int, int]:
    """Return how many same-day intervals hold under errors that persist, and how many there are."""
    from scipy.signal import lfilter

    arm, rng = true_arm(), np.random.default_rng([seed, 3])
    clean = planted(arm, seed, seconds=SECONDS, rate=RATE, noise=0.0, target=False)
    stay = np.exp(-1 / (RATE * SLOW_SECONDS))
    white, pushes = rng.standard_normal((2, len(clean), arm.dof))
    slow = lfilter([np.sqrt(1 - stay**2)], [1.0, -stay], pushes, axis=0)
    errors = CURRENT_NOISE * (np.sqrt(1 - share) * white + np.sqrt(share) * slow)
    run = clean.with_columns({"current": clean.group("current") + errors})
    fit, true = identified(arm, [run]), friction_of(arm)
    held = [low <= true[n] <= high for n, (low, high) in fit.intervals.items() if n in true]
    return sum(held), len(held)


def repeated(what: str, count: int, one: Callable[[int], T]) -> list[T]:
    """Return the results of some repetitions, and say on stderr how long each took."""
    found = []
    for seed in range(count):
        start = time.perf_counter()
        found.append(one(seed))
        seconds = time.perf_counter() - start
        print(f"    {what}, {seed + 1} of {count}: {seconds:.0f} s", file=sys.stderr, flush=True)
    return found


def print_formula() -> None:
    """Print the coverage of intervals for any day when effects are known exactly."""
    for common in (0.0, 0.7):
        for spread in SPREADS:
            shares = [100 * formula_coverage(days, spread, common) for days in DAYS]
            text = ", ".join(f"{share:.1f}" for share in shares)
            print(f"formula, spread {100 * spread:2.0f} %, {common:g} in common: {text} %")


def print_days(count: int) -> float:
    """Print the coverage after identification; return the lowest share of any day."""
    print(f"95 % intervals of friction, {SECONDS:g} s a day, repetitions: {count}")
    worst, total = 1.0, np.zeros(3)
    for spread, days in CASES:
        what = f"spread {100 * spread:2.0f} %, {days} days"
        runs = repeated(what, count, lambda seed, d=days, s=spread: days_run(seed, d, s))
        rows = np.array(runs).sum(axis=0)
        total += rows
        same, other = rows[:2] / rows[2]
        worst = min(worst, other)
        text = f"same day {100 * same:5.1f} %, any day {100 * other:5.1f} % of {rows[2]}"
        print(f"  {what}: {text}", flush=True)
    same, other = 100 * total[:2] / total[2]
    print(f"  in all: same day {same:.1f} %, any day {other:.1f} % of {total[2]:.0f}")
    return worst


def print_warm_up(count: int) -> None:
    """Print how often warm-up is found, and its size."""
    for measured, fall in WARM_CASES:
        what = f"cold +{100 * fall:.0f} % at joints 4-6, temperatures "
        what += "recorded" if measured else "not recorded"
        found = repeated(
            what, count, lambda seed, f=fall, m=measured: warm_run(seed, f, measured=m)
        )
        share = np.array([one[0] for one in found]).mean(axis=0)
        sizes = [size for one in found for size in one[1]]
        mean = f", change {100 * np.mean(sizes):+.1f} %" if sizes else ""
        shares = " ".join(f"{100 * s:.0f}" for s in share)
        print(f"  {what}: found at {shares} % of joints 1-6{mean}", flush=True)


def print_slow(count: int) -> None:
    """Print the coverage where errors persist for seconds below white noise."""
    for share in SLOW_SHARES:
        what = f"{100 * share:.0f} % of the errors' variance persists for {SLOW_SECONDS:g} s"
        held, total = np.sum(repeated(what, count, lambda seed, s=share: slow_run(seed, s)), axis=0)
        print(f"  {what}: same day {100 * held / total:.1f} % of {total}", flush=True)


def main() -> int:
    """Print coverage and rates of detection; 1 where intervals for any day do not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    count = parser.parse_args().runs
    print_formula()
    worst = print_days(count)
    print_warm_up(count)
    print_slow(count)
    return 0 if worst >= MIN_COVERAGE else 1


if __name__ == "__main__":
    sys.exit(main())
