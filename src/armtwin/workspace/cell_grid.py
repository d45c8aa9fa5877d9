"""A grid of cubic cells in space."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError
from armtwin.spatial import Array, as_number

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

MAX_CELLS = 4_000_000
"""Cells of a grid at most: every cell takes about 60 bytes."""
FLAT = 1e-6
"""Extent below which a direction is flat: the arm moves in a plane [m]."""


def checked_cell(cell: float) -> float:
    """Return the edge of a cell [m].

    Raises:
        InputError: no positive length.
    """
    size = as_number(cell, "cell")
    if not (np.isfinite(size) and size > 0):
        raise InputError(f"a cell of {cell!r} m is not possible; give a positive length")
    return size


@dataclass(frozen=True)
class CellGrid:
    """Cells of one size in rows along x, y and z of the base frame.

    Attributes:
        corner: smallest x, y and z [m].
        cell: edge of a cell [m].
        shape: number of cells along x, y and z.
    """

    corner: tuple[float, float, float]
    cell: float
    shape: tuple[int, int, int]

    @classmethod
    def over(cls, low: Array, high: Array, cell: float) -> CellGrid:
        """Return the grid that covers a box, centred on it; one cell where the box is flat.

        Args:
            low: smallest x, y, z (3,) [m].
            high: largest x, y, z (3,) [m].
            cell: edge of a cell [m].

        Raises:
            InputError: more than 4 million cells.
        """
        size, middle = high - low, (high + low) / 2
        with np.errstate(over="ignore"):  # more than a float holds is too many as well
            counts = np.where(size < FLAT, 1.0, np.ceil(size / cell))
            total = float(counts.prod())
        if total > MAX_CELLS:
            least = cell * float(np.prod((counts / MAX_CELLS ** (1 / 3)) ** (1 / 3)))
            shown = f"{total:,.0f}" if total < 1e15 else f"{total:.2g}"
            raise InputError(
                f"cells of {cell:g} m make {shown} cells, and {MAX_CELLS:,} are "
                f"possible; give cells of {least:.2g} m or more, or a smaller box"
            )
        corner = middle - counts * cell / 2
        nx, ny, nz = counts.astype(int).tolist()
        x, y, z = corner.tolist()
        return cls((x, y, z), cell, (nx, ny, nz))

    @property
    def count(self) -> int:
        """Number of cells."""
        return int(np.prod(self.shape))

    @property
    def is_flat(self) -> bool:
        """Whether the grid is one layer of cells: sizes are then areas instead of volumes."""
        return 1 in self.shape

    @property
    def numbers(self) -> Array:
        """The grid as the equations take it: corner, cells per metre, number of cells (7,)."""
        return np.array([*self.corner, 1 / self.cell, *self.shape])

    def edges(self, axis: int) -> Array:
        """Return the borders of the cells along an axis (n + 1,) [m]."""
        return self.corner[axis] + self.cell * np.arange(self.shape[axis] + 1.0)

    def centres(self, cells: Numbers) -> Array:
        """Return the centres (n, 3) [m] of cells given by their number (n,)."""
        places = np.stack(np.unravel_index(cells, self.shape), axis=-1)
        return np.asarray(np.array(self.corner) + self.cell * (places + 0.5))

    def layer(self, axis: int, at: float) -> int:
        """Return the layer of cells along an axis that holds a coordinate, or the nearest."""
        place = int(np.floor((at - self.corner[axis]) / self.cell))
        return min(max(place, 0), self.shape[axis] - 1)

    def border(self, inside: Mask) -> Mask:
        """Return which of the cells (nx, ny, nz) that are inside touch one that is not.

        Neighbours share a face, an edge or a corner. Beyond the grid nothing is inside.
        """
        axes = [axis for axis in range(3) if self.shape[axis] > 1]
        wide = np.pad(inside, [(1, 1) if axis in axes else (0, 0) for axis in range(3)])
        steps = [(-1, 0, 1) if axis in axes else (0,) for axis in range(3)]
        surrounded = inside.copy()
        for step in itertools.product(*steps):
            own = tuple(
                slice(1 + move, 1 + move + size) if axis in axes else slice(None)
                for axis, (move, size) in enumerate(zip(step, self.shape, strict=True))
            )
            surrounded &= wide[own]
        return inside & ~surrounded
