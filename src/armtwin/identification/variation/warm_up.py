r"""Friction that falls while gears warm up: a function of temperature, or of the time.

.. math:: f = s_m f_m + s_d f_d, \qquad s = 1 + a\, x

for the speed-dependent and the dry part, with

.. math:: x = T_0 - T \quad \text{[K], where temperatures are recorded, else} \quad
          x = e^{-t / \tau} - m

t being the time since the session began. :math:`T_0` and m are means over the data, so that the
estimates of friction are those of the mean, and are hardly correlated with a. Forms: one a for
both parts, for one part alone, or one for each. A form is taken where it predicts left-out
stretches of time better by more than two standard errors of that difference, and a is beyond four
of its own; a form with two, where it is better than the best with one in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.options import MIN_KELVIN
from armtwin.identification.parameters.vector import Indices
from armtwin.identification.variation.friction_blocks import (
    FrictionBlock,
    clustered,
    regression,
)
from armtwin.spatial import Array

TIME_CONSTANTS = (60.0, 120.0, 240.0, 480.0, 960.0, 1920.0)
"""Time constants of warm-up that are tried [s]; longer than the data they are a line."""
MIN_BLOCKS = 12
"""Fewest blocks to fit: one for each of the two stretches of time of every fold."""
BETTER, SURE, LARGE = 2.0, 4.0, 0.03
"""Standard errors of the gain on left-out data and of a, and least change of friction."""
FOLDS = 6
"""Of the cross-validation. Each has two stretches, half of the data apart, so that a trend is not
extrapolated alone."""
FORMS = {"both parts": ((1, 1),), "speed-dependent": ((1, 0),), "dry": ((0, 1),),
         "each part": ((1, 0), (0, 1))}  # fmt: skip
"""Parts that each coefficient acts on."""
MIN_SCALE, MAX_SCALE = 0.2, 3.0
"""Limits of the factor, for temperatures far from the recorded ones."""


@dataclass(frozen=True)
class WarmUp:
    """Variation of a joint's friction with temperature or time.

    Attributes:
        joint: from 1.
        by: "temperature" or "time".
        form: which part of friction varies.
        slopes: a of the speed-dependent and the dry part, per kelvin or relative.
        errors: their standard errors; 0 where the form has none.
        reference: temperature [degC] or mean of the exponential at which friction is as estimated.
        time_constant: of the warm-up [s]; None for temperature.
        change: relative change of friction over the data.
        before: RMS error on left-out blocks without it, in the unit of the effort.
        after: the same with it.
    """

    joint: int
    by: str
    form: str
    slopes: tuple[float, float]
    errors: tuple[float, float]
    reference: float
    time_constant: float | None
    change: float
    before: float
    after: float

    def scale(self, seconds: Array, temperature: Array | None) -> Array:
        """Return the factors (n, 2) of both parts of friction.

        Args:
            seconds: since the session began (n,).
            temperature: of the joint (n,) [degC]; None where it is not recorded.
        """
        if self.by == "temperature":
            if temperature is None:
                return np.ones((len(seconds), 2))
            x = self.reference - temperature
        else:
            x = np.exp(-seconds / (self.time_constant or 1.0)) - self.reference
        return np.clip(1 + np.outer(x, self.slopes), MIN_SCALE, MAX_SCALE)

    @property
    def text(self) -> str:
        """One line of text."""
        parts = zip(("speed-dependent", "dry"), self.slopes, self.errors, strict=True)
        if self.by == "temperature":
            sizes = [f"{p} {-100 * a:+.2g} +- {100 * e:.1g} %/K" for p, a, e in parts if e]
            about = f"as estimated at {self.reference:.1f} degC"
        else:
            sizes = [f"{p} {100 * a:+.2g} +- {100 * e:.1g} %" for p, a, e in parts if e]
            about = (
                f"cold above warm, time constant {self.time_constant:.0f} s; the estimates are of "
                "the mean over the data"
            )
        return (
            f"joint {self.joint}: friction varies with {self.by} by {100 * self.change:+.0f} % "
            f"({', '.join(sizes)}; {about}); left-out error {self.before:.3g} to {self.after:.3g}"
        )


def fit_warm_up(blocks: Sequence[FrictionBlock], dof: int) -> tuple[WarmUp, ...]:
    """Return the joints whose friction varies significantly with temperature or time."""
    found = []
    for j in range(dof):
        grams = np.array([block.gram[j] for block in blocks]).reshape(-1, 4, 4)
        used = grams[:, 2, 2] > 0
        if used.sum() < MIN_BLOCKS:
            continue
        kelvin = np.array([block.temperature[j] for block in blocks])[used]
        seconds = np.array([block.seconds for block in blocks])[used]
        best = _best(j, grams[used], kelvin, seconds)
        found += [best] if best is not None else []
    return tuple(found)


def _best(j: int, grams: Array, kelvin: Array, seconds: Array) -> WarmUp | None:
    """Return the form that predicts left-out stretches best, where one is clearly better."""
    weight = grams[:, :2, :2].sum(axis=(1, 2))
    warm = bool(np.isfinite(kelvin).all() and np.ptp(kelvin) > MIN_KELVIN)
    span = float(np.ptp(seconds))
    curves = [(None, -kelvin)] if warm else [
        (tau, np.exp(-seconds / tau)) for tau in TIME_CONSTANTS if tau <= max(span, 60.0)
    ]  # fmt: skip
    folds = np.arange(len(grams)) * 2 * FOLDS // len(grams) % FOLDS
    plain = _left_out(grams, np.zeros(len(grams)), (), folds)
    best: tuple[Array, str, float | None, Array, float] | None = None
    for form, parts in FORMS.items():
        tried = []
        for tau, curve in curves:
            reference = float(weight @ curve / weight.sum())
            errors = _left_out(grams, curve - reference, parts, folds)
            tried.append((errors, form, tau, curve - reference, reference))
        one = min(tried, key=lambda row: float(row[0].sum()))
        rival = plain if best is None else best[0]
        if form == "each part" or best is None:
            best = one if _better(rival, one[0]) else best
        elif one[0].sum() < rival.sum():
            best = one
    return None if best is None else _described(j, grams, best, plain)


def _better(rival: Array, errors: Array) -> bool:
    """Return whether left-out folds are predicted better by more than chance."""
    saved = rival - errors
    return bool(saved.mean() > BETTER * saved.std(ddof=1) / np.sqrt(saved.size))


def _described(
    j: int,
    grams: Array,
    best: tuple[Array, str, float | None, Array, float],
    plain: Array,
) -> WarmUp | None:
    """Return the chosen form; None where its coefficient or its effect is not significant."""
    errors, form, tau, x, reference = best
    theta, deviation = _fit(grams, x, FORMS[form])
    parts = np.array(FORMS[form])
    slopes, spread = theta @ parts, deviation @ parts
    squares = grams[:, :2, :2].sum(axis=0)
    shares = np.clip(squares.sum(axis=1) / max(float(squares.sum()), 1e-300), 0, 1)
    change = -float(slopes @ shares) * float(np.ptp(x))
    if not (np.abs(theta) > SURE * deviation).any() or abs(change) < LARGE:
        return None
    count = grams[:, 2, 2].sum()
    return WarmUp(
        j + 1, "temperature" if tau is None else "time", form,
        (float(slopes[0]), float(slopes[1])), (float(spread[0]), float(spread[1])),
        -reference if tau is None else reference, tau, change,
        float(np.sqrt(plain.sum() / count)), float(np.sqrt(errors.sum() / count)),
    )  # fmt: skip


def _expanded(grams: Array, x: Array, parts: Sequence[tuple[int, int]]) -> Array:
    """Return the blocks' sums over ``(f_m, f_d, 1, x f of each coefficient, e)``."""
    count = 4 + len(parts)
    maps = np.zeros((len(x), count, 4))
    maps[:, [0, 1, 2], [0, 1, 2]] = 1.0
    for k, (moving, dry) in enumerate(parts):
        maps[:, 3 + k, 0], maps[:, 3 + k, 1] = moving * x, dry * x
    maps[:, -1, 3] = 1.0
    return np.asarray(maps @ grams @ maps.transpose(0, 2, 1))


def _left_out(grams: Array, x: Array, parts: Sequence[tuple[int, int]], folds: Indices) -> Array:
    """Return the squared error on each fold of a fit to all others (folds,)."""
    table = _expanded(grams, x, parts)
    total, errors = table.sum(axis=0), []
    for number in range(FOLDS):
        own = table[folds == number].sum(axis=0)
        ends = np.append(-regression(total - own)[0], 1.0)
        errors.append(float(ends @ own @ ends))
    return np.array(errors)


def _fit(grams: Array, x: Array, parts: Sequence[tuple[int, int]]) -> tuple[Array, Array]:
    """Return the coefficients of warm-up and their standard errors, clustered by block."""
    theta, covariance = clustered(_expanded(grams, x, parts))
    return theta[3:], np.sqrt(np.clip(np.diag(covariance)[3:], 0, None))
