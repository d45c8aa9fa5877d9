"""``armtwin export``: write an arm as TOML, URDF or MJCF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say, say_json

if TYPE_CHECKING:
    from armtwin.model.arm import Convention

EXAMPLES = """
armtwin export ur10e --out ur10e.urdf
armtwin export ur10e --out ur10e.xml
armtwin export ur5 --out ur5.urdf --meshes
armtwin export desktop5 --out desktop5-mdh.toml --convention modified-dh
"""


def command(
    arm: ArmName,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="File ending in .toml, .urdf or .xml.")
    ],
    convention: Annotated[
        str | None,
        typer.Option(help="Convert first: standard-dh, modified-dh or screws."),
    ] = None,
    meshes: Annotated[
        bool,
        typer.Option(
            "--meshes",
            help="Give a catalogue arm the meshes of an installed robot description.",
        ),
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write an arm to a file; its extension selects TOML, URDF (.urdf) or MJCF (.xml).

    Mesh files of the arm are copied into a folder beside it (ur5_urdf_meshes for ur5.urdf).
    """
    import armtwin
    from armtwin.model.catalogue.catalogue import as_arm

    chosen = as_arm(arm)
    if convention is not None:
        chosen = armtwin.convert(chosen, cast("Convention", convention))
    if meshes:
        chosen = armtwin.with_meshes(chosen)
    armtwin.export(chosen, out, force=force)
    answer = {"arm": chosen.name, "convention": chosen.convention, "out": out}
    say_json(answer) if json else say(f"{chosen.name} ({chosen.convention}) written to {out}")
