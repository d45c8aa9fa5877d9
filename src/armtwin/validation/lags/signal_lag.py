r"""Lag of recorded signals behind the twin's, to a fraction of a sample.

The recorded signal is taken for the twin's, shifted by a lag L and changed by slow errors:

.. math:: y^{real}(t) = y^{twin}(t - L) + c + A y^{twin}(t) + noise

``c`` and ``A`` stand for a wrong offset or size, so that neither is mistaken for a lag. L is zero
of the correlation between what is left and a smoothed slope of the twin, which noise in the twin's
samples does not bias. Positive: the recorded signal is later. This serves torques, currents and
power; the lag of a pose is estimated together with the geometry in ``pose_lag``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.recording.slopes import between, local_slopes
from armtwin.spatial import Array

MIN_ROWS = 50
"""Fewest rows: two for each of the ``BLOCKS``."""
SMOOTHING = 7
"""Samples on each side over which the slope is smoothed; larger: noise in the twin biases less,
fast motion is flattened."""
ROUNDS, SETTLED = 12, 1e-5
"""Most corrections of the lag, and the change that ends them [samples]: far below the 0.05 samples
from which on a lag counts."""
BLOCKS = 25
"""Blocks of rows whose sums give the standard deviation, so that noise may last within one."""
EXPLAINED = 0.95
"""Share of a signal that the shifted twin must explain for the signal to determine a lag."""
FARTHEST = 2.0
"""Seconds; the largest lag searched for on either side, at most a quarter of the run."""


@dataclass(frozen=True)
class Lag:
    """A lag: positive where the recorded signal is later than the twin's.

    Attributes:
        samples: in steps of the recording.
        seconds: the same in seconds.
        interval: 95 % interval of ``samples``.
        removed: share of the squared error that shifting by the lag removes, 0 to 1.
    """

    samples: float
    seconds: float
    interval: tuple[float, float]
    removed: float

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes zero and the lag exceeds a twentieth of a sample."""
        return self.interval[0] * self.interval[1] > 0 and abs(self.samples) > 0.05


def estimate_lag(time: Array, twin: Array, real: Array) -> Lag | None:
    """Return the lag of ``real`` behind ``twin``, or None where the motion does not determine it.

    Args:
        time: stamps (n,) [s], increasing.
        twin: signals of the twin (n, k).
        real: the recorded ones (n, k).
    """
    if time.size < MIN_ROWS:
        return None
    step = float(np.median(np.diff(time)))
    size = twin.std(axis=0)
    moving = (size > 1e-9) & (real.std(axis=0) > 1e-9)
    if not moving.any():
        return None
    y, z = twin[:, moving] / size[moving], real[:, moving] / size[moving]
    L = coarse_lag(y, z, min(int(FARTHEST / step), time.size // 4)) * step
    problem = _Problem(time, step, y, z)
    explained = problem.is_explained(L)
    if not explained.any():
        return None
    problem = problem if explained.all() else problem.only(explained)
    for _ in range(ROUNDS):
        change, deviation = problem.correction(L)
        if not (np.isfinite(change) and abs(L + change) < time[-1] - time[0]):
            return None
        L += change
        if abs(change) < SETTLED * step:
            break
    samples, half = L / step, 1.96 * deviation / step
    return Lag(samples, L, (samples - half, samples + half), problem.removed(L))


def coarse_lag(twin: Array, real: Array, most: int) -> int:
    """Return the whole number of samples by which ``real`` is best shifted.

    Args:
        twin: the twin's signals (n, k) at equal steps.
        real: the recorded signals (n, k).
        most: largest shift that is tried [samples].
    """
    return int(np.argmin(shift_costs(twin, real, most))) - most


def shift_costs(twin: Array, real: Array, most: int) -> Array:
    r"""Return the mean square difference (2 most + 1,) at every shift k from -most to most.

    .. math:: c_k = \frac{1}{n - |k|} \sum_t |y^{real}_{t} - y^{twin}_{t-k}|^2

    of the signals less their means, with all sums from one fast Fourier transform.

    Args:
        twin: the twin's signals (n, k) at equal steps.
        real: the recorded signals (n, k).
        most: largest shift that is tried [samples].
    """
    y, z = twin - twin.mean(axis=0), real - real.mean(axis=0)
    n = len(y)
    shifts = np.arange(-most, most + 1)
    energy_y, energy_z = (np.concatenate([[0.0], np.cumsum((x**2).sum(axis=1))]) for x in (y, z))
    ahead = np.maximum(shifts, 0)
    behind = np.maximum(-shifts, 0)
    left = energy_z[n - behind] - energy_z[ahead] + energy_y[n - ahead] - energy_y[behind]
    return np.asarray((left - 2 * shifted_products(y, z, most)) / (n - np.abs(shifts)))


def shifted_products(twin: Array, real: Array, most: int) -> Array:
    r"""Return :math:`\sum_t \langle y^{real}_t, y^{twin}_{t-k} \rangle` for k = -most to most.

    Args:
        twin: the twin's signals (n, k) at equal steps.
        real: the recorded signals (n, k).
        most: largest shift [samples].
    """
    size = 1 << (2 * len(twin) - 1).bit_length()
    spectra = np.fft.rfft(real, size, axis=0) * np.conj(np.fft.rfft(twin, size, axis=0))
    products = np.fft.irfft(spectra, size, axis=0).sum(axis=1)
    return np.asarray(products[np.arange(-most, most + 1)])


class _Problem:
    """One recording's signals, ready to be shifted."""

    def __init__(self, time: Array, step: float, twin: Array, real: Array) -> None:
        self.time, self.step, self.twin, self.real = time, step, twin, real
        self.smooth = local_slopes(time, twin, SMOOTHING)
        self.sharp = local_slopes(time, twin, 1)

    def left(self, L: float) -> tuple[Array, NDArray[np.intp]]:
        """Return the residuals of the recorded signals (n, k) at a lag, and the twin's samples."""
        at = self.time - L
        inside = (at >= self.time[0]) & (at <= self.time[-1])
        left = self.real[inside] - between(self.time, self.twin, self.sharp, at[inside])
        near = np.searchsorted(self.time, at[inside] - self.step / 2)
        return left, np.minimum(near, self.time.size - 1)

    def cleared(self, L: float) -> tuple[Array, Array, Array]:
        """Return the residuals, and the twin's sharp and smooth slopes there, (n, k) each.

        Constants and whatever grows with the signals are taken out of all three; columns are
        weighted by their noise.
        """
        left, near = self.left(L)
        shape = self.twin[near] - self.twin[near].mean(axis=0)
        parts = [x - x.mean(axis=0) for x in (left, self.sharp[near], self.smooth[near])]
        G = shape.T @ shape
        G += 1e-12 * np.trace(G) * np.eye(len(G))
        left, sharp, smooth = (x - shape @ np.linalg.solve(G, shape.T @ x) for x in parts)
        noise = left.std(axis=0)
        weight = 1 / np.maximum(noise, 1e-12 + 1e-6 * noise.max(initial=0.0))
        return left * weight, sharp * weight, smooth * weight

    def is_explained(self, L: float) -> NDArray[np.bool_]:
        """Return for every column whether the twin, shifted and resized, explains it."""
        left, near = self.left(L)
        y = self.twin[near] - self.twin[near].mean(axis=0)
        z = left - left.mean(axis=0)
        slope = (y * z).sum(axis=0) / np.maximum((y * y).sum(axis=0), 1e-30)
        rest = ((z - slope * y) ** 2).mean(axis=0)
        return np.asarray(rest < (1 - EXPLAINED) * self.real.var(axis=0))

    def only(self, columns: NDArray[np.bool_]) -> _Problem:
        """Return the problem of some of the columns."""
        return _Problem(self.time, self.step, self.twin[:, columns], self.real[:, columns])

    def correction(self, L: float) -> tuple[float, float]:
        """Return the change of the lag that makes the correlation with the slope vanish.

        Its standard deviation comes with it, for noise that may last for a while.
        """
        left, sharp, smooth = self.cleared(L)
        scores = (smooth * left).sum(axis=1)
        steep = float((smooth * sharp).sum())
        if steep <= 0:
            return np.inf, np.inf
        cuts = np.linspace(0, scores.size, BLOCKS, endpoint=False, dtype=int)
        sums = np.add.reduceat(scores, cuts)
        return -float(scores.sum()) / steep, float(np.sqrt((sums**2).sum())) / steep

    def removed(self, L: float) -> float:
        """Return the share of the squared error, less its mean, that the shift removes."""
        before, after = self.left(0.0)[0], self.left(L)[0]
        sizes = [float(((x - x.mean(axis=0)) ** 2).mean()) for x in (before, after)]
        return max(0.0, 1 - sizes[1] / sizes[0]) if sizes[0] > 0 else 0.0
