"""What a person does at a robot's pendant or over the dashboard: power, safety, programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armtwin.link.rtde.server.modes import RobotMode, RuntimeState, SafetyMode

if TYPE_CHECKING:
    from armtwin.link.rtde.server.controller import Controller


class Panel:
    """Buttons of a controller; each returns what the dashboard answers."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self.loaded, self.operational_mode, self.popup = "", "NONE", ""

    def power_on(self) -> str:
        """Switch the arm on; its brakes stay closed."""
        modes = self._controller.modes
        if modes.robot == RobotMode.POWER_OFF:
            modes.set(robot=RobotMode.IDLE)
        return "Powering on"

    def power_off(self) -> str:
        """Switch the arm off; a program ends."""
        self._controller.stop_program()
        self._controller.modes.set(robot=RobotMode.POWER_OFF)
        return "Powering off"

    def brake_release(self) -> str:
        """Open the brakes, switching the arm on first if need be."""
        self._controller.modes.set(robot=RobotMode.RUNNING)
        return "Brake releasing"

    def unlock_protective_stop(self) -> str:
        """End a protective stop that has lasted long enough."""
        controller = self._controller
        if controller.modes.safety != SafetyMode.PROTECTIVE_STOP:
            return "Protective stop releasing"
        since = controller.cycles * controller.dt - controller.stopped_at
        if since < controller.unlock_after:
            return (
                "Cannot unlock protective stop until 5s after occurrence. "
                "Always inspect cause of protective stop before unlocking"
            )
        controller.collisions.reset()
        controller.modes.set(safety=SafetyMode.NORMAL)
        return "Protective stop releasing"

    def emergency_stop(self) -> None:
        """Press the emergency stop: the arm stands at once, without power."""
        controller = self._controller
        controller.stop_program()
        controller.reference.rest()
        controller.modes.set(safety=SafetyMode.ROBOT_EMERGENCY_STOP, robot=RobotMode.POWER_OFF)

    def restart_safety(self) -> str:
        """End an emergency stop, fault or violation; the arm is off afterwards."""
        self._controller.collisions.reset()
        self._controller.modes.set(safety=SafetyMode.NORMAL, robot=RobotMode.POWER_OFF)
        return "Restarting safety"

    def play(self) -> str:
        """Go on with a paused program."""
        modes = self._controller.modes
        if modes.runtime == RuntimeState.PAUSED and modes.may_move:
            modes.set(runtime=RuntimeState.PLAYING)
            return "Starting program"
        return "Failed to execute: play"

    def pause(self) -> str:
        """Hold the program."""
        modes = self._controller.modes
        if modes.runtime == RuntimeState.PLAYING:
            modes.set(runtime=RuntimeState.PAUSED)
            return "Pausing program"
        return "Failed to execute: pause"

    def stop(self) -> str:
        """End the program."""
        self._controller.stop_program()
        return "Stopped"
