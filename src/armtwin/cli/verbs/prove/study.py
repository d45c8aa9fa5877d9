"""``armtwin study``: one table out of many runs of a verb, on one machine or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import Force, Json, Pdf, Report, refuse_existing
from armtwin.cli.output import say, say_json
from armtwin.cli.progress_display import reporter
from armtwin.cli.results import show_result, write_reports
from armtwin.errors import InputError

EXAMPLES = """
armtwin study examples/studies/pushes.toml --report pushes.html
armtwin study fleet.toml --folder results --out table.parquet --workers 2
armtwin study fleet.toml --cluster auto
armtwin study fleet.toml --cluster ray://head-node:10001
armtwin study --parameters detect
"""

StudyPath = Annotated[Path | None, typer.Argument(metavar="FILE", help="The study, a TOML file.")]
Folder = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Folder of the results, or s3://BUCKET/DIR [NAME.study here]."
    ),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", help="Processes of this machine [one per core].")
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on a Ray cluster: auto, or ray://HOST:10001."),
]
Retry = Annotated[bool, typer.Option("--retry-failed", help="Run failed rows again.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the table (.parquet, .csv), without times."),
]
Parameters = Annotated[
    str | None,
    typer.Option(metavar="VERB", help="List the parameters of a verb with their defaults."),
]


def command(
    file: StudyPath = None,
    folder: Folder = None,
    workers: Workers = None,
    cluster: Cluster = None,
    retry_failed: Retry = False,
    out: Out = None,
    report: Report = None,
    pdf: Pdf = None,
    parameters: Parameters = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Run a verb over many parameters, seeds, arms or recordings into one table.

    Results are kept in a folder as they come. Ctrl-C keeps them; the same command goes on where it
    was stopped or killed. Exits with 1 when a row failed; its error is in the table.
    """
    if parameters is not None:
        return _list(parameters, json=json)
    if file is None:
        raise InputError("give a study file, or --parameters VERB to see what one can set")
    from armtwin.studies.study import study

    files = [path for path in (out, report, pdf) if path is not None]
    refuse_existing(files, force=force)
    try:
        found = study(
            file, folder, workers=workers, cluster=cluster, retry_failed=retry_failed,
            on_progress=reporter(file.stem),
        )  # fmt: skip
    except KeyboardInterrupt:
        typer.echo(
            "cancelled; finished rows are kept: the same command goes on from here", err=True
        )
        raise
    if out is not None:
        found.save(out, force=force)
    write_reports(found, [path for path in (report, pdf) if path], force=force)
    show_result(found, files, json=json)
    if not found.passed:
        raise typer.Exit(1)


def _list(verb: str, *, json: bool) -> None:
    """Print the parameters of a verb's studies."""
    from armtwin.studies.planning.study_parameters import REQUIRED
    from armtwin.studies.runs.verbs import VERBS, parameters

    if verb not in VERBS:
        raise InputError(f"no study runs {verb!r}; there are {', '.join(VERBS)}")
    known = parameters(verb, simulated=VERBS[verb].on_recordings).values()
    if json:
        plain = {p.name: None if p.default is REQUIRED else repr(p.default) for p in known}
        return say_json(plain)
    for parameter in known:
        say(f"{parameter}{'  (required)' if parameter.default is REQUIRED else ''}")
    return None
