"""Obstacles that a motion must keep clear of, and the files that list them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.motion.motion import as_point
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Capsule:
    """An obstacle: all points within ``radius`` of the segment from ``start`` to ``end`` [m]."""

    start: ArrayLike
    end: ArrayLike
    radius: float

    @property
    def numbers(self) -> Array:
        """Start, end and radius as one vector (7,)."""
        if not (np.isfinite(self.radius) and self.radius >= 0):
            raise InputError(f"an obstacle's radius is 0 or more, got {self.radius}")
        ends = as_point(self.start, "obstacle start"), as_point(self.end, "obstacle end")
        return np.concatenate([*ends, [float(self.radius)]])


def read_obstacles(path: str | Path) -> tuple[Capsule, ...]:
    """Return the capsules of a text file: ``x y z x y z radius`` a line, in base [m].

    Raises:
        InputError: no such file, or a line that is not seven numbers.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: obstacles cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].replace(",", " ").split()
        if not words:
            continue
        try:
            x = [float(word) for word in words]
        except ValueError as error:
            raise InputError(f"{path}: line {number}: {error}") from error
        if len(x) != 7 or not np.isfinite(x).all() or x[6] < 0:
            raise InputError(
                f"{path}: line {number} has {len(x)} numbers; an obstacle is x y z x y z radius [m]"
            )
        found.append(Capsule(tuple(x[:3]), tuple(x[3:6]), x[6]))
    return tuple(found)
