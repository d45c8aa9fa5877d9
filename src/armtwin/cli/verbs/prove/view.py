"""``armtwin view``: an arm, and a recording with its twin, as one page that needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import ArmName, Force, Json, Mapping, refuse_existing
from armtwin.cli.output import say, say_json
from armtwin.cli.progress_display import reporter, show_step

EXAMPLES = """
armtwin view ur10e
armtwin view ur10e --recording run.parquet --out twin.html
armtwin view my_arm.toml --recording run.csv --identified fit.json --out twin.html
armtwin view my_arm.toml --recording run.csv --limit position=1mm --out twin.html
"""


def command(
    arm: ArmName,
    recording: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Recording to play and compare.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="HTML", help="The file to write; without it a browser opens."),
    ] = None,
    limit: Annotated[
        list[str] | None, typer.Option(help="Limit, such as position=1mm; as in armtwin validate.")
    ] = None,
    identified: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="JSON",
            help="What armtwin identify --json or calibrate --json printed: sliders then cover "
            "its 95 % intervals.",
        ),
    ] = None,
    mapping: Mapping = None,
    no_contacts: Annotated[
        bool, typer.Option("--no-contacts", help="Do not detect contacts.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write an arm, and a recording with its twin, as one HTML file.

    The page draws the arm, plays the recording, and computes the twin again in the reader's
    browser while sliders change payload, friction and geometry.
    """
    from armtwin.recording.read import read_recording
    from armtwin.validation.options import ValidateOptions
    from armtwin.viewer.view import view

    refuse_existing([out] if out else [], force=force)
    on_progress = reporter(arm if recording is None else recording.name)
    run = None if recording is None else read_recording(recording, arm, mapping=mapping)
    options = ValidateOptions(limits=tuple(limit or ()))
    made = view(
        arm, run, options=options, contacts=not no_contacts, identified=identified or (),
        on_progress=on_progress,
    )  # fmt: skip
    path = made.open() if out is None else made.save(out, force=force)
    show_step("")
    size = path.stat().st_size
    if json:
        said = {"file": path, "bytes": size, "title": made.title, "notes": made.notes}
        say_json({**said, "check": made.check and made.check.to_dict()})
        return
    say(f"{path}: {made.title}, {size / 1e6:.2f} MB")
    for note in made.notes:
        say(f"  {note}")
