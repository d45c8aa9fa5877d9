"""How far two signals lie apart, in the figures that people compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array


@dataclass(frozen=True)
class Metrics:
    """Figures of one signal's error, twin minus recorded, in the signal's own unit.

    Attributes:
        signal: its name: x, position, quaternion, tau3, ...
        unit: SI.
        count: samples compared.
        mae: mean absolute error.
        rmse: root of the mean square.
        max: largest absolute error.
        p50: median absolute error; p95 and p99 likewise.
        bias: mean error; None for distances, which have no sign.
        r2: share of the recorded variance that the twin explains; None where nothing varies.
    """

    signal: str
    unit: str
    count: int
    mae: float
    rmse: float
    max: float
    p50: float
    p95: float
    p99: float
    bias: float | None
    r2: float | None


def metrics(name: str, unit: str, error: Array, real: Array, *, signed: bool = True) -> Metrics:
    r"""Return the figures of an error.

    .. math:: MAE = \overline{|e|}, \; RMSE = \sqrt{\overline{e^2}}, \;
              R^2 = 1 - \frac{\sum e^2}{\sum (y - \bar y)^2}

    Args:
        name: of the signal.
        unit: of the error.
        error: (n,), finite; signed, or a distance.
        real: the recorded signal (n,) or, for a distance, its vectors (n, k).
        signed: whether the error has a sign.
    """
    size = np.abs(error)
    p50, p95, p99 = np.percentile(size, (50, 95, 99)).tolist()
    return Metrics(
        signal=name,
        unit=unit,
        count=size.size,
        mae=float(size.mean()),
        rmse=float(np.sqrt(np.mean(size**2))),
        max=float(size.max()),
        p50=p50,
        p95=p95,
        p99=p99,
        bias=float(error.mean()) if signed else None,
        r2=_r2(error, real),
    )


def _r2(error: Array, real: Array) -> float | None:
    about_mean = real - real.mean(axis=0)
    total = float(np.sum(about_mean**2))
    scale = float(np.sum(real**2))
    if total <= 1e-18 * max(scale, 1e-300):
        return None
    return 1.0 - float(np.sum(error**2)) / total
