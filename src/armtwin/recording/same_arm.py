"""Whether a recording is of the arm that it is used with."""

from __future__ import annotations

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.recording.recording import Recording

SAME = 2e-3
"""Largest difference of two arms' lengths [m] and twists [rad] that calibration may explain."""


def refuse_other_arm(arm: Arm, recording: Recording) -> None:
    """Raise InputError where a recording names an arm of another geometry than the arm's.

    Names that the catalogue does not know, and arms in another convention, are let pass.
    """
    if recording.arm and recording.arm != arm.name and not _same_geometry(arm, recording.arm):
        raise InputError(
            f"{recording.origin or 'the recording'} is of arm {recording.arm!r}, not of "
            f"{arm.name!r}: give the arm that was recorded"
        )


def _same_geometry(arm: Arm, name: str) -> bool:
    if name not in arm_names():
        return True
    other = load(name)
    if other.convention != arm.convention:
        return other.dof == arm.dof
    if len(other.joints) != len(arm.joints):
        return False
    return all(
        abs(getattr(a, key) - getattr(b, key)) < SAME
        for a, b in zip(arm.joints, other.joints, strict=True)
        for key in ("a", "alpha", "d")
    )
