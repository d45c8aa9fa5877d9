"""Signals that the twin and the recording both have, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array
from armtwin.validate.metrics import Metrics, metrics

Kind = Literal["pose", "torque", "current", "power"]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Signal:
    """One signal of both sides.

    Attributes:
        name: x, position, roll, quaternion, angle, tau1, ...
        unit: SI.
        kind: what it belongs to.
        rows: places in the recording (n,) of the samples.
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
    """Return one signal per column of (n, joints) arrays: tau1, tau2, ..."""
    return [
        Signal(f"{name}{k + 1}", unit, kind, rows, real[:, k], twin[:, k], twin[:, k] - real[:, k])
        for k in range(real.shape[1])
    ]


def moves(values: Array) -> bool:
    """Return whether a recorded signal varies at all."""
    return len(values) > 0 and bool(np.ptp(values, axis=0).max(initial=0.0) > 0)
