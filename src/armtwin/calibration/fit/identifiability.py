"""Which parameters the measurements can tell apart.

Parameters are taken in an order of preference. One whose effect the parameters before it can
imitate, so that what is left of it is smaller than its tolerance would show, is held at its
nominal value; the combination that imitates it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array

LEAST_INFORMATION = 1.0
SAME_EFFECT = 1e-6
NAMED_SHARE, MOST_NAMED = 0.05, 5


@dataclass(frozen=True)
class Unidentifiable:
    """A parameter that was held, and what acts like it.

    Attributes:
        name: the parameter.
        like: other parameters with factors: a change of 1 acts like these changes together.
        exact: True where no measurement of this kind can tell them apart; False where these
            measurements are too few, too noisy or too much alike.
    """

    name: str
    like: tuple[tuple[str, float], ...]
    exact: bool

    def __str__(self) -> str:
        """Return the finding as a sentence."""
        if not self.like:
            return f"{self.name} has no effect on what was measured"
        parts = " ".join(f"{factor:+.3g} {name}" for name, factor in self.like)
        how = "acts exactly like" if self.exact else "cannot be told from"
        return f"{self.name} {how} {parts}"


@dataclass(frozen=True)
class Identifiability:
    """What can be fitted and what cannot.

    Attributes:
        free: places of the parameters that can be fitted.
        held: those that cannot, with their reasons.
        condition: ratio of the largest to the smallest singular value of the free parameters'
            effects, each scaled by its tolerance.
    """

    free: tuple[int, ...]
    held: tuple[Unidentifiable, ...]
    condition: float


def analyse(
    J: Array, names: Sequence[str], tolerances: Array, order: Sequence[int]
) -> Identifiability:
    """Return which parameters can be fitted.

    Args:
        J: derivatives of the errors in units of their spread, (numbers, parameters).
        names: of the parameters.
        tolerances: how far each may be off, its standard deviation before measuring.
        order: places of the parameters, those to keep first.
    """
    scaled: Array = np.asarray(np.linalg.qr(J * tolerances, mode="r"))
    Q = np.empty((len(scaled), 0))
    free: list[int] = []
    held: list[Unidentifiable] = []
    for place in order:
        column = scaled[:, place]
        rest = column - Q @ (Q.T @ column)
        rest = rest - Q @ (Q.T @ rest)
        size, whole = float(np.linalg.norm(rest)), float(np.linalg.norm(column))
        if size < LEAST_INFORMATION or size < SAME_EFFECT * whole:
            exact = size <= SAME_EFFECT * max(whole, LEAST_INFORMATION)
            like = _imitation(scaled, place, free, names, tolerances)
            held.append(Unidentifiable(names[place], like, exact))
        else:
            free.append(place)
            Q = np.hstack([Q, (rest / size)[:, None]])
    return Identifiability(tuple(sorted(free)), tuple(held), _condition(scaled[:, free]))


def _imitation(
    scaled: Array, place: int, free: list[int], names: Sequence[str], tolerances: Array
) -> tuple[tuple[str, float], ...]:
    """Return the combination of free parameters that comes nearest to one, its main parts."""
    column = scaled[:, place]
    if not free or float(np.linalg.norm(column)) < LEAST_INFORMATION * SAME_EFFECT:
        return ()
    parts, *_ = np.linalg.lstsq(scaled[:, free], column, rcond=None)
    effects = np.abs(parts) * np.linalg.norm(scaled[:, free], axis=0)
    factors = parts * tolerances[free] / tolerances[place]
    main = [
        k for k in np.argsort(-effects)[:MOST_NAMED] if effects[k] > NAMED_SHARE * effects.max()
    ]
    return tuple((names[free[k]], float(factors[k])) for k in main)


def _condition(scaled: Array) -> float:
    if not scaled.shape[1]:
        return 1.0
    sizes = np.linalg.svd(scaled, compute_uv=False)
    return float(sizes[0] / sizes[-1])
