"""The page of a Monte-Carlo of a calibration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.report.numbers import with_unit
from armtwin.report.page import Histogram, Map, Page, Part, Section, Table, Text
from armtwin.workspace.map_views import column_views
from armtwin.workspace.uncertainty_result import LEVEL, ToolUncertainty

SHOWN = 5
"""Cells and poses in the tables."""
SHARES = (5, 50, 95)
"""Percentiles: median, and the bounds of the middle 90 %."""


def uncertainty_page(result: ToolUncertainty) -> Page:
    """Return a Monte-Carlo of a calibration as a page."""
    poses = len(result.q)
    return Page(
        title=f"Uncertainty of the tool of {result.arm.name}",
        subtitle=f"{result.draws:,} possible arms within the calibration's covariance at "
        f"{poses:,} poses",
        facts=tuple(_facts(result)),
        sections=(
            Section("Over the workspace", tuple(_workspace(result))),
            Section("Possible arms", tuple(_arms(result))),
        ),
        settings=(
            ("draws", f"{result.draws:,}"),
            ("poses", f"{poses:,}"),
            ("cell", f"{result.grid.cell:.4g} m"),
            ("seed", str(result.seed)),
            ("device", result.device),
            ("fingerprint of the arm", result.arm.fingerprint),
        ),
    )


def _facts(result: ToolUncertainty) -> Iterator[tuple[str, str]]:
    overall = float(np.sqrt((result.rms**2).mean()))
    yield "Arm", result.arm.name
    yield "RMS error of the tool, all poses", with_unit(overall, "m")
    yield "Largest RMS error at a pose", with_unit(float(result.rms.max()), "m")
    yield "RMS angle, all poses", with_unit(float(np.sqrt((result.turn_rms**2).mean())), "rad")
    yield "RMS error of left-out poses", with_unit(result.left_out.rms, "m")
    count = result.draws * len(result.q)
    yield "Time", f"{result.seconds:.3g} s on the {result.device} for {count:,} poses of arms"


def _workspace(result: ToolUncertainty) -> Iterator[Part]:
    views = column_views(result.arm, result.grid, result.position, (result.rms * 1e3) ** 2)
    if views:
        yield Map(
            "RMS error of the tool",
            "RMS error [mm]",
            views,
            "All poses in front of each other are taken together. White: no pose.",
        )
    cells = result.cells()
    heads = ("centre x [m]", "y [m]", "z [m]", "poses", "RMS [mm]", "largest RMS at a pose [mm]")
    order = np.argsort(-cells["rms"])[:SHOWN]
    rows = tuple(
        (*[cells[name][k].item() for name in ("x", "y", "z", "poses")],
         cells["rms"][k].item() * 1e3, cells["largest"][k].item() * 1e3)
        for k in order
    )  # fmt: skip
    yield Table(heads, rows, f"Worst cells of {result.grid.cell * 1e3:.3g} mm")
    yield _ellipsoids(result)
    yield Text(
        "This is the error that the uncertainty of the fitted parameters leaves, in the frames of "
        "the first placement. What no parameter explains is not in it: compare the error of "
        "left-out poses. Parameters that were held are taken as exact.",
        "note",
    )


def _ellipsoids(result: ToolUncertainty) -> Table:
    """Return the ellipsoids of the worst poses."""
    shapes = result.ellipsoids(LEVEL)
    axes = ("half axis 1 [mm]", "2 [mm]", "3 [mm]")
    heads = ("x [m]", "y [m]", "z [m]", *axes, "longest along x", "y", "z")
    rows = []
    for k in np.argsort(-result.rms)[:SHOWN]:
        sizes = (shapes.half_axes[k, ::-1] * 1e3).tolist()
        along = shapes.directions[k][:, 2]
        longest = (along * (1 if along[np.argmax(np.abs(along))] > 0 else -1)).tolist()
        rows.append((*shapes.centre[k].tolist(), *sizes, *longest))
    caption = f"{LEVEL:.0%} ellipsoids at the {len(rows)} poses with the largest error"
    return Table(heads, tuple(rows), caption)


def _arms(result: ToolUncertainty) -> Iterator[Part]:
    figures = (("RMS over all poses", result.arm_rms), ("largest error", result.arm_max))
    rows = tuple(
        (name, *[float(np.percentile(values, share)) * 1e3 for share in SHARES])
        for name, values in figures
    )
    heads = ("error of a possible arm [mm]", *[f"{share} % are below" for share in SHARES])
    yield Table(heads, rows, "If one of the possible arms is the real one")
    yield Histogram(
        "RMS error over all poses", "error [mm]", (("possible arms", result.arm_rms * 1e3),)
    )
    linear = float(np.sqrt(np.einsum("nii->n", result.first_order).mean()))
    overall = float(np.sqrt((result.rms**2).mean()))
    scatter = float(np.std(result.arm_rms**2)) / np.sqrt(result.draws) / max(overall**2, 1e-300) / 2
    yield Text(
        f"By the derivatives of the pose (first order) the RMS error is {with_unit(linear, 'm')}, "
        f"by the draws {with_unit(overall, 'm')} (sampling error {scatter:.2%}).",
        "note",
    )
