"""Token buckets, which limit request rates."""

from __future__ import annotations

import time
from collections.abc import Callable


class TokenBucket:
    """Refills at a constant rate up to a burst; every request takes tokens.

    Args:
        rate: tokens a second.
        burst: most tokens of an idle client.
        clock: current time [s].
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self.burst = rate, burst
        self._clock = clock
        self._level, self._filled = burst, clock()

    def take(self, cost: float = 1.0) -> bool:
        """Take tokens if there are enough; return whether it did."""
        self._fill()
        if self._level < cost:
            return False
        self._level -= cost
        return True

    def take_on_credit(self, cost: float, longest: float) -> float | None:
        """Take tokens, on credit if need be, and return how long to wait for them [s].

        Returns None, and takes nothing, where the wait would be longer than ``longest`` [s].
        """
        self._fill()
        wait = max(cost - self._level, 0.0) / self.rate
        if wait > longest:
            return None
        self._level -= cost
        return wait

    def _fill(self) -> None:
        now = self._clock()
        self._level = min(self.burst, self._level + (now - self._filled) * self.rate)
        self._filled = now
