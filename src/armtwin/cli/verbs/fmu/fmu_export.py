"""``armtwin fmu export``: an arm's model as a native FMU."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say, say_json

EXAMPLES = """
armtwin fmu export ur10e --model fk --out UR10e_FK.fmu
armtwin fmu export ur10e --model fk --fmi 3 --platform all --out UR10e_FK.fmu
armtwin fmu export ur5e-energy --model forward-dynamics --out plant.fmu
"""


def command(
    arm: ArmName,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="File ending in .fmu.")],
    model: Annotated[
        str,
        typer.Option(
            help="fk, ik, inverse-dynamics, forward-dynamics, computed-torque, momentum-observer."
        ),
    ] = "fk",
    fmi: Annotated[int, typer.Option(help="FMI version, 2 or 3.")] = 2,
    platform: Annotated[
        str, typer.Option(help="host, or all: Linux x86_64 and aarch64, Windows, macOS (both).")
    ] = "host",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write an arm's model as an FMU: native code, no Python inside, arm constants as parameters.

    ``host`` uses any system compiler; ``all`` needs the package ziglang.
    """
    from armtwin.fmu.export.export import export_fmu
    from armtwin.model.catalogue.catalogue import as_arm

    loaded = as_arm(arm)
    done = export_fmu(loaded, out, model=model, fmi=fmi, platform=platform, force=force)
    answer = {
        "out": done.path, "model": done.model, "identifier": done.identifier, "fmi": done.fmi,
        "platforms": done.platforms, "bytes": done.size,
    }  # fmt: skip
    if json:
        say_json(answer)
        return
    say(f"{done.path}: {model} of {loaded.name}, FMI {fmi}, {done.size / 1000:.1f} kB")
    say(f"platforms: {', '.join(done.platforms)}")
