"""Fourier series of the joints that start and end at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array


@dataclass(frozen=True)
class Fourier:
    """A series of some harmonics over a period [s]."""

    period: float
    harmonics: int = 5

    @property
    def free(self) -> int:
        """Free coefficients per joint."""
        return 2 * self.harmonics - 1

    def rows(self, time: Array) -> tuple[Array, Array, Array]:
        """Return B, B', B'' (n, free): ``q = B x`` for free coefficients x (free, dof)."""
        k = np.arange(1.0, self.harmonics + 1)
        w = 2 * np.pi / self.period * k
        sine, cosine = np.sin(np.outer(time, w)), np.cos(np.outer(time, w))
        one, zero = np.ones((time.size, 1)), np.zeros((time.size, 1))
        full = (
            np.hstack([one, sine, cosine - 1]),
            np.hstack([zero, w * cosine, -w * sine]),
            np.hstack([zero, -(w**2) * sine, -(w**2) * cosine]),
        )
        Z = self._at_rest(k)
        return full[0] @ Z, full[1] @ Z, full[2] @ Z

    def _at_rest(self, k: Array) -> Array:
        """Return a basis (1 + 2 harmonics, free) of the series that start and end at rest."""
        from scipy.linalg import block_diag, null_space

        return np.asarray(block_diag([[1.0]], null_space([k]), null_space([k**2])))

    def of_size(self, rng: np.random.Generator, swing: Array, rest: Array) -> Array:
        """Return random free coefficients (free, dof), smaller for higher harmonics.

        Args:
            rng: source of random numbers.
            swing: amplitude of every joint (dof,) [rad | m].
            rest: posture about which it moves (dof,) [rad | m].
        """
        x = rng.normal(size=(self.free, rest.size))
        x[1:] *= swing / np.sqrt(self.free)
        x[0] = rest
        return x
