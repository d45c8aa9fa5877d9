r"""Figures of a row from results: validation, identification, detection, and the samples.

Friction is compared from day to day as its size at one speed,

.. math:: f = f_C + f_v\, v, \qquad
          \mathrm{Var} f = C_{CC} + 2 v C_{Cv} + v^2 C_{vv},

in the unit of the measured effort (amperes where the current was identified): a torque constant
that the motion determines badly would otherwise scatter into it. The speed v of a joint is the one
at which an arm's first identification determines its friction best, relative to its size,

.. math:: v = \frac{f_v C_{CC} - f_C C_{Cv}}{f_C C_{vv} - f_v C_{Cv}}

which lies near the mean speed of its motion. Later rows of the arm keep these speeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.detection.result import Detection
from armtwin.errors import ArmTwinError, InputError
from armtwin.history.cycles import count_cycles
from armtwin.history.options import AddOptions
from armtwin.history.row import SPEED, PerJoint
from armtwin.identification.identify import identify
from armtwin.identification.parameters.prior import gear_power
from armtwin.identification.result.fit import Fit
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.recording import Recording
from armtwin.spatial import Array
from armtwin.validation.result import Check
from armtwin.validation.validate import validate

SLOWEST, FASTEST = 0.2, 6.0
"""Limits of the speeds that a fit chooses, as multiples of ``row.SPEED``."""
LAW = "viscous-coulomb"
"""Friction law of every identification of a history, so that rows can be compared."""
UNKNOWN = ("gains", "friction", "offsets")
"""Links and rotors do not wear; estimating them would only add scatter."""
TERMS = ("coulomb", "viscous")
NORMAL = 1.959964
"""Half width of a 95 % interval in standard errors."""


def measured(
    arm: Arm,
    recording: Recording,
    options: AddOptions,
    *,
    speeds: PerJoint = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Return every figure that a recording shows; ``notes`` says what it does not show and why.

    Args:
        arm: the arm.
        recording: its recording.
        options: what to find out.
        speeds: as in ``of_fit``.
        on_progress: called before each step; raise from it to cancel.

    Raises:
        InputError: it shows nothing at all.
    """
    steps: list[tuple[str, Any]] = [("validation", lambda: of_check(validate(arm, recording)))]
    if options.identify:
        chosen = (*UNKNOWN, "payload") if options.payload else UNKNOWN
        steps.append(
            ("identification", lambda: of_fit(_identified(arm, recording, chosen), speeds))
        )
    if options.contacts:
        steps.append(("detection", lambda: of_detection(_detected(arm, recording, options))))
    found: dict[str, Any] = {}
    notes = []
    for place, (name, step) in enumerate(steps):
        report_step(on_progress, f"{name} of {recording.origin or 'the recording'}",
                    place / len(steps))  # fmt: skip
        try:
            found |= step()
        except ArmTwinError as error:
            notes.append(f"no {name}: {error}")
    if not found:
        raise InputError(f"{recording.origin or 'the recording'} shows nothing: {'; '.join(notes)}")
    return found | {"notes": "; ".join(notes)}


def _identified(arm: Arm, recording: Recording, unknown: tuple[str, ...]) -> Fit:
    return identify(arm, recording, method=unknown, friction=LAW)


def _detected(arm: Arm, recording: Recording, options: AddOptions) -> Detection:
    from armtwin.detection.detect import detect

    return detect(arm, recording, clean=options.clean)


def of_recording(recording: Recording, arm: Arm, options: AddOptions) -> dict[str, Any]:
    """Return the figures of the samples alone: temperature, tracking, energy, reported payload.

    Args:
        recording: the recording.
        arm: the arm.
        options: the number of cycles, if given.
    """
    found: dict[str, Any] = {"duration": recording.duration if recording.timed else None}
    if recording.has("temperature") and recording.group("temperature").shape[1] == arm.dof:
        found["temperature"] = _numbers(_mean(recording.group("temperature")))
    if recording.has("q", "target_q") and recording.q.shape == recording.group("target_q").shape:
        error = recording.q - recording.group("target_q")
        found["joint_error"] = _numbers(np.sqrt(_mean(error**2)))
    if recording.has("payload"):
        found["payload"] = _number(np.nanmedian(recording["payload"]))
    if recording.has("power") and recording.timed and len(recording) > 1:
        power = recording["power"]
        known = np.isfinite(power)
        if known.sum() > 1:
            found["energy"] = float(np.trapezoid(power[known], recording.time[known]))
            found["cycles"] = options.cycles or count_cycles(recording)
            found["energy_per_cycle"] = found["energy"] / found["cycles"]
    return found


def of_check(check: Check) -> dict[str, Any]:
    """Return the errors of a validation."""
    table = {row.signal: row for row in check.table}
    found: dict[str, Any] = {}
    if "position" in table:
        found |= {"tool_error": table["position"].rmse, "tool_error_max": table["position"].max}
    if "angle" in table:
        found["angle_error"] = table["angle"].rmse
    for name, column in (("tau", "torque_error"), ("current", "current_error")):
        rows = [table.get(f"{name}{j + 1}") for j in range(check.arm.dof)]
        if any(row is not None for row in rows):
            found[column] = tuple(None if row is None else row.rmse for row in rows)
    return found


def of_fit(fit: Fit, speeds: PerJoint = None) -> dict[str, Any]:
    """Return friction, torque constants and payload of an identification.

    Friction is that at ``speeds`` (dof,) [rad/s | m/s]; None: where this fit determines it best.
    """
    dof, known = fit.arm.dof, {e.name: e for e in fit.estimates if e.source != "chosen"}
    found: dict[str, Any] = {}
    for name in ("coulomb", "viscous", "torque_constant"):
        rows = [known.get(f"{name}{j + 1}") for j in range(dof)]
        if any(rows):
            found[name] = tuple(None if e is None else e.value for e in rows)
            half = [None if e is None else (e.high - e.low) / (2 * NORMAL) for e in rows]
            found[f"{name}_se"] = tuple(half)
    parts = [_friction(fit, known, j) for j in range(dof)]
    chosen = speeds or tuple(_best_speed(fit, j, part) for j, part in enumerate(parts))
    levels = [_level(part, speed) for part, speed in zip(parts, chosen, strict=True)]
    if any(level is not None for level in levels):
        found["friction"] = tuple(None if one is None else one[0] for one in levels)
        found["friction_se"] = tuple(None if one is None else one[1] for one in levels)
        found["friction_speed"] = None if chosen == usual_speeds(fit.before) else chosen
        found["friction_unit"] = "A" if fit.kind == "current" else "Nm"
    if "payload_mass" in known:
        mass = known["payload_mass"]
        found |= {"payload": mass.value, "payload_se": (mass.high - mass.low) / (2 * NORMAL)}
    return found


def of_detection(detection: Detection) -> dict[str, Any]:
    """Return the number of contacts; nothing where the recording could not be judged."""
    return {} if detection.reason else {"contacts": len(detection.alarms)}


def _friction(fit: Fit, known: dict[str, Any], j: int) -> tuple[Array, Array] | None:
    """Return a joint's Coulomb and viscous friction (2,) and their covariance (2, 2).

    Both are in the unit of the measured effort; None where the fit does not hold them.
    """
    names = [f"{name}{j + 1}" for name in TERMS]
    pair = [known.get(name) for name in names]
    if None in pair or not set(names) <= set(fit.names):
        return None
    joint = fit.before.driven[j]
    gear = joint.drive.gear if joint.drive is not None else fit.options.gear
    scale = 1.0
    if fit.kind == "current":
        constant = known.get(f"torque_constant{j + 1}")
        filed = joint.drive.torque_constant if joint.drive is not None else None
        per_ampere = filed if constant is None else constant.value
        if not per_ampere:
            return None
        scale = 1 / (gear * per_ampere)
    powers = [gear_power(name, gear) for name in TERMS]
    at_joint = [e.value * power for e, power in zip(pair, powers, strict=True) if e is not None]
    index = [fit.names.index(name) for name in names]
    return scale * np.array(at_joint), fit.covariance[np.ix_(index, index)]


def usual_speeds(arm: Arm) -> tuple[float, ...]:
    """Return the speeds at which friction is compared where no better ones are known (dof,)."""
    return tuple(SPEED[joint.kind] for joint in arm.driven)


def _best_speed(fit: Fit, j: int, part: tuple[Array, Array] | None) -> float:
    """Return the speed of the smallest relative standard error, to two digits.

    Args:
        fit: the identification.
        j: the joint, from 0.
        part: its friction, as ``_friction`` returns it.
    """
    usual = SPEED[fit.before.driven[j].kind]
    if part is None:
        return usual
    (coulomb, viscous), C = part
    above = viscous * C[0, 0] - coulomb * C[0, 1]
    below = coulomb * C[1, 1] - viscous * C[0, 1]
    if not (above > 0 and below > 0 and coulomb > 0):
        return usual
    best = np.clip(above / below, SLOWEST * usual, FASTEST * usual)
    return float(f"{best:.2g}")


def _level(part: tuple[Array, Array] | None, speed: float | None) -> tuple[float, float] | None:
    """Return friction at a speed and its standard error."""
    if part is None or speed is None:
        return None
    weights = np.array([1.0, speed])
    level, variance = float(weights @ part[0]), float(weights @ part[1] @ weights)
    return (level, float(np.sqrt(variance))) if level > 0 and variance > 0 else None


def _mean(values: Array) -> Array:
    """Return the mean of every column over its known values; NaN where there is none."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _numbers(values: Array) -> tuple[float | None, ...]:
    return tuple(_number(value) for value in values)


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
