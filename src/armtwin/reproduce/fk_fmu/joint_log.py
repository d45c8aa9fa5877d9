"""A made-up log of an arm in the form of the FMU report's recording, when no real one is given.

58 s at 500 Hz (29,051 rows): time stamps that jitter, joints in degrees, the pose that a real arm
of slightly other dimensions would take, noise, and a few empty cells.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from armtwin.files import write_output
from armtwin.kinematics.forward import tool_coordinates
from armtwin.model.arm import Arm
from armtwin.reproduce.figure import table
from armtwin.spatial import Array

ROWS, STEP = 29_051, 0.002
"""Rows of the document's log, and its period [s]."""
FIRST_STAMP = 1_749_900_000.0
"""Start of the log, Unix time [s]: 14 June 2025, the date of the report."""
JITTER = 2e-5
"""Largest error of a time stamp [s]."""
NOISE = 2e-4
"""Standard deviation of positions [m] and of entries of quaternions."""
EMPTY = 12
"""Rows with an empty cell."""


def write_joint_log(arm: Arm, path: Path, *, seed: int = 7, force: bool = False) -> Path:
    """Write the log as CSV: ``timestamp``, joints [deg], position [m] and quaternion.

    Args:
        arm: the arm.
        path: the CSV file.
        seed: of the random motion and of the arm's errors.
        force: overwrite an existing file.
    """
    rng = np.random.default_rng(seed)
    time = STEP * np.arange(ROWS, dtype=np.float64)
    q = _motion(time)
    where = tool_coordinates(real_arm(arm, seed), q)
    turn = where.quaternion + NOISE * rng.normal(size=where.quaternion.shape)
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    position = where.position + NOISE * rng.normal(size=where.position.shape)
    jitter = JITTER * rng.uniform(-1, 1, ROWS)
    jitter[0], jitter[-1] = 0.0, JITTER
    stamps = FIRST_STAMP + time + jitter
    values = np.column_stack([stamps, np.rad2deg(q), position, turn])
    rows = [[f"{x:.9g}" if k else f"{x:.6f}" for k, x in enumerate(row)] for row in values.tolist()]
    for row in rng.choice(np.arange(100, ROWS - 100), EMPTY, replace=False):
        rows[row][1 + int(rng.integers(6))] = ""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    joints = [f"q{n} [deg]" for n in range(1, 7)]
    writer.writerow(["timestamp", *joints, "x", "y", "z", "qx", "qy", "qz", "qw"])
    writer.writerows(rows)
    write_output(path, text.getvalue().encode(), force=force)
    return path


def real_arm(arm: Arm, seed: int = 7) -> Arm:
    """Return the arm as it might be built: lengths off by about 1 mm, zeros by about 1 mrad."""
    rng = np.random.default_rng(seed)
    joints = tuple(
        replace(
            joint,
            a=joint.a + 1e-3 * rng.normal() * (joint.a != 0),
            d=joint.d + 1e-3 * rng.normal() * (joint.d != 0),
            offset=joint.offset + 1e-3 * rng.normal(),
        )
        for joint in arm.joints
    )
    return arm.with_(joints=joints)


def _motion(time: Array) -> Array:
    """Return a smooth motion through the joints of the report's Table 3, (n, 6) [rad]."""
    from scipy.interpolate import PchipInterpolator

    rows = list(table("fk_report.csv"))
    seconds = np.array([float(row["time"]) for row in rows])
    q = np.array([[float(row[f"q{n}"]) for n in range(1, 7)] for row in rows])
    times = np.concatenate([[0.0], seconds, [STEP * (ROWS - 1)]])
    points = np.vstack([q[:1], q, q[-1:]])
    return np.asarray(PchipInterpolator(times, points)(time))
