"""Fitted parameters with their 95 % intervals."""

from __future__ import annotations

import numpy as np

from armtwin.calibration.fit.parameter_sets import ParameterSetFit, ParameterSetTrials
from armtwin.calibration.fit.uncertainty import half_widths, sandwich
from armtwin.calibration.pose_errors import FittedParameter
from armtwin.spatial import Array, pose, rpy_from_rotation

STEP = 1e-6
"""Step of the numeric derivative of frame coordinates [m, rad]."""


def fitted_parameters(
    trials: ParameterSetTrials, fit: ParameterSetFit
) -> tuple[FittedParameter, ...]:
    """Return every fitted parameter with its 95 % interval.

    Base and tool are fitted as small changes of their frames; their intervals are those of the
    x, y, z, roll, pitch and yaw of the whole frame.
    """
    if not fit.identifiable.free:
        return ()
    C = covariance(trials, fit)
    degrees = np.unique(trials.measured.block).size - 1
    numbers = _chain_parameters(trials, fit, half_widths(C, degrees))
    for placement in range(len(trials.model.placements)):
        for frame in ("base", "tool"):
            numbers += _frame_parameters(trials, fit, (frame, placement), C, degrees)
    return tuple(numbers)


def covariance(trials: ParameterSetTrials, fit: ParameterSetFit) -> Array:
    """Return the covariance (k, k) of the fitted parameters.

    This is the sandwich estimate with left-out errors, which the fit itself does not lower. No
    variance is smaller than that of a fit with every parameter free within its tolerance, but for
    those with exactly the same effect: leaving parameters out does not make the others more
    certain. The scatter of solutions that were averaged over is added.
    """
    solution = fit.solution
    _, J = solution.whitened
    e = fit.left_out * solution.weights
    C = sandwich(J, e, trials.measured.block, solution.tolerances)
    least = _variance_all_free(trials, fit)
    grow = np.sqrt(np.maximum(1.0, least / np.maximum(np.diag(C), 1e-300)))
    C = C * np.outer(grow, grow)
    return C if fit.between is None else C + fit.between


def _variance_all_free(trials: ParameterSetTrials, fit: ParameterSetFit) -> Array:
    """Return the variances (k,) of the fitted parameters where all others are free as well.

    Also those are free that these measurements do not separate from fitted ones. Only parameters
    with exactly the effect of fitted ones stay held, as ``d3`` beside ``d2`` where both axes are
    parallel: what is fitted, and what the interval is of, is then the sum of both changes.
    """
    free = list(fit.identifiable.free)
    if trials.model.parameters[free[-1]].group == "curves":
        return _variance(fit, fit.solution.J, fit.solution.tolerances)
    fitted_frames = {trials.model.parameters[k].group for k in free} & {"base", "tool"}
    groups = (*fitted_frames, "offsets", "lengths", "twists", "compliance")
    indices = [*free, *[k for k in trials.model.indices(groups) if k not in free]]
    changes = fit.changes(len(trials.model.parameters))
    held = trials.identifiable(changes, indices, first=free).held
    same = {parameter.name for parameter in held if parameter.exact}
    every = [k for k in indices if k in free or trials.model.parameters[k].name not in same]
    variance = _variance(fit, trials.errors(changes)[1][:, :, every], trials.tolerances[every])
    return np.asarray(variance[[every.index(k) for k in free]])


def _variance(fit: ParameterSetFit, J: Array, tolerances: Array) -> Array:
    """Return the posterior variances (k,) of parameters, scaled by what the fit hides of the noise.

    Args:
        fit: the fit, for its weights.
        J: derivatives (n, m, k).
        tolerances: the prior's standard deviations (k,).
    """
    flat = (J * fit.solution.weights[:, :, None]).reshape(-1, J.shape[2])
    prior = tolerances**-2.0
    inverse = np.linalg.inv(flat.T @ flat + np.diag(prior))
    effective = len(prior) - float(prior @ np.diag(inverse))
    numbers = fit.solution.errors.size
    scaled = np.diag(inverse) * numbers / max(numbers - effective, 1.0)
    return np.asarray(np.minimum(scaled, np.maximum(tolerances**2, np.diag(inverse))))


def _chain_parameters(
    trials: ParameterSetTrials, fit: ParameterSetFit, widths: Array
) -> list[FittedParameter]:
    fitted = []
    rows = zip(fit.identifiable.free, fit.solution.x, widths, strict=True)
    for index, change, width in rows:
        p = trials.model.parameters[index]
        if p.group not in ("base", "tool"):
            value = p.nominal + float(change)
            ends = value - float(width), value + float(width)
            fitted.append(FittedParameter(p.name, p.unit, p.nominal, value, *ends))
    return fitted


def _frame_parameters(
    trials: ParameterSetTrials, fit: ParameterSetFit, which: tuple[str, int], C: Array, degrees: int
) -> list[FittedParameter]:
    """Return the coordinates of one frame of one placement that the fit changed."""
    model = trials.model
    frame, placement = which
    indices = [k for k in model.indices((frame,)) if model.parameters[k].placement == placement]
    free = [k for k, index in enumerate(fit.identifiable.free) if index in indices]
    if not free:
        return []
    change, covariance = np.zeros(6), np.zeros((6, 6))
    local = [indices.index(fit.identifiable.free[k]) for k in free]
    change[local] = fit.solution.x[free]
    covariance[np.ix_(local, local)] = C[np.ix_(free, free)]
    start = model.bases[placement], model.tools[placement]
    value = _coordinates(start, frame, change)
    nominal = _coordinates(model.nominal_frames, frame, np.zeros(6))
    derivatives = [
        (_coordinates(start, frame, change + STEP * unit) - value) / STEP for unit in np.eye(6)
    ]
    D = np.stack(derivatives, axis=1)
    widths = half_widths(D @ covariance @ D.T, degrees)
    return [
        FittedParameter(
            model.parameters[index].name,
            model.parameters[index].unit,
            float(nominal[k]),
            float(value[k]),
            float(value[k] - widths[k]),
            float(value[k] + widths[k]),
        )
        for k, index in enumerate(indices)
        if widths[k] > 0
    ]


def _coordinates(frames: tuple[Array, Array], frame: str, change: Array) -> Array:
    """Return x, y, z, roll, pitch, yaw of the changed base or tool."""
    moved = pose(change[:3], change[3:])
    base, tool = frames
    T = base @ moved if frame == "base" else moved @ tool
    return np.concatenate([T[:3, 3], rpy_from_rotation(T[:3, :3])])
