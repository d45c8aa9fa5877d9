"""An FMU's run from CSV to CSV, and the account of any run, without the command line's library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.cli.output import say

if TYPE_CHECKING:
    from armtwin.fmu.run.core import RunFacts, RunOptions


def plain_csv(
    fmu: Path, table: Path, out: Path, step: float | None, options: RunOptions, force: bool
) -> RunFacts | None:
    """Run from CSV to CSV without any array library; None where the table is not a plain one."""
    from armtwin.fmu.loading.package import Package
    from armtwin.fmu.run.core import run_grid
    from armtwin.fmu.run.csv_grid import csv_parts, read_csv_grid
    from armtwin.fmu.run.output_file import write_parts

    package = Package(fmu)
    grid = read_csv_grid(table)
    if grid is None or (step is not None and not grid.has_step(step)):
        return None
    done = run_grid(package, grid, options)
    parts = csv_parts(done.names, done.time, done.values, done.ahead)
    write_parts(out, parts, force=force)
    return done.facts


def report(done: RunFacts, fmu: Path, out: Path, runner: str) -> None:
    """Tell a person how a run went and what was moved."""
    say(f"{fmu} ({done.mode}, by {runner}): {done.rows} rows in {done.seconds:.3f} s -> {out}")
    if done.lag.moved:
        say(f"aligned: one-row lag undone for {', '.join(done.lag.moved)} ({done.lag.why})")
    else:
        say(f"aligned: nothing moved; {done.lag.why}")
    if done.lag.mixed:
        say(f"not moved, as they follow from inputs and states: {', '.join(done.lag.mixed)}")
    if done.unused:
        say(f"columns not used: {', '.join(done.unused)}")
    if done.left_out:
        say(f"outputs not carried (text or arrays): {', '.join(done.left_out)}")
    if done.kept:
        say(f"inputs at their start values: {', '.join(done.kept)}")
