"""A plain table of numbers in memory, without NumPy, for the compiled loop."""

from __future__ import annotations

import operator
from array import array
from dataclasses import dataclass

from armtwin.errors import ClockError, InputError

TIME_NAMES = ("time", "t", "timestamp")


def zeros(count: int) -> array[float]:
    """Return an array of zeros."""
    return array("d", bytes(8 * count))


@dataclass(frozen=True, eq=False)
class Grid:
    """Named columns over an increasing time [s]; ``data`` holds row after row."""

    names: tuple[str, ...]
    time: array[float]
    data: array[float]

    def __post_init__(self) -> None:
        time = self.time
        if not time:
            raise InputError("a table without rows; give at least one")
        finite = time[0] - time[0] == 0.0 == time[-1] - time[-1]
        if not finite or not all(map(operator.lt, time, time[1:])):
            row = next(i for i, x in enumerate(time) if x - x != 0 or (i and x <= time[i - 1]))
            raise ClockError(
                f"time does not increase to row {row + 1} ({time[row]:g} s); sort or mend it "
                "(armtwin prepare)"
            )
        if len(self.data) != len(time) * len(self.names):
            raise InputError(
                f"{len(self.data)} values for {len(time)} rows of {len(self.names)} columns"
            )

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.time)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    def column(self, name: str) -> array[float]:
        """Return one column."""
        return self.data[self.names.index(name) :: self.width]

    def row(self, index: int) -> array[float]:
        """Return one row."""
        return self.data[index * self.width : (index + 1) * self.width]

    def picked(self, rows: list[int], step: float) -> Grid:
        """Return some rows, put one step apart."""
        data = array("d")
        for index in rows:
            data += self.row(index)
        time = array("d", [self.time[0] + step * k for k in range(len(rows))])
        return Grid(self.names, time, data)

    def spread_of_steps(self) -> tuple[float, float]:
        """Return the shortest and the longest time between rows; zeros for a single row."""
        if self.rows < 2:
            return 0.0, 0.0
        steps = list(map(operator.sub, self.time[1:], self.time))
        return min(steps), max(steps)

    def has_step(self, step: float) -> bool:
        """Return whether all rows are one step apart, but for rounding."""
        least, most = self.spread_of_steps()
        drift = abs(self.time[-1] - self.time[0] - step * (self.rows - 1))
        return max(abs(least - step), abs(most - step)) < 1e-6 * step and drift < 1e-3 * step
