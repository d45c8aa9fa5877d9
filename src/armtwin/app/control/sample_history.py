"""States of the last two minutes, for pages that are opened later."""

from __future__ import annotations

from collections import deque

import numpy as np
import orjson

from armtwin.robots.robot import RobotState
from armtwin.spatial import Array

SECONDS, PERIOD = 120.0, 0.1
"""Length of the history and time between its states [s]: 1,200 states for a page that opens."""
DIGITS = 5
"""Decimals that are sent: 0.01 mrad and 0.01 mm, finer than a chart shows."""


class SampleHistory:
    """Ten states a second of the current robot; it restarts when the clock runs back."""

    def __init__(self) -> None:
        self._last: RobotState | None = None
        self._texts: deque[bytes] = deque(maxlen=round(SECONDS / PERIOD))

    def add(self, state: RobotState) -> None:
        """Add a state; one that follows the last within 0.1 s is skipped."""
        if self._last is not None:
            ahead = state.time - self._last.time
            if ahead < 0 or state.q.shape != self._last.q.shape:
                self.clear()
            elif ahead < PERIOD - 1e-6:
                return
        self._last = state
        # orjson's texts keep the 4 kB that they were written into; a copy has its own size.
        self._texts.append(bytes(memoryview(orjson.dumps(_content(state)))))

    def clear(self) -> None:
        """Delete all states: the robot was changed."""
        self._last = None
        self._texts.clear()

    def text(self) -> bytes:
        """Return the states as JSON, oldest first, with the most important fields of the stream.

        Every state is encoded when it is added, so that this only joins texts.
        """
        return b"[" + b",".join(self._texts) + b"]"


def _content(state: RobotState) -> dict[str, object]:
    jointwise = {
        "q": state.q, "qd": state.qd, "tau": state.tau, "current": state.current,
        "residual": state.residual,
    }  # fmt: skip
    return {
        "t": round(state.time, 3),
        **{name: None if row is None else _rounded(row) for name, row in jointwise.items()},
        "power": _finite(state.power),
        "energy": _finite(state.energy),
    }


def _rounded(row: Array) -> list[float | None]:
    return [_finite(float(value)) for value in row]


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(value, DIGITS)
