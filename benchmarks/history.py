"""A fleet's history: 1,000 arms x 365 days judged, false alarms, planted drifts found.

``python -m benchmarks.history`` writes a synthetic history (12 parts), makes the fleet's report
and prints wall time, CPU time and size. ``--drift`` prints how many planted drifts of 5 % over ten
days are found, and the alarms in drift-free histories; ``--false-alarms`` the number of independent
tests in the first days and in a year (``drift.false_alarms.PHASES``), by simulation;
``--first-days`` only those of the first 20 days; ``--scatter`` the scatter and the standard errors
of identified friction that ``synthetic_history`` holds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import armtwin as at
from armtwin.history.drift.false_alarms import (
    DriftFreeSeries,
    alarming,
    independent_tests,
    simulate,
)
from armtwin.history.figures import of_fit
from armtwin.history.store import Store
from benchmarks.synthetic_history import Scatter, ramp, synthetic

PARTS = 12


def write(folder: Path, arms: int, days: int) -> None:
    """Write a fleet in which every hundredth arm's joint 3 drifts by 5 %."""
    drift = np.zeros((arms, days, 6))
    drift[::100, :, 2] = ramp(days, days - 40, 10, 0.05)
    table = synthetic(arms, days, drift=drift)
    store = Store(folder, create=True)
    edges = np.linspace(0, len(table), PARTS + 1).astype(int)
    for start, end in zip(edges, edges[1:], strict=False):
        store.write(table.slice(start, end - start))


def report(arms: int, days: int) -> None:
    """Print the time of a fleet's report and of one arm's, and the size on disk."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "fleet"
        write(folder, arms, days)
        size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
        print(f"{arms} arms x {days} days: {arms * days} rows, {size / 1e6:.0f} MB")
        for attempt in ("first", "second", "third"):
            history = at.History(folder)
            wall, cpu = time.perf_counter(), time.process_time()
            fleet = history.fleet()
            fleet.page()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print(f"fleet, {attempt}: {wall:.2f} s wall, {cpu:.2f} s CPU of all threads; "
                  f"{len(fleet.alarms)} drifts")  # fmt: skip
        wall, cpu = time.perf_counter(), time.process_time()
        history.arm("A00000").page()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"one arm: {wall:.2f} s wall, {cpu:.2f} s CPU")


def found(table_of: dict[str, object], arms: int, days: int, joint: int | None) -> tuple[int, int]:
    """Return how many arms have their planted joint found, and how many other alarms there are.

    Args:
        table_of: further arguments of ``synthetic``.
        arms: number of arms.
        days: days of each.
        joint: the joint with the drift, from 1; None: there is none.
    """
    with tempfile.TemporaryDirectory() as name:
        store = Store(Path(name) / "h", create=True)
        store.write(synthetic(arms, days, **table_of))  # type: ignore[arg-type]
        alarms = at.History(Path(name) / "h").drift()
    hits = [t for t in alarms if t.found and t.figure == "friction" and t.joint == joint]
    return len(hits), sum(t.found for t in alarms) - len(hits)


def found_shares(days: int, day: float) -> tuple[list[int], int]:
    """Return how many of 100 drifts over the last ten days are found, by joint; other alarms.

    Args:
        days: of every history.
        day: scatter from day to day.
    """
    arms, hits = 100, []
    for joint in range(1, 7):
        drift = np.zeros((arms, days, 6))
        drift[:, :, joint - 1] = ramp(days, days - 10, 10, 0.05)
        kind = {"drift": drift, "scatter": Scatter(day), "seed": joint}
        hits.append(found(kind, arms, days, joint))
    return [hit for hit, _ in hits], sum(other for _, other in hits)


def planted() -> None:
    """Print the share of planted drifts that is found, and alarms without drift."""
    print("5 % of friction over the last ten days, 100 arms, by length and day-to-day scatter:")
    for days in (10, 12, 15, 30):
        for day in (0.0025, 0.005, 0.0075, 0.01, 0.015):
            shares, others = found_shares(days, day)
            text = ", ".join(f"{share} %" for share in shares)
            print(f"  {days} days, {day:.2%}: joints 1 to 6: {text}; {others} false alarms")
    for arms, days, correlation, warmth in (
        (2000, 10, 0.0, 4.0), (2000, 10, 0.0, 0.0), (2000, 15, 0.0, 4.0), (2000, 15, 0.0, 0.0),
        (2000, 30, 0.0, 4.0), (100, 10, 0.5, 4.0), (100, 365, 0.0, 4.0), (100, 365, 0.5, 4.0),
    ):  # fmt: skip
        scatter = Scatter(correlation=correlation, warmth=warmth)
        alarms = found({"scatter": scatter, "seed": 99}, arms, days, None)[1]
        print(f"{arms} drift-free histories of {days} days, correlation {correlation:g}, "
              f"temperatures varying by {warmth:g} K: {alarms} alarms at their end")  # fmt: skip


def false_alarms(arms: int, until: int) -> None:
    """Print C of ``drift.false_alarms`` for several correlations, with a report every day.

    Args:
        arms: to simulate, with six series each.
        until: last day of the reports.
    """
    for correlation in (0.0, 0.2, 0.5):
        parts = simulate(DriftFreeSeries(arms, correlation=correlation), until=until)
        alarms = alarming(parts, 6)
        print(f"correlation {correlation:g}: {alarms} of {arms} arms alarm until day {until}, "
              f"with a report every day")  # fmt: skip
        for name, lowest in zip(("8 to 12 days", "13 to 20", "later"), parts, strict=True):
            if (lowest == 1).all():
                continue
            counts = ", ".join(
                f"{independent_tests(lowest, share):.0f} at {share:g}"
                for share in (0.03, 0.01, 0.003)
            )
            print(f"correlation {correlation:g}, {name}: {lowest.size} series, C = {counts}")


def scatter(count: int = 24) -> None:
    """Print the relative scatter of friction identified from the same motion with new noise.

    At the speeds that the first identification chooses, and at 0.5 rad/s.
    """
    arm, random = at.load("ur5e-energy"), np.random.default_rng(0)
    t, w = np.arange(1500) / 50, 0.7 + 0.3 * np.arange(6)
    angle = np.outer(t, w) + np.arange(6)
    q, qd, qdd = np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)
    clean = at.motor_current(arm, qd, at.inverse_dynamics(arm, q, qd, qdd))
    levels, errors, slow = [], [], []
    speeds: tuple[float | None, ...] | None = None
    for _ in range(count):
        current = clean + 0.045 * random.standard_normal(q.shape)
        run = at.Recording.of(t, {"q": q, "current": current}, arm=arm.name)
        fit = at.identify(arm, run, method=("gains", "friction", "offsets"),
                          friction="viscous-coulomb")  # fmt: skip
        figures = of_fit(fit, speeds)
        speeds = figures["friction_speed"]
        slow.append(of_fit(fit, (0.5,) * 6)["friction"])
        levels.append(figures["friction"])
        errors.append(figures["friction_se"])
    mean = np.mean(levels, axis=0)
    print("speed [rad/s] ", speeds)
    print("friction [A]  ", np.round(mean, 3))
    print("scatter       ", np.round(np.std(levels, axis=0, ddof=1) / mean, 4))
    half = np.std(slow, axis=0, ddof=1) / np.mean(slow, axis=0)
    print("  at 0.5 rad/s", np.round(half, 4))
    print("standard error", np.round(np.mean(errors, axis=0) / mean, 4))


def main() -> None:
    """Run the parts that were chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=1000)
    parser.add_argument("--days", type=int, default=365)
    for name in ("--drift", "--false-alarms", "--first-days", "--scatter"):
        parser.add_argument(name, action="store_true")
    given = parser.parse_args()
    if given.drift:
        planted()
    if given.false_alarms:
        false_alarms(min(given.arms, 120), 365)
    if given.first_days:
        false_alarms(5 * given.arms, 20)
    if given.scatter:
        scatter()
    if not (given.drift or given.false_alarms or given.first_days or given.scatter):
        report(given.arms, given.days)


if __name__ == "__main__":
    main()
