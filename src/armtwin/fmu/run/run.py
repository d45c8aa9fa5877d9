"""Run an FMU of any vendor over a table of inputs."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import InputError
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import GridRun, RunFacts, RunFmuOptions, run_grid
from armtwin.fmu.run.grid import Grid
from armtwin.fmu.run.signals import Signals, read_signals
from armtwin.progress import OnProgress
from armtwin.recording.recording import Recording
from armtwin.report.inputs import fingerprint
from armtwin.report.page import Chart, Curve, Page, Panel, Section
from armtwin.report.result import Result
from armtwin.spatial import Array

DEFAULTS = RunFmuOptions()


@dataclass(frozen=True, eq=False)
class FmuRun(Result):
    """Outputs of an FMU over the inputs' time, and how the run went.

    Attributes:
        fmu: the file.
        signals: the outputs.
        facts: mode, lag, columns that were not used, time of the loop.
        runner: program that ran it: armtwin or fmpy.
    """

    fmu: Path
    signals: Signals
    facts: RunFacts
    runner: str = "armtwin"

    @property
    def values(self) -> Array:
        """The outputs side by side, (n, outputs)."""
        return np.column_stack(list(self.signals.columns.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return how the run went, and the outputs by name, as plain data."""
        columns = {name: values.tolist() for name, values in self.signals.columns.items()}
        about = {"fmu": str(self.fmu), "runner": self.runner, **self.facts.to_dict()}
        return {**about, "time": self.signals.time.tolist(), "columns": columns}

    def page(self) -> Page:
        """Return how the run went, with the outputs over time."""
        panels = tuple(
            Panel(name, (Curve(name, self.signals.time, values),))
            for name, values in self.signals.columns.items()
        )
        chart = Chart("Outputs", "time [s]", panels)
        return Page(
            title=f"Run of {self.fmu.name}",
            subtitle=f"by {self.runner}",
            facts=self.facts.rows_shown(),
            sections=(Section("Outputs", (chart,), detail=True),) if panels else (),
            inputs=(fingerprint(self.fmu),),
        )


def run_fmu(
    fmu: str | Path | Package,
    inputs: Signals | Recording | str | Path,
    *,
    step: float | None = None,
    options: RunFmuOptions = DEFAULTS,
    on_progress: OnProgress | None = None,
) -> FmuRun:
    """Run an FMU over a table and return its outputs, one row per input row.

    Args:
        fmu: the file, or an open ``Package``.
        inputs: a column per input of the FMU, as signals, a recording or a table file; other
            columns are not used and are named in the result.
        step: communication step [s]; by default from row to row, whatever their distances.
        options: mode, start values, alignment, solver step.
        on_progress: called with the share that is done.

    Raises:
        FmuError: a file that is no FMU, does not run here, or fails (with row, time and inputs).
        InputError: inputs that are missing or not numbers.
    """
    package = fmu if isinstance(fmu, Package) else Package(fmu)
    given = as_signals(inputs, step)
    table = as_grid(given if step is None else given.at_step(step))
    done = run_grid(package, table, options, on_progress)
    return FmuRun(package.path, _signals(done), done.facts)


def as_signals(inputs: Signals | Recording | str | Path, step: float | None = None) -> Signals:
    """Return inputs as signals: as they are, of a recording, or from a table file.

    Args:
        inputs: the inputs.
        step: seconds between the rows of a file without a column of time.

    Raises:
        InputError: another type, or a file without columns of numbers.
    """
    if isinstance(inputs, Signals):
        return inputs
    if isinstance(inputs, Recording):
        return Signals(inputs.time, dict(inputs.data))
    if isinstance(inputs, str | Path):
        return read_signals(Path(inputs), step)
    raise InputError(
        f"expected Signals, a Recording or a table file, got {type(inputs).__name__}; give for "
        "example Signals(time, {'q1': values})"
    )


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
