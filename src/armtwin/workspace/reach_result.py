"""The result of a reachability map."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.files import write_output
from armtwin.model.arm import Arm
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array
from armtwin.workspace.cell_grid import CellGrid, Mask, Numbers
from armtwin.workspace.cell_sums import DIRECTIONS


@dataclass(frozen=True)
class Reachability(Result):
    """The result of ``reachability``; arrays over cells have the shape of the grid.

    Attributes:
        arm: the arm.
        grid: the cells.
        hits: samples per cell.
        directions: from how many of 24 directions the tool's z axis points there.
        best: largest manipulability (Yoshikawa) per cell; NaN where no sample is.
        mean: its mean.
        condition: condition number of the Jacobian at the sample of ``best``.
        poses: number of samples.
        outside: samples outside of the grid.
        seed: start of the sequence.
        device: where it was computed, cpu or gpu.
        seconds: how long the samples took.
    """

    arm: Arm
    grid: CellGrid
    hits: Numbers = field(repr=False)
    directions: Numbers = field(repr=False)
    best: Array = field(repr=False)
    mean: Array = field(repr=False)
    condition: Array = field(repr=False)
    poses: int
    outside: int
    seed: int
    device: str
    seconds: float

    @property
    def reached(self) -> Mask:
        """Cells that the tool reaches, as booleans (nx, ny, nz)."""
        return np.asarray(self.hits > 0)

    @property
    def volume_bounds(self) -> tuple[float, float]:
        """Volume of the reached cells without and with those at the border [m3].

        For an arm that moves in a plane: areas [m2].
        """
        size = self.grid.cell ** (2 if self.grid.is_flat else 3)
        all_cells = int(self.reached.sum())
        return size * (all_cells - int(self.grid.border(self.reached).sum())), size * all_cells

    @property
    def volume(self) -> float:
        """Reached volume [m3], or area [m2] in a plane: cells at the border count half."""
        return sum(self.volume_bounds) / 2

    @property
    def missed_cells(self) -> float:
        """Estimate of the cells that a longer run would still find, at least (Chao 1984).

        From the cells that were hit once and twice: f1 (f1 - 1) / (2 (f2 + 1)).
        """
        once, twice = (int((self.hits == k).sum()) for k in (1, 2))
        return once * (once - 1) / (2 * (twice + 1))

    @property
    def dexterous(self) -> Mask:
        """Cells that are approached from all 24 directions, as booleans (nx, ny, nz)."""
        return np.asarray(self.directions == DIRECTIONS)

    def cells(self) -> dict[str, Array]:
        """Return the reached cells as columns: centre [m, base], hits and figures."""
        numbers = np.flatnonzero(self.reached)
        x, y, z = self.grid.centres(numbers).T
        names = ("hits", "directions", "best", "mean", "condition")
        figures = {name: getattr(self, name).ravel()[numbers] for name in names}
        return {"x": x, "y": y, "z": z, **figures}

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the reached cells as a CSV file and return its path.

        Raises:
            OutputExistsError: the file exists and ``force`` is not set.
        """
        columns = self.cells()
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        lines = [",".join(columns), *(",".join(f"{v:.7g}" for v in row) for row in rows)]
        write_output(Path(path), ("\n".join(lines) + "\n").encode(), force=force)
        return Path(path)

    def page(self) -> Page:
        """Return the result as a page."""
        from armtwin.workspace.reach_page import reach_page

        return reach_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON; ``save`` writes the cells."""
        reached, best = self.reached, self.best[self.reached]
        low, high = self.volume_bounds
        return {
            "arm": self.arm.name,
            "poses": self.poses,
            "outside": self.outside,
            "device": self.device,
            "seconds": self.seconds,
            "grid": {
                "corner": list(self.grid.corner),
                "cell": self.grid.cell,
                "shape": list(self.grid.shape),
            },
            "cells_reached": int(reached.sum()),
            "cells_missed": self.missed_cells,
            "cells_dexterous": int(self.dexterous.sum()),
            "area" if self.grid.is_flat else "volume": self.volume,
            "bounds": [low, high],
            "manipulability_max": float(best.max()) if best.size else None,
            "manipulability_median": float(np.median(best)) if best.size else None,
            "seed": self.seed,
        }
