"""The motion of least energy and its savings, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armtwin.dynamics.regeneration import DEFAULT, Regeneration, regeneration
from armtwin.energy.ledger import Ledger, ledger, refuse_idle_power
from armtwin.energy.mujoco_replay import Replay, replay
from armtwin.energy.savings import Savings, compare
from armtwin.energy.supply import finite
from armtwin.errors import InputError
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.motion.clearance.clearance import Environment
from armtwin.motion.limits import MotionLimits
from armtwin.motion.motion import Motion
from armtwin.motion.optimal.curve import as_points
from armtwin.motion.optimal.leg_times import USUAL, Trapezoid, least_energy
from armtwin.motion.optimal.pareto import ParetoPoint, best_time, pareto
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.motion.optimal.straight import CHEAPER, noted, straight
from armtwin.options import choose_options
from armtwin.progress import OnProgress, report_step
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array, as_number

MAX_SECONDS, MAX_SLOWER = 3600.0, 100.0
"""Longest total time [s], and as a multiple of the trapezoid's: longer motions mostly idle, and
their samples fill the memory."""


@dataclass(frozen=True, eq=False)
class OptimizeOptions:
    """Options of ``optimize``.

    Attributes:
        seconds: total time [s].
        slower: or the time as a multiple of the trapezoid's; 1 if neither is given. With idle
            power and neither, the time is free and minimises motor and idle energy together.
        through: pass the points in between without stopping.
        limits: on speed, acceleration, jerk; the arm's own and 15 rad/s2 if not given.
        rule: what happens to regenerated power.
        idle: power at standstill [W].
        around: obstacles to keep clear of; the arm itself and its mounting plane if not given.
        trapezoid: the motion to compare with.
        pareto: also compute the curve of energy against time.
        replay: also simulate the motion in MuJoCo and compute the energy from its currents.
        inputs: files that the points were read from.
    """

    seconds: float | None = None
    slower: float | None = None
    through: bool = False
    limits: MotionLimits | None = None
    rule: str | Regeneration = DEFAULT
    idle: float = 0.0
    around: Environment | None = None
    trapezoid: Trapezoid = USUAL
    pareto: bool = False
    replay: bool = False
    inputs: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        """Refuse two total times, times out of range, an unknown rule and a bad idle power."""
        if self.seconds is not None and self.slower is not None:
            raise InputError(
                f"seconds={self.seconds:g} and slower={self.slower:g} both set the time; give one"
            )
        for name, value, most in (
            ("seconds", self.seconds, MAX_SECONDS),
            ("slower", self.slower, MAX_SLOWER),
        ):
            if value is not None and not 0 < as_number(value, name) <= most:
                raise InputError(
                    f"{name} is {value}; a motion takes a positive time, {name} at most {most:g}"
                )
        regeneration(self.rule)
        refuse_idle_power(self.idle)


@dataclass(frozen=True, eq=False)
class OptimizedMotion(Result):
    """A motion of least energy, compared with other motions through the same points.

    Attributes:
        task: arm, limits, rule and surroundings.
        points: joint vectors that it passes (k, dof).
        optimum: the motion and the solver's figures.
        comparison: the trapezoid, TOPP-RA and the optimum side by side.
        curve: motions of least energy for several times, where requested.
        replay: the motion simulated in MuJoCo, where requested.
        inputs: files that the points were read from.
    """

    task: Task
    points: Array
    optimum: Optimum
    comparison: Savings
    curve: tuple[ParetoPoint, ...] = ()
    replay: Replay | None = None
    inputs: tuple[Path, ...] = ()

    @property
    def motion(self) -> Motion:
        """Joint positions, speeds and accelerations over time."""
        return self.optimum.motion

    @property
    def ledger(self) -> Ledger:
        """Its energy ledger."""
        book = self.comparison.optimum.ledger
        assert book is not None
        return book

    @property
    def saving(self) -> float:
        """Share of the trapezoid's motor energy that is saved."""
        return self.comparison.saving(self.comparison.optimum)

    def curve_energies(self) -> list[tuple[float, float, float]]:
        """Return time over the trapezoid's, time [s] and motor energy [J] along the curve."""
        books = [ledger(self.task.arm, p.motion, rule=self.task.rule) for p in self.curve]
        pairs = zip(self.curve, books, strict=True)
        return [(point.slower, book.duration, book.motors) for point, book in pairs]

    def page(self) -> Page:
        """Return the comparison, the motion and its ledger as a page."""
        from armtwin.energy.optimum_page import optimum_page

        return optimum_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return times [s], energies [J] and savings as plain data; None where undefined."""
        against, best, run = self.comparison, self.optimum, self.replay
        motions = [
            {
                "name": one.name,
                "time": finite(one.seconds),
                "motors": finite(one.motors),
                "total": finite(one.total),
                "saving": finite(against.saving(one)),
                "missing": one.missing,
            }
            for one in against.motions
        ]
        curve = [
            {"slower": slower, "motors": motors} for slower, _, motors in self.curve_energies()
        ]
        return {
            "rule": self.task.rule.name,
            "time": float(best.seconds.sum()),
            "legs": np.asarray(best.seconds).tolist(),
            "saving": finite(self.saving),
            "total_saving": finite(against.total_saving(against.optimum)),
            "solve_seconds": best.solve_seconds,
            "iterations": best.iterations,
            "motions": motions,
            "pareto": curve,
            "replay": None if run is None else {"motors": run.spent.motors, "excess": run.excess},
            "notes": list(best.motion.notes),
        }


def optimize(
    arm: ArmLike,
    points: ArrayLike,
    *,
    options: OptimizeOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: Any,
) -> OptimizedMotion:
    """Return the motion of least energy through points.

    It never costs more than the trapezoid in the same time, if that keeps to the limits.

    Args:
        arm: an arm with masses, drives and motor constants, its name or its file.
        points: joint vectors (k, dof), k >= 2.
        options: how to optimise; or give its fields as keywords (``slower=1.25``).
        on_progress: called after every step of the solver.
        **choices: fields of ``OptimizeOptions``.

    Raises:
        PlanError: too little time, or no motion clear of the obstacles.
        MissingDataError: the arm lacks masses, drives or motor constants.
        InputError: bad points, times, limits or rule.
    """
    chosen = choose_options(OptimizeOptions, options, choices)
    around = Environment() if chosen.around is None else chosen.around
    task = Task(as_arm(arm), chosen.limits or MotionLimits(), regeneration(chosen.rule), around)
    q = as_points(task.arm, points)
    _refuse_long(chosen, q)
    shared = {"through": chosen.through, "trapezoid": chosen.trapezoid}
    if chosen.seconds is None and chosen.slower is None and chosen.idle > 0:
        best = best_time(task, q, chosen.idle, on_progress=on_progress, **shared)  # type: ignore[arg-type]
    else:
        slower = 1.0 if chosen.slower is None else chosen.slower
        best = least_energy(
            task, q, chosen.seconds, slower=slower, on_progress=on_progress, **shared  # type: ignore[arg-type]
        )  # fmt: skip
    best = no_worse(task, q, best, chosen.trapezoid)
    against = compare(task, q, best, idle=chosen.idle, trapezoid=chosen.trapezoid)
    curve = []
    for point in pareto(task, q, **shared) if chosen.pareto else ():  # type: ignore[arg-type]
        report_step(on_progress, f"energy against time: {point.slower:g} times the trapezoid's")
        curve.append(point)
    run = replay(task.arm, best.motion, rule=task.rule) if chosen.replay else None
    return OptimizedMotion(task, q, best, against, tuple(curve), run, chosen.inputs)


def _refuse_long(chosen: OptimizeOptions, q: Array) -> None:
    """Raise InputError where the trapezoid is so slow that the motion lasts over an hour."""
    seconds = float(chosen.trapezoid.seconds(q).sum()) * (chosen.slower or 1.0)
    if not seconds <= MAX_SECONDS:
        raise InputError(
            f"the motion would last {seconds:.4g} s, at most {MAX_SECONDS:g} are possible; give a "
            "faster trapezoid (vmax, amax) to measure times by"
        )


def no_worse(task: Task, points: Array, best: Optimum, trapezoid: Trapezoid = USUAL) -> Optimum:
    """Return the optimum, or the trapezoid of the same time and limits where that costs less.

    Args:
        task: arm, limits, rule and surroundings.
        points: joint vectors (k, dof).
        best: the optimum.
        trapezoid: the motion to compare with.
    """
    total = float(best.seconds.sum())
    plain = straight(task, points, total, trapezoid.vmax, trapezoid.amax)
    if plain is None or _motors(task, best) <= _motors(task, plain):
        return best
    return noted(plain, CHEAPER)


def _motors(task: Task, best: Optimum) -> float:
    return ledger(task.arm, best.motion, rule=task.rule).motors
