"""``armtwin fmu run``: run an FMU of any vendor over a table of inputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import Force, Json
from armtwin.cli.output import say_json
from armtwin.cli.progress_display import reporter
from armtwin.cli.verbs.fmu.fmu_plain import RunFiles, plain_csv, report
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.fmu.run.core import RunFacts, RunFmuOptions

RUNNERS = ("armtwin", "fmpy")

EXAMPLES = """
armtwin fmu run UR10e_FK.fmu --input joints.csv --out poses.csv
armtwin fmu run plant.fmu --input torques.csv --out motion.parquet --mode me --defaults
armtwin fmu run UR10e_FK.fmu --input joints.csv --out poses.csv --with fmpy
armtwin fmu run plant.fmu --input torques.csv --out motion.csv --wasm
"""


def command(
    fmu: Annotated[Path, typer.Argument(metavar="FMU", help="The FMU, of any vendor.")],
    table: Annotated[
        Path,
        typer.Option("--input", metavar="FILE", help="Table with time and a column per input."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Results, .csv or .parquet.")],
    step: Annotated[
        float | None, typer.Option(help="Communication step [s]; else from row to row.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="cs (co-simulation) or me (model exchange).")
    ] = None,
    align: Annotated[
        bool, typer.Option(help="Remove the one-row lag of co-simulation; prints which outputs.")
    ] = True,
    start: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Set a parameter or input.")
    ] = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Inputs without a column keep their start values.")
    ] = False,
    solver_step: Annotated[
        float, typer.Option(help="Longest step [s] of the solver in model exchange.")
    ] = 5e-4,
    wasm: Annotated[
        bool, typer.Option("--wasm", help="Run its WebAssembly component, in wasmtime.")
    ] = False,
    runner: Annotated[str, typer.Option("--with", help="Runner: armtwin or fmpy.")] = "armtwin",
    force: Force = False,
    json: Json = False,
) -> None:
    """Run an FMU over a table and write its outputs, one row per input row."""
    from armtwin.fmu.run.core import RunFmuOptions
    from armtwin.fmu.run.output_file import check_output

    check_output(out, force=force)
    values = dict(map(_pair, start or []))
    options = RunFmuOptions(mode, align, values, defaults, solver_step, wasm)
    files = RunFiles(fmu, table, out, force)
    if runner not in RUNNERS:
        raise InputError(f"--with {runner}; give {' or '.join(RUNNERS)}")
    if wasm and runner == "fmpy":
        raise InputError("--wasm and --with fmpy: FMPy runs no WebAssembly; drop one of them")
    facts = None
    if runner == "armtwin" and out.suffix == ".csv":
        facts = plain_csv(files, step, options)
    if facts is None:
        facts = _any_table(files, step, options, runner)
    if json:
        say_json({"fmu": fmu, "out": out, "runner": runner, **facts.to_dict()})
    else:
        report(facts, files, runner)


def _any_table(
    files: RunFiles, step: float | None, options: RunFmuOptions, runner: str
) -> RunFacts:
    """Run with any table that the recording reader supports, in armtwin or in FMPy."""
    from armtwin.fmu.run.signals import read_signals, write_signals

    inputs = read_signals(files.table, step)
    if runner == "fmpy":
        from armtwin.fmu.run.with_fmpy import run_with_fmpy

        done = run_with_fmpy(files.fmu, inputs, step=step, options=options)
    else:
        from armtwin.fmu.run.run import run_fmu

        on_progress = reporter(files.fmu.name)
        done = run_fmu(files.fmu, inputs, step=step, options=options, on_progress=on_progress)
    write_signals(files.out, done.signals, force=files.force)
    return done.facts


def _pair(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise InputError(f"--start {text}: expected NAME=VALUE with a number") from None
