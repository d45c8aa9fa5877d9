"""Figures of a calibration: pose errors, fitted parameters, parameter sets, placements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array

Frame = tuple[tuple[float, ...], ...]
"""A 4x4 pose as rows."""


@dataclass(frozen=True)
class PoseErrors:
    """Distances [m] and angles [rad] between modelled and measured poses."""

    count: int
    mean: float
    rms: float
    max: float
    p95: float
    angle_mean: float | None
    angle_max: float | None

    @classmethod
    def of(cls, errors: Array) -> PoseErrors:
        """Return the figures of errors (n, 3) or (n, 6): shifts [m] and rotation vectors [rad]."""
        distance = np.linalg.norm(errors[:, :3], axis=1)
        angle = np.linalg.norm(errors[:, 3:], axis=1) if errors.shape[1] == 6 else None
        return cls(
            count=len(distance),
            mean=float(distance.mean()),
            rms=float(np.sqrt((distance**2).mean())),
            max=float(distance.max()),
            p95=float(np.percentile(distance, 95)),
            angle_mean=None if angle is None else float(angle.mean()),
            angle_max=None if angle is None else float(angle.max()),
        )


@dataclass(frozen=True)
class FittedParameter:
    """A parameter before and after, with its 95 % interval [SI]."""

    name: str
    unit: str
    nominal: float
    value: float
    low: float
    high: float

    @property
    def change(self) -> float:
        """Fitted minus nominal value."""
        return self.value - self.nominal

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes the nominal value."""
        return not self.low <= self.nominal <= self.high


@dataclass(frozen=True)
class ParameterSetTrial:
    """A set of parameters and its error on data left out of the fit.

    Attributes:
        name: name of the set.
        parameters: number of fitted parameters.
        fitted: errors on the fitted rows.
        left_out: errors where every block of rows is predicted by a fit to the others.
        score_gap: how much worse its score on left-out rows is than that of the best set [nats].
        score_gap_error: standard error of ``score_gap`` [nats].
    """

    name: str
    parameters: int
    fitted: PoseErrors
    left_out: PoseErrors
    score_gap: float = 0.0
    score_gap_error: float = 0.0


@dataclass(frozen=True)
class Placement:
    """A base and a tool that one or several recordings share.

    Attributes:
        name: name of the placement, as in ``base_x@name``.
        recordings: names of its recordings.
        base: base frame, 4x4.
        tool: tool frame, 4x4.
        before: errors of the nominal arm in these frames on the fitted rows.
        after: errors of the calibrated arm on the same rows.
        left_out: errors where every block of rows is predicted by a fit to the others.
        held_out_before: errors of the nominal arm on held-out rows, if any.
        held_out: errors of the calibrated arm on those rows.
        tested: whether the placement was given as a test: then only its base and tool were fitted.
        tests: names of test recordings that are predicted in the frames of fitted ones.
        judged: names of the recordings whose rows are held out, or of all where none are.
    """

    name: str
    recordings: tuple[str, ...]
    base: Frame
    tool: Frame
    before: PoseErrors
    after: PoseErrors
    left_out: PoseErrors | None
    held_out_before: PoseErrors | None = None
    held_out: PoseErrors | None = None
    tested: bool = False
    tests: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
