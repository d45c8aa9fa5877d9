"""The teach pendant: buttons, the loaded program, popups and modes that clients can set."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armtwin.errors import ArmTwinError, InputError, MissingDataError
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.ports.intake import Step
from armtwin.robots.ur_controller.programs import external_control
from armtwin.robots.ur_controller.programs.loader import LOADER
from armtwin.robots.ur_controller.programs.robot_folder import DEFAULT_INSTALLATION, ProgramFile
from armtwin.robots.ur_controller.script import ScriptProgram
from armtwin.robots.ur_controller.script_programs import start_program
from armtwin.robots.ur_controller.state.modes import RobotMode, SafetyMode

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

POWERED = (SafetyMode.NORMAL, SafetyMode.REDUCED, SafetyMode.PROTECTIVE_STOP, SafetyMode.RECOVERY)
"""Safety modes in which the arm can have power."""


@dataclass(frozen=True)
class LoadedProgram:
    """The program that ``play`` starts.

    Attributes:
        file: where it comes from.
        program: compiled.
    """

    file: ProgramFile
    program: ScriptProgram

    @property
    def path(self) -> str:
        """Path of the file, as clients are shown it."""
        return self.file.path

    @property
    def external(self) -> bool:
        """Whether it has External Control nodes."""
        return external_control.MARK in self.file.script


class TeachPendant:
    """Buttons of a controller; each returns the answer of the dashboard.

    Attributes:
        loaded: the loaded program; None if there is none.
        installation: path of the installation, as clients are shown it.
        operational_mode: NONE, MANUAL or AUTOMATIC.
        user_role: of controllers that have user roles.
        popup: text that is shown; empty if none is.
        remote: whether the robot says that it is in remote control.
        exposed: whether programs may connect to other machines.
        external_control: where External Control nodes get their script, as HOST:PORT.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller = controller
        self.loaded: LoadedProgram | None = None
        self._received: ScriptProgram | None = None
        self.installation = f"/programs/{DEFAULT_INSTALLATION}"
        self.operational_mode, self.user_role, self.popup = "NONE", "NONE", ""
        self.remote, self.exposed = True, False
        self.external_control = external_control.ADDRESS

    # Power and safety

    def power_on(self) -> str:
        """Switch the arm on; its brakes stay closed."""
        modes = self._controller.modes
        if modes.robot == RobotMode.POWER_OFF and modes.safety in POWERED:
            modes.set(robot=RobotMode.IDLE)
        return "Powering on"

    def power_off(self) -> str:
        """Switch the arm off; a program ends."""
        self._controller.stop_program()
        self._controller.modes.set(robot=RobotMode.POWER_OFF)
        return "Powering off"

    def brake_release(self) -> str:
        """Open the brakes, switching the arm on first if need be."""
        if self._controller.modes.safety in POWERED:
            self._controller.modes.set(robot=RobotMode.RUNNING)
        return "Brake releasing"

    def unlock_protective_stop(self, *, at_once: bool = False) -> str:
        """End a protective stop that has lasted long enough, or ``at_once``; close the popup."""
        controller = self._controller
        if controller.modes.safety != SafetyMode.PROTECTIVE_STOP:
            return "Protective stop releasing"
        since = controller.cycles * controller.dt - controller.stopped_at
        if since < controller.unlock_after and not at_once:
            return (
                "Cannot unlock protective stop until 5s after occurrence. "
                "Always inspect cause of protective stop before unlocking"
            )
        self.popup = ""
        controller.collisions.reset()
        controller.modes.set(safety=SafetyMode.NORMAL)
        return "Protective stop releasing"

    def emergency_stop(self) -> None:
        """Press the emergency stop: the arm stops at once and loses power."""
        controller = self._controller
        controller.stop_program()
        controller.reference.rest()
        controller.modes.set(safety=SafetyMode.ROBOT_EMERGENCY_STOP, robot=RobotMode.POWER_OFF)

    def restart_safety(self) -> str:
        """End an emergency stop, fault or violation; the arm is off afterwards."""
        controller = self._controller
        controller.stop_program()
        controller.collisions.reset()
        controller.modes.set(safety=SafetyMode.NORMAL, robot=RobotMode.POWER_OFF)
        return "Restarting safety"

    # Programs

    def load(self, name: str) -> Generator[Step, None, str]:
        """Load a program of the folder; a generator that returns the answer."""
        files = self._controller.files
        try:
            file = yield from LOADER.in_thread(lambda: files.read(name))
            program = yield from LOADER.steps(file.script)
        except MissingDataError:
            return f"File not found: {name}"
        except ArmTwinError as error:
            self._controller.say(f"program {name} not loaded: {error}", Level.ERROR)
            return f"Error while loading program: {name}"
        self._controller.stop_program()
        self.loaded = LoadedProgram(file, program)
        return f"Loading program: {file.path}"

    def load_installation(self, name: str) -> str:
        """Load an installation by its name; its content is not used."""
        try:
            shown = self._controller.files.installation(name)
        except MissingDataError:
            return f"File not found: {name}"
        except InputError:
            return f"Failed to load installation: {name}"
        self._controller.stop_program()
        self.installation = shown
        return f"Loading installation: {shown}"

    def play_steps(self) -> Generator[Step, None, str]:
        """Play, once the script of External Control nodes has come; returns the answer."""
        controller, loaded = self._controller, self.loaded
        if loaded is None or not loaded.external or controller.modes.program_running:
            return self.play()
        address, exposed = self.external_control, self.exposed
        try:
            script = yield from LOADER.in_thread(
                lambda: external_control.fetch_script(address, exposed=exposed)
            )
            text = external_control.with_script(loaded.file.script, script)
            self._received = yield from LOADER.steps(text)
        except ArmTwinError as error:
            controller.say(f"program {loaded.file.name} not started: {error}", Level.ERROR)
            return "Failed to execute: play"
        return self.play()

    def play(self) -> str:
        """Go on with a paused program, or start the loaded one."""
        controller = self._controller
        if controller.modes.may_move and controller.programs.resume():
            return "Starting program"
        ready = controller.modes.may_move and not controller.modes.program_running
        if self.loaded is None or not ready:
            return "Failed to execute: play"
        received, self._received = self._received, None
        start_program(controller, received or self.loaded.program, self.exposed)
        return "Starting program" if controller.program is not None else "Failed to execute: play"

    def pause(self) -> str:
        """Hold the program."""
        if self._controller.programs.pause():
            return "Pausing program"
        return "Failed to execute: pause"

    def stop(self) -> str:
        """End the program."""
        self._controller.stop_program()
        return "Stopped"

    def close_popup(self) -> str:
        """Close the popup; a program that waits for it continues."""
        self.popup = ""
        return "closing popup"

    # Modes

    def set_operational_mode(self, mode: str) -> str:
        """Take control of the operational mode; ``manual`` and ``automatic`` exist."""
        if mode.upper() not in ("MANUAL", "AUTOMATIC"):
            return f"Failed setting operational mode: {mode}"
        self.operational_mode = mode.upper()
        return f"Operational mode '{self.operational_mode}' is set"

    def clear_operational_mode(self) -> str:
        """Give the operational mode back; without a password there is none."""
        self.operational_mode = "NONE"
        return "No longer controlling the operational mode. Current operational mode: 'NONE'."

    def set_user_role(self, role: str) -> str:
        """Set the role of the user."""
        if role.upper() not in ("PROGRAMMER", "OPERATOR", "NONE", "LOCKED", "RESTRICTED"):
            return f"Failed setting user role: {role}"
        self.user_role = role.upper()
        return f"Setting user role: {role}"
