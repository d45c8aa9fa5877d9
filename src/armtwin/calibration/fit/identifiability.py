"""Identifiable parameters of the measurements.

Parameters are taken in an order of preference. One whose effect the parameters before it can
reproduce, so that the rest is smaller than the noise at its tolerance, is held at its nominal
value; the combination with the same effect is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array

MIN_INFORMATION = 1.0
"""Least effect of a parameter at its tolerance, in standard deviations of the measurements."""
SAME_EFFECT = 1e-6
"""Share of an effect below which what is left of it is rounding."""
NAMED_SHARE, MAX_NAMED = 0.05, 5
"""Parameters of a combination that are named: the least share of the effect, and how many."""


@dataclass(frozen=True)
class Unidentifiable:
    """A parameter that was held, and the combination with the same effect.

    Attributes:
        name: the parameter.
        like: other parameters with factors: a change of 1 has the effect of these changes.
        exact: True where no measurement of this kind can separate them; False where these
            measurements are too few, too noisy or too similar.
    """

    name: str
    like: tuple[tuple[str, float], ...]
    exact: bool

    def __str__(self) -> str:
        """Return the finding as a sentence."""
        if not self.like:
            return f"{self.name} has no effect on what was measured"
        parts = " ".join(f"{factor:+.3g} {name}" for name, factor in self.like)
        how = "acts exactly like" if self.exact else "cannot be separated from"
        return f"{self.name} {how} {parts}"


@dataclass(frozen=True)
class Identifiability:
    """Identifiable and held parameters.

    Attributes:
        free: indices of the identifiable parameters.
        held: the others, with their reasons.
        condition: ratio of the largest to the smallest singular value of the free parameters'
            effects, each scaled by its tolerance.
    """

    free: tuple[int, ...]
    held: tuple[Unidentifiable, ...]
    condition: float


def analyse(
    J: Array, names: Sequence[str], tolerances: Array, order: Sequence[int]
) -> Identifiability:
    """Return which parameters are identifiable.

    Args:
        J: derivatives of the errors in units of their spread, (numbers, parameters).
        names: names of the parameters.
        tolerances: prior standard deviations.
        order: indices of the parameters in order of preference.
    """
    scaled: Array = np.asarray(np.linalg.qr(J * tolerances, mode="r"))
    Q = np.empty((len(scaled), 0))
    free: list[int] = []
    held: list[Unidentifiable] = []
    for index in order:
        column = scaled[:, index]
        rest = column - Q @ (Q.T @ column)
        rest = rest - Q @ (Q.T @ rest)
        size, whole = float(np.linalg.norm(rest)), float(np.linalg.norm(column))
        if size < MIN_INFORMATION or size < SAME_EFFECT * whole:
            exact = size <= SAME_EFFECT * max(whole, MIN_INFORMATION)
            like = _combination(scaled, index, free, names, tolerances)
            held.append(Unidentifiable(names[index], like, exact))
        else:
            free.append(index)
            Q = np.hstack([Q, (rest / size)[:, None]])
    return Identifiability(tuple(sorted(free)), tuple(held), _condition(scaled[:, free]))


def _combination(
    scaled: Array, index: int, free: list[int], names: Sequence[str], tolerances: Array
) -> tuple[tuple[str, float], ...]:
    """Return the main terms of the combination of free parameters nearest to one."""
    column = scaled[:, index]
    if not free or float(np.linalg.norm(column)) < MIN_INFORMATION * SAME_EFFECT:
        return ()
    parts, *_ = np.linalg.lstsq(scaled[:, free], column, rcond=None)
    effects = np.abs(parts) * np.linalg.norm(scaled[:, free], axis=0)
    factors = parts * tolerances[free] / tolerances[index]
    main = [k for k in np.argsort(-effects)[:MAX_NAMED] if effects[k] > NAMED_SHARE * effects.max()]
    return tuple((names[free[k]], float(factors[k])) for k in main)


def _condition(scaled: Array) -> float:
    if not scaled.shape[1]:
        return 1.0
    sizes = np.linalg.svd(scaled, compute_uv=False)
    return float(sizes[0] / sizes[-1])
