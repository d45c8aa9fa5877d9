"""Where a calibration starts: frames near the measurements', and a tolerance for every number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armtwin.calibration.data.frames import aligned
from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.parameter_sets import Trials
from armtwin.calibration.fit.pose_model import GeometryModel, GeometryParameter
from armtwin.calibration.verdict import reach
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm

if TYPE_CHECKING:
    from armtwin.calibration.calibrate import CalibrateOptions

SAME_FRAME = 0.05
"""Poses this near to the nominal ones, in parts of the reach, are in the arm's own frames."""
FRAME_TOLERANCE, COMPLIANCE_TOLERANCE = 1.0, 1e-4
"""Frames may be anywhere [m, rad]; joints of real arms bend by 1e-6 to 1e-4 rad/Nm."""


def prepared(
    arm: Arm, measured: PoseMeasurements, chosen: CalibrateOptions, names: Sequence[str] = ("",)
) -> Trials:
    """Return the model of an arm at its start, ready to be fitted to measurements.

    Args:
        arm: the arm in a DH convention.
        measured: the poses, with the placement of each.
        chosen: how to calibrate.
        names: of the placements.
    """
    asked = chosen.parameters
    wanted = chosen.compliance if asked == "auto" else asked == "compliance"
    has_masses = all(joint.link.mass is not None for joint in arm.driven)
    bends = wanted and (has_masses or asked == "compliance")
    starts = [_start(arm, measured.take(rows), chosen) for rows in measured.placement_rows()]
    model = GeometryModel(arm, starts=starts, names=names, compliance=bends)
    tolerances = [_tolerance(parameter, chosen) for parameter in model.parameters]
    return Trials(model, measured, np.array(tolerances))


def _start(arm: Arm, measured: PoseMeasurements, chosen: CalibrateOptions) -> Arm | None:
    """Return the arm in the measurements' own frames, or None where its own are near to them."""
    if not (chosen.base or chosen.tool):
        return None
    T = fk(arm, measured.q, ignore_limits=True)
    distance = np.linalg.norm(T[:, :3, 3] - measured.position, axis=1)
    if np.sqrt((distance**2).mean()) < SAME_FRAME * reach(arm):
        return None
    return aligned(arm, measured, base=chosen.base, tool=chosen.tool)


def _tolerance(parameter: GeometryParameter, chosen: CalibrateOptions) -> float:
    if parameter.group in ("base", "tool"):
        return FRAME_TOLERANCE
    if parameter.group == "compliance":
        return COMPLIANCE_TOLERANCE
    return chosen.length_tolerance if parameter.unit == "m" else chosen.angle_tolerance
