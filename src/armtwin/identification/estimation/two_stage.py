r"""The two steps of an identification, each beginning with the belief that the one before left.

1. Target torques, where the controller reports them, tell links and rotors (the document's eq. 7).
2. Motor currents or torques tell friction and torque constants (eqs. 17, 18) and, jointly, what
   is left open about links, rotors, payload and mounting.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.estimation.considered import with_links_doubt
from armtwin.identification.estimation.disagreement import disagreement
from armtwin.identification.estimation.friction_selection import SIMPLE_FIRST, Choice, choose
from armtwin.identification.estimation.gauss_newton import search
from armtwin.identification.estimation.hac import Uncertainty, scaled_inverse
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.parameters.vector import ParameterLayout, Places, Prior
from armtwin.spatial import Array

RICHEST = "gear"
PRELIMINARY_ROUNDS = 10
MOST_WIDENINGS = 5
MOST_CHOICES = 2
Told = Callable[[str], None]
"""Is given a line whenever a new step begins."""


@dataclass(frozen=True)
class StageOutcome:
    """What both steps found.

    Attributes:
        found: the estimate, beside the file's belief.
        layout: of its vector.
        choices: friction laws tried, per joint.
        trust: how much of the controller's word was believed, 1 where it was not contradicted.
    """

    found: Posterior
    layout: ParameterLayout
    choices: tuple[Choice, ...] = ()
    trust: float = 1.0


def solve(problem: Problem, say: Told = lambda step: None) -> StageOutcome:
    """Return the estimate from targets and efforts, whichever there are; ``say`` hears steps."""
    if problem.targets:
        say("links and rotors from target torques")
    told = from_targets(problem)
    if problem.efforts:
        outcome = from_efforts(problem, told, say)
    elif told is None:
        raise InputError("only target torques are recorded, which tell nothing about drives")
    else:
        outcome = StageOutcome(told, problem.layout(problem.file_laws))
    return _with_links_doubt(problem, outcome, told)


def _with_links_doubt(
    problem: Problem, outcome: StageOutcome, told: Posterior | None
) -> StageOutcome:
    """Return the outcome with the file's doubt in payload and mounting, where links are not free.

    Torque constants of a "staged" identification hold for the file's links, as in the document.
    """
    unknown = problem.settings.unknown
    if "links" in unknown or not {"payload", "mounting"} & set(unknown):
        return outcome
    found = with_links_doubt(problem, outcome.found, outcome.layout, told, outcome.trust)
    return dataclasses.replace(outcome, found=found)


def from_targets(problem: Problem) -> Posterior | None:
    """Return links and rotors from the controller's target torque; None where it says nothing."""
    drives = ("gains", "friction", "offsets")
    mechanical = tuple(u for u in problem.settings.unknown if u not in drives)
    if not problem.targets or not mechanical:
        return None
    predictor = problem.predictor(problem.file_laws)
    belief = problem.belief(predictor.layout)
    free = np.intersect1d(predictor.layout.places(mechanical), belief.free)
    return search(predictor, problem.targets, dataclasses.replace(belief, free=free))


def from_efforts(
    problem: Problem, told: Posterior | None, say: Told = lambda step: None
) -> StageOutcome:
    """Return everything from the motors' signals, friction laws chosen on the way.

    Laws are chosen again around the estimate that the first choice led to, until they stay.
    """
    if "friction" not in problem.settings.unknown:
        say("estimating")
        return _fitted(
            problem, told, StageOutcome(_nothing(problem), problem.layout(problem.file_laws))
        )
    say("first estimate")
    preliminary = _preliminary(problem, told)
    say("choosing friction laws")
    chosen = _chosen(problem, preliminary)
    say("estimating everything")
    outcome = _fitted(problem, told, chosen)
    for _ in range(MOST_CHOICES):
        say("choosing friction laws again")
        again = _chosen(problem, outcome)
        if [c.best.law for c in again.choices] == [c.best.law for c in outcome.choices]:
            break
        say("estimating everything again")
        outcome = _fitted(problem, told, again)
    return outcome


def _nothing(problem: Problem) -> Posterior:
    """Return the file's numbers as an estimate to begin with."""
    belief = problem.belief(problem.layout(problem.file_laws))
    nothing = np.zeros((belief.free.size, belief.free.size))
    doubt = Uncertainty(nothing, nothing, 0.0)
    return Posterior(belief.mean, belief, doubt, nothing, None, 0, belief.free[:0])


def _preliminary(problem: Problem, told: Posterior | None) -> StageOutcome:
    """Return a first estimate with the richest law, so that no law is favoured by it."""
    predictor = problem.predictor((problem.settings.friction or RICHEST,) * problem.arm.dof)
    belief = _believed(problem, predictor.layout, told, 1.0)
    found = search(predictor, problem.efforts, belief, rounds=PRELIMINARY_ROUNDS)
    return StageOutcome(found, predictor.layout)


def _chosen(problem: Problem, before: StageOutcome) -> StageOutcome:
    """Return the outcome with laws chosen by cross-validation around it."""
    assert before.found.noise is not None
    settings = problem.settings
    tried = SIMPLE_FIRST if settings.friction is None else (settings.friction,)
    predictor = problem.predictor(before.layout.laws)
    spread = before.found.noise.spread[problem.kind]
    choices = choose(predictor, problem.efforts, before.found.vector, spread, tried, settings.folds)
    layout = problem.layout(tuple(choice.best.law for choice in choices))
    begin = _carried(before.found.vector, before.layout, problem.belief(layout).mean, layout)
    found = dataclasses.replace(before.found, vector=begin)
    return StageOutcome(found, layout, tuple(choices), before.trust)


def _carried(vector: Array, before: ParameterLayout, mean: Array, layout: ParameterLayout) -> Array:
    """Return a vector for another layout: all but the friction is kept."""
    begin = mean.copy()
    begin[: layout.gains.stop] = vector[: before.gains.stop]
    begin[layout.offsets.start :] = vector[before.offsets.start :]
    return begin


def _fitted(problem: Problem, told: Posterior | None, before: StageOutcome) -> StageOutcome:
    """Return the estimate under the outcome's laws.

    Where the efforts contradict the controller's model beyond chance, what it told is made less
    certain by that ratio (Birge's), until both agree.
    """
    predictor = problem.predictor(before.layout.laws)
    layout, trust, start = before.layout, before.trust, before.found.vector
    for _ in range(MOST_WIDENINGS):
        belief = _with_speeds(_believed(problem, layout, told, trust), layout, before.choices)
        found = search(predictor, problem.efforts, belief, _begin(start, belief, layout))
        if told is None:
            break
        ratio = disagreement(found, moved(told.belief.free, told.vector.size, layout))
        if ratio <= 1:
            break
        trust, start = trust / ratio, found.vector
    posterior = _since_the_file(problem, found, told, layout, trust)
    return StageOutcome(posterior, layout, before.choices, trust)


def _begin(start: Array, belief: Prior, layout: ParameterLayout) -> Array:
    """Return where the search begins: as given, with the belief's friction speeds."""
    begin = start.copy()
    begin[layout.speeds] = belief.mean[layout.speeds]
    return begin


def _believed(
    problem: Problem, layout: ParameterLayout, told: Posterior | None, trust: float
) -> Prior:
    """Return the file's belief, joined with what the targets told."""
    belief = problem.belief(layout)
    if told is None:
        return belief
    return joined(belief, told, moved(told.belief.free, told.vector.size, layout), trust)


def _since_the_file(
    problem: Problem,
    found: Posterior,
    told: Posterior | None,
    layout: ParameterLayout,
    trust: float,
) -> Posterior:
    """Return the estimate beside the file's own belief, with all that the data added to it."""
    file, information = problem.belief(layout), found.information.copy()
    if told is not None:
        places = moved(told.belief.free, told.vector.size, layout)
        at = np.searchsorted(found.belief.free, places)
        information[np.ix_(at, at)] += trust * told.information
    belief = dataclasses.replace(file, free=found.belief.free)
    return dataclasses.replace(found, belief=belief, information=information)


def joined(file: Prior, told: Posterior, places: Places, trust: float) -> Prior:
    r"""Return the file's belief with what the targets told, weighed by ``trust``.

    .. math:: P = P_0 + t (P_1 - P_0), \qquad
              P \mu = (1 - t) P_0 \mu_0 + t P_1 \mu_1
    """
    after, inner = told.posterior(), np.ix_(places, places)
    own = np.ix_(told.belief.free, told.belief.free)
    first, last = file.precision[inner], after.precision[own]
    precision = first + trust * (last - first)
    pull = (1 - trust) * first @ file.mean[places] + trust * last @ after.mean[told.belief.free]
    mean, whole = file.mean.copy(), file.precision.copy()
    mean[places] = scaled_inverse(precision) @ pull
    whole[inner] = precision
    return Prior(mean, whole, file.free, file.file)


def moved(places: Places, size: int, layout: ParameterLayout) -> Places:
    """Return where the entries of a vector of another size stand in a layout.

    Only friction's part differs in length: what stands before keeps its place, what stands behind
    its distance from the end.
    """
    shift = layout.size - size
    return np.array([k if k < layout.gains.stop else k + shift for k in places], dtype=np.intp)


def _with_speeds(belief: Prior, layout: ParameterLayout, choices: tuple[Choice, ...]) -> Prior:
    """Return the belief with the speeds that cross-validation chose for the friction laws."""
    mean = belief.mean.copy()
    for part, choice in zip(layout.friction, choices, strict=False):
        places = [k for k in layout.speeds if part.start <= k < part.stop]
        if choice.best.speed is not None:
            mean[places] = choice.best.speed
    return dataclasses.replace(belief, mean=mean)
