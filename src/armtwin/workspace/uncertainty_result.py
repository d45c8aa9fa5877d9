"""The result of a Monte-Carlo of a calibration."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from armtwin.calibration.pose_errors import PoseErrors
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array, as_number
from armtwin.workspace.cell_grid import FLAT, CellGrid

CELLS_ACROSS = 10
"""Cells along the longest side where no size is given."""
LEVEL = 0.95
"""Share of the possible tools in an ellipsoid, as in all intervals here."""


@dataclass(frozen=True)
class Ellipsoids:
    """Ellipsoids around the expected positions.

    Attributes:
        centre: (n, 3) [m, base].
        half_axes: (n, 3) [m], the longest last.
        directions: (n, 3, 3), column k is the direction of half axis k.
        level: share of the possible arms whose tool lies inside.
    """

    centre: Array
    half_axes: Array
    directions: Array
    level: float


def grid_over(position: Array, cell: float | None) -> CellGrid:
    """Return the cells over positions (n, 3) [m]; ``cell`` None: a tenth of the longest side.

    Raises:
        InputError: too many cells.
    """
    low, high = position.min(axis=0), position.max(axis=0)
    side = float((high - low).max())
    return CellGrid.over(low - 1e-9, high + 1e-9, cell or max(side, FLAT) / CELLS_ACROSS)


@dataclass(frozen=True)
class ToolUncertainty(Result):
    """The result of ``tool_uncertainty``.

    Attributes:
        arm: the calibrated arm.
        q: the poses as joint vectors (n, dof) [rad | m].
        position: where the calibrated arm's tool is (n, 3) [m].
        bias: mean error of the possible arms (n, 3) [m].
        second_moment: mean product of their errors (n, 3, 3) [m2].
        turn_rms: RMS of the angles between their tools and the calibrated arm's (n,) [rad].
        first_order: covariance of the positions (n, 3, 3) [m2] by the derivatives of the pose.
        first_order_turn_rms: the same for ``turn_rms``.
        arm_rms: RMS error of every possible arm over all poses (draws,) [m].
        arm_max: its largest error (draws,) [m].
        left_out: errors of the calibration on left-out poses: what no parameter explains, too.
        cell: edge of the cells [m]; None: a tenth of the longest side.
        seed: of draws and poses.
        device: where it was computed, cpu or gpu.
        seconds: how long it took.
    """

    arm: Arm
    q: Array = field(repr=False)
    position: Array = field(repr=False)
    bias: Array = field(repr=False)
    second_moment: Array = field(repr=False)
    turn_rms: Array = field(repr=False)
    first_order: Array = field(repr=False)
    first_order_turn_rms: Array = field(repr=False)
    arm_rms: Array = field(repr=False)
    arm_max: Array = field(repr=False)
    left_out: PoseErrors
    cell: float | None
    seed: int
    device: str
    seconds: float

    @property
    def draws(self) -> int:
        """Number of possible arms."""
        return len(self.arm_rms)

    @property
    def rms(self) -> Array:
        """RMS of the distance between possible and calibrated tool at every pose (n,) [m]."""
        return np.sqrt(np.einsum("nii->n", self.second_moment))

    @property
    def covariance(self) -> Array:
        """Covariance of the tool's position at every pose (n, 3, 3) [m2]."""
        about_mean = self.second_moment - self.bias[:, :, None] * self.bias[:, None, :]
        return about_mean * self.draws / (self.draws - 1)

    def ellipsoids(self, level: float = LEVEL) -> Ellipsoids:
        """Return the ellipsoid of every pose that holds a share ``level`` of the possible tools.

        For normally distributed positions; half axes are the square roots of the covariance's
        eigenvalues times the quantile of the chi distribution with three degrees of freedom.
        """
        if not 0 < as_number(level, "level") < 1:
            raise InputError(f"level is {level!r}; give a share between 0 and 1")
        from scipy.special import gammaincinv

        values, directions = np.linalg.eigh(self.covariance)
        quantile = 2 * float(gammaincinv(1.5, level))  # chi square, 3 degrees of freedom
        half_axes = np.sqrt(quantile * np.maximum(values, 0.0))
        return Ellipsoids(self.position + self.bias, half_axes, directions, level)

    @property
    def grid(self) -> CellGrid:
        """The cells that poses are gathered in."""
        return grid_over(self.position, self.cell)

    def cells(self) -> dict[str, Array]:
        """Return the cells with poses as columns: centre [m], poses, RMS and largest RMS [m]."""
        grid = self.grid
        places = np.floor((self.position - np.array(grid.corner)) / grid.cell).astype(int)
        places = np.clip(places, 0, np.array(grid.shape) - 1)
        numbers, own = np.unique(np.ravel_multi_index(places.T, grid.shape), return_inverse=True)
        count, largest = np.bincount(own), np.zeros(len(numbers))
        np.maximum.at(largest, own, self.rms)
        x, y, z = grid.centres(numbers).T
        rms = np.sqrt(np.bincount(own, self.rms**2) / count)
        return {"x": x, "y": y, "z": z, "poses": count, "rms": rms, "largest": largest}

    @property
    def first_order_gap(self) -> float:
        """Largest difference of the RMS by draws and by derivatives, as a share of the latter."""
        linear = np.sqrt(np.einsum("nii->n", self.first_order))
        return float((np.abs(self.rms - linear) / np.maximum(linear, 1e-300)).max())

    def page(self) -> Page:
        """Return the result as a page."""
        from armtwin.workspace.uncertainty_page import uncertainty_page

        return uncertainty_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        cells, axes = self.cells(), self.ellipsoids()
        worst = int(np.argmax(cells["rms"]))
        return {
            "arm": self.arm.name,
            "draws": self.draws,
            "poses": len(self.q),
            "device": self.device,
            "seconds": self.seconds,
            "rms": float(np.sqrt((self.rms**2).mean())),
            "rms_largest": float(self.rms.max()),
            "turn_rms": float(np.sqrt((self.turn_rms**2).mean())),
            "arm_rms_95": float(np.percentile(self.arm_rms, 95)),
            "arm_max_95": float(np.percentile(self.arm_max, 95)),
            "first_order_gap": self.first_order_gap,
            "left_out": asdict(self.left_out),
            "worst_cell": {name: column[worst].item() for name, column in cells.items()},
            "ellipsoids": {
                "level": axes.level,
                "q": self.q.tolist(),
                "centre": axes.centre.tolist(),
                "half_axes": axes.half_axes.tolist(),
                "directions": axes.directions.tolist(),
                "rms": self.rms.tolist(),
            },
            "seed": self.seed,
        }
