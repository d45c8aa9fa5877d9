"""The log of a robot, its flight reports and support files."""

from __future__ import annotations

import io
import json
import zipfile
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from armtwin import __version__
from armtwin.errors import InputError
from armtwin.robots.ur.protocol.codec import Level

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

SERIAL_NUMBER = "20260000001"
"""Digits only, beginning with 20; clients insist."""
MAX_LINES = 5000
"""Newest lines of the log that are kept."""
LOG_FILE = "polyscope.log"
REPORTS = "flightreports"
REPORT_TYPES = ("controller", "software", "system")
FIELDS = (
    "actual_q", "actual_qd", "actual_TCP_pose", "actual_TCP_force", "actual_current",
    "joint_temperatures", "robot_mode", "safety_mode", "runtime_state", "payload",
)  # fmt: skip
"""Fields of RTDE that a report holds."""


@dataclass(frozen=True)
class LogLine:
    """A line of the controller's log.

    Attributes:
        clock: time on the controller's clock [s].
        level: how grave it is.
        text: what it says.
    """

    clock: float
    level: Level
    text: str


class Journal:
    """The controller's log, oldest line first; the oldest are forgotten."""

    def __init__(self) -> None:
        self.lines: deque[LogLine] = deque(maxlen=MAX_LINES)

    def add(self, clock: float, level: Level, text: str) -> None:
        """Add a line.

        Args:
            clock: time on the controller's clock [s].
            level: how grave it is.
            text: what it says.
        """
        self.lines.append(LogLine(clock, level, " ".join(text.split())))

    def text(self) -> str:
        """Return all lines."""
        return log_text(list(self.lines))


def log_text(lines: list[LogLine]) -> str:
    """Return lines of the log as text: time [s], level, what was said."""
    return "".join(f"{line.clock:12.3f} {line.level.name:9} {line.text}\n" for line in lines)


def robot_state(controller: VirtualController) -> dict[str, Any]:
    """Return what a report says about a controller; call it within the control cycle."""
    panel, modes = controller.panel, controller.modes
    programs = [] if panel.loaded is None else [panel.loaded.path]
    return {
        "serial_number": SERIAL_NUMBER,
        "arm": controller.arm.name,
        "polyscope_version": ".".join(map(str, controller.version)),
        "armtwin_version": __version__,
        "clock": controller.clock,
        "robot_mode": modes.robot.name,
        "safety_mode": modes.safety.name,
        "runtime_state": modes.runtime.name,
        "operational_mode": panel.operational_mode,
        "installation": panel.installation,
        "loaded_program": programs,
        "control_cycles": str(controller.pace),
        "fields": {name: controller.registers[name].tolist() for name in FIELDS},
    }


class Reports:
    """Writes reports of one controller into its folder.

    Every method returns a function that may run in another thread: what it needs of the
    controller is taken when the method is called.

    Args:
        controller: the controller.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller = controller

    def save_log(self) -> Any:
        """Return a function that writes the log and returns the file's path."""
        files, lines = self._controller.files, list(self._controller.journal.lines)
        return lambda: files.write(LOG_FILE, log_text(lines).encode())

    def flight_report(self, kind: str) -> Any:
        """Return a function that writes a flight report and returns its identifier.

        Raises:
            InputError: there is no such type of report.
        """
        if kind not in REPORT_TYPES:
            raise InputError(f"flight report {kind!r}: there are {', '.join(REPORT_TYPES)}")
        files, lines = self._controller.files, list(self._controller.journal.lines)
        state = robot_state(self._controller) | {"type": kind}
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{kind}"

        def write() -> str:
            content = {"state.json": _json(state), LOG_FILE: log_text(lines).encode()}
            if kind == "system":
                names = [str(path.relative_to(files.path)) for path in files.programs()]
                content["programs.json"] = _json(names)
            (files.path / REPORTS).mkdir(exist_ok=True)
            files.write(f"{REPORTS}/{name}.zip", packed(content))
            return name

        return write

    def support_file(self, place: str) -> Any:
        """Return a function that writes a support file into a folder and returns its name.

        The file holds a new flight report and all that exist.
        """
        files, report = self._controller.files, self.flight_report("system")
        name = f"ur_{SERIAL_NUMBER}_{datetime.now(UTC):%Y-%m-%d_%H-%M-%S}.zip"

        def write() -> str:
            if not files.find(place).is_dir():
                raise InputError(f"{place} is no folder")
            report()
            found = sorted((files.path / REPORTS).glob("*.zip"))
            content = {f"{REPORTS}/{path.name}": path.read_bytes() for path in found}
            files.write(f"{place.rstrip('/') or '.'}/{name}", packed(content))
            return name

        return write


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def packed(content: dict[str, bytes]) -> bytes:
    """Return a zip archive of files by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return buffer.getvalue()
