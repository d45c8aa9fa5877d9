"""Sub-packages of the robot state that change from one message to the next.

Fields that UR reserves, or that the virtual robot has no value for, are 0.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from armtwin.robots.ur_controller.motion.compliance import ForceModeOverlay, FreedriveOverlay
from armtwin.robots.ur_controller.motion.torque_moves import DirectTorqueMove
from armtwin.robots.ur_controller.state.modes import RobotMode, RuntimeState, SafetyMode
from armtwin.robots.ur_controller.streams.packing import framed, is_since, microseconds

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

MODE, JOINTS, TOOL, MASTERBOARD, CARTESIAN = 0, 1, 2, 3, 4
FORCE, ADDITIONAL, CALIBRATION, SAFETY = 7, 8, 9, 10
"""Types of sub-packages."""
_MODE = struct.Struct(">Q7?BBdd")
_JOINT = struct.Struct(">3d4fB")
_TOOL = struct.Struct(">BBddfBffB")
_MASTERBOARD = struct.Struct(">iibbddbbddffffBBb")
CALIBRATION_SIZE, SAFETY_SIZE = 48, 38
"""Bytes of the bodies that UR's own software uses."""
EMERGENCY = (SafetyMode.SYSTEM_EMERGENCY_STOP, SafetyMode.ROBOT_EMERGENCY_STOP)
HELD = (RuntimeState.PAUSED, RuntimeState.PAUSING)
POSITION_CONTROL, TEACH_CONTROL, FORCE_CONTROL, TORQUE_CONTROL = 0, 1, 2, 3
"""Control modes in the robot mode data of UR's client interface."""
AUTOMATIC, ENABLED = 1, 1
"""Inputs of the operational mode selector and of the three-position enabling device."""


def mode_data(controller: VirtualController) -> bytes:
    """Return power, safety, program and speed."""
    modes, r = controller.modes, controller.registers
    held = modes.runtime in HELD
    body = _MODE.pack(
        microseconds(controller.clock), True, True,
        modes.robot >= RobotMode.POWER_ON,
        modes.safety in EMERGENCY,
        modes.safety == SafetyMode.PROTECTIVE_STOP,
        modes.program_running and not held, held,
        modes.robot & 0xFF, control_mode(controller),
        r.number("target_speed_fraction"), r.number("speed_scaling"),
    )  # fmt: skip
    if is_since(controller.version, (3, 2)):
        body += struct.pack(">d", 1.0)  # upper limit of the speed slider
    return framed(MODE, body + (b"\0" if is_since(controller.version, (3, 5)) else b""))


def control_mode(controller: VirtualController) -> int:
    """Return how the joints are controlled: position 0, teach 1, force 2, torque 3."""
    if isinstance(controller.move, DirectTorqueMove):
        return TORQUE_CONTROL
    overlay = controller.motion.compliance
    if isinstance(overlay, ForceModeOverlay):
        return FORCE_CONTROL
    return TEACH_CONTROL if isinstance(overlay, FreedriveOverlay) else POSITION_CONTROL


def joint_data(controller: VirtualController) -> bytes:
    """Return positions [rad], speeds [rad/s], currents, voltages and temperatures."""
    r = controller.registers
    names = (
        "actual_q", "target_q", "actual_qd", "actual_current", "actual_joint_voltage",
        "joint_temperatures",
    )  # fmt: skip
    rows = zip(*(r[name].tolist() for name in names), r["joint_mode"].tolist(), strict=True)
    return framed(JOINTS, b"".join(_JOINT.pack(*row, 0.0, mode) for *row, mode in rows))


def cartesian_info(controller: VirtualController) -> bytes:
    """Return the tool centre point's pose in base and its offset from the flange [m, rad]."""
    r = controller.registers
    offset = is_since(controller.version, (3, 2))
    values = r["actual_TCP_pose"].tolist() + (r["tcp_offset"].tolist() if offset else [])
    return framed(CARTESIAN, struct.pack(f">{len(values)}d", *values))


def tool_data(controller: VirtualController) -> bytes:
    """Return the tool's inputs, supply and temperature."""
    r = controller.registers
    types = r.number("tool_analog_input_types")
    body = _TOOL.pack(
        types & 1, types >> 1 & 1,
        r.number("tool_analog_input0"), r.number("tool_analog_input1"),
        r["actual_joint_voltage"][-1], r.number("tool_output_voltage") & 0xFF,
        r.number("tool_output_current"), r.number("tool_temperature"),
        int(r["joint_mode"][-1]),
    )  # fmt: skip
    return framed(TOOL, body)


def masterboard_data(controller: VirtualController) -> bytes:
    """Return inputs and outputs, supply and safety mode."""
    r, modes = controller.registers, controller.modes
    types = r.number("analog_io_types")
    body = _MASTERBOARD.pack(
        r.number("actual_digital_input_bits") & 0x7FFFFFFF,
        r.number("actual_digital_output_bits") & 0x7FFFFFFF,
        types & 1, types >> 1 & 1,
        r.number("standard_analog_input0"), r.number("standard_analog_input1"),
        types >> 2 & 1, types >> 3 & 1,
        r.number("standard_analog_output0"), r.number("standard_analog_output1"),
        controller.electrics.supply.ambient,
        r.number("actual_robot_voltage"), r.number("actual_robot_current"),
        r.number("io_current"), modes.safety, modes.safety == SafetyMode.REDUCED, 0,
    )  # fmt: skip
    body += bytes(4)
    if is_since(controller.version, (3, 2)):
        body += bytes([AUTOMATIC, ENABLED])
    if is_since(controller.version, (3, 10), (5, 4)):
        body += bytes(1)
    return framed(MASTERBOARD, body)


def force_mode_data(controller: VirtualController) -> bytes:
    """Return the wrench at the tool [N, Nm]; the robot's dexterity is 0."""
    wrench = controller.registers["actual_TCP_force"].tolist()
    return framed(FORCE, struct.pack(">7d", *wrench, 0.0))


def additional_info(controller: VirtualController) -> bytes:
    """Return the freedrive button: enabled, not pressed."""
    size = 2 + is_since(controller.version, (3, 5)) + is_since(controller.version, (3, 10), (5, 4))
    return framed(ADDITIONAL, bytes([0, 1, 0, 0])[:size])


def calibration_data() -> bytes:
    """Return data that UR's own software uses, filled with zeros."""
    return framed(CALIBRATION, bytes(CALIBRATION_SIZE))


def safety_data() -> bytes:
    """Return data that UR's own software uses, filled with zeros."""
    return framed(SAFETY, bytes(SAFETY_SIZE))
