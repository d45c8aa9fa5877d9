r"""The prior of error curves: a smooth random function of the angle.

.. math:: a_k, b_k \sim N(0, s_k^2), \qquad s_k = \frac{s}{1 + (k / k_c)^2}

where one and two cycles a turn, which eccentric encoder discs and gears add, have 150 urad more, in
squares. This is a Matern process with smoothness 3/2 on the circle: curves that vary over angles of
about ``1 / k_c`` radians and return to zero where nothing was measured. The size ``s``, the order
``k_c`` beyond which terms become small, the number of terms and the weight of orientations are
compared by cross-validation over distinct joint vectors. Sizes and orders that it cannot
distinguish are all used: the curves are the mean of their solutions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array

MAX_TERMS = 60
"""Terms of a curve at most: features of 0.05 rad."""
SIZES, ORDERS = (4e-5, 8e-5, 1.6e-4, 3.2e-4), (12.0, 24.0, 48.0)
"""Candidates of ``s`` [rad] and ``k_c``: gears of arms have 0.2 to 0.4 mrad RMS in all."""
ECCENTRIC, ECCENTRICITY = 2, 1.5e-4
"""Terms that eccentricity adds to, and its standard deviation [rad].

Variances that maximise the likelihood of a UR10's tracker poses, the same for all joints, are 106
urad at two cycles a turn and 35 to 60 at three to nine; single joints have up to 145.
"""
TERMS, TURN_WEIGHTS = (15, 30), (0.5,)
"""Further candidates of the number of terms, and of the factor of the orientations' weights."""


@dataclass(frozen=True)
class Spectrum:
    """A prior of error curves.

    Attributes:
        size: ``s`` [rad].
        order: ``k_c``.
        terms: number of terms K.
        turn_weight: factor of the weights of orientations: errors that no joint can have, such as
            bending, are larger in orientations of some arms, and common to many poses.
    """

    size: float = SIZES[1]
    order: float = ORDERS[1]
    terms: int = MAX_TERMS
    turn_weight: float = 1.0

    def deviations(self, most: int = MAX_TERMS) -> Array:
        """Return the standard deviations (most,) of the terms [rad], zero beyond ``terms``."""
        k = np.arange(1.0, most + 1)
        smooth = self.size / (1 + (k / self.order) ** 2)
        eccentric = (k <= ECCENTRIC) & (self.size > 0)
        found = np.where(eccentric, np.hypot(smooth, ECCENTRICITY), smooth)
        return np.where(k <= self.terms, found, 0.0)

    def __str__(self) -> str:
        """Return the prior in words."""
        return (
            f"{self.terms} terms, prior {self.size * 1e6:.3g} urad / (1 + (k / {self.order:g})^2), "
            f"and {ECCENTRICITY * 1e6:.3g} urad for k <= {ECCENTRIC}, orientations weighted "
            f"{self.turn_weight:g}"
        )
