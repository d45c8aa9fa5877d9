"""Sub-packages of the robot state that a client gets once: kinematics and configuration."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

import numpy as np

from armtwin.robots.ur_controller.streams.dh_rows import checksums, dh_rows
from armtwin.robots.ur_controller.streams.packing import framed

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
ACCELERATION = 40.0
"""Largest joint acceleration of a controller [rad/s2], for arms whose file has none."""
DEFAULTS = (1.0471975511965976, 1.3962634015954636, 0.25, 1.2, 0.25)
"""Joint speed and acceleration [rad/s, rad/s2], those of the tool, radius that a turn counts as."""
BAUD_RATE, PARITY, STOP_BITS, IDLE_CHARACTERS = 115200, 0, 1, (1.5, 3.5)
"""Of the tool's serial line, which is off."""


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
