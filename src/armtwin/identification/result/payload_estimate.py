"""Estimates of an unknown payload and an unknown mounting."""

from __future__ import annotations

import numpy as np

from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.parameters.vector import ParameterLayout
from armtwin.identification.result.estimates import Estimate
from armtwin.model.arm import Arm
from armtwin.model.payload import flange_centre
from armtwin.spatial import Array


def payload_estimates(arm: Arm, layout: ParameterLayout, posterior: Posterior) -> list[Estimate]:
    """Return the payload's mass [kg] and centre of gravity in the flange frame [m].

    Args:
        arm: the arm, for its flange frame.
        layout: meaning of the vector's entries.
        posterior: estimate and covariance.
    """
    pi = posterior.vector[layout.payload]
    C = _covariance(posterior, layout.payload)
    half = posterior.factor * float(np.sqrt(max(C[0, 0], 0.0)))
    m, h = float(pi[0]), pi[1:4]
    rows = [Estimate("payload_mass", "kg", m, max(0.0, m - half), m + half, None, "data", 0)]
    centre, slope = flange_centre(arm, m, h)
    spread = posterior.factor * np.sqrt(np.diag(slope @ C[:4, :4] @ slope.T))
    for axis, c, s in zip("xyz", centre, spread, strict=True):
        low, value, high = float(c - s), float(c), float(c + s)
        rows.append(Estimate(f"payload_{axis}", "m", value, low, high, None, "data", 0))
    return rows


def mounting_estimates(arm: Arm, layout: ParameterLayout, posterior: Posterior) -> list[Estimate]:
    """Return gravity in the base frame [m/s2] and its angle to that of the arm file [rad].

    Args:
        arm: the arm file's arm, for its gravity.
        layout: meaning of the vector's entries.
        posterior: estimate and covariance.
    """
    g, before = posterior.vector[layout.gravity], np.array(arm.gravity)
    C = _covariance(posterior, layout.gravity)
    spread = posterior.factor * np.sqrt(np.diag(C))
    rows = [
        Estimate(f"gravity_{axis}", "m/s2", float(x), float(x - s), float(x + s), float(old),
                 "data", 0)
        for axis, x, s, old in zip("xyz", g, spread, before, strict=True)
    ]  # fmt: skip
    size = float(np.linalg.norm(g))
    angle = float(np.arctan2(np.linalg.norm(np.cross(before, g)), before @ g))
    half = float(spread.max()) / size
    low, high = max(0.0, angle - half), angle + half
    return [*rows, Estimate("tilt", "rad", angle, low, high, 0.0, "data", 0)]


def _covariance(posterior: Posterior, part: slice) -> Array:
    indices = np.searchsorted(posterior.prior.free, np.arange(part.start, part.stop))
    return np.asarray(posterior.covariance[np.ix_(indices, indices)])
