"""The dashboard of a controller: short commands in text, one line of answer each.

Commands, answers and the versions that have them are those of UR's documentation and of its
client library, which checks them by regular expressions.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armtwin.errors import ArmTwinError
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.ports.intake import Step
from armtwin.robots.ur_controller.programs.flight_reports import SERIAL_NUMBER, Reports
from armtwin.robots.ur_controller.programs.loader import LOADER
from armtwin.robots.ur_controller.state.modes import RuntimeState

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

LONGEST = 200
"""Longest text of a command that is repeated in an answer or shown [characters]."""
NEVER = (99, 0)
"""Version above all others, for commands that a generation of controllers never had."""
Answer = str | Generator[Step, None, str]


class ClientQuit(Exception):  # noqa: N818 - not an error
    """The client has sent ``quit``, or has shut the controller down.

    Attributes:
        answer: the last line that it gets.
    """

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(frozen=True)
class DashboardCommand:
    """A command of the dashboard.

    Attributes:
        do: returns the answer; takes the text after the command.
        old: first version of CB3 that has it.
        new: first version of newer controllers that has it.
        text: whether a text follows the command.
    """

    do: Callable[[str], Answer]
    old: tuple[int, int] = (3, 0)
    new: tuple[int, int] = (5, 0)
    text: bool = False

    def known(self, version: tuple[int, ...]) -> bool:
        """Return whether a controller of that version has the command."""
        return version[:2] >= (self.old if version[0] < 5 else self.new)


class Dashboard:
    """Answers the dashboard's commands.

    Args:
        controller: the controller.
        shut_down: called when a client shuts the controller down.
    """

    def __init__(
        self, controller: VirtualController, shut_down: Callable[[], None] | None = None
    ) -> None:
        self._controller, self._panel = controller, controller.panel
        self._reports, self._shut_down = Reports(controller), shut_down
        commands = self._enquiries() | self._actions() | self._texts()
        self._commands = {n: c for n, c in commands.items() if c.known(controller.version)}
        names = sorted(self._commands, key=len, reverse=True)
        self._pattern = re.compile(f"({'|'.join(names)})(?: (.*))?", re.IGNORECASE)

    def answer(self, line: str) -> str:
        """Return the answer to a line, waiting for it; see ``steps``."""
        steps = self.steps(line)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return str(end.value)
            time.sleep(1e-3)

    def steps(self, line: str) -> Generator[Step, None, str]:
        """Answer a line; a generator that returns the answer.

        Raises:
            ClientQuit: the client wants to leave.
        """
        words = " ".join(line.split())
        match = self._pattern.fullmatch(words)
        command = self._commands[match[1].lower()] if match else None
        rest = (match[2] or "")[:LONGEST] if match else ""
        if command is None or (rest and not command.text):
            return f'could not understand: "{words[:LONGEST]}"'
        answer = command.do(rest)
        return answer if isinstance(answer, str) else (yield from answer)

    def _enquiries(self) -> dict[str, DashboardCommand]:
        controller, panel, modes = self._controller, self._panel, self._controller.modes
        version = ".".join(map(str, controller.version))
        return {
            "running": DashboardCommand(lambda _: f"Program running: {str(self._plays()).lower()}"),
            "robotmode": DashboardCommand(lambda _: f"Robotmode: {modes.robot.name}"),
            "safetymode": DashboardCommand(lambda _: f"Safetymode: {modes.safety.name}"),
            "safetystatus": DashboardCommand(
                lambda _: f"Safetystatus: {modes.safety.name}", NEVER, (5, 4)
            ),
            "get loaded program": DashboardCommand(lambda _: self._loaded()),
            "programstate": DashboardCommand(lambda _: f"{self._state()} {self._name()}"),
            "isprogramsaved": DashboardCommand(lambda _: f"true {self._name()}"),
            "polyscopeversion": DashboardCommand(lambda _: f"URSoftware {version} (armtwin)"),
            "version": DashboardCommand(lambda _: version, NEVER),
            "get serial number": DashboardCommand(lambda _: SERIAL_NUMBER, (3, 12), (5, 6)),
            "get robot model": DashboardCommand(lambda _: robot_model(controller), (3, 12), (5, 6)),
            "is in remote control": DashboardCommand(
                lambda _: str(panel.remote).lower(), NEVER, (5, 6)
            ),
            "get operational mode": DashboardCommand(
                lambda _: panel.operational_mode, NEVER, (5, 6)
            ),
            "getuserrole": DashboardCommand(lambda _: panel.user_role, (3, 1), NEVER),
            "armtwin pace": DashboardCommand(lambda _: f"Pace: {controller.pace}"),
        }

    def _actions(self) -> dict[str, DashboardCommand]:
        panel = self._panel
        return {
            "play": DashboardCommand(lambda _: panel.play_steps()),
            "stop": DashboardCommand(lambda _: panel.stop()),
            "pause": DashboardCommand(lambda _: panel.pause()),
            "quit": DashboardCommand(self._quit),
            "shutdown": DashboardCommand(self._power_down),
            "power on": DashboardCommand(lambda _: panel.power_on()),
            "power off": DashboardCommand(lambda _: panel.power_off()),
            "brake release": DashboardCommand(lambda _: panel.brake_release()),
            "unlock protective stop": DashboardCommand(
                lambda _: panel.unlock_protective_stop(), (3, 1)
            ),
            "restart safety": DashboardCommand(lambda _: panel.restart_safety(), (3, 7), (5, 1)),
            "close popup": DashboardCommand(lambda _: panel.close_popup()),
            "close safety popup": DashboardCommand(lambda _: "closing safety popup", (3, 1)),
            "clear operational mode": DashboardCommand(
                lambda _: panel.clear_operational_mode(), NEVER
            ),
            "savelog": DashboardCommand(lambda _: self._save_log(), (3, 13), (5, 8)),
        }

    def _texts(self) -> dict[str, DashboardCommand]:
        panel = self._panel
        return {
            "load": DashboardCommand(panel.load, text=True),
            "load installation": DashboardCommand(panel.load_installation, (3, 2), text=True),
            "popup": DashboardCommand(self._popup, text=True),
            "addtolog": DashboardCommand(self._add_to_log, text=True),
            "set operational mode": DashboardCommand(panel.set_operational_mode, NEVER, text=True),
            "setuserrole": DashboardCommand(panel.set_user_role, (3, 1), NEVER, text=True),
            "generate flight report": DashboardCommand(
                self._flight_report, (3, 13), (5, 8), text=True
            ),
            "generate support file": DashboardCommand(
                self._support_file, (3, 13), (5, 8), text=True
            ),
        }

    def _quit(self, _: str) -> str:
        raise ClientQuit("Disconnected")

    def _power_down(self, _: str) -> str:
        self._panel.power_off()
        if self._shut_down is not None:
            self._shut_down()
        raise ClientQuit("Shutting down")

    def _popup(self, text: str) -> str:
        self._panel.popup = text
        return "showing popup"

    def _add_to_log(self, text: str) -> str:
        if not text:
            return "No log message to add"
        self._controller.say(text)
        return "Added log message"

    def _save_log(self) -> Generator[Step, None, str]:
        return self._written(self._reports.save_log, "saveLog", lambda _: "Log saved to disk")

    def _flight_report(self, kind: str) -> Generator[Step, None, str]:
        return self._written(
            lambda: self._reports.flight_report(kind.lower() or "system"),
            "generate flight report",
            lambda name: f"Flight Report generated with id: {name}",
        )

    def _support_file(self, place: str) -> Generator[Step, None, str]:
        return self._written(
            lambda: self._reports.support_file(place or "."),
            "generate support file",
            lambda name: f"Completed successfully: {name}",
        )

    def _written(
        self,
        begin: Callable[[], Callable[[], object]],
        command: str,
        answer: Callable[[object], str],
    ) -> Generator[Step, None, str]:
        """Write a file beside the control cycle and return the answer.

        Args:
            begin: takes what is needed of the controller and returns what writes the file.
            command: the command, for the answer if it fails.
            answer: returns the answer to what was written.
        """
        try:
            return answer((yield from LOADER.in_thread(begin())))
        except (ArmTwinError, OSError) as error:
            self._controller.say(f"{command}: {error}", Level.ERROR)
            return f"Failed to execute: {command}: {' '.join(str(error).split())[:LONGEST]}"

    def _plays(self) -> bool:
        return self._controller.modes.runtime == RuntimeState.PLAYING

    def _state(self) -> str:
        if not self._controller.modes.program_running:
            return "STOPPED"
        return "PLAYING" if self._plays() else "PAUSED"

    def _name(self) -> str:
        return "<unnamed>" if self._panel.loaded is None else self._panel.loaded.file.name

    def _loaded(self) -> str:
        loaded = self._panel.loaded
        return "No program loaded" if loaded is None else f"Loaded program: {loaded.path}"


def robot_model(controller: VirtualController) -> str:
    """Return the model of a robot, without the series: UR5 for a UR5e."""
    found = re.match(r"ur\d+", controller.arm.name)
    return (found[0] if found else controller.arm.name).upper()
