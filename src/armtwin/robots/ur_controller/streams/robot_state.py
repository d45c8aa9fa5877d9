"""The robot state message, 10 times a second on the primary and secondary interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armtwin.robots.ur_controller.streams import arm_packages, fixed_packages
from armtwin.robots.ur_controller.streams.packing import ROBOT_STATE, framed, is_since

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController


class RobotStateMessage:
    """Encodes the robot state message of a controller.

    Args:
        controller: the controller.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller = controller
        self._kinematics = self._configuration = b""
        if is_since(controller.version, (3, 2)):
            self._kinematics = fixed_packages.kinematics_info(controller)
            self._configuration = fixed_packages.configuration_data(controller)

    def packet(self, *, first: bool = False) -> bytes:
        """Return the present state.

        Args:
            first: with kinematics and configuration, as a client gets them once.
        """
        controller, version = self._controller, self._controller.version
        recent = is_since(version, (3, 2))
        parts = [
            arm_packages.mode_data(controller),
            arm_packages.joint_data(controller),
            arm_packages.cartesian_info(controller),
            self._kinematics if first else b"",
            arm_packages.calibration_data() if recent else b"",
            arm_packages.masterboard_data(controller),
            arm_packages.tool_data(controller),
            self._configuration if first else b"",
        ]
        if recent:
            parts.append(arm_packages.force_mode_data(controller))
            parts.append(arm_packages.additional_info(controller))
            parts.append(arm_packages.safety_data())
        if version[0] >= 5:
            parts.append(fixed_packages.tool_communication_info())
        if is_since(version, (5, 4)):
            parts.append(fixed_packages.tool_mode_info(controller))
        return framed(ROBOT_STATE, b"".join(parts))
