"""An arm as the standard Denavit-Hartenberg rows that a UR controller reports."""

from __future__ import annotations

import math
import warnings
import zlib

import numpy as np

from armtwin.errors import ModelWarning
from armtwin.model.arm import Arm
from armtwin.model.convert import convert
from armtwin.spatial import Array

NOMINAL = 0xFFFFFFFF
"""Checksum of a joint of an arm without calibration, as UR's simulator reports it."""
CALIBRATED = "factory calibration"
"""Begins the source of the geometry of an arm with one; see ``with_factory_calibration``."""
SAME = 1e-9
"""Difference up to which a pose is a turn about z and a shift along it."""


def dh_rows(arm: Arm) -> Array:
    r"""Return theta [rad], a [m], d [m], alpha [rad] of every joint (dof, 4).

    .. math:: T = \prod_i R_z(\theta_i + q_i) T_z(d_i) T_x(a_i) R_x(\alpha_i)

    Of the two rows for a common normal, the one with theta within a quarter turn is taken; an
    uncalibrated UR arm then has UR's published rows. A turn about and a shift along the first and
    last joint's axis in the arm's base and tool become part of their rows. Other mountings and
    tools, rows without a joint and reversed directions are left out: UR arms have none.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        plain = convert(arm, "standard-dh")
    moving = [joint for joint in plain.joints if joint.kind != "fixed"]
    rows = np.array([(j.theta + j.offset, j.a, j.d, j.alpha) for j in moving])
    for row, pose in ((0, plain.base), (-1, plain.tool)):
        turn, shift = _about_z(np.array(pose, float))
        rows[row, 0] += turn
        rows[row, 2] += shift
    for k in range(len(rows) - 1):
        rows[k, 0] = _wrapped(rows[k, 0])
        if abs(rows[k, 0]) > math.pi / 2 + SAME:
            rows[k] = (_wrapped(rows[k, 0] + math.pi), -rows[k, 1], rows[k, 2], -rows[k, 3])
            rows[k + 1, 0] += math.pi
    rows[-1, 0] = _wrapped(rows[-1, 0])
    return rows + 0.0


def checksums(arm: Arm, rows: Array) -> list[int]:
    """Return one number per joint: CRC-32 of its row if the arm was calibrated.

    UR's own checksums cover data that arm files do not have.
    """
    if not dict(arm.sources).get("geometry", "").startswith(CALIBRATED):
        return [NOMINAL] * len(rows)
    return [zlib.crc32(row.astype(">f8").tobytes()) for row in rows]


def _about_z(T: Array) -> tuple[float, float]:
    """Return the turn about and shift along z of a pose that has nothing else; else zeros."""
    turn, shift = math.atan2(T[1, 0], T[0, 0]), float(T[2, 3])
    cosine, sine = math.cos(turn), math.sin(turn)
    only = np.array([[cosine, -sine, 0, 0], [sine, cosine, 0, 0], [0, 0, 1, shift], [0, 0, 0, 1]])
    return (turn, shift) if np.abs(T - only).max() < SAME else (0.0, 0.0)


def _wrapped(angle: float) -> float:
    """Return an angle between -pi and pi; noise about 0 is removed."""
    angle = math.remainder(angle, 2 * math.pi)
    return 0.0 if abs(angle) < 1e-12 else angle
