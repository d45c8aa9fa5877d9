"""Running an FMU of any maker over a table of inputs."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import SOLVER_STEP, GridRun, Progress, RunFacts, RunOptions, run_grid
from armtwin.fmu.run.grid import Grid
from armtwin.fmu.run.signals import Signals
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class FmuRun:
    """What an FMU gave: its outputs over the inputs' time, and how the run went."""

    signals: Signals
    facts: RunFacts

    @property
    def values(self) -> Array:
        """The outputs side by side, (n, outputs)."""
        return np.column_stack(list(self.signals.columns.values()))


def run_fmu(
    fmu: str | Path | Package,
    inputs: Signals,
    *,
    mode: str | None = None,
    step: float | None = None,
    align: bool = True,
    start: Mapping[str, float] | None = None,
    defaults: bool = False,
    solver_step: float = SOLVER_STEP,
    progress: Progress | None = None,
) -> FmuRun:
    """Run an FMU over a table and return its outputs, one row per input row.

    Args:
        fmu: the file, or one that is open.
        inputs: a column per input of the FMU; others are left out and named.
        mode: ``cs`` (co-simulation) or ``me`` (model exchange); by default the first it has.
        step: communication step [s]; by default from row to row, whatever their distances.
        align: undo the one-row lag of co-simulation (see ``Lag``).
        start: values by name for parameters, states and inputs without a column.
        defaults: inputs without a column keep the FMU's start values.
        solver_step: longest step [s] of the solver in model exchange.
        progress: called with the share that is done.

    Raises:
        FmuError: a file that is no FMU, does not run here, or fails (with row, time and inputs).
        InputError: inputs that are missing or not numbers.
    """
    options = RunOptions(mode, align, start, defaults, solver_step, progress)
    return run_with(fmu, inputs, step=step, options=options)


def run_with(
    fmu: str | Path | Package, inputs: Signals, *, step: float | None, options: RunOptions
) -> FmuRun:
    """Do what ``run_fmu`` does, with its options in one object."""
    package = fmu if isinstance(fmu, Package) else Package(fmu)
    table = as_grid(inputs if step is None else inputs.at_step(step))
    done = run_grid(package, table, options)
    return FmuRun(_signals(done), done.facts)


def as_grid(signals: Signals) -> Grid:
    """Return signals as the compiled loop reads them."""
    rows = signals.time.size
    columns = list(signals.columns.values())
    data = np.column_stack(columns) if columns else np.zeros((rows, 0))
    time = array("d", signals.time.astype(np.float64).tobytes())
    return Grid(tuple(signals.columns), time, array("d", data.astype(np.float64).tobytes()))


def _signals(done: GridRun) -> Signals:
    rows = len(done.time)
    values = np.frombuffer(done.values).reshape(rows + 1, -1)
    columns = {
        name: values[done.ahead[c] : done.ahead[c] + rows, c].copy()
        for c, name in enumerate(done.names)
    }
    return Signals(np.array(done.time), columns)
