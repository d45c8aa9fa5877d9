"""Programs for other software: a table of points, a timed motion, and URScript.

All of them name the positions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import LimitError, ProgramError
from armtwin.model.arm import Arm
from armtwin.motion.motion import RATE, Motion, Path
from armtwin.motion.motion_file import as_recording
from armtwin.motion.programs.linear_moves import RISE_TIME, SPEED, linear_moves, rates
from armtwin.motion.programs.program import TaughtProgram
from armtwin.motion.urscript import ScriptMove, moves_script
from armtwin.motion.waypoints import Hold, Waypoints
from armtwin.recording.files.saved import csv_bytes
from armtwin.spatial import Array

APPROACHING = "approaching"
"""Column of an exported motion: number and name of the position that the arm moves to or rests at.
Readers of recordings leave it out: with its number no name can be taken for a value."""
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

    Names are comments: lines that begin with #; so is what makes a point the end of a line.
    """
    rows = [",".join(f"q{n}" for n in range(1, arm.dof + 1))]
    for target, q in zip(program.positions, program.points(arm), strict=True):
        rows += [f"# {target.name}"] + ["# (linear move)"] * (target.motion == "linear")
        rows.append(",".join(f"{value:.9g}" for value in q))
    return ("\n".join(rows) + "\n").encode()


def motion_csv(program: TaughtProgram, arm: Arm) -> bytes:
    """Return the motion as a recording (time, q, qd, qdd), which every verb reads.

    Its last column, ``approaching``, names the position of every row.
    """
    whole, index = _sampled(program, arm, RATE)
    names = [f"{number}: {target.name}" for number, target in enumerate(program.positions, 1)]
    named = np.array(names, dtype=object)[index]
    return csv_bytes(as_recording(whole, arm), {APPROACHING: named})


def motion(program: TaughtProgram, arm: Arm, rate: float = RATE) -> Motion:
    """Return the motion from the first position to the last: trapezoids, resting at each.

    Linear moves are sampled on their line.

    Args:
        program: the taught program.
        arm: the arm that it was taught to.
        rate: samples per second [Hz].

    Raises:
        ProgramError: positions that do not fit the arm, a line it cannot follow, or nothing to do.
        PlanError: a motion that the arm's limits do not allow.
        LimitError: more than a million rows.
    """
    return _sampled(program, arm, rate)[0]


def _sampled(program: TaughtProgram, arm: Arm, rate: float) -> tuple[Motion, NDArray[np.intp]]:
    """Return the motion, and the position (from 0) that each of its samples leads to (n,)."""
    if len(program.points(arm)) < 2:
        raise ProgramError("a motion needs two positions; save another one")
    legs = list(_legs(program, arm))
    if not legs:
        raise ProgramError("all positions are the same; there is no motion to write")
    _require_rows(sum(seconds for _, _, seconds in legs), rate)
    sampled = [path.motion(arm, rate) for _, path, _ in legs]
    counts = [len(one) - 1 for one in sampled]
    index = np.concatenate([[0], np.repeat([k for k, _, _ in legs], counts)])
    return _joined(sampled, program.name), index.astype(np.intp)


def _legs(program: TaughtProgram, arm: Arm) -> Iterator[tuple[int, Path, float]]:
    """Yield position (from 0), path and duration [s] of every move and rest."""
    points, lines = program.points(arm), linear_moves(program, arm)
    for k, target in enumerate(program.positions[1:], 1):
        if k in lines:
            yield k, lines[k], lines[k].duration(arm)
            if target.dwell:
                yield k, Hold(points[k], target.dwell), target.dwell
        elif target.dwell or not np.array_equal(points[k - 1], points[k]):
            leg = Waypoints(points[k - 1 : k + 1], *rates(arm, target.speed), target.dwell)
            yield k, leg, leg.duration(arm)


def _require_rows(seconds: float, rate: float) -> None:
    if seconds * rate > MAX_ROWS:
        raise LimitError(
            f"the motion lasts {seconds:,.0f} s, which is {seconds * rate:,.0f} rows at "
            f"{rate:g} Hz; an export has {MAX_ROWS:,} rows ({MAX_ROWS / rate:,.0f} s) at most: "
            "shorten the rests or export a part, or take the points (points.csv) or the URScript"
        )


def urscript(program: TaughtProgram, arm: Arm) -> str:
    """Return a program for a UR controller: a move to every position, then its rest.

    ``movej``, or ``movel`` for linear moves, as fast as the exported motion.
    """
    points, lines = program.points(arm), linear_moves(program, arm)
    moves = []
    for k, (q, target) in enumerate(zip(points, program.positions, strict=True)):
        if k in lines:
            speed, acceleration = (rate * lines[k].length for rate in lines[k].rates)
        elif k == 0:
            speed, acceleration = SPEED, SPEED / RISE_TIME
        else:
            distance = np.abs(q - points[k - 1])
            limits = rates(arm, target.speed)
            speed, acceleration = (_leading(distance, limit) for limit in limits)
        moves.append(ScriptMove(q, speed, acceleration, target.dwell, target.name, k in lines))
    return moves_script(moves, f"taught {program.name}", _tool_comment(arm) if lines else ())


def _tool_comment(arm: Arm) -> tuple[str, ...]:
    """Return the tool centre point for which linear moves were checked."""
    from scipy.spatial.transform import Rotation

    tool = np.array(arm.tool)
    turn = Rotation.from_matrix(tool[:3, :3]).as_rotvec()
    pose = ", ".join(f"{value:.6g}" for value in (*tool[:3, 3], *turn))
    return (f"movel was checked for the tool centre point p[{pose}] in the flange frame",)


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
