"""``armtwin reach``: which positions the tool reaches, from which directions, and how well."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.number_command import number_list
from armtwin.cli.options import (
    ArmName,
    Device,
    Force,
    Json,
    Pdf,
    Report,
    Seed,
    refuse_existing,
    whole,
)
from armtwin.cli.results import show_result, show_step, write_reports

EXAMPLES = """
armtwin reach ur10e
armtwin reach ur10e --poses 1e8 --cell 0.03 --report reach.html --pdf reach.pdf
armtwin reach my_arm.toml --box -0.5 -0.5 0 0.5 0.5 1 --out cells.csv --json
"""

Poses = Annotated[
    float, typer.Option(metavar="COUNT", help="Samples of the joint space; 1e8 are possible.")
]
Cell = Annotated[
    float | None,
    typer.Option(metavar="M", help="Edge of a cell [m]; a 48th of the workspace's longest side."),
]
Box = Annotated[
    str | None,
    typer.Option(
        metavar="X Y Z X Y Z", help="Smallest and largest x, y, z of the grid [m, base frame]."
    ),
]
Cells = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write the reached cells (.csv).")
]


def command(
    arm: ArmName,
    poses: Poses = 1e7,
    cell: Cell = None,
    box: Box = None,
    seed: Seed = 0,
    device: Device = "auto",
    out: Cells = None,
    report: Report = None,
    pdf: Pdf = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Map the workspace: reached cells, approach directions and manipulability.

    Joint vectors fill the joint space within its limits evenly; every one is counted in the cell of
    the tool's position. Contact with the arm itself or its surroundings is not checked.
    """
    from armtwin.workspace.reachability import reachability

    reports = [path for path in (report, pdf) if path]
    refuse_existing([path for path in (out, *reports) if path], force=force)
    corners = None if box is None else number_list(box, "--box")
    found = reachability(
        arm,
        poses=whole(poses, "--poses"),
        cell=cell,
        box=None if corners is None else (corners[:3], corners[3:]),
        seed=seed,
        device=device,  # type: ignore[arg-type]  # the function refuses other names
        on_progress=show_step,
    )
    files = [] if out is None else [found.save(out, force=force)]
    show_result(found, [*files, *write_reports(found, reports, force=force)], json=json)
