"""Joint error curves: periodic errors of gears and encoders over the joint angle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError

MAX_TERMS = 200
"""Keeps the time to derive and compile an arm's equations bounded."""
LARGEST_ERROR = 0.05
"""Bound of a curve's coefficients [rad]; gears and encoders of arms have 1e-5 to 1e-3."""

Ranges = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class ErrorCurve:
    r"""The angle of a link minus the reading of its joint, as a Fourier series of the reading.

    .. math:: q_{link} = q + e(q), \quad e(q) = \sum_{k=1}^{K} a_k \cos k q + b_k \sin k q

    Strain-wave gears and encoders have such errors. The constant term is the joint's ``theta``.

    Attributes:
        cosine: a_1 ... a_K [rad].
        sine: b_1 ... b_K [rad].
        visited: ranges (lower, upper) of the joint angle [rad] that measurements support, within
            one turn from -pi to pi; empty where that is not known.
    """

    cosine: tuple[float, ...]
    sine: tuple[float, ...]
    visited: Ranges = ()

    @property
    def terms(self) -> int:
        """Number of terms K."""
        return len(self.cosine)

    @property
    def size(self) -> float:
        """The root of the sum of squared coefficients [rad], sqrt(2) times the curve's RMS."""
        return float(np.linalg.norm([*self.cosine, *self.sine]))

    def check(self, where: str) -> None:
        """Raise InputError for coefficients that no curve has, naming the joint ``where``."""
        if len(self.cosine) != len(self.sine):
            raise InputError(
                f"{where}: error_curve has {len(self.cosine)} cosine and {len(self.sine)} sine "
                "coefficients; give as many of each"
            )
        if not 1 <= self.terms <= MAX_TERMS:
            raise InputError(f"{where}: error_curve has {self.terms} terms; give 1 to {MAX_TERMS}")
        largest = float(np.abs([*self.cosine, *self.sine]).max())
        if not largest <= LARGEST_ERROR:
            raise InputError(
                f"{where}: error_curve has a coefficient of {largest:g} rad; coefficients are in "
                f"radians, {LARGEST_ERROR:g} at most"
            )
        for lower, upper in self.visited:
            if not -np.pi - 1e-9 <= lower <= upper <= np.pi + 1e-9:
                raise InputError(
                    f"{where}: error_curve.visited has the range {lower:g} to {upper:g} rad; give "
                    "ranges between -pi and pi, the lower end first"
                )
