"""The page of a reachability map."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.report.page import Histogram, Map, Page, Part, Section, Table, Text
from armtwin.spatial import Array
from armtwin.workspace.cell_sums import DIRECTIONS
from armtwin.workspace.map_views import views
from armtwin.workspace.reach_result import Reachability

NOT_REGARDED = (
    "Joint limits are kept. Contact of the arm with itself, a floor or its surroundings is not "
    "regarded: some of these postures may be impossible in a cell."
)
HEADS = ("", "centre x [m]", "y [m]", "z [m]", "poses", "directions", "manipulability", "condition")


def reach_page(result: Reachability) -> Page:
    """Return a reachability map as a page."""
    grid = result.grid
    return Page(
        title=f"Workspace of {result.arm.name}",
        subtitle=f"{result.arm.title or result.arm.name}, {result.poses:,} poses of the tool",
        facts=tuple(_facts(result)),
        sections=(
            Section("Reach", tuple(_reach(result))),
            Section("Manipulability", tuple(_manipulability(result))),
        ),
        settings=(
            ("poses", f"{result.poses:,}"),
            ("cell", f"{grid.cell:.4g} m"),
            ("grid", " x ".join(map(str, grid.shape))),
            ("seed", str(result.seed)),
            ("device", result.device),
            ("fingerprint of the arm", result.arm.fingerprint),
        ),
    )


def _facts(result: Reachability) -> Iterator[tuple[str, str]]:
    unit, what = ("m²", "area") if result.grid.is_flat else ("m³", "volume")
    low, high = result.volume_bounds
    reached = int(result.reached.sum())
    yield "Arm", result.arm.name
    yield f"Reached {what}", f"{result.volume:.4g} {unit} ({low:.4g} to {high:.4g})"
    yield "Cells reached", f"{reached:,} of {result.grid.cell * 1e3:.3g} mm"
    share = int(result.dexterous.sum()) / max(reached, 1)
    yield f"Approached from all {DIRECTIONS} directions", f"{share:.1%} of the reached cells"
    yield "Cells that more poses would add", f"about {result.missed_cells:.0f} or more"
    rate = result.seconds / result.poses * 1e6
    yield "Time", f"{result.seconds:.3g} s on the {result.device}, {rate:.3g} s a million poses"


def _reach(result: Reachability) -> Iterator[Part]:
    if result.reached.any():
        seen = np.where(result.reached, result.directions, np.nan)
        yield Map(
            "Directions from which the tool reaches a cell",
            f"directions, of {DIRECTIONS}",
            views(result.arm, result.grid, seen),
            f"The tool's z axis points to one of {DIRECTIONS} equal parts of the sphere; turns "
            "about it are not distinguished. White: not reached.",
        )
        yield Table(HEADS, tuple(_ends(result)), "Outermost cells")
    yield Text(NOT_REGARDED, "note")
    if result.outside:
        yield Text(f"{result.outside:,} poses lie outside of the grid.", "note")


def _ends(result: Reachability) -> Iterator[tuple[object, ...]]:
    """Yield the reached cells that are outermost along every axis and away from the base."""
    columns = result.cells()
    places = np.stack([columns[name] for name in "xyz"], axis=1)
    away = np.linalg.norm(places - np.array(result.arm.base)[:3, 3], axis=1)
    ends = [("farthest from the base", int(np.argmax(away)))]
    for axis, name in enumerate("xyz"):
        if result.grid.shape[axis] > 1:
            ends.append((f"smallest {name}", int(np.argmin(places[:, axis]))))
            ends.append((f"largest {name}", int(np.argmax(places[:, axis]))))
    yield from (_row(title, columns, row) for title, row in ends)


def _row(title: str, columns: dict[str, Array], row: int) -> tuple[object, ...]:
    names = ("x", "y", "z", "hits", "directions", "best", "condition")
    return (title, *[columns[name][row].item() for name in names])


def _manipulability(result: Reachability) -> Iterator[Part]:
    if not result.reached.any():
        return
    columns = result.cells()
    yield Map(
        "Largest manipulability in a cell",
        "manipulability",
        views(result.arm, result.grid, result.best),
        "Yoshikawa's index, the product of the Jacobian's singular values, at the best sampled "
        "posture of every cell; 0 where the arm is singular.",
    )
    best, conditions = columns["best"], columns["condition"]
    rows = [("best cell", int(np.argmax(best))), ("worst cell", int(np.argmin(best)))]
    yield Table(HEADS, tuple(_row(title, columns, row) for title, row in rows))
    finite = np.log10(conditions[np.isfinite(conditions)])
    yield Histogram(
        "Condition number of the Jacobian",
        "log10 of the condition number",
        (("best posture of every cell", finite),),
    )
