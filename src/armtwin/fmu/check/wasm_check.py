"""The WebAssembly component of an FMU, compared with its library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from armtwin.errors import ArmTwinError, MissingDataError
from armtwin.fmu.build.platforms import WASM
from armtwin.fmu.check.comparison import SAME, Finding, compared
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import FmuRun, run_fmu
from armtwin.fmu.run.signals import Signals

ROWS = 100
"""Rows of the comparison at most; a row takes milliseconds in wasmtime."""


def has_only_wasm(package: Package) -> bool:
    """Return whether a component is all that an FMU can be run by."""
    return package.platforms() == [WASM]


def wasm_findings(
    package: Package, inputs: Signals, options: RunFmuOptions, done: FmuRun
) -> Iterator[Finding]:
    """Run the component where there is one, and compare it with the library's run.

    Args:
        package: the FMU.
        inputs: the inputs of that run.
        options: the options of that run.
        done: that run.
    """
    if WASM not in package.platforms() or options.wasm:
        return
    what = f"WebAssembly against the library ({options.mode})"
    rows = slice(0, ROWS)
    few = Signals(inputs.time[rows], {name: x[rows] for name, x in inputs.columns.items()})
    try:
        other = run_fmu(package, few, options=replace(options, wasm=True))
    except MissingDataError as error:
        yield Finding(what, "not run", str(error))
        return
    except ArmTwinError as error:
        yield Finding(what, "failed", str(error))
        return
    first = {name: x[rows] for name, x in done.signals.columns.items()}
    begun = replace(done, signals=Signals(few.time, first))
    yield compared(what, begun, other.signals.columns, SAME)
