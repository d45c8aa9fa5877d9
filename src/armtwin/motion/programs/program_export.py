"""Programs for other software: a table of points, a timed motion, and URScript."""

from __future__ import annotations

import numpy as np

from armtwin.errors import LimitError, ProgramError
from armtwin.model.arm import Arm
from armtwin.motion.motion import RATE, Motion
from armtwin.motion.motion_file import as_recording
from armtwin.motion.programs.program import TaughtProgram
from armtwin.motion.urscript import movej_script
from armtwin.motion.waypoints import Waypoints
from armtwin.recording.files.saved import csv_bytes
from armtwin.spatial import Array

SPEED, RISE_TIME = 1.0, 0.5
"""Top speed where the arm file gives none [rad/s | m/s], and time to reach top speed [s]."""
MAX_ROWS = 1_000_000
"""Rows of an exported motion: about 300 MB of text, and half an hour at 500 Hz."""


def exported(program: TaughtProgram, arm: Arm, form: str) -> bytes:
    """Return a program as the content of a file.

    Args:
        program: the taught program.
        arm: the arm that it was taught to.
        form: points.csv, motion.csv or program.script.
    """
    if form == "program.script":
        return urscript(program, arm).encode()
    return points_csv(program, arm) if form == "points.csv" else motion_csv(program, arm)


def points_csv(program: TaughtProgram, arm: Arm) -> bytes:
    """Return the points, a row each below its name, as ``armtwin optimize --waypoints`` reads them.

    Names are comments: lines that begin with #.
    """
    rows = [",".join(f"q{n}" for n in range(1, arm.dof + 1))]
    for target, q in zip(program.positions, program.points(arm), strict=True):
        rows += [f"# {target.name}", ",".join(f"{value:.9g}" for value in q)]
    return ("\n".join(rows) + "\n").encode()


def motion_csv(program: TaughtProgram, arm: Arm) -> bytes:
    """Return the motion as a recording (time, q, qd, qdd), which every verb reads."""
    return csv_bytes(as_recording(motion(program, arm), arm))


def motion(program: TaughtProgram, arm: Arm, rate: float = RATE) -> Motion:
    """Return the motion from the first position to the last: trapezoids, resting at each.

    Args:
        program: the taught program.
        arm: the arm that it was taught to.
        rate: samples per second [Hz].

    Raises:
        ProgramError: positions that do not fit the arm, or nothing to do.
        PlanError: a motion that the arm's limits do not allow.
        LimitError: more than a million rows.
    """
    points = program.points(arm)
    if len(points) < 2:
        raise ProgramError("a motion needs two positions; save another one")
    legs = []
    for k, target in enumerate(program.positions[1:]):
        if np.array_equal(points[k], points[k + 1]) and not target.dwell:
            continue
        speed, acceleration = _rates(arm, target.speed)
        legs.append(Waypoints(points[k : k + 2], speed, acceleration, target.dwell))
    if not legs:
        raise ProgramError("all positions are the same; there is no motion to write")
    _require_rows(sum(leg.duration(arm) for leg in legs), rate)
    return _joined([leg.motion(arm, rate) for leg in legs], program.name)


def _require_rows(seconds: float, rate: float) -> None:
    if seconds * rate > MAX_ROWS:
        raise LimitError(
            f"the motion lasts {seconds:,.0f} s, which is {seconds * rate:,.0f} rows at "
            f"{rate:g} Hz; an export has {MAX_ROWS:,} rows ({MAX_ROWS / rate:,.0f} s) at most: "
            "shorten the rests or export a part, or take the points (points.csv) or the URScript"
        )


def urscript(program: TaughtProgram, arm: Arm) -> str:
    """Return a program for a UR controller: ``movej`` to every position, then its rest."""
    points = program.points(arm)
    speeds, accelerations = [SPEED], [SPEED / RISE_TIME]
    for distance, target in zip(
        np.abs(np.diff(points, axis=0)), program.positions[1:], strict=True
    ):
        rates = [_leading(distance, limit) for limit in _rates(arm, target.speed)]
        speeds.append(rates[0])
        accelerations.append(rates[1])
    dwells = [target.dwell for target in program.positions]
    names = [target.name for target in program.positions]
    title = f"taught {program.name}"
    return movej_script(points, speeds, accelerations, title, dwells=dwells, names=names)


def _rates(arm: Arm, share: float) -> tuple[Array, Array]:
    """Return speeds and accelerations (dof,) for a share of the arm's limits."""
    limits = [joint.limits for joint in arm.driven]
    top = np.array([SPEED if limit.speed is None else limit.speed for limit in limits])
    given = [np.inf if limit.acceleration is None else limit.acceleration for limit in limits]
    speed = share * top
    return speed, np.minimum(speed / RISE_TIME, np.array(given))


def _leading(distance: Array, limit: Array) -> float:
    """Return the rate of the joint that moves furthest when no joint exceeds its limit."""
    if not distance.any():
        return float(limit.min())
    with np.errstate(divide="ignore"):
        return float((limit / distance).min() * distance.max())


def _joined(legs: list[Motion], name: str) -> Motion:
    """Return motions one after the other; each begins where and when the one before ends."""
    q, qd, qdd = (
        np.concatenate([getattr(legs[0], n)[:1], *[getattr(leg, n)[1:] for leg in legs]])
        for n in ("q", "qd", "qdd")
    )
    time = np.asarray(np.arange(len(q)) * legs[0].step, float)
    return Motion(time, q, qd, qdd, name, legs[0].notes)
