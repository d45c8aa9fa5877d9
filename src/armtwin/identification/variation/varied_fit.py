"""A fit with friction that varies: warm-up is found, the fit repeated with it, days compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import IdentificationRun, blocks
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.estimation.two_stage import StageOutcome, refit
from armtwin.identification.variation.day_effects import DaySpread, assumed_spread, day_spread
from armtwin.identification.variation.drift import FrictionDrift, friction_drift
from armtwin.identification.variation.friction_blocks import FrictionBlock, friction_blocks
from armtwin.identification.variation.sessions import WorkSession, sessions
from armtwin.identification.variation.warm_up import WarmUp, fit_warm_up
from armtwin.progress import OnProgress, report_step


@dataclass(frozen=True, eq=False)
class Variation:
    """Variation of friction in the data.

    Attributes:
        warm_ups: joints whose friction varies with temperature or time.
        days: standard deviation of friction between days.
        drifts: joints whose friction still drifts.
    """

    warm_ups: tuple[WarmUp, ...]
    days: DaySpread
    drifts: tuple[FrictionDrift, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines of text for the result."""
        lines = [*(one.text for one in self.warm_ups), *(one.text for one in self.drifts)]
        return (*lines, self.days.text)


@dataclass(frozen=True, eq=False)
class VariedFit:
    """An estimate and its data, with the factors of friction of every row in the runs."""

    problem: Problem
    outcome: StageOutcome
    runs: list[IdentificationRun]
    tests: list[IdentificationRun]
    variation: Variation


def with_variation(
    fit: tuple[Problem, StageOutcome],
    runs: list[IdentificationRun],
    tests: list[IdentificationRun],
    days: Sequence[int] | None,
    on_progress: OnProgress | None = None,
) -> VariedFit:
    """Return the fit with warm-up where the data show it, and the spread between days.

    Args:
        fit: the problem and its estimate without warm-up.
        runs: the fitted runs.
        tests: runs that are only predicted.
        days: day of every fitted run by number, where it is known; else dated clocks decide.
        on_progress: called as each step begins.
    """
    problem, outcome = fit
    dof = problem.arm.dof
    if not problem.efforts or outcome.posterior.noise is None:
        return VariedFit(problem, outcome, runs, tests, Variation((), assumed_spread(dof), ()))
    report_step(on_progress, "friction over time")
    at = sessions([*runs, *tests])
    found = _blocks(problem, outcome, runs, at)
    warm_ups = fit_warm_up(found, dof) if "friction" in problem.options.unknown else ()
    if warm_ups:
        report_step(on_progress, "estimating everything with warm-up")
        every = zip([*runs, *tests], at, strict=True)
        scaled = [with_scale(run, session, warm_ups) for run, session in every]
        runs, tests = scaled[: len(runs)], scaled[len(runs) :]
        problem = dataclasses.replace(problem, efforts=blocks(runs, "effort"))
        outcome = refit(problem, outcome)
        found = _blocks(problem, outcome, runs, at)
    spread = day_spread(found, _days(runs, at, days), dof)
    variation = Variation(warm_ups, spread, friction_drift(found, dof))
    return VariedFit(problem, outcome, runs, tests, variation)


def with_scale(
    run: IdentificationRun, session: WorkSession, warm_ups: Sequence[WarmUp]
) -> IdentificationRun:
    """Return a run whose motion has the factors of friction of its temperatures or its time.

    Args:
        run: the run.
        session: where in its session of work it lies.
        warm_ups: how friction varies.
    """
    if run.effort is None:
        return run
    scale = np.ones((*run.effort.signal.shape, 2))
    for one in warm_ups:
        own = None if run.temperature is None else run.temperature[:, one.joint - 1]
        scale[:, one.joint - 1] = one.scale(session.before + run.time, own)
    motion = dataclasses.replace(run.effort.motion, friction_scale=scale)
    return dataclasses.replace(run, effort=dataclasses.replace(run.effort, motion=motion))


def _blocks(
    problem: Problem,
    outcome: StageOutcome,
    runs: list[IdentificationRun],
    at: Sequence[WorkSession],
) -> list[FrictionBlock]:
    posterior = outcome.posterior
    assert posterior.noise is not None
    predictor, spread = problem.predictor(outcome.layout.laws), posterior.noise.spread[problem.kind]
    return friction_blocks(predictor, runs, at[: len(runs)], posterior.vector, spread)


def _days(
    runs: list[IdentificationRun], at: Sequence[WorkSession], given: Sequence[int] | None
) -> list[int]:
    """Return the day of every run: as given, by dated clocks, else the same for all."""
    if given is not None:
        return list(given)
    return [session.number if session.dated else 0 for session in at[: len(runs)]]
