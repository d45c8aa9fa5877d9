"""``armtwin history add``: recordings become rows of a history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from armtwin.cli.options import Json, Mapping, Serial
from armtwin.cli.output import say, say_json
from armtwin.cli.results import show_step
from armtwin.errors import ArmTwinError

EXAMPLES = """
armtwin history add fleet monday.parquet --arm ur5e --serial 20235501234
armtwin history add fleet old/*.csv --arm ur5e --serial 20235501234 --time 2026-05-04T08:00:00+02:00
armtwin history add fleet monday.parquet --contacts --clean undisturbed.parquet --payload
"""

Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="The history's folder, or its URI.")]
Files = Annotated[list[Path], typer.Argument(metavar="RECORDING...", help="Recordings to add.")]


def command(
    folder: Folder,
    recordings: Files,
    arm: Annotated[
        str | None, typer.Option(help="Catalogue name or arm file [as the recording says].")
    ] = None,
    serial: Serial = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="When it was recorded, ISO 8601 with a time zone."),
    ] = None,
    no_identify: Annotated[
        bool, typer.Option("--no-identify", help="Leave friction and torque constants out.")
    ] = False,
    payload: Annotated[
        bool, typer.Option("--payload", help="Estimate the mass on the flange as well.")
    ] = False,
    contacts: Annotated[bool, typer.Option("--contacts", help="Detect contacts as well.")] = False,
    clean: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Recording without contact, for --contacts.")
    ] = None,
    cycles: Annotated[
        int | None, typer.Option(min=1, help="Repetitions of the motion [counted].")
    ] = None,
    mapping: Mapping = None,
    json: Json = False,
) -> None:
    """Validate and identify recordings and add what they show as rows.

    A recording that is there already is not added again. The time comes from the recording or from
    --time, never from the file's date. Files that are refused are named and the others added; the
    exit code is then 2.
    """
    from armtwin.history.history import History
    from armtwin.history.options import AddOptions

    if time is not None and len(recordings) > 1:
        raise typer.BadParameter("--time is of one recording; add several one by one")
    options = AddOptions(not no_identify, payload, contacts, clean, cycles, mapping)
    history, answers = History(folder), list[dict[str, Any]]()
    for path in recordings:
        try:
            added = history.add(path, arm=arm, serial=serial, time=time, options=options,
                                on_progress=show_step)  # fmt: skip
        except ArmTwinError as error:
            answers.append({"file": str(path), "error": str(error), "text": f"refused: {error}"})
        else:
            answers.append({"file": str(path), **added.to_dict()})
        show_step(None)
        if not json:
            say(f"{path.name}: {answers[-1]['text']}")
            if answers[-1].get("notes"):
                say(f"  note: {answers[-1]['notes']}")
    if json:
        say_json(answers)
    if any("error" in answer for answer in answers):
        raise typer.Exit(2)
