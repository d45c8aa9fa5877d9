"""Sums over the samples in every cell: hits, approach directions, manipulability."""

from __future__ import annotations

from typing import Any

from armtwin.workspace.device import Device

DIRECTIONS = 24
"""Congruent parts of the sphere of approach directions."""


class CellSums:
    """Sums over samples per cell, on the device where the samples are computed.

    Attributes:
        hits: samples (cells,).
        faced: whether a cell was approached from a direction (cells * 24,).
        best: largest manipulability (cells,); -1 where there is no sample.
        best_number: number of the sample that has it (cells,).
        total: sum of the manipulability (cells,).
        outside: samples outside of the grid.
    """

    def __init__(self, device: Device, cells: int) -> None:
        """Prepare room for a number of cells."""
        xp = device.xp
        self._device = device
        self.hits, self.total = xp.zeros(cells), xp.zeros(cells)
        self.best, self.best_number = xp.full(cells, -1.0), xp.zeros(cells)
        self.faced = xp.zeros(cells * DIRECTIONS, dtype=bool)
        self.outside = 0

    def add(self, number: Any, cell: Any, direction: Any, w: Any) -> None:
        """Count samples.

        Args:
            number: number of every sample (n,).
            cell: number of its cell (n,), -1 outside of the grid.
            direction: its approach direction (n,), 0 to 23.
            w: its manipulability (n,).
        """
        device = self._device
        inside = cell >= 0
        count = int(inside.sum())
        if count < len(cell):
            self.outside += len(cell) - count
            number, cell, direction, w = (x[inside] for x in (number, cell, direction, w))
        place = cell.astype("int64")
        device.add_at(self.hits, place, device.xp.ones_like(w))
        device.add_at(self.total, place, w)
        device.maximum_at(self.best, place, w)
        self.faced[place * DIRECTIONS + direction.astype("int64")] = True
        leads = w == self.best[place]
        self.best_number[place[leads]] = number[leads]
