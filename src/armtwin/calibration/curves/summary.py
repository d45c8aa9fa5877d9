"""Fitted error curves with their intervals, and the angles that were measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.calibration.curves.spectrum import Spectrum
from armtwin.calibration.fit.harmonics import harmonics
from armtwin.calibration.fit.intervals import covariance
from armtwin.calibration.fit.parameter_sets import ParameterSetFit, ParameterSetTrials
from armtwin.calibration.fit.uncertainty import half_widths
from armtwin.model.error_curve import Ranges
from armtwin.spatial import Array

GAP = 0.2
"""Measured angles further apart than this [rad] leave a gap in the visited range."""
GRID = 721
"""Angles of a turn at which curves are evaluated: every half degree."""


@dataclass(frozen=True)
class FittedCurve:
    """The error curve of one joint.

    Attributes:
        joint: number of the joint, from 1.
        angle: from -pi to pi (n,) [rad].
        error: the curve (n,) [rad].
        half_width: of its 95 % interval (n,) [rad]; near the prior's where nothing was measured.
        visited: ranges of the angle that were measured [rad].
        rms: RMS of the curve within these ranges [rad].
        coefficients: their number 2 K.
        determined: number of the coefficients that the measurements determine, each counted
            by the share of its prior variance that they removed.
    """

    joint: int
    angle: Array
    error: Array
    half_width: Array
    visited: Ranges
    rms: float
    coefficients: int
    determined: float

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        visited = [list(pair) for pair in self.visited]
        return {
            "joint": self.joint,
            "visited": visited,
            "rms": self.rms,
            "coefficients": self.coefficients,
            "determined": self.determined,
        }


def fitted_curves(
    trials: ParameterSetTrials, fit: ParameterSetFit, spectrum: Spectrum
) -> tuple[FittedCurve, ...]:
    """Return the curves of all joints.

    Args:
        trials: the problem with curves.
        fit: the fit of all parameters.
        spectrum: the prior of the curves.
    """
    C = covariance(trials, fit)
    degrees = np.unique(trials.measured.block).size - 1
    angle = np.linspace(-np.pi, np.pi, GRID)
    waves = harmonics(angle, spectrum.terms)
    found = []
    for joint in range(trials.model.arm.dof):
        own = _places(trials, fit, joint)
        block, prior = C[np.ix_(own, own)], fit.solution.tolerances[own] ** 2
        error = waves @ (fit.solution.x[own] + _nominal(trials, fit, own))
        ranges = visited_ranges(trials.measured.q[:, joint])
        inside = np.any([(low <= angle) & (angle <= high) for low, high in ranges], axis=0)
        one = FittedCurve(
            joint=joint + 1,
            angle=angle,
            error=error,
            half_width=half_widths(waves @ block @ waves.T, degrees),
            visited=ranges,
            rms=float(np.sqrt((error[inside] ** 2).mean())) if inside.any() else 0.0,
            coefficients=len(own),
            determined=float(np.clip(1 - np.diag(block) / prior, 0, 1).sum()),
        )
        found.append(one)
    return tuple(found)


def _places(trials: ParameterSetTrials, fit: ParameterSetFit, joint: int) -> list[int]:
    """Return the places of a joint's coefficients in the solution."""
    parameters = trials.model.parameters
    free = enumerate(fit.identifiable.free)
    return [n for n, k in free if parameters[k].group == "curves" and parameters[k].index == joint]


def _nominal(trials: ParameterSetTrials, fit: ParameterSetFit, own: list[int]) -> Array:
    """Return the coefficients before the fit."""
    indices = [fit.identifiable.free[place] for place in own]
    return np.array([trials.model.parameters[k].nominal for k in indices])


def visited_ranges(q: Array) -> Ranges:
    """Return the ranges within -pi to pi [rad] that angles (n,) cover without large gaps."""
    turned = np.sort((q + np.pi) % (2 * np.pi) - np.pi)
    cuts = np.flatnonzero(np.diff(turned) > GAP) + 1
    parts = np.split(turned, cuts)
    ends = [[float(part[0]), float(part[-1])] for part in parts]
    if turned[0] + 2 * np.pi - turned[-1] <= GAP:
        ends[0][0], ends[-1][1] = -np.pi, np.pi
    return tuple((low, high) for low, high in ends)
