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
from armtwin.identification.result.prediction_checks import MIN_SIGNAL_TO_NOISE
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.options import choose_options
from armtwin.progress import OnProgress, part_of, report_step
from armtwin.recording.read import MappingLike, RecordingLike, read_recordings
from armtwin.recording.recording import Recording
from armtwin.report.inputs import fingerprint
from armtwin.report.page import Page, Section, Table, Text, Verdict
from armtwin.report.result import Result
from armtwin.spatial import Array

MIN_R2 = 0.5
"""Least R2 of a test recording's power. With less, most of its variance is unexplained; a real UR3e
gives 0.90 to 0.91, noise of the reading included."""


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
        noise: standard deviation of the recorded power's noise [W]; NaN without a model.
        unknown: joints, from 1, that move while the model has no back-EMF for their motor size.
    """

    run: str
    part: str
    duration: float
    measured: float
    fitted: float
    rms: float
    r2: float
    ledger: float
    noise: float = float("nan")
    unknown: tuple[int, ...] = ()

    @property
    def passed(self) -> bool | None:
        """Whether the power is predicted; None where it does not vary or the error is noise."""
        if np.isnan(self.r2):
            return None
        if self.r2 >= MIN_R2:
            return True
        return None if self.rms**2 < MIN_SIGNAL_TO_NOISE * self.noise**2 else False

    @property
    def judgement(self) -> str:
        """The figure that is judged, or why it is not, and what to do where it is too low."""
        if np.isnan(self.r2):
            return f"{self.run}: its power does not vary, or has gaps"
        figure = f"{self.run}: R2 of the power is {self.r2:.3f}"
        if self.passed is None:
            return f"{figure}, but the error of {self.rms:.2g} W is noise ({self.noise:.2g} W)"
        if self.passed:
            return figure
        why = "check that both are of the same arm, payload and units"
        if self.unknown:
            names = ", ".join(map(str, self.unknown))
            why = (
                f"the back-EMF of joint {names} is unknown, as no joint of that motor size moves "
                "in the training recordings: add one in which it does"
            )
        return f"{figure}, expected {MIN_R2:g} or more: {why}"


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
    def verdict(self) -> Verdict | None:
        """The verdict on the test recordings; None without any.

        Passed if the power of one or more is predicted, with R2 of ``MIN_R2`` or more, and that
        of none is not.
        """
        tests = [run for run in self.runs if run.part == "test"]
        if not tests:
            return None
        failed, passed, open_ = (
            "; ".join(run.judgement for run in tests if run.passed is kind)
            for kind in (False, True, None)
        )
        if failed:
            return Verdict(False, failed)
        text = "; ".join(part for part in (passed, open_ and f"not judged: {open_}") if part)
        return Verdict(True if passed else None, text)

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
        return Page(
            title=f"Energy of {self.arm.name}",
            verdict=self.verdict,
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
    measured = fitted = rms = r2 = noise = nan
    unknown: tuple[int, ...] = ()
    if run.has("power"):
        measured = float(np.trapezoid(run["power"], run.time))
    if supply is not None and run.has("power", "current", "qd"):
        power = supply.power(run.current, run.qd)
        fitted = float(np.trapezoid(power, run.time))
        rms = float(np.sqrt(np.mean((power - run["power"]) ** 2)))
        r2, noise = supply.r_squared(run), noise_deviation(run["power"])
        unknown = supply.unknown_joints(run.qd)
    return RunEnergy(
        run.origin, part, run.duration, measured, fitted, rms, r2, total, noise, unknown
    )


def noise_deviation(power: Array) -> float:
    r"""Return the standard deviation of the white noise of a recorded power (n,) [W].

    From second differences, which slow changes leave out; their median, as jumps of friction are
    no noise:

    .. math:: \sigma = 1.4826 \; \mathrm{median} |P_{k+1} - 2 P_k + P_{k-1}| / \sqrt 6
    """
    bends = np.abs(np.diff(power, 2))
    return 1.4826 * float(np.median(bends)) / 6**0.5 if bends.size else float("nan")
