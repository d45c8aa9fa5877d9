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
    Payload,
    Regen,
    loaded_arm,
    refuse_existing,
)
from armtwin.cli.output import known, say, say_json, say_table

if TYPE_CHECKING:
    from armtwin.energy.ledger import Ledger
    from armtwin.energy.supply import Supply
    from armtwin.recording.recording import Recording

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
    mapping: Annotated[
        str | None, typer.Option(help="TOML file that names the columns, or a dialect's name.")
    ] = None,
    run: Annotated[
        float | None, typer.Option(help="Which run, where the file holds several.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report (.html, .pdf).")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Energy of every motor, a ledger that balances, and what the supply gives.

    The arm file must have masses and drives (ur5e-energy has). Where the recording holds the
    robot's power and motor currents, idle power and motor losses are fitted to them; then an arm
    without drives will do.
    """
    from armtwin.energy.ledger import ledger
    from armtwin.energy.supply import recorded_supply
    from armtwin.errors import MissingDataError
    from armtwin.recording.read import read_recording

    refuse_existing([report] if report else [], force=force)
    loaded = loaded_arm(arm, payload, com)
    recording = read_recording(source, loaded, mapping, run=run)
    supply = recorded_supply(loaded, recording)
    idle = idle_power if idle_power is not None else supply.idle if supply else 0.0
    try:
        book = ledger(loaded, recording, rule=regen, idle=idle, measured=measured)
    except MissingDataError as error:
        if supply is None or measured or report:
            raise
        _only_supply(recording, supply, error, json)
        return
    if report is not None:
        from armtwin.energy.ledger_page import energy_page
        from armtwin.report.write import write_page

        write_page(energy_page(loaded, book, [source], supply), report, force=force)
    say_json(plain(book, supply)) if json else _print(book, supply, report)


def plain(book: Ledger, supply: Supply | None) -> dict[str, Any]:
    """Return a ledger for other programs."""
    from armtwin.energy.ledger import ENTRIES

    answer: dict[str, Any] = {
        "source": book.way.name,
        "duration": book.duration,
        "rule": book.rule.name,
        "rule_meaning": book.rule.meaning,
        "torques_from": book.powers.source,
        "idle_power": book.idle,
        "motors": book.motors,
        "total": book.total,
        "reused": book.reused,
        "burnt": book.burnt,
        "efficiency": known(book.efficiency),
        "useful_share": known(book.useful_share),
        "balance": book.balance,
        "drawn": book.drawn,
        "net": book.net,
        **{name: getattr(book, name) for name in ENTRIES},
        "notes": list(book.way.notes),
    }
    return answer | ({} if supply is None else {"supply": _plain_supply(supply)})


def _plain_supply(supply: Supply) -> dict[str, Any]:
    return {
        "idle": supply.idle,
        "idle_interval": list(supply.idle_interval),
        "joints": [[j + 1 for j in group] for group in supply.sizes],
        "back_emf": [known(float(value)) for value in supply.back_emf],
        "resistance": supply.resistance,
        "iron": supply.iron,
    }


def _print(book: Ledger, supply: Supply | None, report: Path | None) -> None:
    from armtwin.energy.ledger_page import ledger_table

    say(f"{book.way.name}: {book.duration:.4g} s, torques from {book.powers.source}")
    say(f"rule {book.rule.name}: {book.rule.meaning}\n")
    table = ledger_table(book)
    rows = [(row[0], *[f"{float(value):.2f}" for value in row[1:]]) for row in table.rows]
    say_table(table.heads, rows)
    say(f"\nmotors          {book.motors:10.2f} J   (reused {book.reused:.2f} J)")
    say(f"idle {book.idle:6.1f} W   {book.idle * book.duration:10.2f} J")
    say(f"supply          {book.total:10.2f} J   mean {book.total / book.duration:.1f} W")
    say(f"efficiency, shaft work / motors (eq. 24): {book.efficiency:.1%}")
    say(f"useful share, work on links / all:        {book.useful_share:.1%}")
    say(f"ledger balances to {book.balance:.1e} J")
    if supply is not None:
        _say_supply(supply)
    for note in book.way.notes:
        say(f"note: {note}")
    if report is not None:
        say(f"written: {report}")


def _say_supply(supply: Supply) -> None:
    from armtwin.energy.ledger_page import supply_table

    say("\nfitted to the recorded power of the whole robot")
    say_table(("", "value", "95 % interval"), supply_table(supply).rows, indent="  ")


def _only_supply(recording: Recording, supply: Supply, why: Exception, json: bool) -> None:
    r2 = supply.r_squared(recording)
    if json:
        say_json({"supply": _plain_supply(supply), "r2": r2, "no_ledger": str(why)})
        return
    _say_supply(supply)
    say(f"  explains {r2:.1%} of the recorded power's variance")
    say(f"\nno ledger of the motors: {why}")
