"""``armtwin fmu export``: an arm's model as a native FMU."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say_json, say_page
from armtwin.cli.progress_display import reporter

EXAMPLES = """
armtwin fmu export ur10e --model fk --out UR10e_FK.fmu
armtwin fmu export ur10e --model fk --fmi 3 --platform all --out UR10e_FK.fmu
armtwin fmu export ur10e --model forward-dynamics --fmi 3 --wasm --out plant.fmu
armtwin fmu export ur5e-energy --model forward-dynamics --out plant.fmu
armtwin fmu export ur10e --controller my_controller.py:Impedance --out impedance.fmu
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
    controller: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py:CLASS", help="Your own controller or observer, in place of a model."
        ),
    ] = None,
    fmi: Annotated[
        str, typer.Option(help="FMI version: 2, 3, or 3-arrays (vectors as arrays).")
    ] = "2",
    platform: Annotated[
        str,
        typer.Option(
            help="host, or all: Linux x86_64 and aarch64, Windows, macOS (both); wasm alone."
        ),
    ] = "host",
    wasm: Annotated[
        bool,
        typer.Option("--wasm", help="Add a WebAssembly component (FMI 3; draft fmi-ls-wasm)."),
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write an arm's model as an FMU: native code, no Python inside, arm constants as parameters.

    --platform host uses any system compiler; all needs the package ziglang; --wasm and --platform
    wasm need armtwin[wasm].
    """
    from armtwin.fmu.export.custom_model import load_custom_block
    from armtwin.fmu.export.export import export_fmu

    what = model if controller is None else load_custom_block(controller)
    on_progress = reporter(out.name)
    platform += ",wasm" if wasm and "wasm" not in platform else ""
    done = export_fmu(
        arm, out, model=what, fmi=fmi, platform=platform, force=force, on_progress=on_progress
    )
    say_json(done.to_dict()) if json else say_page(done.page())
