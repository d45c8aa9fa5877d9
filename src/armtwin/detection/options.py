"""Options of ``detect``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.detection.learning.adapt import TIME_CONSTANT
from armtwin.detection.thresholds import PER_HOUR
from armtwin.errors import InputError
from armtwin.spatial import as_number


@dataclass(frozen=True)
class DetectOptions:
    """Options of ``detect``.

    Attributes:
        per_hour: false alarms per hour that the thresholds stand for.
        adaptation: time constant with which friction is followed [s]; None or infinite for not at
            all.
    """

    per_hour: float = PER_HOUR
    adaptation: float | None = TIME_CONSTANT

    def __post_init__(self) -> None:
        """Refuse numbers that are not positive."""
        rate = as_number(self.per_hour, "per_hour")
        if not (np.isfinite(rate) and rate > 0):
            raise InputError(f"false alarms per hour must be positive, got {rate:g}")
        if not self.time_constant > 0:
            raise InputError(
                f"adaptation is {self.adaptation}; it is a time in seconds above 0, or None to "
                "keep friction as it was learned"
            )

    @property
    def time_constant(self) -> float:
        """The time constant of adaptation [s], infinite for none."""
        return np.inf if self.adaptation is None else as_number(self.adaptation, "adaptation")
