"""``armtwin energy``: where the energy of a plan or a recording goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    ViewFile,
    loaded_arm,
    refuse_existing,
)
from armtwin.cli.results import show_result, show_step, write_reports, write_view
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.report.result import Result

EXAMPLES = """
armtwin energy ur5e-energy plan.csv
armtwin energy ur5e-energy run.csv --measured --idle-power 25 --report energy.html
armtwin energy ur5e-energy run.csv --report energy.html --view energy_view.html
armtwin energy ur5e-energy plan.csv --regen brake --json
armtwin energy ur3e power.xlsx
armtwin energy ur3e monday.csv tuesday.csv --test friday.csv
"""


def command(
    arm: ArmName,
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Plans or recordings with q1.., qd1.., ..."),
    ],
    regen: Regen = "lossy-shared-bus",
    idle_power: IdlePower = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Take torques from recorded motor currents.")
    ] = False,
    payload: Payload = 0.0,
    com: Com = None,
    mapping: Mapping = None,
    test: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A recording whose power is only predicted."),
    ] = None,
    run: Annotated[
        float | None, typer.Option(help="Which run, where the file holds several.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report (.html, .pdf).")
    ] = None,
    view: ViewFile = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compute the energy of every motor, a ledger that balances, and the energy from the supply.

    The arm file must have masses and drives (ur5e-energy has). Where the recording holds the
    robot's power and motor currents, idle power and motor losses are fitted to them; then an arm
    without drives will do. Several files share one model of the supply; --test files are predicted
    with it. Exits with 1 when R2 of the power of a test file is below 0.5.
    """
    from armtwin.energy.recorded import EnergyOptions

    files = [report] if report else []
    refuse_existing([*files, *([view] if view else [])], force=force)
    if view and (len(sources) > 1 or test):
        raise InputError("--view plays one file; give one file and no --test")
    loaded = loaded_arm(arm, payload, com)
    options = EnergyOptions(rule=regen, idle=idle_power, measured=measured)
    found = _energy(
        loaded, sources, test or [], run,
        {"mapping": mapping, "options": options, "on_progress": show_step},
    )  # fmt: skip
    pages = write_view(found, view, force=force)
    written = write_reports(found, files, force=force, view=view)
    show_result(found, [*written, *pages], json=json)
    if found.judgement is not None and found.judgement.passed is False:
        raise typer.Exit(1)


def _energy(
    arm: Arm, sources: list[Path], test: list[Path], run: float | None, how: dict[str, Any]
) -> Result:
    """Return the ledger of one file, or the energies of several."""
    from armtwin.energy.recorded import recorded_energy
    from armtwin.energy.several import several_energies

    if len(sources) == 1 and not test:
        return recorded_energy(arm, sources[0], run=run, **how)
    if run is not None:
        raise InputError("--run chooses a run of one file; give one file and no --test")
    return several_energies(arm, sources, test=test, **how)
