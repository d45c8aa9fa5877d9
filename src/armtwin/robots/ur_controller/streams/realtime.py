"""The packet of the real-time interface: ``int32 size``, then doubles, every control cycle.

Newer releases append fields. Sizes in bytes: 1044 (3.0), 1060 (3.2), 1108 (3.5, 5.0), 1116 (3.10,
5.4), 1140 (3.14, 5.9), 1220 (3.15, 5.10).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from armtwin.robots.ur_controller.streams.packing import is_since
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur.protocol.fields import Version
    from armtwin.robots.ur_controller.state.registers import Registers

FIELDS: tuple[str | int, ...] = (
    "timestamp", "target_q", "target_qd", "target_qdd", "target_current", "target_moment",
    "actual_q", "actual_qd", "actual_current", "joint_control_output", "actual_TCP_pose",
    "actual_TCP_speed", "actual_TCP_force", "target_TCP_pose", "target_TCP_speed",
    "actual_digital_input_bits", "joint_temperatures", "actual_execution_time", 1, "robot_mode",
    "joint_mode", "safety_mode", 6, "actual_tool_accelerometer", 6, "speed_scaling",
    "actual_momentum", 2, "actual_main_voltage", "actual_robot_voltage", "actual_robot_current",
    "actual_joint_voltage",
)  # fmt: skip
"""Fields of RTDE in the order of the packet; a number is that many reserved values."""
APPENDED: tuple[tuple[tuple[tuple[int, int], ...], tuple[str | int, ...]], ...] = (
    (((3, 2),), ("actual_digital_output_bits", "runtime_state")),
    (((3, 5),), ("elbow_position", "elbow_velocity")),
    (((3, 10), (5, 4)), ("safety_status",)),
    (((3, 14), (5, 9)), (3,)),
    (((3, 15), (5, 10)), ("payload", "payload_cog", "payload_inertia")),
)
"""Fields of later releases."""
INPUT_BITS = "actual_digital_input_bits"
"""Sent as an integer in the place of a double."""


class Realtime:
    """Encodes the packet of the real-time interface.

    Args:
        registers: the controller's fields.
        version: what the controller claims to be.
    """

    def __init__(self, registers: Registers, version: Version) -> None:
        names = list(FIELDS)
        for first, added in APPENDED:
            names += added if is_since(version, *first) else ()
        self._parts: list[Array] = [
            np.zeros(name) if isinstance(name, int) else registers[name] for name in names
        ]
        count = sum(part.size for part in self._parts)
        before = names.index(INPUT_BITS)
        self._bits_at = sum(part.size for part in self._parts[:before])
        self._bits = registers[INPUT_BITS]
        self._native = np.empty(count)
        self._packet = np.empty(4 + 8 * count, np.uint8)
        self._packet[:4] = np.frombuffer(struct.pack(">i", self._packet.size), np.uint8)
        self._values = self._packet[4:].view(">f8")
        self._bits_view = self._packet[4:].view(">u8")

    def packet(self) -> bytes:
        """Return the packet of the present values."""
        np.concatenate(self._parts, out=self._native, casting="unsafe")
        self._values[...] = self._native
        self._bits_view[self._bits_at] = self._bits[0]
        return self._packet.tobytes()
