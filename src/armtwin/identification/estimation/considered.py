r"""Doubt about links that are not estimated, as part of the intervals.

A payload or a mounting that is estimated while the links stay as in the file is off where the
links are. With the data's information H over estimated entries f and links c together, and P the
precision of the belief about both, the covariance grows by what the links' own doubt adds:

.. math:: \Sigma_f \leftarrow \Sigma_f + \left[(H + P)^{-1}\right]_{ff} - (H_{ff} + P_{ff})^{-1}

Links count as far as the same data leave them open.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.dynamics.rigid_body import link_parameters
from armtwin.identification.estimation.hac import Uncertainty, scaled_inverse
from armtwin.identification.estimation.normal_equations import sums
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.parameters.vector import ParameterLayout, Places
from armtwin.spatial import Array


def with_links_doubt(
    problem: Problem,
    found: Posterior,
    layout: ParameterLayout,
    told: Posterior | None,
    trust: float,
) -> Posterior:
    """Return the estimate with the doubt of the file's links in its covariance.

    Args:
        problem: whose links are not estimated.
        found: the estimate.
        layout: of its vector.
        told: what the controller's torques told, if they were used.
        trust: how far those were believed.
    """
    free, links = found.belief.free, _links(problem, layout)
    every = np.union1d(free, links)
    information = _information(problem, found, layout, told, trust, every)
    whole = information + problem.belief(layout).precision[np.ix_(every, every)]
    inner = np.ix_(*[np.searchsorted(every, free)] * 2)
    covariance = found.covariance + scaled_inverse(whole)[inner] - scaled_inverse(whole[inner])
    doubt = Uncertainty(covariance, scaled_inverse(covariance), found.factor)
    return dataclasses.replace(found, doubt=doubt)


def _links(problem: Problem, layout: ParameterLayout) -> Places:
    """Return the entries of every link that has a mass."""
    masses = np.repeat(link_parameters(problem.arm)[::10] > 0, 10)
    return np.arange(layout.size)[layout.links][masses]


def _information(
    problem: Problem,
    found: Posterior,
    layout: ParameterLayout,
    told: Posterior | None,
    trust: float,
    every: Places,
) -> Array:
    """Return what motors' signals and the controller's torques say about some entries (k, k)."""
    predictor = problem.predictor(layout.laws)
    total = np.zeros((every.size, every.size))
    if found.noise is not None and problem.efforts:
        total += sums(predictor, problem.efforts, found.vector, found.noise, every).information
    if told is not None and told.noise is not None and problem.targets:
        shown = sums(predictor, problem.targets, found.vector, told.noise, every).information
        total += trust * shown
    return total
