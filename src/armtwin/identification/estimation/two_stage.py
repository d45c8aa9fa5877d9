r"""The two stages of an identification; the posterior of the first is the prior of the second.

1. Target torques, where the controller reports them, determine links and rotors (eq. 7 of the
   published document).
2. Motor currents or torques determine friction and torque constants (eqs. 17, 18) and, jointly,
   what stage 1 leaves open about links, rotors, payload and mounting.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.estimation.consider_covariance import with_link_uncertainty
from armtwin.identification.estimation.friction_selection import (
    SIMPLE_FIRST,
    FrictionChoice,
    choose,
)
from armtwin.identification.estimation.gauss_newton import search
from armtwin.identification.estimation.hac import Uncertainty
from armtwin.identification.estimation.posterior import (
    Posterior,
    combined,
    prior_conflict,
    reindexed,
)
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.parameters.vector import ParameterLayout, Prior
from armtwin.progress import OnProgress, report_step
from armtwin.spatial import Array

RICHEST = "gear"
"""Law of the preliminary fit: the one with most parameters, so that it favours no other law."""
MAX_WIDENINGS = 5
"""Times that the target torques may lose weight."""
MAX_CHOICES = 2
"""Times that friction laws may be chosen again."""


@dataclass(frozen=True)
class StageOutcome:
    """The result of both stages.

    Attributes:
        posterior: the estimate, with the prior of the arm file.
        layout: layout of its vector.
        choices: friction laws that were compared, per joint.
        target_weight: weight of the target torques, 1 where the efforts do not contradict them.
        target_fit: the first stage; None where there are no target torques.
    """

    posterior: Posterior
    layout: ParameterLayout
    choices: tuple[FrictionChoice, ...] = ()
    target_weight: float = 1.0
    target_fit: Posterior | None = None


def solve(problem: Problem, on_progress: OnProgress | None = None) -> StageOutcome:
    """Return the estimate from targets and efforts, whichever there are."""
    if problem.targets:
        report_step(on_progress, "links and rotors from target torques")
    target_fit = _from_targets(problem)
    if problem.efforts:
        outcome = _from_efforts(problem, target_fit, on_progress)
    elif target_fit is None:
        raise InputError("only target torques are recorded, which determine nothing about drives")
    else:
        outcome = StageOutcome(target_fit, problem.layout(problem.file_laws))
    outcome = dataclasses.replace(outcome, target_fit=target_fit)
    return _with_link_uncertainty(problem, outcome, target_fit)


def refit(problem: Problem, before: StageOutcome) -> StageOutcome:
    """Return the estimate from efforts whose friction has other factors, with the same laws."""
    outcome = _fitted(problem, before.target_fit, before)
    outcome = dataclasses.replace(outcome, target_fit=before.target_fit)
    return _with_link_uncertainty(problem, outcome, before.target_fit)


def _with_link_uncertainty(
    problem: Problem, outcome: StageOutcome, target_fit: Posterior | None
) -> StageOutcome:
    """Add the uncertainty of links that are not estimated to payload and mounting.

    Torque constants of a "staged" identification hold for the links of the arm file.
    """
    unknown = problem.options.unknown
    if "links" in unknown or not {"payload", "mounting"} & set(unknown):
        return outcome
    posterior = with_link_uncertainty(
        problem, outcome.posterior, outcome.layout, target_fit, outcome.target_weight
    )
    return dataclasses.replace(outcome, posterior=posterior)


def _from_targets(problem: Problem) -> Posterior | None:
    """Return links and rotors from the target torques; None where they determine none."""
    drives = ("gains", "friction", "offsets")
    mechanical = tuple(u for u in problem.options.unknown if u not in drives)
    if not problem.targets or not mechanical:
        return None
    predictor = problem.predictor(problem.file_laws)
    prior = problem.prior(predictor.layout)
    free = np.intersect1d(predictor.layout.indices(mechanical), prior.free)
    return search(predictor, problem.targets, dataclasses.replace(prior, free=free))


def _from_efforts(
    problem: Problem, target_fit: Posterior | None, on_progress: OnProgress | None = None
) -> StageOutcome:
    """Return all parameters from the motors' signals, with friction laws by cross-validation.

    Laws are chosen again around each new estimate until they no longer change.
    """
    if "friction" not in problem.options.unknown:
        report_step(on_progress, "estimating")
        return _fitted(
            problem,
            target_fit,
            StageOutcome(_file_posterior(problem), problem.layout(problem.file_laws)),
        )
    report_step(on_progress, "first estimate")
    preliminary = _preliminary(problem, target_fit)
    report_step(on_progress, "choosing friction laws")
    chosen = _chosen(problem, preliminary)
    report_step(on_progress, "estimating everything")
    outcome = _fitted(problem, target_fit, chosen)
    for _ in range(MAX_CHOICES):
        report_step(on_progress, "choosing friction laws again")
        again = _chosen(problem, outcome)
        if [c.best.law for c in again.choices] == [c.best.law for c in outcome.choices]:
            break
        report_step(on_progress, "estimating everything again")
        outcome = _fitted(problem, target_fit, again)
    return outcome


def _file_posterior(problem: Problem) -> Posterior:
    """Return the parameters of the arm file as an estimate to start from."""
    prior = problem.prior(problem.layout(problem.file_laws))
    nothing = np.zeros((prior.free.size, prior.free.size))
    uncertainty = Uncertainty(nothing, nothing, 0.0)
    return Posterior(prior.mean, prior, uncertainty, nothing, None, 0, prior.free[:0])


def _preliminary(problem: Problem, target_fit: Posterior | None) -> StageOutcome:
    """Return a first estimate with the friction law of most parameters."""
    predictor = problem.predictor((problem.options.friction or RICHEST,) * problem.arm.dof)
    prior = _combined_prior(problem, predictor.layout, target_fit, 1.0)
    posterior = search(predictor, problem.efforts, prior, preliminary=True)
    return StageOutcome(posterior, predictor.layout)


def _chosen(problem: Problem, before: StageOutcome) -> StageOutcome:
    """Return the outcome with friction laws chosen by cross-validation around it."""
    assert before.posterior.noise is not None
    options = problem.options
    tried = SIMPLE_FIRST if options.friction is None else (options.friction,)
    predictor = problem.predictor(before.layout.laws)
    spread = before.posterior.noise.spread[problem.kind]
    choices = choose(
        predictor, problem.efforts, before.posterior.vector, spread, tried, options.folds
    )
    layout = problem.layout(tuple(choice.best.law for choice in choices))
    begin = _carried(before.posterior.vector, before.layout, problem.prior(layout).mean, layout)
    posterior = dataclasses.replace(before.posterior, vector=begin)
    return StageOutcome(posterior, layout, tuple(choices), before.target_weight)


def _carried(vector: Array, before: ParameterLayout, mean: Array, layout: ParameterLayout) -> Array:
    """Return a vector for another layout: all but the friction parameters are kept."""
    begin = mean.copy()
    begin[: layout.gains.stop] = vector[: before.gains.stop]
    begin[layout.offsets.start :] = vector[before.offsets.start :]
    return begin


def _fitted(problem: Problem, target_fit: Posterior | None, before: StageOutcome) -> StageOutcome:
    """Return the estimate under the outcome's friction laws.

    Where the efforts contradict the target torques beyond chance, the covariance of the target fit
    is inflated by that ratio (Birge ratio) until both agree.
    """
    predictor = problem.predictor(before.layout.laws)
    layout, target_weight, start = before.layout, before.target_weight, before.posterior.vector
    for _ in range(MAX_WIDENINGS):
        prior = _with_speeds(
            _combined_prior(problem, layout, target_fit, target_weight), layout, before.choices
        )
        posterior = search(predictor, problem.efforts, prior, _begin(start, prior, layout))
        if target_fit is None:
            break
        ratio = prior_conflict(
            posterior, reindexed(target_fit.prior.free, target_fit.vector.size, layout)
        )
        if ratio <= 1:
            break
        target_weight, start = target_weight / ratio, posterior.vector
    posterior = _with_file_prior(problem, posterior, target_fit, layout, target_weight)
    return StageOutcome(posterior, layout, before.choices, target_weight)


def _begin(start: Array, prior: Prior, layout: ParameterLayout) -> Array:
    """Return the start of the search: as given, with the prior's friction speeds."""
    begin = start.copy()
    begin[layout.speeds] = prior.mean[layout.speeds]
    return begin


def _combined_prior(
    problem: Problem, layout: ParameterLayout, target_fit: Posterior | None, target_weight: float
) -> Prior:
    """Return the prior of the arm file combined with the target fit."""
    prior = problem.prior(layout)
    if target_fit is None:
        return prior
    return combined(
        prior,
        target_fit,
        reindexed(target_fit.prior.free, target_fit.vector.size, layout),
        target_weight,
    )


def _with_file_prior(
    problem: Problem,
    posterior: Posterior,
    target_fit: Posterior | None,
    layout: ParameterLayout,
    target_weight: float,
) -> Posterior:
    """Return the estimate with the prior of the arm file and the information of all data."""
    file, information = problem.prior(layout), posterior.information.copy()
    if target_fit is not None:
        indices = reindexed(target_fit.prior.free, target_fit.vector.size, layout)
        at = np.searchsorted(posterior.prior.free, indices)
        information[np.ix_(at, at)] += target_weight * target_fit.information
    prior = dataclasses.replace(file, free=posterior.prior.free)
    return dataclasses.replace(posterior, prior=prior, information=information)


def _with_speeds(
    prior: Prior, layout: ParameterLayout, choices: tuple[FrictionChoice, ...]
) -> Prior:
    """Return the prior with the friction speeds that cross-validation chose."""
    mean = prior.mean.copy()
    for part, choice in zip(layout.friction, choices, strict=False):
        indices = [k for k in layout.speeds if part.start <= k < part.stop]
        if choice.best.speed is not None:
            mean[indices] = choice.best.speed
    return dataclasses.replace(prior, mean=mean)
