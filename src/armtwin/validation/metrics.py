"""Signals of both sides and the figures of their difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array

Kind = Literal["pose", "torque", "current", "power"]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Signal:
    """One signal of both sides.

    Attributes:
        name: x, position, roll, quaternion, angle, tau1, ...
        unit: SI.
        kind: what it belongs to.
        rows: row numbers (n,) of the samples in the recording.
        real: recorded (n,), or (n, k) for a distance's vectors.
        twin: computed, the same shape.
        error: (n,), twin minus recorded, or their distance.
        signed: False for distances.
    """

    name: str
    unit: str
    kind: Kind
    rows: Rows
    real: Array
    twin: Array
    error: Array
    signed: bool = True

    @property
    def metrics(self) -> Metrics:
        """The figures of the error."""
        return metrics(self.name, self.unit, self.error, self.real, signed=self.signed)


def per_joint(
    kind: Kind, name: str, unit: str, rows: Rows, real: Array, twin: Array
) -> list[Signal]:
    """Return one signal per column of (n, joints) arrays: tau1, tau2, ...

    Args:
        kind: of the signals.
        name: without the joint's number.
        unit: SI.
        rows: row numbers (n,) in the recording.
        real: recorded (n, joints).
        twin: computed (n, joints).
    """
    return [
        Signal(f"{name}{k + 1}", unit, kind, rows, real[:, k], twin[:, k], twin[:, k] - real[:, k])
        for k in range(real.shape[1])
    ]


def moves(values: Array) -> bool:
    """Return whether a recorded signal varies at all."""
    return len(values) > 0 and bool(np.ptp(values, axis=0).max(initial=0.0) > 0)


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
