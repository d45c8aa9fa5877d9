"""The same run through FMPy, an independent importer."""

from __future__ import annotations

import time as clock
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import FmuError, InputError
from armtwin.extras import message
from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.loading.interface import Interface
from armtwin.fmu.loading.package import Package
from armtwin.fmu.loading.scalar import Scalar
from armtwin.fmu.run.core import (
    RunFacts,
    RunFmuOptions,
    chosen_mode,
    outputs_left_out,
)
from armtwin.fmu.run.input_checks import check_inputs
from armtwin.fmu.run.row_lag import NOT_ASKED, RowLag, find_lag
from armtwin.fmu.run.run import DEFAULTS, FmuRun, as_grid
from armtwin.fmu.run.signals import Signals
from armtwin.spatial import Array

KINDS = {"cs": "CoSimulation", "me": "ModelExchange"}


def run_with_fmpy(
    fmu: str | Path,
    inputs: Signals,
    *,
    step: float | None = None,
    options: RunFmuOptions = DEFAULTS,
) -> FmuRun:
    """Run an FMU in FMPy over a table; the result is that of ``run_fmu``.

    Args:
        fmu: the file.
        inputs: a column per input, at equal steps.
        step: communication step [s]; None keeps the rows.
        options: as for ``run_fmu``; FMPy chooses its own solver step.

    Raises:
        InputError: FMPy is not installed, rows that are not equally far apart, inputs missing.
        FmuError: FMPy cannot run the FMU.
    """
    package = Package(fmu)
    interface = package.interface
    mode = chosen_mode(interface, options.mode)
    table = inputs if step is None else inputs.at_step(step)
    h, start = _equal_step(table), dict(options.start or {})
    kept = check_inputs(interface, as_grid(table), start, options.defaults)
    lag = RowLag((), (), NOT_ASKED)
    if options.align:
        with Library(package, mode) as library:
            lag = find_lag(library, as_grid(table), start)
    outputs = [s for s in interface.with_causality("output") if interface.kind(s) is not None]
    taken = [s for s in interface.with_causality("input") if s.columns(table.columns)]
    settings = {
        "fmi_type": KINDS[mode],
        "start_time": float(table.time[0]),
        "stop_time": float(table.time[-1] + lag.rows * h),
        "step_size": h,
        "output_interval": h,
        "relative_tolerance": 1e-10 if mode == "me" else None,
        "start_values": _start_values(interface, start),
        "input": _structured(table, taken, h),
        "output": [s.name for s in outputs],
    }
    begun, worked = clock.perf_counter(), clock.thread_time()
    result = _simulated(package.path, settings)
    seconds, cpu = clock.perf_counter() - begun, clock.thread_time() - worked
    signals = Signals(table.time, _aligned(result, outputs, table.time, h, lag))
    used = {name for s in taken for name in s.columns(table.columns)}
    unused = tuple(sorted(set(table.columns) - used))
    left_out = outputs_left_out(interface)
    facts = RunFacts(mode, lag, unused, kept, left_out, table.time.size, seconds, cpu_seconds=cpu)
    return FmuRun(package.path, signals, facts, "fmpy")


def _start_values(interface: Interface, start: dict[str, float]) -> dict[str, Any]:
    """Return start values as FMPy takes them: arrays as text."""
    return {
        scalar.name: " ".join(map(repr, numbers)) if scalar.dimensions else numbers[0]
        for scalar, numbers in interface.settings(start).items()
    }


def _simulated(path: Path, settings: dict[str, Any]) -> Any:
    """Return what FMPy gives, with what the FMU said where it fails."""
    fmpy, said = _fmpy(), list[str]()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            log = lambda *words: said.append(str(words[-1]))  # noqa: E731
            return fmpy.simulate_fmu(str(path), logger=log, **settings)
    except Exception as error:  # noqa: BLE001 - FMPy raises bare exceptions
        raise FmuError(f"{path}: FMPy: {error} {' '.join(said)}".strip()) from error


def _fmpy() -> Any:
    try:
        import fmpy
    except ImportError as error:
        raise InputError(message("running an FMU in FMPy", ["fmpy"])) from error
    return fmpy


def _equal_step(table: Signals) -> float:
    steps = np.diff(table.time)
    if not steps.size or np.ptp(steps) > 1e-6 * steps.mean():
        raise InputError(
            "FMPy takes equal steps only; give rows at equal distances, or a step such as 0.002 s"
        )
    return float((table.time[-1] - table.time[0]) / steps.size)


def _structured(table: Signals, taken: list[Scalar], h: float) -> Any:
    """Return the inputs as FMPy reads them, with one more row that repeats the last.

    Args:
        table: the table.
        taken: the inputs that it has columns for.
        h: seconds between rows.

    Raises:
        InputError: arrays of different sizes, which FMPy does not take together.
    """
    if not taken:
        return None
    if len({len(s.entries) for s in taken}) > 1:
        sizes = ", ".join(f"{s.name} ({len(s.entries)})" for s in taken)
        raise InputError(f"FMPy takes inputs of one size only, not {sizes}; run without FMPy")
    shapes = [(s.name, float, (len(s.entries),) if s.dimensions else ()) for s in taken]
    rows = np.zeros(table.time.size + 1, [("time", float), *shapes])
    rows["time"][:-1], rows["time"][-1] = table.time, table.time[-1] + h
    for scalar in taken:
        values = np.column_stack([table.columns[name] for name in scalar.columns(table.columns)])
        room = rows[scalar.name].reshape(len(rows), -1)
        room[:-1], room[-1] = values, values[-1]
    return rows


def _aligned(
    result: Any, outputs: list[Scalar], time: Array, h: float, lag: RowLag
) -> dict[str, Array]:
    """Return the columns with lagging ones moved one row earlier.

    At an event FMPy writes two rows of one time; the later one holds.

    Raises:
        FmuError: FMPy returned fewer rows than requested.
    """
    rows = time.size
    places = np.rint((np.asarray(result["time"]) - time[0]) / h).astype(int)
    last = {place: k for k, place in enumerate(places.tolist())}
    missing = [k for k in range(rows + lag.rows) if k not in last]
    if missing:
        raise FmuError(f"FMPy gave no row at t = {time[0] + missing[0] * h:g} s")
    kept = np.array([last[k] for k in range(rows + lag.rows)])
    found = {}
    for output in outputs:
        table = np.asarray(result[output.name], np.float64)[kept].reshape(kept.size, -1)
        for name, values in zip(output.entries, table.T, strict=True):
            found[name] = values[1 : rows + 1] if name in lag.moved else values[:rows]
    return found
