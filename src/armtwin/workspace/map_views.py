"""Views of a grid's cells for a page: a vertical section, from the side, from above."""

from __future__ import annotations

import warnings

import numpy as np

from armtwin.model.arm import Arm
from armtwin.report.page import MapView
from armtwin.spatial import Array
from armtwin.workspace.cell_grid import CellGrid

AXES = "xyz"


def views(arm: Arm, grid: CellGrid, values: Array) -> tuple[MapView, ...]:
    """Return a section through the base and the view from above of values over cells.

    From above, the largest value of every column of cells is shown. A grid of one layer gives one
    view of that layer.

    Args:
        arm: the arm, for the place of its base.
        grid: the cells.
        values: of every cell (nx, ny, nz), NaN where there is none.
    """
    base = tuple(np.array(arm.base)[:3, 3].tolist())
    if grid.is_flat:
        flat = grid.shape.index(1)
        across, up = (axis for axis in range(3) if axis != flat)
        return (view(grid, f"plane of {AXES[across]} and {AXES[up]}", (across, up), base,
                      np.take(values, 0, axis=flat)),)  # fmt: skip
    layer = grid.layer(1, base[1])
    middle = grid.corner[1] + (layer + 0.5) * grid.cell
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without a value stay NaN
        above = np.nanmax(values, axis=2)
    return (
        view(grid, f"section at y = {middle:.3g} m", (0, 2), base, values[:, layer]),
        view(grid, "from above, largest value", (0, 1), base, above),
    )


def column_views(arm: Arm, grid: CellGrid, points: Array, squares: Array) -> tuple[MapView, ...]:
    """Return the RMS of values at points, seen from the side (x, z) and from above (x, y).

    Args:
        arm: the arm, for the place of its base.
        grid: the cells.
        points: (n, 3) [m].
        squares: squared values (n,).
    """
    base = tuple(np.array(arm.base)[:3, 3].tolist())
    found = []
    for title, axes in (("from the side", (0, 2)), ("from above", (0, 1))):
        if 1 in (grid.shape[axes[0]], grid.shape[axes[1]]):
            continue
        edges = [grid.edges(axis) for axis in axes]
        places = points[:, axes[0]], points[:, axes[1]]
        count = np.histogram2d(*places, bins=edges)[0]
        total = np.histogram2d(*places, bins=edges, weights=squares)[0]
        values = np.where(count > 0, np.sqrt(total / np.maximum(count, 1)), np.nan)
        found.append(view(grid, title, axes, base, values))
    return tuple(found)


def view(
    grid: CellGrid, title: str, axes: tuple[int, int], base: tuple[float, ...], values: Array
) -> MapView:
    """Return one view of values over two axes of a grid.

    Args:
        grid: the cells.
        title: of the view.
        axes: the grid's axes that go to the right and up.
        base: position of the arm's base [m].
        values: (cells to the right, cells up).
    """
    across, up = axes
    return MapView(
        title=title,
        x_label=f"{AXES[across]} [m]",
        y_label=f"{AXES[up]} [m]",
        x=grid.edges(across),
        y=grid.edges(up),
        values=values.T,
        marks=(("base", base[across], base[up]),),
    )
