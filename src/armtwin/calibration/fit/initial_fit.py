"""Start of a calibration: frames near those of the measurements, a tolerance per parameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.calibration.data.frames import aligned
from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.geometry_parameters import GeometryParameter
from armtwin.calibration.fit.parameter_sets import ParameterSetTrials
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.options import CalibrateOptions
from armtwin.calibration.verdict import reach
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm

SAME_FRAME = 0.05
"""Measurements this near to the nominal poses, as a share of the reach, are in the arm's frames."""
FRAME_TOLERANCE, COMPLIANCE_TOLERANCE = 1.0, 1e-4
"""Frames may be anywhere [m, rad]; joints of real arms bend by 1e-6 to 1e-4 rad/Nm."""


def prepared(
    arm: Arm, measured: PoseMeasurements, options: CalibrateOptions, names: Sequence[str] = ("",)
) -> ParameterSetTrials:
    """Return the model of an arm, ready to be fitted to measurements.

    Args:
        arm: the arm in a DH convention.
        measured: the poses, with the placement of each.
        options: what to fit.
        names: names of the placements.
    """
    requested = options.parameters
    free = requested in ("auto", "curves")
    wanted = options.compliance if free else requested == "compliance"
    has_masses = all(joint.link.mass is not None for joint in arm.driven)
    compliance = wanted and (has_masses or requested == "compliance")
    starts = [_start(arm, measured.take(rows), options) for rows in measured.placement_rows()]
    model = GeometryModel(arm, starts=starts, names=names, compliance=compliance)
    tolerances = [tolerance(parameter, options) for parameter in model.parameters]
    return ParameterSetTrials(model, measured, np.array(tolerances))


def _start(arm: Arm, measured: PoseMeasurements, options: CalibrateOptions) -> Arm | None:
    """Return the arm in the measurements' own frames, or None where its own are near enough."""
    if not (options.base or options.tool):
        return None
    T = fk(arm, measured.q, ignore_limits=True)
    distance = np.linalg.norm(T[:, :3, 3] - measured.position, axis=1)
    if np.sqrt((distance**2).mean()) < SAME_FRAME * reach(arm):
        return None
    return aligned(arm, measured, base=options.base, tool=options.tool)


def tolerance(parameter: GeometryParameter, options: CalibrateOptions) -> float:
    """Return the prior standard deviation of a parameter of geometry, frames or compliance."""
    if parameter.group in ("base", "tool"):
        return FRAME_TOLERANCE
    if parameter.group == "compliance":
        return COMPLIANCE_TOLERANCE
    return options.length_tolerance if parameter.unit == "m" else options.angle_tolerance
