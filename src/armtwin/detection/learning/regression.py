"""Clean runs as rows of a linear problem: what the model needs and what was measured.

Every row is a least-squares slope over a window, with the weights of the window bank. Noise in the
speeds enters both momentum and corrections and would bias inertias downwards; over such windows
little of it is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.compile.kernel import kernel
from armtwin.detection.detection_signals import DetectionSignals
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.window_bank import weights
from armtwin.equations.control import learned_observer as learned_observer_equations
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

SECONDS, OVERLAP = 0.2, 2
"""Length of a window [s], and windows that share a sample: each begins half a window after the
last."""
CHUNK = 4000
"""Samples that are evaluated at a time: bounds memory; one window across each boundary is lost."""
REST, AT_REST = 0.02, 0.04
"""A joint that is slower than this [rad/s] anywhere in a window counts with this weight there.

Dry friction then holds it and may take any value up to its own; counted fully, such windows would
outweigh all others.
"""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Weighted means over windows of samples; ``needed + X theta = torque + (what is left)``.

    Attributes:
        needed: torque that the arm's own model requires (m, dof) [Nm].
        X: what each correction adds to it (m, dof, size of theta).
        measured: mean of the measured torque or current (m, dof).
        speed: mean size of the joints' speeds (m, dof) [rad/s].
        slowest: least size of the joints' speeds (m, dof) [rad/s].
    """

    needed: Array
    X: Array
    measured: Array
    speed: Array
    slowest: Array

    @property
    def weight(self) -> Array:
        """Weight of each row and joint (m, dof): less at rest."""
        return np.where(self.slowest > REST, 1.0, AT_REST)

    def joined(self, other: Blocks) -> Blocks:
        """Return the rows of both."""
        names = ("needed", "X", "measured", "speed", "slowest")
        return Blocks(*[np.concatenate([getattr(b, n) for b in (self, other)]) for n in names])


def blocks(arm: Arm, signals: DetectionSignals, measured: Array, smoothing: float) -> Blocks:
    """Return the blocks of a run; samples with NaN and gaps in time end a block early.

    Args:
        arm: the arm.
        signals: the run.
        measured: its torques or currents (n, dof).
        smoothing: speed over which friction changes sign [rad/s].
    """
    plain, h = ObserverModel.plain(arm), signals.step
    size = max(1, round(SECONDS / h))
    parts = [
        _part(plain, signals, measured, rows, smoothing) for rows in _runs(signals, measured, size)
    ]
    if not parts:
        raise InputError(
            f"no stretch of {SECONDS} s without gaps and NaN in the clean recording; it teaches "
            "nothing"
        )
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole


def _runs(signals: DetectionSignals, measured: Array, size: int) -> Iterator[slice]:
    """Yield stretches of even samples, each a whole number of blocks and one sample more."""
    whole = np.hstack([signals.q, signals.qd, measured])
    good: NDArray[np.bool_] = np.asarray(np.isfinite(whole).all(axis=1))
    steps = np.diff(signals.time)
    uneven = np.abs(steps / signals.step - 1) > 0.5
    broken: NDArray[np.bool_] = np.asarray(~good[1:] | ~good[:-1] | uneven)
    edges = np.concatenate([[-1], np.flatnonzero(broken), [len(steps)]])
    most = max(1, CHUNK // size) * size
    for before, after in zip(edges[:-1], edges[1:], strict=True):
        start = int(before) + 1
        while after - start >= size:
            stop = start + min(int(after) - start, most) // size * size
            yield slice(start, stop + 1)
            start = stop


def _part(
    plain: ObserverModel, signals: DetectionSignals, measured: Array, rows: slice, smoothing: float
) -> Blocks:
    q, qd, i = signals.q[rows], signals.qd[rows], measured[rows]
    h, none = np.diff(signals.time[rows]), np.zeros_like(q)
    mean, speed = _Windows(max(1, round(SECONDS / signals.step))), np.abs(qd[1:])

    def rate(p: Array, u: Array) -> Array:
        steps = h.reshape(-1, *[1] * (p.ndim - 1))
        return mean(np.diff(p, axis=0) / steps - (u[1:] + u[:-1]) / 2)

    features = kernel(plain.arm, learned_observer_equations.features)
    P, U = features(q, qd, none, np.array([smoothing]))
    needed = rate(*plain.rate(q, qd, none))
    return Blocks(needed, rate(P, U), mean(i[1:]), mean(speed), mean.least(speed))


class _Windows:
    """Weighted means over windows of a length, each begun half a window after the one before."""

    def __init__(self, length: int) -> None:
        self._length, self._weights = length, weights(np.array([length]))[0]

    def __call__(self, x: Array) -> Array:
        return np.array([np.tensordot(self._weights, part, 1) for part in self._parts(x)])

    def least(self, x: Array) -> Array:
        """Return the least value in every window."""
        return np.array([part.min(axis=0) for part in self._parts(x)])

    def _parts(self, x: Array) -> Iterator[Array]:
        n = self._length
        for k in range(0, len(x) - n + 1, max(1, n // OVERLAP)):
            yield x[k : k + n]
