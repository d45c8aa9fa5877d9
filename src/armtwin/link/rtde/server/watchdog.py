"""A program may ask to be stopped when its client falls silent."""

from __future__ import annotations

ACTIONS = ("ignore", "pause", "stop")


class Watchdog:
    """Watches how often a field is written.

    Attributes:
        field: name of the watched input; none if empty.
        action: what happens when it is not written in time.
    """

    def __init__(self) -> None:
        self.field, self.action, self._longest, self._last = "", "ignore", 0.0, 0.0

    def set(self, field: str, frequency: float, action: str) -> None:
        """Watch a field that has to be written ``frequency`` times a second."""
        good = frequency > 0 and action in ACTIONS
        self.field, self.action = (field, action) if good else ("", "ignore")
        self._longest, self._last = (1 / frequency if good else 0.0), -1.0

    def written(self, names: tuple[str, ...], now: float) -> None:
        """Take note that inputs were written at the time ``now`` [s]."""
        if self.field in names:
            self._last = now

    def late(self, now: float) -> bool:
        """Return whether the field is overdue; then it is watched no more."""
        if not self.field:
            return False
        if self._last < 0:
            self._last = now
        if now - self._last <= self._longest:
            return False
        self.field = ""
        return True
