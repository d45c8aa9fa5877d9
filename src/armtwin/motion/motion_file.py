"""Motions as files: the same columns as a recording, so that every verb reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.motion.limits import checked
from armtwin.motion.motion import Motion, grid
from armtwin.recording.preparation.clock import is_uniform
from armtwin.recording.read import read_recording
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

MIN_ROWS = 8
"""Rows that a motion needs: a spline of fifth degree takes six."""


def as_recording(motion: Motion, arm: Arm) -> Recording:
    """Return a motion as a recording with q, qd and qdd; its origin says that it is a plan."""
    groups = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd}
    return Recording.of(motion.time, groups, arm=arm.name, origin=f"plan: {motion.name}")


def save_motion(motion: Motion, arm: Arm, path: str | Path, *, force: bool = False) -> Path:
    """Write a motion to a file and return its path.

    Args:
        motion: joint positions, speeds and accelerations over time.
        arm: the arm that moves.
        path: ends in .csv or .parquet.
        force: overwrite an existing file.
    """
    return as_recording(motion, arm).save(path, force=force)


def read_motion(path: str | Path, arm: ArmLike, *, rate: float | None = None) -> Motion:
    """Return the motion in a file with columns time and q1, q2, ..., as ``save_motion`` writes it.

    Speeds and accelerations come from the file where it has them, else from splines through the
    highest derivative that it has; nothing is filtered. Time begins at 0.

    Args:
        path: CSV, Parquet or another recording; the joints' reference, not a noisy measurement.
        arm: the arm, its catalogue name or its file.
        rate: samples per second [Hz]; None: those of the file.

    Raises:
        InputError: another number of joints, too few rows, uneven time stamps without ``rate``.
        RecordingError: the file is not there, or no recording.
        PlanError: a position, speed, acceleration or torque beyond its limit.
    """
    arm, read = as_arm(arm), read_recording(path, arm)
    time, q = read.require_clock(), read.q
    if q.shape[1] != arm.dof or len(q) < MIN_ROWS or not np.isfinite(q).all():
        raise InputError(
            f"{path}: {q.shape[1]} joints in {len(q)} rows; a motion of arm {arm.name!r} has "
            f"q1 ... q{arm.dof} in {MIN_ROWS} rows or more, without gaps"
        )
    if rate is None and not is_uniform(time):
        raise InputError(f"{path}: time stamps are uneven; give a rate to sample the motion at")
    known = [q] + [read.group(name) for name in ("qd", "qdd") if read.has(name)]
    if len(known) == 2 and not read.has("qd"):
        known = [q]  # accelerations without speeds
    old = time - time[0]
    new = np.linspace(0.0, old[-1], len(old)) if rate is None else _grid_within(old[-1], rate)
    name = f"{Path(path).name}, {len(q)} rows"
    q, qd, qdd = _derivatives(old, known, new)
    return checked(arm, Motion(new, q, qd, qdd, name, tuple(read.notes)))


def _grid_within(seconds: float, rate: float) -> Array:
    times = grid(seconds, rate)
    return times[times <= seconds + 1e-9]


def _derivatives(old: Array, known: list[Array], new: Array) -> list[Array]:
    """Return q, qd and qdd (n, dof) at new times; missing ones by splines of the last known."""
    from scipy.interpolate import make_interp_spline

    same = len(old) == len(new) and np.abs(old - new).max() < 1e-6 * (old[1] - old[0])
    found = [
        x if same else make_interp_spline(old, x, k=5)(np.minimum(new, old[-1])) for x in known
    ]
    last = make_interp_spline(old, known[-1], k=5)
    for order in range(1, 4 - len(known)):
        found.append(last.derivative(order)(np.minimum(new, old[-1])))
    return found


def read_points(path: str | Path, arm: Arm, *, degrees: bool = False) -> Array:
    """Return waypoints (k, dof) [rad | m] of a text file: a row each, split by commas or spaces.

    A first line of names and lines that begin with # are left out.

    Args:
        path: the text file.
        arm: the arm.
        degrees: angles in the file are in degrees.

    Raises:
        InputError: no such file, another number of columns than joints, text among the numbers.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: waypoints cannot be read: {error}") from error
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#") or (not rows and _is_head(words)):
            continue
        rows.append(_numbers(words, arm.dof, f"{path}: line {number}"))
    if not rows:
        raise InputError(f"{path}: no waypoints; write one a line, {arm.dof} numbers each")
    points = np.array(rows)
    if degrees:
        turning = np.array([joint.kind == "revolute" for joint in arm.driven])
        points = np.where(turning, np.deg2rad(points), points)
    return as_joints(arm, points, name="waypoints")


def _is_head(words: list[str]) -> bool:
    try:
        [float(word) for word in words]
    except ValueError:
        return all(not word[0].isdigit() for word in words)
    return False


def _numbers(words: list[str], count: int, where: str) -> list[float]:
    if len(words) != count:
        raise InputError(f"{where} has {len(words)} numbers; expected {count}, one a joint")
    try:
        return [float(word) for word in words]
    except ValueError as error:
        raise InputError(f"{where}: {error}; write numbers such as 1.5 or -0.2") from error
