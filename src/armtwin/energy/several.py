"""Energy of several recordings: one model of the supply for all, tested on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.energy.ledger import ledger
from armtwin.energy.ledger_page import supply_table
from armtwin.energy.recorded import EnergyOptions
from armtwin.energy.supply import Supply, finite, fit_supply
from armtwin.errors import InputError, MissingDataError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.options import choose_options
from armtwin.progress import OnProgress, part_of, report_step
from armtwin.recording.read import MappingLike, RecordingLike, read_recordings
from armtwin.recording.recording import Recording
from armtwin.report.inputs import fingerprint
from armtwin.report.page import Page, Section, Table, Text, Verdict
from armtwin.report.result import Result


@dataclass(frozen=True)
class RunEnergy:
    """Energy of one recording.

    Attributes:
        run: its name.
        part: "train" or "test".
        duration: [s].
        measured: energy from the supply as recorded [J]; NaN without recorded power.
        fitted: the same by the supply's model [J]; NaN without one.
        rms: error of the model's power [W].
        r2: share of the recorded power's variance that the model predicts.
        ledger: energy by the ledger of the motors, idle power included [J]; NaN without motor data.
    """

    run: str
    part: str
    duration: float
    measured: float
    fitted: float
    rms: float
    r2: float
    ledger: float


@dataclass(frozen=True, eq=False)
class SeveralEnergies(Result):
    """Energies of several recordings.

    Attributes:
        arm: the arm.
        runs: a row per recording.
        supply: model fitted to all training recordings together; None without recorded power.
        reason: why there is no ledger of the motors; "" where there is one.
        inputs: the files that were read.
    """

    arm: Arm
    runs: tuple[RunEnergy, ...]
    supply: Supply | None
    reason: str
    inputs: tuple[Path, ...]

    @property
    def worst(self) -> float:
        """Least R2 of the test recordings; NaN without any."""
        found = [run.r2 for run in self.runs if run.part == "test" and run.r2 == run.r2]
        return min(found, default=float("nan"))

    def page(self) -> Page:
        """Return every recording's energies and the supply's model as a page."""
        heads = ("recording", "part", "time [s]", "measured [J]", "fitted [J]", "off [%]",
                 "power RMS [W]", "R²", "ledger [J]")  # fmt: skip
        rows = [
            (r.run, r.part, r.duration, r.measured, r.fitted,
             100 * (r.fitted / r.measured - 1) if r.measured else float("nan"),
             r.rms, r.r2, r.ledger)
            for r in self.runs
        ]  # fmt: skip
        parts: list[Any] = [Table(heads, tuple(rows), "Energy from the supply")]
        parts += [Text(f"no ledger of the motors: {self.reason}", "note")] if self.reason else []
        sections = [Section("Recordings", tuple(parts))]
        if self.supply is not None:
            sections.append(Section("Supply", (supply_table(self.supply),)))
        verdict = None
        if self.worst == self.worst:
            text = f"R2 of the power on the test recordings: {self.worst:.3f} or more"
            verdict = Verdict(self.worst > 0, text)
        return Page(
            title=f"Energy of {self.arm.name}",
            verdict=verdict,
            sections=tuple(sections),
            inputs=tuple(fingerprint(path) for path in self.inputs),
            settings=(("arm fingerprint", self.arm.fingerprint),),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return energies and the supply's model as plain data; None where undefined."""
        rows = [
            {key: finite(v) if isinstance(v, float) else v for key, v in asdict(run).items()}
            for run in self.runs
        ]
        supply = None if self.supply is None else self.supply.to_dict()
        return {"runs": rows, "supply": supply, "no_ledger": self.reason or None}


def several_energies(
    arm: ArmLike,
    train: Sequence[RecordingLike],
    *,
    test: Sequence[RecordingLike] = (),
    mapping: MappingLike | None = None,
    options: EnergyOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: object,
) -> SeveralEnergies:
    """Return the energies of several recordings, with one model of the supply for all.

    Args:
        arm: the arm, its name or its file.
        train: recordings or files; those with power and currents determine the supply's model.
        test: recordings or files whose power is only predicted.
        mapping: names of the files' columns, where the guess is wrong.
        options: how to compute them; or give its fields as keywords (``measured=True``).
        on_progress: called before each step; raise from it to cancel.
        **choices: fields of ``EnergyOptions``.

    Raises:
        InputError: no recordings, or test recordings without power while there is nothing to test.
        MissingDataError: the arm lacks parameters and no power was recorded.
    """
    chosen = choose_options(EnergyOptions, options, choices)
    arm = as_arm(arm)
    report_step(on_progress, "reading the recordings", 0.0)
    given, held = (_read(arm, sources, mapping) for sources in (train, test))
    if not given:
        raise InputError("no recordings: give one file or more")
    powered = [run for run in given if run.has("power", "current", "qd")]
    supply = fit_supply(arm, _joined(powered), part_of(on_progress, 0.1, 0.6)) if powered else None
    if held and (supply is None or not all(r.has("power", "current", "qd") for r in held)):
        raise InputError(
            "a test compares recorded power with the supply's model: every test recording, and at "
            "least one of the others, needs power (or voltage and supply_current), current and qd"
        )
    base = chosen.idle if chosen.idle is not None else supply.idle if supply else 0.0
    rows, reason, parts = [], "", ["train"] * len(given) + ["test"] * len(held)
    for number, (run, part) in enumerate(zip((*given, *held), parts, strict=True)):
        report_step(on_progress, f"ledger of {run.origin}", 0.6 + 0.4 * number / len(parts))
        try:
            book = ledger(arm, run, rule=chosen.rule, idle=base, measured=chosen.measured)
            total = book.total
        except MissingDataError as error:
            if supply is None or chosen.measured:
                raise
            total, reason = float("nan"), str(error)
        rows.append(_row(run, part, supply, total))
    paths = tuple(Path(one) for one in (*train, *test) if not isinstance(one, Recording))
    return SeveralEnergies(arm, tuple(rows), supply, reason, paths)


def _read(
    arm: Arm, sources: Sequence[RecordingLike], mapping: MappingLike | None
) -> list[Recording]:
    found: list[Recording] = []
    for source in sources:
        if isinstance(source, Recording):
            found.append(source)
        else:
            found += read_recordings(source, arm, mapping=mapping)
    return found


def _joined(runs: Sequence[Recording]) -> Recording:
    """Return power, currents and speeds of some recordings, row after row."""
    groups = {name: np.concatenate([run.group(name) for run in runs]) for name in ("current", "qd")}
    power = np.concatenate([run["power"] for run in runs])
    names = ", ".join(run.origin for run in runs[:3])
    return Recording.of(
        np.arange(len(power), dtype=float), {**groups, "power": power}, origin=names
    )


def _row(run: Recording, part: str, supply: Supply | None, total: float) -> RunEnergy:
    nan = float("nan")
    measured = fitted = rms = r2 = nan
    if run.has("power"):
        measured = float(np.trapezoid(run["power"], run.time))
    if supply is not None and run.has("power", "current", "qd"):
        power = supply.power(run.current, run.qd)
        fitted = float(np.trapezoid(power, run.time))
        rms = float(np.sqrt(np.mean((power - run["power"]) ** 2)))
        r2 = supply.r_squared(run)
    return RunEnergy(run.origin, part, run.duration, measured, fitted, rms, r2, total)
