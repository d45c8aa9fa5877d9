"""``armtwin energy``: where the energy of a plan or a recording goes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import (
    ArmName,
    Com,
    Force,
    IdlePower,
    Json,
    Mapping,
    Payload,
    Regen,
    loaded_arm,
    refuse_existing,
)
from armtwin.cli.results import show_result, write_reports

EXAMPLES = """
armtwin energy ur5e-energy plan.csv
armtwin energy ur5e-energy run.csv --measured --idle-power 25 --report energy.html
armtwin energy ur5e-energy plan.csv --regen brake --json
armtwin energy ur3e power.xlsx
"""


def command(
    arm: ArmName,
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="A plan or a recording with q1.., qd1.., ...")
    ],
    regen: Regen = "lossy-shared-bus",
    idle_power: IdlePower = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Take torques from recorded motor currents.")
    ] = False,
    payload: Payload = 0.0,
    com: Com = None,
    mapping: Mapping = None,
    run: Annotated[
        float | None, typer.Option(help="Which run, where the file holds several.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report (.html, .pdf).")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compute the energy of every motor, a ledger that balances, and the energy from the supply.

    The arm file must have masses and drives (ur5e-energy has). Where the recording holds the
    robot's power and motor currents, idle power and motor losses are fitted to them; then an arm
    without drives will do.
    """
    from armtwin.energy.recorded import recorded_energy

    files = [report] if report else []
    refuse_existing(files, force=force)
    loaded = loaded_arm(arm, payload, com)
    found = recorded_energy(
        loaded, source, rule=regen, idle=idle_power, measured=measured, mapping=mapping, run=run
    )
    show_result(found, write_reports(found, files, force=force), json=json)
