"""Prediction errors per joint, on training and on test data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import Rows
from armtwin.recording.motion import MAX_FILTERED_SHARE, low_pass
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class SignalAccuracy:
    """A measured signal of one run and its prediction.

    Attributes:
        run: the recording's name.
        part: "train" or "test".
        kind: "current" [A], "tau" [Nm] or "target" [Nm].
        rate: samples per second.
        time: (n,) [s].
        measured: (n, dof).
        predicted: (n, dof).
        used: mask of the used samples: moving, not clipped (n, dof).
    """

    run: str
    part: str
    kind: str
    rate: float
    time: Array
    measured: Array
    predicted: Array
    used: Rows

    @property
    def unit(self) -> str:
        """A or Nm."""
        return "A" if self.kind == "current" else "Nm"

    def below(self, band: float) -> tuple[Array, Array]:
        """Return measured and predicted (n, dof) below a frequency [Hz], without phase shift."""
        both = (self.measured, self.predicted)
        measured, predicted = (low_pass(values, self.rate, band) for values in both)
        return measured, predicted


@dataclass(frozen=True)
class Accuracy:
    """Errors of one joint's signal over all runs of a part (Tables V, VII of the document).

    ``mean``, ``largest``, ``rms`` and ``r2`` are of moving samples below the band; ``raw_r2`` is of
    the same samples unfiltered, ``all_r2`` and ``all_rms`` of all samples below the band, rest
    included. ``measured_std``, ``predicted_std`` and ``noise_std`` are standard deviations of the
    moving samples below the band: of both signals, and of the measured signal's noise (NaN where it
    is not known; see ``noise_variance``).
    """

    part: str
    kind: str
    joint: int
    mean: float
    largest: float
    rms: float
    r2: float
    raw_r2: float
    all_r2: float
    share: float
    all_rms: float = float("nan")
    measured_std: float = float("nan")
    predicted_std: float = float("nan")
    noise_std: float = float("nan")


def accuracies(signals: Sequence[SignalAccuracy], band: float) -> tuple[Accuracy, ...]:
    """Return the errors of every part, kind and joint."""
    rows = []
    for part in ("train", "test"):
        for kind in ("target", "tau", "current"):
            chosen = [s for s in signals if s.part == part and s.kind == kind]
            if chosen:
                rows += _of(chosen, part, kind, band)
    return tuple(rows)


def _of(signals: list[SignalAccuracy], part: str, kind: str, band: float) -> list[Accuracy]:
    pairs = [signal.below(band) for signal in signals]
    wide = [low_pass(s.measured, s.rate, 2 * band) for s in signals]
    known = 2 * band < MAX_FILTERED_SHARE * min(s.rate for s in signals)
    rows = []
    for j in range(signals[0].measured.shape[1]):
        used = np.concatenate([s.used[:, j] for s in signals])
        y, p = (np.concatenate([pair[k][:, j] for pair in pairs]) for k in (0, 1))
        raw_y = np.concatenate([s.measured[:, j] for s in signals])
        raw_p = np.concatenate([s.predicted[:, j] for s in signals])
        error = (p - y)[used]
        twice = np.concatenate([values[:, j] for values in wide])[used]
        noise = noise_variance(y[used], twice, error) if known and error.size else float("nan")
        rows.append(
            Accuracy(
                part, kind, j + 1,
                float(error.mean()) if error.size else float("nan"),
                float(np.abs(error).max()) if error.size else float("nan"),
                float(np.sqrt(np.mean(error**2))) if error.size else float("nan"),
                r_squared(y[used], p[used]), r_squared(raw_y[used], raw_p[used]),
                r_squared(y, p), float(used.mean()), float(np.sqrt(np.mean((p - y) ** 2))),
                _spread(y[used]), _spread(p[used]), float(np.sqrt(noise)),
            )
        )  # fmt: skip
    return rows


def noise_variance(below: Array, below_twice: Array, error: Array) -> float:
    r"""Return the variance of a signal's noise below the band.

    White noise has twice the variance below twice the band, while a signal caused by the motion is
    nearly all below the band. A prediction's error is at least the noise, so that the smaller
    counts (an arm that vibrates just above the band has no more noise below it):

    .. math:: N = \min(\mathrm{var}\,y_{2B} - \mathrm{var}\,y_B,\ \mathrm{mean}\,(p - y)^2)

    Args:
        below: measured below the band (n,).
        below_twice: measured below twice the band (n,).
        error: predicted less measured below the band (n,).
    """
    above = float(below_twice.var() - below.var())
    return max(min(above, float(np.mean(error**2))), 0.0)


def _spread(values: Array) -> float:
    return float(values.std()) if values.size else float("nan")


def r_squared(measured: Array, predicted: Array) -> float:
    r"""Return ``1 - sum (y - p)^2 / sum (y - mean y)^2``; NaN where y does not vary."""
    total = float(((measured - measured.mean()) ** 2).sum()) if measured.size else 0.0
    if total <= 0:
        return float("nan")
    return 1 - float(((measured - predicted) ** 2).sum()) / total
