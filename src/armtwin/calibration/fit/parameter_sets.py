"""Fit nested sets of parameters and choose the one that predicts left-out data best.

Large sets fit better and may predict worse. So every set, from the frames alone to all of the
geometry, is fitted and judged on data left out of the fit; where measurements are few, forward
selection of single parameters is tried as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.forward_selection import LinearModel, nested_errors
from armtwin.calibration.fit.identifiability import Identifiability, analyse
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.fit.robust import RobustSolution, solve, spreads
from armtwin.calibration.fit.uncertainty import block_sums, left_out_errors
from armtwin.calibration.options import PARAMETER_SETS, CalibrateOptions
from armtwin.calibration.pose_errors import ParameterSetTrial, PoseErrors
from armtwin.progress import OnProgress, report_step
from armtwin.spatial import Array

FEW = 5
"""Forward selection is tried where there are fewer measured numbers than this per parameter."""
FREEDOM = 4.0
"""Degrees of freedom of Student's t: tails of real measurements, outliers included."""
AS_GOOD = 1.0
"""Standard errors by which the score of a smaller set may be behind the best one."""
ORDER = ("base", "tool", "offsets", "lengths", "twists", "compliance", "curves")
"""Of two parameters with the same effect, the one of the group named first is kept."""
MAX_REFITS = 8
"""Fits of one set at most; two are usual, more where poses are few and nearly without noise."""


def fit_parameter_sets(
    trials: ParameterSetTrials, options: CalibrateOptions, on_progress: OnProgress | None = None
) -> tuple[list[ParameterSetFit], PoseErrors | None]:
    """Fit the requested sets of parameters.

    Args:
        trials: the model and the measurements.
        options: which sets to fit.
        on_progress: called with the name of each set as its fit begins.

    Returns:
        All fits, the arm as given first, and the error of forward selection in nested
        cross-validation; None where no forward selection was tried.
    """
    frames = options.frames
    tried = [trials.fit("as given", [])]
    for name, groups in PARAMETER_SETS:
        indices = trials.model.indices((*frames, *groups))
        if "compliance" in groups and not trials.model.indices(("compliance",)):
            continue
        largest = options.parameters == "curves" and name in ("geometry", "compliance")
        if options.parameters in ("auto", name) or name == "frames" or largest:
            report_step(on_progress, name)
            tried.append(trials.physical_fit(name, indices))
    every = trials.model.indices((*frames, "offsets", "lengths", "twists"))
    numbers = len(trials.measured) * trials.measured.per_pose
    few = options.parameters == "auto" and numbers < FEW * len(every)
    if not few and options.parameters != "single":
        return tried, None
    report_step(on_progress, "single parameters")
    linear = trials.linear_model()
    tried.append(trials.fit("single", linear.choose(every, np.arange(len(trials.measured)))))
    return tried, nested_errors(linear, every)


def compared(
    tried: Sequence[ParameterSetFit], measured: PoseMeasurements
) -> list[tuple[float, float]]:
    """Return the score gap of every fit to the best one, and its standard error [nats].

    Args:
        tried: the fits, all to the same rows.
        measured: those rows.
    """
    noise = np.min([spreads(fit.left_out, measured.placement) for fit in tried], axis=0)
    scores = [block_sums(_scores(fit.left_out / noise), measured.block) for fit in tried]
    best = min(scores, key=lambda score: float(score.sum()))
    count = len(best)
    return [
        (float((score - best).sum()), float(np.sqrt(count) * (score - best).std(ddof=1)))
        for score in scores
    ]


def _scores(e: Array) -> Array:
    """Return the negative log likelihood (n, 1) of errors in units of their noise (n, 3 or 6)."""
    squares = np.stack([(e[:, k : k + 3] ** 2).sum(axis=1) for k in range(0, e.shape[1], 3)])
    return np.asarray((FREEDOM + 3) / 2 * np.log1p(squares / FREEDOM).sum(axis=0)[:, None])


def best_of(
    tried: Sequence[ParameterSetFit], score_gaps: Sequence[tuple[float, float]], requested: str
) -> ParameterSetFit:
    """Return the requested set, or the smallest that is as good as the best on left-out data.

    Args:
        tried: the fits.
        score_gaps: gap to the best with its standard error, from ``compared``.
        requested: name of a set, or "auto".
    """
    if requested != "auto":
        return next(fit for fit in tried if fit.name == requested)
    pairs = zip(tried, score_gaps, strict=True)
    good = [fit for fit, (gap, error) in pairs if gap <= AS_GOOD * error]
    return min(good, key=lambda fit: len(fit.identifiable.free))


@dataclass(frozen=True)
class ParameterSetFit:
    """A fit of one set of parameters.

    Attributes:
        name: name of the set.
        identifiable: which of its parameters were fitted, and why others were held.
        solution: the robust solution.
        left_out: errors (n, 3 or 6) of every block predicted by a fit to the others.
        between: covariance (k, k) of the solutions that were averaged over; None where none were.
    """

    name: str
    identifiable: Identifiability
    solution: RobustSolution
    left_out: Array
    between: Array | None = None

    def trial(self, score_gap: float, score_gap_error: float) -> ParameterSetTrial:
        """Return the figures of this fit.

        Args:
            score_gap: how much worse its score is than the best [nats].
            score_gap_error: standard error of that gap [nats].
        """
        errors = PoseErrors.of(self.solution.errors), PoseErrors.of(self.left_out)
        count = len(self.identifiable.free)
        return ParameterSetTrial(self.name, count, *errors, score_gap, score_gap_error)

    def changes(self, count: int) -> Array:
        """Return the changes of all ``count`` parameters, zero where one was held."""
        changes = np.zeros(count)
        changes[list(self.identifiable.free)] = self.solution.x
        return changes


class ParameterSetTrials:
    """Fits of one model to one set of measurements."""

    def __init__(self, model: GeometryModel, measured: PoseMeasurements, tolerances: Array) -> None:
        self.model, self.measured, self.tolerances = model, measured, tolerances
        self._load = model.load(measured.q)
        self._names = [parameter.name for parameter in model.parameters]

    def errors(self, changes: Array) -> tuple[Array, Array]:
        """Return errors (n, m) and derivatives (n, m, parameters) at changed parameters."""
        return self.model.errors(self.measured, self._load, changes)

    def linear_model(self) -> LinearModel:
        """Return the errors linearised at the nominal arm."""
        e, J = self.errors(np.zeros(len(self._names)))
        return LinearModel(e, J, self.tolerances, self.measured.block, self._spreads(e))

    def fit(self, name: str, indices: Sequence[int]) -> ParameterSetFit:
        """Fit those parameters among ``indices`` that are identifiable.

        The fit is repeated while the spread falls and makes more parameters identifiable.
        """
        known = self.identifiable(np.zeros(len(self._names)), indices)
        for refit in range(MAX_REFITS):
            solution = self._solve(list(known.free))
            changes = np.zeros(len(self._names))
            changes[list(known.free)] = solution.x
            more = self.identifiable(changes, indices)
            if set(more.free) <= set(known.free) or refit == MAX_REFITS - 1:
                break
            known = more
        left_out = left_out_errors(
            solution.J, solution.errors, solution.weights, solution.tolerances, self.measured.block
        )
        return ParameterSetFit(name, known, solution, left_out)

    def physical_fit(self, name: str, indices: Sequence[int]) -> ParameterSetFit:
        """Fit as ``fit`` does, without compliances that would be negative."""
        while True:
            done = self.fit(name, indices)
            pairs = zip(done.identifiable.free, done.solution.x, strict=True)
            compliances = set(self.model.indices(("compliance",)))
            negative = {index for index, value in pairs if index in compliances and value < 0}
            if not negative:
                return done
            indices = [index for index in indices if index not in negative]

    def identifiable(
        self, changes: Array, indices: Sequence[int], first: Sequence[int] = ()
    ) -> Identifiability:
        """Judge the effects at the nominal geometry by the spread of the errors at ``changes``.

        Args:
            changes: parameter changes at which the spread is taken (parameters,).
            indices: parameters to judge.
            first: those of them that are kept before all others.
        """
        e, _ = self.errors(changes)
        _, J = self.errors(np.zeros_like(changes))
        flat = (J / self._spreads(e)[:, :, None]).reshape(-1, J.shape[2])
        rest = [index for index in self._in_order(indices) if index not in set(first)]
        return analyse(flat, self._names, self.tolerances, [*first, *rest])

    def _spreads(self, e: Array) -> Array:
        """Return the robust standard deviation of every number of errors (n, m)."""
        return spreads(e, self.measured.placement)

    def _in_order(self, indices: Sequence[int]) -> list[int]:
        """Return indices in order of preference: by group, then numbers that are not zero."""

        def rank(index: int) -> tuple[int, bool, int]:
            parameter = self.model.parameters[index]
            return ORDER.index(parameter.group), parameter.nominal == 0, index

        return sorted(indices, key=rank)

    def _solve(self, free: list[int]) -> RobustSolution:
        def errors(x: Array) -> tuple[Array, Array]:
            changes = np.zeros(len(self._names))
            changes[free] = x
            e, J = self.errors(changes)
            return e, J[:, :, free]

        return solve(errors, self.tolerances[free], self.measured.placement)
