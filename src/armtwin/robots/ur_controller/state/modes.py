"""Modes of a controller: power, safety and program, in the numbers of RTDE."""

from __future__ import annotations

import enum

from armtwin.robots.ur_controller.state.registers import Registers


class RobotMode(enum.IntEnum):
    """Power and brakes."""

    NO_CONTROLLER = -1
    DISCONNECTED = 0
    CONFIRM_SAFETY = 1
    BOOTING = 2
    POWER_OFF = 3
    POWER_ON = 4
    IDLE = 5
    BACKDRIVE = 6
    RUNNING = 7
    UPDATING = 8


class SafetyMode(enum.IntEnum):
    """Why the arm may or may not move."""

    NORMAL = 1
    REDUCED = 2
    PROTECTIVE_STOP = 3
    RECOVERY = 4
    SAFEGUARD_STOP = 5
    SYSTEM_EMERGENCY_STOP = 6
    ROBOT_EMERGENCY_STOP = 7
    VIOLATION = 8
    FAULT = 9


class RuntimeState(enum.IntEnum):
    """State of the program."""

    STOPPING = 0
    STOPPED = 1
    PLAYING = 2
    PAUSING = 3
    PAUSED = 4
    RESUMING = 5


JOINT_RUNNING, JOINT_IDLE, JOINT_POWER_OFF = 253, 255, 239
"""Joint modes of RTDE."""
POWER_ON_BIT, PROGRAM_BIT, POWER_BUTTON_BIT = 1, 2, 8
"""Bits of RTDE's ``robot_status_bits``: power, program, power button."""
_SAFETY_BITS = {
    SafetyMode.NORMAL: 1 << 0,
    SafetyMode.REDUCED: 1 << 1,
    SafetyMode.PROTECTIVE_STOP: 1 << 2,
    SafetyMode.RECOVERY: 1 << 3,
    SafetyMode.SAFEGUARD_STOP: 1 << 4,
    SafetyMode.SYSTEM_EMERGENCY_STOP: 1 << 5 | 1 << 7,
    SafetyMode.ROBOT_EMERGENCY_STOP: 1 << 6 | 1 << 7,
    SafetyMode.VIOLATION: 1 << 8,
    SafetyMode.FAULT: 1 << 9,
}


class Modes:
    """The controller's state, written into the registers at every change."""

    def __init__(self, registers: Registers) -> None:
        self._registers = registers
        self.robot, self.safety = RobotMode.RUNNING, SafetyMode.NORMAL
        self.runtime = RuntimeState.STOPPED
        self.write()

    def set(
        self,
        *,
        robot: RobotMode | None = None,
        safety: SafetyMode | None = None,
        runtime: RuntimeState | None = None,
    ) -> None:
        """Change some of the modes.

        Args:
            robot: mode of the robot; None: as it is.
            safety: safety mode; None: as it is.
            runtime: state of the program; None: as it is.
        """
        self.robot = self.robot if robot is None else robot
        self.safety = self.safety if safety is None else safety
        self.runtime = self.runtime if runtime is None else runtime
        self.write()

    @property
    def may_move(self) -> bool:
        """Whether the arm is powered, released and safe."""
        safe = self.safety in (SafetyMode.NORMAL, SafetyMode.REDUCED)
        return self.robot == RobotMode.RUNNING and safe

    @property
    def program_running(self) -> bool:
        """Whether a program plays or pauses."""
        return self.runtime not in (RuntimeState.STOPPED, RuntimeState.STOPPING)

    def write(self) -> None:
        """Write the modes into the registers."""
        r, powered = self._registers, self.robot >= RobotMode.POWER_ON
        r["robot_mode"], r["safety_mode"] = self.robot, self.safety
        r["safety_status"], r["runtime_state"] = self.safety, self.runtime
        r["robot_status_bits"] = (
            POWER_ON_BIT * powered + PROGRAM_BIT * self.program_running + POWER_BUTTON_BIT
        )
        r["safety_status_bits"] = _SAFETY_BITS[self.safety]
        moving = self.robot == RobotMode.RUNNING
        r["joint_mode"] = JOINT_RUNNING if moving else JOINT_IDLE if powered else JOINT_POWER_OFF
