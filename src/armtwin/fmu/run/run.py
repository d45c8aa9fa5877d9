"""Run an FMU of any vendor over a table of inputs."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import GridRun, RunFacts, RunFmuOptions, run_grid
from armtwin.fmu.run.grid import Grid
from armtwin.fmu.run.signals import Signals
from armtwin.progress import OnProgress
from armtwin.spatial import Array

DEFAULTS = RunFmuOptions()


@dataclass(frozen=True, eq=False)
class FmuRun:
    """Outputs of an FMU over the inputs' time, and how the run went."""

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
    step: float | None = None,
    options: RunFmuOptions = DEFAULTS,
    on_progress: OnProgress | None = None,
) -> FmuRun:
    """Run an FMU over a table and return its outputs, one row per input row.

    Args:
        fmu: the file, or an open ``Package``.
        inputs: a column per input of the FMU; other columns are not used and are named in the
            result.
        step: communication step [s]; by default from row to row, whatever their distances.
        options: mode, start values, alignment, solver step.
        on_progress: called with the share that is done.

    Raises:
        FmuError: a file that is no FMU, does not run here, or fails (with row, time and inputs).
        InputError: inputs that are missing or not numbers.
    """
    package = fmu if isinstance(fmu, Package) else Package(fmu)
    table = as_grid(inputs if step is None else inputs.at_step(step))
    done = run_grid(package, table, options, on_progress)
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
