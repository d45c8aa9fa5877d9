"""Motions as files: the same columns as a recording, so that every verb reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.recording.recording import Recording
from armtwin.spatial import Array


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
