"""Sub-packages of the robot state that a client gets once: kinematics and configuration.

The kinematics are Denavit-Hartenberg rows of the arm, as a controller reports them.
"""

from __future__ import annotations

import math
import re
import struct
import warnings
import zlib
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import ModelWarning
from armtwin.model.arm import Arm
from armtwin.model.convert import convert
from armtwin.robots.ur_controller.streams.packing import framed
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

KINEMATICS, CONFIGURATION, TOOL_COMMUNICATION, TOOL_MODE = 5, 6, 11, 12
"""Types of sub-packages."""
ROBOT_TYPES = {
    "ur3": 3, "ur5": 1, "ur7": 1, "ur8long": 6, "ur10": 2, "ur12": 2, "ur15": 9, "ur16": 4,
    "ur18": 5, "ur20": 7, "ur30": 8,
}  # fmt: skip
"""Robot type by model; UR7e and UR12e report themselves as UR5e and UR10e."""
E_SERIES_BOX = (6, 4)
"""Version of the masterboard and type of the control box in an e-Series simulator."""
E_SERIES_SUB_TYPE = 3
"""Sub-type of the robot in an e-Series simulator."""
ACCELERATION = 40.0
"""Largest joint acceleration of a controller [rad/s2], for arms whose file has none."""
DEFAULTS = (1.0471975511965976, 1.3962634015954636, 0.25, 1.2, 0.25)
"""Joint speed and acceleration [rad/s, rad/s2], those of the tool, radius that a turn counts as."""
BAUD_RATE, PARITY, STOP_BITS, IDLE_CHARACTERS = 115200, 0, 1, (1.5, 3.5)
"""Of the tool's serial line, which is off."""
NOMINAL = 0xFFFFFFFF
"""Checksum of a joint of an arm without calibration, as UR's simulator reports it."""
CALIBRATED = "factory calibration"
"""Begins the source of the geometry of an arm with one; see ``with_factory_calibration``."""
SAME = 1e-9
"""Difference up to which a pose is a turn about z and a shift along it."""


def robot_type(name: str) -> int:
    """Return the robot type of an arm by its name (``ur5e``, ``ur10e-report``); 0 if no UR arm."""
    found = re.match(r"ur\d+(long)?", name.lower())
    return ROBOT_TYPES.get(found[0], 0) if found else 0


def kinematics_info(controller: VirtualController) -> bytes:
    """Return checksums and Denavit-Hartenberg rows; status 0 is a good calibration."""
    rows = dh_rows(controller.arm)
    body = struct.pack(">6I", *checksums(controller.arm, rows))
    return framed(KINEMATICS, body + _columns(rows, (0, 1, 2, 3)) + struct.pack(">I", 0))


def configuration_data(controller: VirtualController) -> bytes:
    """Return joint limits, defaults, Denavit-Hartenberg rows and what robot this is."""
    arm, e_series = controller.arm, controller.version[0] >= 5
    limits = [joint.limits for joint in arm.joints if joint.kind != "fixed"]
    rates = [
        (float(top), limit.acceleration or ACCELERATION)
        for top, limit in zip(controller.top, limits, strict=True)
    ]
    box = (*E_SERIES_BOX, robot_type(arm.name), E_SERIES_SUB_TYPE)
    body = np.column_stack([arm.lower, arm.upper]).astype(">f8").tobytes()
    body += np.array(rates).astype(">f8").tobytes() + struct.pack(">5d", *DEFAULTS)
    body += _columns(dh_rows(arm), (1, 2, 3, 0))
    return framed(
        CONFIGURATION, body + struct.pack(">4i", *(box if e_series else (0, 0, box[2], 0)))
    )


def tool_communication_info() -> bytes:
    """Return the settings of the tool's serial line."""
    settings = (False, BAUD_RATE, PARITY, STOP_BITS, *IDLE_CHARACTERS)
    return framed(TOOL_COMMUNICATION, struct.pack(">?iiiff", *settings))


def tool_mode_info(controller: VirtualController) -> bytes:
    """Return the modes of the tool's outputs."""
    r = controller.registers
    names = ("tool_output_mode", "tool_digital_output0_mode", "tool_digital_output1_mode")
    return framed(TOOL_MODE, bytes(r.number(name) for name in names))


def _columns(rows: np.ndarray, order: tuple[int, ...]) -> bytes:
    """Return columns of the rows one after the other."""
    return rows[:, order].T.astype(">f8").tobytes()


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
