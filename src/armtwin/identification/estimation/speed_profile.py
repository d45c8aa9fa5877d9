r"""Intervals of friction's speeds (``stribeck_speed``, ``rise_speed``) by profile likelihood.

A law is not linear in its speed v, which cross-validation chooses from a coarse grid. With gain,
inertia and all torques of the law fitted anew at each v of a fine grid, and residuals of spread
:math:`\sigma` of which T carry the information of one, the interval holds the v with

.. math:: \frac{S(v) - \min S}{\sigma^2\, T} < c^2, \qquad S(v) = \min \sum w\, e^2

An end that the grid does not reach is open: the data do not identify the speed on that side.
"""

from __future__ import annotations

import numpy as np

from armtwin.identification.estimation.friction_selection import Candidates, law_errors
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.estimation.two_stage import StageOutcome
from armtwin.spatial import Array

GRID = np.geomspace(0.0125, 6.4, 28)
"""Speeds [rad/s at the joint]: from below rest to beyond any joint's limit."""

Interval = tuple[float, float]


def speed_intervals(problem: Problem, outcome: StageOutcome) -> dict[int, Interval]:
    """Return the 95 % intervals of friction's speeds by their index in the vector.

    Args:
        problem: the arm, the options and the data.
        outcome: the estimate.

    Returns:
        Ends at the joint [rad/s]; 0 and inf where the data leave an end open.
    """
    posterior, layout = outcome.posterior, outcome.layout
    speeds = [k for k in layout.speeds if "friction" in problem.options.unknown]
    if not speeds or posterior.noise is None or not problem.efforts:
        return {}
    joints = {_joint(layout.friction, k): k for k in speeds}
    candidates: list[Candidates] = [
        [(layout.laws[j], float(v)) for v in GRID] if j in joints else [] for j in range(layout.dof)
    ]
    predictor = problem.predictor(layout.laws)
    kind, noise = problem.kind, posterior.noise
    errors = law_errors(
        predictor, problem.efforts, posterior.vector, noise.spread[kind], candidates
    )
    found = {}
    for j, index in joints.items():
        unit = noise.spread[kind][j] ** 2 * noise.correlation_length[kind][j]
        found[index] = _interval(errors[j] / unit, posterior.factor**2)
    return found


def _joint(parts: tuple[slice, ...], index: int) -> int:
    return next(j for j, part in enumerate(parts) if part.start <= index < part.stop)


def _interval(cost: Array, level: float) -> Interval:
    """Return where the cost over ``GRID`` lies within ``level`` of its least, log-interpolated."""
    above = cost - cost.min() - level
    inside = np.flatnonzero(above <= 0)
    first, last, x = inside[0], inside[-1], np.log(GRID)
    low = 0.0 if first == 0 else float(np.exp(_crossing(x, above, first - 1)))
    high = np.inf if last == len(GRID) - 1 else float(np.exp(_crossing(x, above, last)))
    return low, high


def _crossing(x: Array, above: Array, k: int) -> float:
    """Return where a line between points k and k + 1 crosses zero."""
    share = above[k] / (above[k] - above[k + 1])
    return float(x[k] + share * (x[k + 1] - x[k]))
