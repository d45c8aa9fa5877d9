"""The current robot for the work process, sent as a header of every request.

The header is small and complete, so that the work process keeps no state that could be outdated,
and a restarted one has all of it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.app.control.run_recorder import FinishedRecording
from armtwin.app.control.session import Session
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.model.formats.toml import write_toml
from armtwin.robots.robot import Robot, RobotState
from armtwin.spatial import Array

HEADER = "x-armtwin-shown"
SECRET = "x-armtwin-secret"
"""Header that identifies a request of the control process, which has checked it."""


class ShownArm(Robot):
    """Name, kind and model of the control process's robot; it cannot be moved here."""

    async def start(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    async def move(self, q: Array, speed: float) -> None:
        """Raise NotImplementedError."""
        raise NotImplementedError("only the control process moves the arm")

    async def follow(self, q: Array, speed: float) -> None:
        """Raise NotImplementedError."""
        raise NotImplementedError("only the control process moves the arm")

    async def stop(self) -> None:
        """Raise NotImplementedError."""
        raise NotImplementedError("only the control process stops the arm")

    def state(self) -> RobotState:
        """Return a placeholder state."""
        zero = np.zeros(self.arm.dof)
        return RobotState(0.0, zero, zero, zero, False, "unknown")


@dataclass
class RecordingList:
    """The recordings for download, as ``RunRecorder`` keeps them."""

    finished: dict[str, FinishedRecording]


class ShownWriter:
    """Writes the header in the control process.

    Args:
        session: the running app.
        folder: private folder for the file of an arm that is not in the catalogue.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self._session, self._folder = session, folder
        self._known: tuple[Arm | None, str] = (None, "")

    def header(self) -> str:
        """Return the header's value: ASCII JSON."""
        robot = self._session.robot
        recorder = self._session.parts.get("recorder")
        made: dict[str, FinishedRecording] = getattr(recorder, "finished", {})
        return json.dumps(
            {
                "arm": self._source(robot.arm),
                "title": robot.title,
                "kind": robot.kind,
                "real": robot.real,
                "can_move": robot.can_move,
                "recordings": [[one.name, str(one.path), one.rows] for one in made.values()],
            }
        )

    def _source(self, arm: Arm) -> str:
        if self._known[0] is not arm:
            self._known = arm, arm_source(arm, self._folder)
        return self._known[1]


def arm_source(arm: Arm, folder: Path) -> str:
    """Return a source of an arm for other processes: a catalogue name, or a file in ``folder``."""
    same = arm.name in arm_names() and load(arm.name).fingerprint == arm.fingerprint
    if same and not arm.shapes:
        return arm.name
    text = write_toml(arm)
    place = folder / f"arm-{hashlib.sha256(text.encode()).hexdigest()[:16]}.toml"
    place.write_text(text, encoding="utf-8")
    return str(place)


def show(session: Session, header: str) -> None:
    """Set the robot and recordings of a work process's session from a header."""
    if session.parts.get("shown") == header:
        return
    content: dict[str, Any] = json.loads(header)
    session.robot = ShownArm(
        loaded(content["arm"]),
        content["title"],
        content["kind"],
        content["real"],
        content["can_move"],
    )
    made = {
        name: FinishedRecording(name, Path(path), rows)
        for name, path, rows in content["recordings"]
    }
    session.parts["recorder"] = RecordingList(made)
    session.parts["shown"] = header


@functools.lru_cache(maxsize=16)
def loaded(source: str) -> Arm:
    """Return the arm of a source that ``arm_source`` made."""
    return load(source)
