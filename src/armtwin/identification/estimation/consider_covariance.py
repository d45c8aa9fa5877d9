r"""Consider covariance: the uncertainty of links that are not estimated, in the intervals.

An error of the links in the arm file biases a payload or mounting that is estimated without them.
With the data's information H over estimated entries f and links c (the "consider parameters" of
Schmidt), and P the prior precision of both, the covariance grows by

.. math:: \Sigma_f \leftarrow \Sigma_f + \left[(H + P)^{-1}\right]_{ff} - (H_{ff} + P_{ff})^{-1}

Links count as far as the same data leave them uncertain.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.dynamics.rigid_body import link_parameters
from armtwin.identification.estimation.hac import Uncertainty, scaled_inverse
from armtwin.identification.estimation.normal_equations import sums
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.parameters.vector import Indices, ParameterLayout
from armtwin.spatial import Array


def with_link_uncertainty(
    problem: Problem,
    posterior: Posterior,
    layout: ParameterLayout,
    target_fit: Posterior | None,
    target_weight: float,
) -> Posterior:
    """Return the estimate with the prior uncertainty of the links in its covariance.

    Args:
        problem: the problem; its links are not estimated.
        posterior: the estimate.
        layout: layout of its vector.
        target_fit: estimate from the target torques, if they were used.
        target_weight: weight of the target torques.
    """
    free, links = posterior.prior.free, _links(problem, layout)
    every = np.union1d(free, links)
    information = _information(problem, posterior, layout, target_fit, target_weight, every)
    whole = information + problem.prior(layout).precision[np.ix_(every, every)]
    inner = np.ix_(*[np.searchsorted(every, free)] * 2)
    covariance = posterior.covariance + scaled_inverse(whole)[inner] - scaled_inverse(whole[inner])
    uncertainty = Uncertainty(covariance, scaled_inverse(covariance), posterior.factor)
    return dataclasses.replace(posterior, uncertainty=uncertainty)


def _links(problem: Problem, layout: ParameterLayout) -> Indices:
    """Return the indices of the entries of every link that has a mass."""
    masses = np.repeat(link_parameters(problem.arm)[::10] > 0, 10)
    return np.arange(layout.size)[layout.links][masses]


def _information(
    problem: Problem,
    posterior: Posterior,
    layout: ParameterLayout,
    target_fit: Posterior | None,
    target_weight: float,
    every: Indices,
) -> Array:
    """Return the information (k, k) of motor signals and target torques on some entries."""
    predictor = problem.predictor(layout.laws)
    total = np.zeros((every.size, every.size))
    if posterior.noise is not None and problem.efforts:
        total += sums(
            predictor, problem.efforts, posterior.vector, posterior.noise, every
        ).information
    if target_fit is not None and target_fit.noise is not None and problem.targets:
        shown = sums(
            predictor, problem.targets, posterior.vector, target_fit.noise, every
        ).information
        total += target_weight * shown
    return total
