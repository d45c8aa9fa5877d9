"""Pictures of an arm, drawn from its kinematics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import MissingDataError
from armtwin.kinematics.forward import fk, link_poses
from armtwin.model.arm import Arm
from armtwin.report.charts.thinning import every
from armtwin.spatial import Array

BODY, JOINT, PATH = (
    np.array([0.55, 0.66, 0.78]),
    np.array([0.2, 0.32, 0.46]),
    np.array([0.9, 0.4, 0.1]),
)
"""Colours of links, joints and the tool's path."""
LIGHT = np.array([0.4, -0.7, 0.9])
SIDES = 24
"""Facets around a tube or a ball."""
DEFAULT_RADIUS = 0.04
"""Radius of links whose file gives none [m]."""
MAX_PATH = 400
"""Points of a path that are drawn; more are not seen at the size of a picture."""
MAX_TICKS = 5
"""Ticks on the longest axis; shorter axes get fewer, so that their labels do not overlap."""


def tube(start: Array, end: Array, radius: float, pieces: int = 6) -> Array:
    """Return the facets (n, 4, 3) of a tube between two points; none where they coincide.

    Args:
        start: centre of one end (3,).
        end: centre of the other end (3,).
        radius: of the tube.
        pieces: divisions along the tube.
    """
    axis = end - start
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.empty((0, 4, 3))
    x, y = _across(axis / length)
    angle = np.linspace(0, 2 * np.pi, SIDES + 1)
    ring = radius * (np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y)
    along = start + np.linspace(0, 1, pieces + 1)[:, None] * axis
    return _patches(along[:, None, :] + ring[None, :, :])


def ball(centre: Array, radius: float) -> Array:
    """Return the facets (n, 4, 3) of a ball."""
    polar = np.linspace(0, np.pi, SIDES // 2 + 1)[:, None]
    round_ = np.linspace(0, 2 * np.pi, SIDES + 1)[None, :]
    height = np.cos(polar) * np.ones_like(round_)
    grid = np.stack([np.sin(polar) * np.cos(round_), np.sin(polar) * np.sin(round_), height], -1)
    return _patches(centre + radius * grid)


def polyline(points: Array, radius: float) -> Array:
    """Return the facets of a thin tube through points (n, 3)."""
    pairs = zip(points[:-1], points[1:], strict=True)
    return np.concatenate([tube(a, b, radius, pieces=1) for a, b in pairs])


def brightness(facets: Array, light: Array) -> Array:
    """Return how bright each facet is (n,), 0.45 in the shade to 1 facing the light."""
    normal = np.cross(facets[:, 2] - facets[:, 0], facets[:, 3] - facets[:, 1])
    size = np.linalg.norm(normal, axis=1)
    facing = np.abs(normal @ light) / np.where(size > 0, size * np.linalg.norm(light), 1.0)
    return np.asarray(0.45 + 0.55 * facing)


def _across(z: Array) -> tuple[Array, Array]:
    """Return two unit vectors orthogonal to ``z`` and to each other."""
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return x, np.cross(z, x)


def _patches(grid: Array) -> Array:
    """Return the quadrilaterals of a grid of points (rows, columns, 3)."""
    corners = [grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def draw_arm(
    arm: Arm, q: ArrayLike, file: Path, *, path: ArrayLike | None = None, title: str = ""
) -> Path:
    """Draw the arm's links as tubes at ``q`` (dof,) and, if given, a tool path (n, 3) [m].

    Args:
        arm: the arm.
        q: joint vector (dof,) [rad | m].
        file: where to write; its ending chooses the format (.png, .svg, .pdf).
        path: points that the tool passes, in base [m].
        title: text above the picture.

    Returns:
        The file written.
    """
    facets, colours = _arm_solids(arm, q)
    if path is not None:
        line = polyline(every(np.asarray(path, float), MAX_PATH), radius=0.008)
        facets, colours = (
            np.concatenate([facets, line]),
            np.concatenate([colours, _paint(line, PATH)]),
        )
    figure, axes = _canvas(title)
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    axes.add_collection3d(Poly3DCollection(facets, facecolors=colours, edgecolors="none"))
    _frame(axes, facets)
    figure.savefig(file, dpi=110)
    return file


def skeleton(arm: Arm, q: ArrayLike) -> Array:
    """Return the points (n, 3) that the links join: base, link frames, tool."""
    frames = link_poses(arm, q)[:, :3, 3]
    base, tool = np.array(arm.base)[:3, 3], fk(arm, q)[:3, 3]
    return np.vstack([base, frames, tool])


def _arm_solids(arm: Arm, q: ArrayLike) -> tuple[Array, Array]:
    points = skeleton(arm, q)
    radii = [joint.link.radius or DEFAULT_RADIUS for joint in arm.joints]
    radii.append(radii[-1])
    facets, colours = [], []
    for start, end, radius in zip(points[:-1], points[1:], radii, strict=True):
        for shape, colour in (
            (tube(start, end, radius), BODY),
            (ball(end, 1.2 * radius), JOINT),
        ):
            facets.append(shape)
            colours.append(_paint(shape, colour))
    return np.concatenate(facets), np.concatenate(colours)


def _paint(facets: Array, colour: Array) -> Array:
    return np.asarray(brightness(facets, LIGHT)[:, None] * colour)


def _canvas(title: str) -> tuple[Any, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDataError(
            "drawing needs matplotlib, which is not installed; pip install 'armtwin[report]'"
        ) from error
    figure = Figure(figsize=(6.4, 5.2))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 0.95), projection="3d")
    figure.suptitle(title, fontsize=11)
    return figure, axes


def _frame(axes: Any, facets: Array) -> None:
    """Set equal scales on all axes, with the floor at z = 0."""
    low, high = facets.min(axis=(0, 1)), facets.max(axis=(0, 1))
    low[2] = min(low[2], 0.0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=0.95)
    share = (high - low) / (high - low).max()
    for axis, part in zip("xyz", share, strict=True):
        axes.locator_params(axis=axis, nbins=max(1, round(MAX_TICKS * float(part))))
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.tick_params(labelsize=7)
    axes.view_init(elev=22, azim=-55)
