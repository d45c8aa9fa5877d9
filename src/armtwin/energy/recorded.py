"""Energy of a recording: the motors' ledger, with the supply's model where power was recorded."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from armtwin.dynamics.regeneration import DEFAULT, Regeneration, regeneration
from armtwin.energy.ledger import Ledger, ledger, refuse_idle_power
from armtwin.energy.ledger_page import supply_table
from armtwin.energy.supply import Supply, finite, recorded_supply
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.options import choose_options
from armtwin.progress import OnProgress, part_of, report_step
from armtwin.recording.read import MappingLike, read_recording
from armtwin.recording.recording import Recording
from armtwin.report.page import Page, Section, Text
from armtwin.report.result import Result


@dataclass(frozen=True)
class EnergyOptions:
    """Options of ``recorded_energy`` and ``several_energies``.

    Attributes:
        rule: what happens to regenerated power.
        idle: power at standstill [W]; the fitted one, or 0, if not given.
        measured: take the motors' torques from the recorded currents.
    """

    rule: str | Regeneration = DEFAULT
    idle: float | None = None
    measured: bool = False

    def __post_init__(self) -> None:
        """Refuse an unknown rule and an idle power that is negative or no number."""
        regeneration(self.rule)
        if self.idle is not None:
            refuse_idle_power(self.idle)


@dataclass(frozen=True, eq=False)
class SupplyResult(Result):
    """The supply's model alone, where the arm has no motor data for a ledger.

    Attributes:
        arm: the arm.
        supply: the model fitted to the recorded power.
        r2: share of the recorded power's variance that it explains; NaN for constant power.
        reason: why there is no ledger of the motors.
        recording: what the model was fitted to.
    """

    arm: Arm
    supply: Supply
    r2: float
    reason: str
    recording: Recording = field(repr=False)

    def page(self) -> Page:
        """Return the fitted parameters as a page."""
        note = Text(f"no ledger of the motors: {self.reason}", "note")
        return Page(
            title=f"Power of {self.arm.name}",
            facts=(
                ("Idle power", f"{self.supply.idle:.4g} W"),
                ("Explained of the power's variance", f"{self.r2:.1%}"),
            ),
            sections=(Section("Supply", (supply_table(self.supply), note)),),
            settings=(("arm fingerprint", self.arm.fingerprint),),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted parameters as plain data."""
        return {"supply": self.supply.to_dict(), "r2": finite(self.r2), "no_ledger": self.reason}


def recorded_energy(
    arm: ArmLike,
    recording: Recording | str | Path,
    *,
    mapping: MappingLike | None = None,
    run: float | None = None,
    options: EnergyOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: object,
) -> Ledger | SupplyResult:
    """Return the energy ledger of a recording.

    Where the recording holds the robot's power and motor currents, the supply's model is fitted to
    them. Where the arm then lacks motor data, that model is all there is.

    Args:
        arm: the arm, its name or its file.
        recording: the recording or its file.
        mapping: names of the file's columns, where the guess is wrong.
        run: which run, where the file holds several.
        options: how to compute it; or give its fields as keywords (``measured=True``).
        on_progress: called before each step; raise from it to cancel.
        **choices: fields of ``EnergyOptions``.

    Raises:
        MissingDataError: the arm lacks parameters and no power was recorded.
        InputError: a recording that cannot be used.
    """
    chosen = choose_options(EnergyOptions, options, choices)
    arm = as_arm(arm)
    inputs: tuple[Path, ...] = ()
    if not isinstance(recording, Recording):
        report_step(on_progress, "reading the recording", 0.0)
        inputs = (Path(recording),)
        recording = read_recording(recording, arm, mapping=mapping, run=run)
    supply = recorded_supply(arm, recording, part_of(on_progress, 0.1, 0.6))
    idle = chosen.idle if chosen.idle is not None else supply.idle if supply else 0.0
    try:
        book = ledger(
            arm,
            recording,
            rule=chosen.rule,
            idle=idle,
            measured=chosen.measured,
            on_progress=part_of(on_progress, 0.6, 1.0),
        )
    except MissingDataError as error:
        if supply is None or chosen.measured:
            raise
        return SupplyResult(arm, supply, supply.r_squared(recording), str(error), recording)
    return dataclasses.replace(book, fitted_supply=supply, inputs=inputs)
