"""Checks of an FMU: file, description, binaries, and runs compared with each other."""

from __future__ import annotations

import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import ArmTwinError, FmuError
from armtwin.extras import installed, message
from armtwin.fmu.build.binaries import inspect_binary
from armtwin.fmu.build.platforms import WASM, host
from armtwin.fmu.check.array_names import as_entries, as_scalars, scalar_names
from armtwin.fmu.check.comparison import (
    SAME,
    SAME_AFTER_SOLVING,
    SAME_OVER_STIFF_FRICTION,
    Finding,
    compared,
)
from armtwin.fmu.check.trial import any_inputs, trial_inputs
from armtwin.fmu.check.truth import MODELS, expected, rounding
from armtwin.fmu.check.wasm_check import has_only_wasm, wasm_findings
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import SOLVER_STEP, RunFmuOptions
from armtwin.fmu.run.run import FmuRun, run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress, report_step
from armtwin.report.inputs import fingerprint
from armtwin.report.numbers import counted
from armtwin.report.page import Page, Section, Table, Verdict
from armtwin.report.result import Result

PLANT = "forward-dynamics"
SHORTEST_STEP = 1e-4
"""Explicit steps shorter than this [s] are a sign of stiff friction."""


@dataclass(frozen=True)
class FmuCheck(Result):
    """All findings about an FMU."""

    path: Path
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether something was checked and nothing failed."""
        outcomes = {finding.outcome for finding in self.findings}
        return "passed" in outcomes and "failed" not in outcomes

    @property
    def verdict(self) -> str:
        """Number of checks that passed, failed and were not run, in one sentence."""
        count = Counter(finding.outcome for finding in self.findings)
        text = counted(count["passed"], "check") + " passed"
        failed = [finding.what for finding in self.findings if finding.outcome == "failed"]
        text += f", {len(failed)} failed: {'; '.join(failed)}" if failed else ""
        return text + (f"; {count['not run']} not run" if count["not run"] else "")

    def to_dict(self) -> dict[str, Any]:
        """Return file, outcome and findings as plain data."""
        findings = [asdict(finding) for finding in self.findings]
        return {"fmu": str(self.path), "passed": self.passed, "findings": findings}

    def page(self) -> Page:
        """Return the findings as a table."""
        rows = tuple((f.outcome, f.what, f.detail) for f in self.findings)
        kinds = {"passed": "good", "failed": "bad"}
        marks = tuple(
            (k, kinds[f.outcome]) for k, f in enumerate(self.findings) if f.outcome in kinds
        )
        table = Table(("outcome", "check", "detail"), rows, marks=marks)
        return Page(
            title=f"Check of {self.path.name}",
            verdict=Verdict(self.passed, self.verdict),
            sections=(Section("Checks", (table,)),),
            inputs=(fingerprint(self.path),),
        )


def check_fmu(
    path: str | Path, *, rows: int = 1000, on_progress: OnProgress | None = None
) -> FmuCheck:
    """Check an FMU of any vendor; ours are also compared with the Python model.

    Args:
        path: the file.
        rows: random input rows of the comparisons.
        on_progress: called before each check; raise from it to cancel.

    Raises:
        FmuError: the file cannot be opened as an FMU at all.
    """
    package = Package(path)
    report_step(on_progress, "reading the description", 0.0)
    findings = [_variables(package), _validator(package), *_binaries(package)]
    modes = tuple(package.interface.identifiers)
    for number, mode in enumerate(modes):
        report_step(on_progress, f"running ({mode})", (1 + number) / (1 + len(modes)))
        findings += _runs(package, mode, rows)
    if custom_model(package) is None:
        detail = "the library has no such model: an FMU of another tool, or an own block"
        findings.append(Finding("Python model", "not run", detail))
    return FmuCheck(package.path, tuple(findings))


def _variables(package: Package) -> Finding:
    """Names are unique, references are unique but for declared aliases, inputs have starts."""
    scalars = package.interface.scalars
    names = [scalar.name for scalar in scalars]
    twice = sorted({name for name in names if names.count(name) > 1})
    bare = [s.name for s in scalars if s.causality in ("input", "parameter") and s.start is None]
    units = sum(s.unit is not None for s in scalars)
    counts = ", ".join(
        f"{len(package.interface.with_causality(kind))} {kind}s"
        for kind in ("input", "output", "parameter")
    )
    if twice or bare:
        problem = f"names twice: {twice or 'none'}; without start value: {bare or 'none'}"
        return Finding("variables", "failed", problem)
    detail = f"FMI {package.interface.fmi}: {counts}; {units} of {len(scalars)} with units"
    return Finding("variables", "passed", detail)


def _validator(package: Package) -> Finding:
    """FMPy's validator: XML schema, model structure, start values, units."""
    what = "FMPy's validator (schema, structure, units)"
    if not installed("fmpy"):
        return Finding(what, "not run", message("this check", ["fmpy"]))
    from fmpy.validation import validate_fmu

    problems = validate_fmu(str(package.path))
    if problems:
        return Finding(what, "failed", "; ".join(problems[:5]))
    return Finding(what, "passed", "no problems")


def _binaries(package: Package) -> Iterator[Finding]:
    """Check that every library matches its folder's platform and exports the FMI functions."""
    interface = package.interface
    needed = {f"fmi{interface.fmi}{name}" for name in ("FreeInstance", "Reset", "Terminate")}
    here = {*_host_folders(), WASM}
    binaries = [inspect_binary(*entry) for entry in package.binaries().items()]
    if not binaries:
        yield Finding("binaries", "failed", "no libraries inside")
    for binary in binaries:
        what = f"binary {binary.platform}"
        run = "loaded and run below" if binary.platform in here else "inspected, not executed here"
        kinds = " + ".join(binary.kinds) or "unknown format"
        if not binary.is_as_named:
            yield Finding(what, "failed", f"{kinds} in folder {binary.platform}")
        elif binary.platform == WASM:
            yield Finding(what, "passed", f"{kinds}; {run}")
        elif binary.functions is None:
            yield Finding(what, "passed", f"{kinds}; functions not read (lief is missing); {run}")
        elif missing := needed - set(binary.functions):
            yield Finding(what, "failed", f"{kinds} lacks {', '.join(sorted(missing))}")
        else:
            count = sum(name.startswith("fmi") for name in binary.functions)
            needs = ", ".join(binary.needs or ()) or "no libraries"
            yield Finding(what, "passed", f"{kinds}, {count} FMI functions, needs {needs}; {run}")


def _host_folders() -> set[str]:
    try:
        return {host().name, host().fmi2_folder}
    except ArmTwinError:
        return set()


def _runs(package: Package, mode: str, rows: int) -> Iterator[Finding]:
    """Run one mode, and compare it with WebAssembly, FMPy and, for our models, with Python."""
    own = custom_model(package)
    inputs = _inputs(package, own, mode, rows)
    names = scalar_names(package.interface, *own) if own is not None else {}
    inputs, scalar_inputs = as_entries(inputs, names), inputs
    what, step = f"run ({mode})", _explicit_step(own)
    if mode == "me" and step < SHORTEST_STEP:
        why = f"friction is stiff: our explicit solver would need steps of {step:.0e} s"
        yield Finding(what, "not run", f"{why}; import it with an implicit solver")
        return
    try:
        only_wasm = has_only_wasm(package)
        ours = RunFmuOptions(mode=mode, defaults=True, solver_step=step, wasm=only_wasm)
        done = run_fmu(package, inputs, options=ours)
    except ArmTwinError as error:
        yield Finding(what, "failed", str(error))
        return
    bad = [name for name, x in done.signals.columns.items() if not np.isfinite(x).all()]
    moved = "one-row lag undone" if done.facts.lag.moved else "no lag"
    detail = f"{inputs.time.size} rows, {len(done.signals.columns)} outputs, {moved}"
    yield Finding(what, "failed" if bad else "passed", f"no numbers: {bad}" if bad else detail)
    yield from wasm_findings(package, inputs, ours, done)
    if not only_wasm:
        yield _fmpy_run(package, inputs, done, own)
    if own is not None and (mode == "cs" or own[1] != PLANT):
        truth = expected(*own, scalar_inputs)
        bound, allowed = SAME, None
        if own[1] == PLANT:
            bound = SAME_AFTER_SOLVING if step >= SHORTEST_STEP else SAME_OVER_STIFF_FRICTION
        else:
            allowed = rounding(*own, scalar_inputs, truth)
        what = f"Python model against the FMU ({mode})"
        yield compared(what, as_scalars(done, names), truth, bound, allowed)


def _fmpy_run(
    package: Package, inputs: Signals, done: FmuRun, own: tuple[Arm, str] | None
) -> Finding:
    """Compare a run with FMPy's.

    Args:
        package: the FMU.
        inputs: the inputs of the run.
        done: the run.
        own: arm and model of an FMU of ours.
    """
    from armtwin.fmu.run.with_fmpy import run_with_fmpy

    mode = done.facts.mode
    what = f"FMPy against our runner ({mode})"
    try:
        options = RunFmuOptions(mode=mode, defaults=True)
        other = run_with_fmpy(package.path, inputs, options=options)
        bound = SAME if own is not None and own[1] != PLANT else SAME_AFTER_SOLVING
        return compared(what, done, other.signals.columns, bound)
    except FmuError as error:
        return Finding(what, "failed", str(error))
    except ArmTwinError as error:
        return Finding(what, "not run", str(error))


def _explicit_step(own: tuple[Arm, str] | None) -> float:
    """Return the step at which an explicit solver follows the model; the default for others."""
    from armtwin.fmu.export.models import explicit_step

    return explicit_step(own[0]) if own is not None and own[1] == PLANT else SOLVER_STEP


def _inputs(package: Package, own: tuple[Arm, str] | None, mode: str, rows: int) -> Signals:
    if own is None:
        return any_inputs(package.interface, min(rows, 200))
    if own[1] == PLANT:
        rows = min(rows, 100)
        made = trial_inputs(*own, rows)
        return Signals(made.time, {name: 0 * x + x[0] for name, x in made.columns.items()})
    return trial_inputs(*own, rows)


def custom_model(package: Package) -> tuple[Arm, str] | None:
    """Return the arm and the model's name that an FMU of ours carries, else None."""
    from armtwin.model.formats.toml import read_toml

    if not {"resources/arm.toml", "resources/model.txt"} <= set(package.names):
        return None
    if not package.interface.tool.startswith("armtwin"):
        return None
    with zipfile.ZipFile(package.path) as file, tempfile.TemporaryDirectory() as place:
        text = Path(place, "arm.toml")
        text.write_bytes(file.read("resources/arm.toml"))
        name = file.read("resources/model.txt").decode().strip()
        return (read_toml(text), name) if name in MODELS else None
