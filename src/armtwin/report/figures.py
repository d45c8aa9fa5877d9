"""Pictures of an arm, drawn from its own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import MissingDataError
from armtwin.kinematics.forward import fk, link_poses
from armtwin.model.arm import Arm
from armtwin.report import solids
from armtwin.spatial import Array

BODY, JOINT, PATH = (
    np.array([0.55, 0.66, 0.78]),
    np.array([0.2, 0.32, 0.46]),
    np.array([0.9, 0.4, 0.1]),
)
LIGHT = np.array([0.4, -0.7, 0.9])
DEFAULT_RADIUS = 0.04


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
        line = solids.polyline(np.asarray(path, float), radius=0.008)
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
            (solids.tube(start, end, radius), BODY),
            (solids.ball(end, 1.2 * radius), JOINT),
        ):
            facets.append(shape)
            colours.append(_paint(shape, colour))
    return np.concatenate(facets), np.concatenate(colours)


def _paint(facets: Array, colour: Array) -> Array:
    return np.asarray(solids.brightness(facets, LIGHT)[:, None] * colour)


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
    """Show everything at one scale, standing on the floor z = 0."""
    low, high = facets.min(axis=(0, 1)), facets.max(axis=(0, 1))
    low[2] = min(low[2], 0.0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=1.1)
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.tick_params(labelsize=7)
    axes.view_init(elev=22, azim=-55)
