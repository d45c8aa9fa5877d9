"""Validation of a twin: its signals on recorded joints against the recorded signals."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from armtwin.errors import InputError, MissingColumnError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, arm_names, as_arm, load
from armtwin.options import choose_options
from armtwin.progress import OnProgress, report_step
from armtwin.recording.columns.names import listed
from armtwin.recording.read import MappingLike, read_recording
from armtwin.recording.recording import Recording
from armtwin.validation.comparison import Comparison
from armtwin.validation.options import ValidateOptions
from armtwin.validation.result import Check

SIMULATED = "simulated"
SAME_FUNCTION = 1e-9
"""Position errors below this [m] come of rounding, not of any difference between two arms."""


def validate(
    arm: ArmLike,
    recording: Recording | str | Path,
    *,
    mapping: MappingLike | None = None,
    angles: str | None = None,
    run: float | None = None,
    options: ValidateOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: object,
) -> Check:
    """Return the comparison of an arm's twin with a recording.

    The twin is run on the recorded joints; every signal that both sides have is compared.

    Args:
        arm: the arm, its name or file.
        recording: the recording or its file.
        mapping: how the file's columns are named, where the guess is wrong.
        angles: "deg" or "rad", where the guess is wrong.
        run: which run, where the file holds several.
        options: how to validate; or give its fields as keywords (``fit_tool=True``).
        on_progress: called before each step; raise from it to cancel.
        **choices: fields of ``ValidateOptions``.

    Raises:
        MissingColumnError: the recording has no joints; what exists is listed.
        InputError: another number of joints; the arms that have it are listed.
    """
    chosen = choose_options(ValidateOptions, options, choices)
    twin = as_arm(arm)
    inputs = []
    if not isinstance(recording, Recording):
        inputs.append(Path(recording))
        report_step(on_progress, "reading the recording", 0.0)
        recording = read_recording(recording, twin, mapping=mapping, angles=angles, run=run)
    if chosen.calibration is not None:
        from armtwin.model.formats.factory_calibration import with_factory_calibration

        inputs.append(Path(chosen.calibration))
        twin = with_factory_calibration(twin, chosen.calibration)
    _check_joints(twin, recording)
    check = Comparison(twin, recording, chosen, tuple(inputs)).check(on_progress)
    return dataclasses.replace(check, notes=(*check.notes, *_about_simulation(check)))


def _about_simulation(check: Check) -> Iterator[str]:
    """Yield that nothing was measured where the model is compared with a simulation of itself."""
    largest = [row.max for row in check.table if row.signal == "position"]
    if check.recording.origin == SIMULATED and largest and largest[0] < SAME_FUNCTION:
        yield (
            "the recorded positions were simulated with this very model, so both sides are one "
            "function and the errors measure nothing; simulate an arm with planted errors "
            "or give a real recording"
        )


def _check_joints(arm: Arm, recording: Recording) -> None:
    name = recording.origin or "the recording"
    if not recording.has("q"):
        raise MissingColumnError(
            f"{name} has no joints q1..q{arm.dof}, which the twin is run on; "
            f"it has {listed(recording.columns)}; name them with a mapping file (mapping)"
        )
    if recording.dof != arm.dof:
        others = [other for other in arm_names() if load(other).dof == recording.dof]
        hint = f"; arms with {recording.dof}: {', '.join(others)}" if others else ""
        raise InputError(f"{name} has {recording.dof} joints, arm {arm.name!r} has {arm.dof}{hint}")
