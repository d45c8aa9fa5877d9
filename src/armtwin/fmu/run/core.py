"""One run of an FMU over a plain table, by the compiled loop."""

from __future__ import annotations

import time as clock
from array import array
from collections.abc import Mapping
from dataclasses import dataclass

from armtwin.errors import FmuError, InputError
from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.loading.instance import STATUS, Instance
from armtwin.fmu.loading.interface import Interface
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.grid import Grid
from armtwin.fmu.run.input_checks import check_inputs, check_steps
from armtwin.fmu.run.row_lag import NOT_ASKED, RowLag, find_lag
from armtwin.fmu.run.run_plan import Plan
from armtwin.progress import OnProgress, report_step

SOLVER_STEP = 5e-4
"""Longest step of the model-exchange solver [s]: a quarter of the 2 ms of a UR recording."""
ASKED_TO_END = 100
"""Status that host.c sets where an FMU requests the end of the simulation."""


@dataclass(frozen=True)
class RunFacts:
    """Facts about a run.

    Attributes:
        mode: ``cs`` or ``me``.
        lag: which outputs were moved one row earlier, and why.
        unused: columns of the input that the FMU does not take.
        kept: inputs that kept their start values.
        left_out: outputs that are no numbers (text, arrays of unknown size) and are not carried.
        rows: how many there were.
        seconds: time of the loop over all rows.
        events: events handled (model exchange).
        cpu_seconds: computing time of the loop, which other programs disturb less.
    """

    mode: str
    lag: RowLag
    unused: tuple[str, ...]
    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    rows: int
    seconds: float
    events: int = 0
    cpu_seconds: float = 0.0

    def rows_shown(self) -> tuple[tuple[str, str], ...]:
        """Return how the run went as names and texts, for a page or a terminal."""
        lag = f"nothing moved; {self.lag.why}"
        if self.lag.moved:
            lag = f"one-row lag undone for {', '.join(self.lag.moved)} ({self.lag.why})"
        found = (
            ("Mode", self.mode),
            ("Rows", f"{self.rows} in {self.seconds:.3f} s"),
            ("Aligned", lag),
            ("Not moved (follow from inputs and states)", ", ".join(self.lag.mixed)),
            ("Columns not used", ", ".join(self.unused)),
            ("Outputs not carried (no numbers)", ", ".join(self.left_out)),
            ("Inputs at their start values", ", ".join(self.kept)),
        )
        return tuple((name, text) for name, text in found if text)

    def to_dict(self) -> dict[str, object]:
        """Return how the run went as plain data."""
        return {
            "mode": self.mode, "rows": self.rows, "lag_rows": self.lag.rows,
            "moved": list(self.lag.moved), "mixed": list(self.lag.mixed),
            "lag_known": self.lag.why, "unused_columns": list(self.unused),
            "kept_inputs": list(self.kept), "outputs_left_out": list(self.left_out),
            "seconds": self.seconds, "events": self.events,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class GridRun:
    """Outputs as the loop wrote them: column c of row k is in row ``k + ahead[c]``."""

    facts: RunFacts
    names: list[str]
    time: array[float]
    values: array[float]
    ahead: list[int]


@dataclass(frozen=True)
class RunFmuOptions:
    """Options of ``run_fmu``.

    Attributes:
        mode: ``cs`` (co-simulation) or ``me`` (model exchange); None takes the first it has.
        align: undo the one-row lag of co-simulation (see ``RowLag``).
        start: values by name for parameters, states and inputs without a column.
        defaults: inputs without a column keep the FMU's start values.
        solver_step: longest step of the solver in model exchange [s].
        wasm: run the FMU's WebAssembly component, in wasmtime, in place of its library.
    """

    mode: str | None = None
    align: bool = True
    start: Mapping[str, float] | None = None
    defaults: bool = False
    solver_step: float = SOLVER_STEP
    wasm: bool = False


def run_grid(
    package: Package, table: Grid, options: RunFmuOptions, on_progress: OnProgress | None = None
) -> GridRun:
    """Run an FMU over a table, one step from row to row.

    Args:
        package: the open FMU.
        table: time and one column per input; other columns are reported as unused.
        options: mode, start values, alignment, solver step.
        on_progress: called after every chunk of rows with the share that is done.
    """
    interface = package.interface
    mode = chosen_mode(interface, options.mode)
    start = dict(options.start or {})
    kept = check_inputs(interface, table, start, options.defaults)
    check_steps(interface, mode, table)
    if not options.solver_step > 0:
        raise InputError(f"solver step is {options.solver_step}; give seconds above 0")
    with open_library(package, mode, wasm=options.wasm) as library:
        lag = find_lag(library, table, start) if options.align else RowLag((), (), NOT_ASKED)
        with Instance(library) as instance:
            plan = Plan(instance, table, options.solver_step)
            instance.initialize(table.time[0], table.time[-1], start)
            _checked(plan, "host_begin")
            instance.call("ExitInitializationMode")
            begun, worked = clock.perf_counter(), clock.thread_time()
            loop = _cosimulate if mode == "cs" else _exchange
            loop(plan, lag, on_progress)
            seconds, cpu = clock.perf_counter() - begun, clock.thread_time() - worked
            instance.call("Terminate")
    unused = tuple(name for name in table.names if name not in plan.input_names)
    left_out = outputs_left_out(interface)
    facts = RunFacts(mode, lag, unused, kept, left_out, table.rows, seconds, plan.run.events, cpu)
    ahead = [int(name in lag.moved) for name in plan.output_names]
    return GridRun(facts, plan.output_names, table.time, plan.output, ahead)


def open_library(package: Package, mode: str, *, wasm: bool = False) -> Library:
    """Return an FMU's library, or its WebAssembly component behind the same functions.

    Args:
        package: the open FMU.
        mode: ``cs`` or ``me``.
        wasm: whether the component is wanted.
    """
    if not wasm:
        return Library(package, mode)
    from armtwin.fmu.wasm.wasm_library import WasmLibrary

    return WasmLibrary(package, mode)


def outputs_left_out(interface: Interface) -> tuple[str, ...]:
    """Return the outputs that a table cannot hold: text, and arrays of unknown size."""
    return tuple(s.name for s in interface.with_causality("output") if interface.kind(s) is None)


def chosen_mode(interface: Interface, mode: str | None) -> str:
    """Return the requested mode, or the first that the FMU has."""
    if mode not in (None, "cs", "me"):
        raise InputError(f"mode {mode!r}; give cs (co-simulation) or me (model exchange)")
    return mode or ("cs" if "cs" in interface.identifiers else "me")


def _cosimulate(plan: Plan, lag: RowLag, on_progress: OnProgress | None) -> None:
    """Step from row to row, and once more where outputs of the last row come only after it."""
    _checked(plan, "host_outputs")
    steps = plan.rows - 1 + lag.rows
    chunk = plan.instance.library.chunk
    for begin in range(0, steps, chunk):
        end = min(begin + chunk, steps)
        _checked(plan, "host_cosimulate", begin, end)
        report_step(on_progress, "running the FMU", end / steps)


def _exchange(plan: Plan, lag: RowLag, on_progress: OnProgress | None) -> None:
    _checked(plan, "host_begin_exchange")
    chunk = plan.instance.library.chunk
    for begin in range(0, plan.rows, chunk):
        end = min(begin + chunk, plan.rows)
        last = int(end == plan.rows)
        _checked(plan, "host_exchange", begin, end, plan.has_discrete_inputs, last)
        report_step(on_progress, "running the FMU", end / plan.rows)


def _checked(plan: Plan, name: str, *arguments: int) -> None:
    """Run a part of the loop; say which call failed, where, and with which inputs."""
    if plan.call(name, *arguments):
        return
    run, instance = plan.run, plan.instance
    status = "asked to end" if run.status == ASKED_TO_END else STATUS[min(run.status, 5)]
    row = min(run.row, plan.rows - 1)
    values = dict(zip(plan.table.names, plan.table.row(row), strict=True))
    given = ", ".join(f"{name} = {values[name]:g}" for name in plan.input_names) or "no inputs"
    said = instance.log.text()
    raise FmuError(
        f"{instance.library.package.path}: {run.what.decode()} failed ({status}) in row {row + 1} "
        f"at t = {run.at:g} s with {given}" + (f"; it says: {said}" if said else "")
    )
