"""Arms as built: lengths and zero positions that differ slightly from the drawing.

Validating a model against a simulation of the same model compares a function with itself. A
simulated arm with planted errors gives the comparison something to measure.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import as_seed

LENGTHS, ANGLES = 3e-4, 5e-4
"""Standard deviation of the planted errors of lengths [m] and zero positions [rad]."""


def as_built(arm: Arm, seed: int) -> Arm:
    """Return the arm with random errors of its lengths a and d and of its zero positions.

    Args:
        arm: an arm in a DH convention.
        seed: of the random numbers; the same seed gives the same arm.

    Raises:
        InputError: the arm is given by screws, which have no lengths a and d; or a seed that is
            none.
    """
    if arm.convention == "screws":
        raise InputError(
            f"arm {arm.name!r} is given by screws; errors are planted in DH parameters: convert it "
            "first (armtwin export)"
        )
    rng = np.random.default_rng(as_seed(seed))
    joints = [
        dataclasses.replace(
            joint,
            a=joint.a + rng.normal(0, LENGTHS),
            d=joint.d + rng.normal(0, LENGTHS),
            offset=joint.offset + rng.normal(0, ANGLES),
        )
        for joint in arm.joints
    ]
    return arm.with_(joints=tuple(joints))


def planted_note(seed: int) -> str:
    """Return the line that a recording of such an arm carries."""
    return (
        f"simulated arm with planted errors (seed {seed}): lengths {LENGTHS * 1e3:g} mm, zero "
        f"positions {ANGLES * 1e3:g} mrad standard deviation"
    )
