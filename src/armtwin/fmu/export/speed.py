"""Speed of a plant in co-simulation on this machine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from armtwin.errors import ArmTwinError
from armtwin.fmu.export.model import FmuModel

ROWS = 11
"""Rows of 2 ms that are run: about a millisecond of work."""
TRIALS = 6
"""Runs of which the fastest counts, so that other programs disturb less."""


def real_time_factor(model: FmuModel, data: bytes) -> float | None:
    """Return simulated time over computing time (CPU) under torques that change every 2 ms.

    Returns:
        The factor; None where the FMU does not run here, or has arrays.
    """
    from armtwin.fmu.check.trial import trial_inputs
    from armtwin.fmu.run.core import RunFmuOptions
    from armtwin.fmu.run.run import run_fmu

    if model.arrays:
        return None
    inputs = trial_inputs(model.arm, model.name, ROWS)
    options = RunFmuOptions(mode="cs", align=False, defaults=True)
    with tempfile.TemporaryDirectory(prefix="armtwin-") as place:
        file = Path(place, "plant.fmu")
        file.write_bytes(data)
        try:
            runs = [run_fmu(file, inputs, options=options) for _ in range(TRIALS)]
        except ArmTwinError:
            return None
    return float(inputs.time[-1] / min(run.facts.cpu_seconds for run in runs))
