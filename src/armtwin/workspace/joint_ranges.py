"""The range of joints that samples are drawn from."""

from __future__ import annotations

import numpy as np

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array


def joint_ranges(arm: Arm) -> tuple[Array, Array]:
    """Return the smallest position of every joint and its range, (dof,) each [rad | m].

    A revolute joint of more than one turn has one turn about the middle of its limits: further
    turns bring the tool nowhere else.

    Raises:
        InputError: a prismatic joint without limits.
    """
    low, high = np.array(arm.lower, float), np.array(arm.upper, float)
    for k, joint in enumerate(arm.driven):
        if joint.kind == "revolute" and not high[k] - low[k] <= 2 * np.pi:
            finite = np.isfinite(low[k]) and np.isfinite(high[k])
            middle = (low[k] + high[k]) / 2 if finite else 0.0
            low[k], high[k] = middle - np.pi, middle + np.pi
        elif not np.isfinite(high[k] - low[k]):
            raise InputError(
                f"arm {arm.name!r}: joint {k + 1} ({joint.name}) is prismatic and has no limits; "
                "give it limits in the arm file"
            )
    return low, high - low
