"""The dashboard of a controller: short commands in text, one line of answer each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from armtwin.robots.ur_controller.state.modes import RuntimeState, SafetyMode

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

SERIAL_NUMBER = "20260000001"
"""Digits only; clients insist."""


class Goodbye(Exception):  # noqa: N818 - no error: the client wants to leave
    """The client has said quit."""


class Dashboard:
    """Answers the dashboard's commands."""

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._panel = controller, controller.panel
        panel = self._panel
        self._plain: dict[str, Callable[[], str]] = {
            "play": panel.play,
            "stop": panel.stop,
            "pause": panel.pause,
            "power on": panel.power_on,
            "power off": panel.power_off,
            "brake release": panel.brake_release,
            "unlock protective stop": panel.unlock_protective_stop,
            "restart safety": panel.restart_safety,
            "close safety popup": lambda: "closing safety popup",
            "close popup": self._close_popup,
            "robotmode": lambda: f"Robotmode: {controller.modes.robot.name}",
            "safetymode": lambda: f"Safetymode: {self._safety()}",
            "safetystatus": lambda: f"Safetystatus: {self._safety()}",
            "running": lambda: f"Program running: {str(self._runs()).lower()}",
            "programstate": lambda: f"{self._state()} {panel.loaded or '<unnamed>'}",
            "get loaded program": self._loaded,
            "isprogramsaved": lambda: f"true {panel.loaded or '<unnamed>'}",
            "polyscopeversion": self._version,
            "version": lambda: ".".join(map(str, controller.version[:3])),
            "get serial number": lambda: SERIAL_NUMBER,
            "get robot model": self._model,
            "is in remote control": lambda: "true",
            "get operational mode": lambda: panel.operational_mode,
            "clear operational mode": self._clear_mode,
            "armtwin pace": lambda: f"Pace: {controller.pace}",
        }

    def answer(self, line: str) -> str:
        """Return the answer to a line.

        Raises:
            Goodbye: the client wants to leave.
        """
        words = " ".join(line.split())
        plain = words.lower()
        if plain in ("quit", "exit", "shutdown"):
            raise Goodbye
        if plain in self._plain:
            return self._plain[plain]()
        return self._with_words(words)

    def _with_words(self, words: str) -> str:
        """Answer the commands that carry a text of their own."""
        found = re.match(
            r"(load installation|load|popup|addtolog|set operational mode|set user role)\s+(.+)",
            words,
            re.IGNORECASE,
        )
        if not found:
            return f'could not understand: "{words[:200]}"'
        command, rest = found[1].lower(), found[2][:200]
        if command == "load":
            return f"File not found: {rest}"
        if command == "load installation":
            return f"File not found: {rest}"
        if command == "popup":
            self._panel.popup = rest
            return "showing popup"
        if command == "addtolog":
            self._controller.say(rest)
            return "Added log message"
        if command == "set user role":
            return f"Setting user role: {rest}"
        self._panel.operational_mode = rest.upper()
        return f"Setting operational mode: {rest.upper()}"

    def _safety(self) -> str:
        return self._controller.modes.safety.name

    def _runs(self) -> bool:
        return self._controller.modes.runtime == RuntimeState.PLAYING

    def _state(self) -> str:
        modes = self._controller.modes
        if modes.safety != SafetyMode.NORMAL or not modes.program_running:
            return "STOPPED"
        return "PLAYING" if self._runs() else "PAUSED"

    def _loaded(self) -> str:
        return (
            f"Loaded program: {self._panel.loaded}" if self._panel.loaded else ("No program loaded")
        )

    def _version(self) -> str:
        return f"URSoftware {'.'.join(map(str, self._controller.version))} (armtwin)"

    def _model(self) -> str:
        found = re.match(r"ur\d+", self._controller.arm.name)
        return found[0].upper() if found else self._controller.arm.name.upper()

    def _close_popup(self) -> str:
        self._panel.popup = ""
        return "closing popup"

    def _clear_mode(self) -> str:
        self._panel.operational_mode = "NONE"
        return "No longer controlling the operational mode. Current operational mode: 'NONE'."
