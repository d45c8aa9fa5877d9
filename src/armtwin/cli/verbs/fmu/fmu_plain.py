"""An FMU's run from CSV to CSV and the summary of any run, without loading typer or NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.cli.output import say

if TYPE_CHECKING:
    from armtwin.fmu.run.core import RunFacts, RunFmuOptions


@dataclass(frozen=True)
class RunFiles:
    """Files of a run: the FMU, its table of inputs, and where the outputs go."""

    fmu: Path
    table: Path
    out: Path
    force: bool = False


def plain_csv(files: RunFiles, step: float | None, options: RunFmuOptions) -> RunFacts | None:
    """Run from CSV to CSV without any array library.

    Args:
        files: FMU, input table and output file.
        step: communication step [s]; None steps from row to row.
        options: how to run the FMU.

    Returns:
        How the run went; None if the table needs the full reader.
    """
    from armtwin.cli.progress_display import reporter
    from armtwin.fmu.loading.package import Package
    from armtwin.fmu.run.core import run_grid
    from armtwin.fmu.run.csv_grid import csv_parts, read_csv_grid
    from armtwin.fmu.run.output_file import write_parts

    package = Package(files.fmu)
    grid = read_csv_grid(files.table)
    if grid is None or (step is not None and not grid.has_step(step)):
        return None
    done = run_grid(package, grid, options, reporter(files.fmu.name))
    parts = csv_parts(done.names, done.time, done.values, done.ahead)
    write_parts(files.out, parts, force=files.force)
    return done.facts


def report(done: RunFacts, files: RunFiles, runner: str) -> None:
    """Print how a run went and where its outputs are, as the page of ``FmuRun`` does.

    Args:
        done: how it went.
        files: the FMU, its inputs and its outputs.
        runner: armtwin or fmpy.
    """
    rows = (*done.rows_shown(), ("Outputs", str(files.out)))
    width = max(len(name) for name, _ in rows)
    say(f"Run of {files.fmu.name}: by {runner}\n")
    for name, text in rows:
        say(f"{name.ljust(width)}  {text}")
