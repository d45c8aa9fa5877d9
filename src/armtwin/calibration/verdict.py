"""Criteria by which a calibration passes.

Two criteria for every placement, on held-out poses where there are any, else on the errors of
blocks left out of the fit:

1. The mean error is below a physical bound: 2 % of the arm's reach (34 mm for a UR10) unless
   ``largest_error`` says otherwise, and 5 degrees. No arm that was assembled as drawn is off by
   more after a fit; what is larger comes from mixed placements, wrong units, or another arm.
2. The calibrated arm is not worse than the nominal one with the best base and tool: on held-out
   poses its mean error is not larger by more than two standard errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from armtwin.calibration.pose_errors import Placement, PoseErrors
from armtwin.model.arm import Arm
from armtwin.spatial import Array

LARGEST_SHARE = 0.02
"""Mean error as a share of the reach; the least exact arm measured, of hobby servos, has 1 %."""
LARGEST_ANGLE = float(np.deg2rad(5.0))
"""Mean orientation error [rad]; larger ones come from a misread convention of angles."""
WORSE = 2.0
"""Standard errors by which the calibrated arm may be worse than the nominal one."""

Pair = tuple[Array, Array]
"""Errors of the nominal and the calibrated arm on the same held-out rows, (n, 3 or 6) each."""


def reach(arm: Arm) -> float:
    """Return the length of the stretched arm [m], 1 where it has no lengths."""
    return float(sum(np.hypot(joint.a, joint.d) for joint in arm.joints)) or 1.0


def failures(
    arm: Arm, placements: Sequence[Placement], pairs: Sequence[Pair], largest: float | None
) -> Iterator[str]:
    """Yield why a result should not be used, one sentence each.

    Args:
        arm: the calibrated arm.
        placements: the placements with their errors.
        pairs: errors of the nominal and calibrated arm on held-out rows, where there are any.
        largest: bound of the mean position error [m], None for 2 % of the reach.
    """
    bound = LARGEST_SHARE * reach(arm) if largest is None else largest
    why = f"2 % of the reach of {reach(arm):.3g} m" if largest is None else "the bound given"
    for placement in placements:
        yield from _too_large(placement, bound, why)
    for before, after in pairs:
        yield from _worse(before, after)


def _too_large(placement: Placement, bound: float, why: str) -> Iterator[str]:
    errors: PoseErrors = placement.held_out or placement.left_out or placement.after
    names = ", ".join(placement.judged)
    hint = (
        "if the tracker, the base or the tool was moved between or within these recordings, give "
        "each placement as a file of its own, not in one group"
    )
    if errors.mean > bound:
        yield (
            f"{names}: mean error {errors.mean * 1e3:.4g} mm, more than {bound * 1e3:.4g} mm "
            f"({why}); {hint}"
        )
    elif errors.angle_mean is not None and errors.angle_mean > LARGEST_ANGLE:
        yield (
            f"{names}: mean orientation error {np.rad2deg(errors.angle_mean):.4g} deg, more than "
            f"{np.rad2deg(LARGEST_ANGLE):.4g} deg; check how recorded angles are read, and {hint}"
        )


def _worse(before: Array, after: Array) -> Iterator[str]:
    distances = [np.linalg.norm(e[:, :3], axis=1) for e in (before, after)]
    loss = distances[1] - distances[0]
    standard_error = float(loss.std(ddof=1)) / np.sqrt(loss.size) if loss.size > 1 else 0.0
    if loss.mean() > WORSE * standard_error + 1e-9:
        yield (
            f"held-out poses: mean error {distances[1].mean() * 1e3:.4g} mm, more than the "
            f"{distances[0].mean() * 1e3:.4g} mm of the nominal arm in its best frames; these "
            "measurements do not support a correction, keep the nominal arm"
        )
