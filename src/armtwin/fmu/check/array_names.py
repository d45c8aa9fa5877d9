"""Arrays of our own FMUs: which scalar of the scalar form each of their entries is."""

from __future__ import annotations

from dataclasses import replace

from armtwin.fmu.export.models import build_model
from armtwin.fmu.loading.interface import Interface
from armtwin.fmu.run.run import FmuRun
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Arm


def scalar_names(interface: Interface, arm: Arm, model: str) -> dict[str, str]:
    """Return for every variable and entry of an array its name in the scalar form.

    An array begins at the value reference of its first scalar.

    Args:
        interface: the FMU's interface.
        arm: the arm that the FMU was made of.
        model: name of the model, such as ``fk``.
    """
    if not any(scalar.dimensions for scalar in interface.scalars):
        return {scalar.name: scalar.name for scalar in interface.scalars}
    variables = build_model(arm, model).variables
    return {
        entry: variables[scalar.reference + k].name
        for scalar in interface.scalars
        for k, entry in enumerate(scalar.entries)
    }


def as_entries(signals: Signals, names: dict[str, str]) -> Signals:
    """Return signals of the scalar form by the FMU's own names."""
    own = {scalar: entry for entry, scalar in names.items()}
    return Signals(signals.time, {own.get(k, k): x for k, x in signals.columns.items()})


def as_scalars(run: FmuRun, names: dict[str, str]) -> FmuRun:
    """Return a run with its outputs by the names of the scalar form."""
    columns = {names.get(k, k): x for k, x in run.signals.columns.items()}
    return replace(run, signals=Signals(run.signals.time, columns))
