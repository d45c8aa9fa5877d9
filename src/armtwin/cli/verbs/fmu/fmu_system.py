"""``armtwin fmu system``: a closed loop of FMUs as one SSP archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say_json, say_page
from armtwin.cli.progress_display import reporter
from armtwin.errors import InputError

EXAMPLES = """
armtwin fmu system ur10e --out loop.ssp
armtwin fmu system ur10e --out loop.ssp --run fmpy
armtwin fmu system ur10e --out pushed.ssp --push 2=20 --run ecos
"""


def command(
    arm: ArmName,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="File ending in .ssp.")],
    radius: Annotated[float, typer.Option(help="Radius of the tool's circle [m].")] = 0.2,
    duration: Annotated[float, typer.Option(help="Time of one turn [s].")] = 4.0,
    push: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT=TORQUE", help="Constant external torque [Nm] on a joint."),
    ] = None,
    platform: Annotated[str, typer.Option(help="Platforms: host or all.")] = "host",
    master: Annotated[
        str | None, typer.Option("--run", help="Simulate it by this master: fmpy or ecos.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write reference, controller, plant, observer and tool pose as an SSP 1.0 archive.

    The arm follows a circle of its tool under computed torque; the archive has its parameter set.
    """
    from armtwin.fmu.export.system import SystemOptions, export_system
    from armtwin.report.result import Result

    options = SystemOptions(radius=radius, duration=duration, push=dict(map(_push, push or [])))
    on_progress = reporter(out.name)
    system = export_system(
        arm, out, options=options, platform=platform, force=force, on_progress=on_progress
    )
    done: Result = system
    if master is not None:
        from armtwin.fmu.check.masters import check_system

        done = check_system(system, master=master)
    say_json(done.to_dict()) if json else say_page(done.page())


def _push(text: str) -> tuple[int, float]:
    joint, _, torque = text.partition("=")
    try:
        return int(joint), float(torque)
    except ValueError:
        raise InputError(f"--push {text}: expected JOINT=TORQUE, such as 2=20") from None
