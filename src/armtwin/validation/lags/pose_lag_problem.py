"""Pose errors as a function of the lag and of the geometry: what ``pose_lag`` solves."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.recording.slopes import between
from armtwin.spatial import Array
from armtwin.validation.lags.signal_lag import EXPLAINED

PART_ROWS = 1024
"""Rows whose derivatives (0.3 MB a number of the pose) stay in the processor's caches."""


@dataclass(frozen=True)
class RecordedMotion:
    """Recorded joints (n, dof) with their sharp and smooth slopes."""

    time: Array
    q: Array
    sharp: Array
    smooth: Array

    def joints(self, at: Array) -> Array:
        """Return the joints at other times, those of the ends beyond them."""
        inside = np.clip(at, self.time[0], self.time[-1])
        return between(self.time, self.q, self.sharp, inside)

    def speeds(self, slopes: Array, at: Array) -> Array:
        """Return slopes (m, dof) at other times, by straight lines between samples."""
        return np.stack([np.interp(at, self.time, column) for column in slopes.T], axis=1)


@dataclass(frozen=True)
class RowClock:
    """Stamps of the rows in use, the coarse lag, and the step of the recording [s]."""

    time: Array
    start: float
    step: float


@dataclass(frozen=True)
class PoseLagProblem:
    """Errors of thinned rows as a function of ``x``: the lag's change [s], then the geometry's."""

    model: GeometryModel
    measured: PoseMeasurements
    motion: RecordedMotion
    clock: RowClock
    tolerances: Array
    columns: Array
    kinds: tuple[str, ...]

    @property
    def prior(self) -> Array:
        """Weights of the tolerances (k,); the lag has none."""
        return np.append(0.0, self.tolerances[1:] ** -2.0)

    def thinned(self, count: int) -> PoseLagProblem:
        """Return the problem on fewer rows, evenly spread."""
        whole = len(self.measured)
        rows = np.linspace(0, whole - 1, min(whole, count)).astype(int)
        clock = dataclasses.replace(self.clock, time=self.clock.time[rows])
        return dataclasses.replace(self, measured=self.measured.take(rows), clock=clock)

    def parts(self) -> Iterator[tuple[slice, PoseLagProblem]]:
        """Yield the problem in parts of consecutive rows, with the rows of each."""
        for start in range(0, len(self.measured), PART_ROWS):
            rows = slice(start, start + PART_ROWS)
            clock = dataclasses.replace(self.clock, time=self.clock.time[rows])
            yield rows, dataclasses.replace(self, measured=self.measured.take(rows), clock=clock)

    def residuals(self, x: Array) -> Array:
        """Return the errors (n, m) without their derivatives."""
        return np.concatenate([part.errors(x)[0] for _, part in self.parts()])

    def errors(self, x: Array) -> tuple[Array, Array]:
        """Return errors (n, m) and derivatives (n, m, k) with the smooth speed."""
        e, smooth, _ = self.both(x)
        return e, smooth

    def both(self, x: Array) -> tuple[Array, Array, Array]:
        """Return errors (n, m), and derivatives (n, m, k) with the smooth and the sharp speed."""
        at = self.clock.time - self.clock.start - x[0]
        measured = dataclasses.replace(self.measured, q=self.motion.joints(at))
        e, J = self.model.errors(measured, self.model.load(self.measured.q), x[1:])
        e, J = e[:, self.columns], J[:, self.columns]
        joints = self.model.joint_columns(J)
        found = []
        for slopes in (self.motion.smooth, self.motion.sharp):
            speed = self.motion.speeds(slopes, at)
            follows = -np.einsum("nmd,nd->nm", joints, speed)
            found.append(np.concatenate([follows[:, :, None], J], axis=2))
        return e, found[0], found[1]

    def explained(self, x: Array) -> list[str]:
        """Return the kinds whose recorded motion is explained up to a small rest."""
        e = self.residuals(x)
        good = []
        for k, kind in enumerate(self.kinds):
            rest = float((e[:, 3 * k : 3 * k + 3] ** 2).sum(axis=1).mean())
            if rest < (1 - EXPLAINED) * self._variance(kind):
                good.append(kind)
        return good

    def _variance(self, kind: str) -> float:
        """Return the mean square of the recorded positions or turns about their mean."""
        if kind == "position":
            return float(self.measured.position.var(axis=0).sum())
        assert self.measured.rotation is not None
        mean = self.measured.rotation.mean(axis=0)
        return float(3 - (mean**2).sum())

    def removed(self, x: Array) -> float:
        """Return the share of the squared error, less its mean, that the shift alone removes."""
        before, after = (np.zeros_like(x) for _ in range(2))
        before[0], after[0] = -self.clock.start, x[0]
        sizes = []
        for changes in (before, after):
            e = self.residuals(changes) / self._sizes()
            sizes.append(float(((e - e.mean(axis=0)) ** 2).mean()))
        return max(0.0, 1 - sizes[1] / sizes[0]) if sizes[0] > 0 else 0.0

    def _sizes(self) -> Array:
        """Return the extent of every number's recorded motion (m,)."""
        return np.repeat([np.sqrt(self._variance(kind)) for kind in self.kinds], 3)
