"""The programs of a folder as the REST service of PolyScope X names them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.errors import InputError, MissingDataError, OutputExistsError
from armtwin.robots.ur_controller.programs.robot_folder import RobotFolder, urpx_content

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.state.teach_pendant import LoadedProgram

DEFAULT_PROGRAM = "Default program"
"""Name that PolyScope X reports while no program has been loaded."""
URPX = ".urpx"


class ProgramLibrary:
    """Programs by name: that inside a ``.urpx`` file, or the file's name without its ending.

    Args:
        folder: the robot's folder.
    """

    def __init__(self, folder: RobotFolder) -> None:
        self._folder = folder

    def find(self, name: str) -> str:
        """Return a program's path within the folder.

        Raises:
            MissingDataError: there is no such program.
        """
        for path in self._folder.programs():
            if _name(path) == name:
                return path.relative_to(self._folder.path).as_posix()
        raise MissingDataError(f"program {name!r} was not found")

    def shown_name(self, loaded: LoadedProgram | None) -> str:
        """Return the name of the loaded program."""
        if loaded is None:
            return DEFAULT_PROGRAM
        return _name(self._folder.find(loaded.path))

    def entries(self) -> list[dict[str, Any]]:
        """Return the description of every program."""
        return [_entry(path) for path in self._folder.programs()]

    def download(self, name: str) -> bytes:
        """Return the file of a program.

        Raises:
            MissingDataError: there is no such program.
        """
        return self._folder.find(self.find(name)).read_bytes()

    def name_of(self, data: bytes) -> str:
        """Return the name inside a ``.urpx`` file; raise InputError if it is none."""
        return urpx_content(data)[0]

    def add(self, data: bytes) -> str:
        """Keep a new program and return its name.

        Raises:
            InputError: it is no program.
            OutputExistsError: there is one of that name.
        """
        name = self.name_of(data)
        if any(_name(path) == name for path in self._folder.programs()):
            raise OutputExistsError(f"a program named {name!r} exists already")
        file = re.sub(r"[^\w -]", "_", name).strip()[:80] or "program"
        self._folder.write(file + URPX, data)
        return name

    def update(self, data: bytes) -> str:
        """Replace a program of the same name and return the name.

        Raises:
            MissingDataError: there is none.
        """
        name = self.name_of(data)
        path = self.find(name)
        if not path.endswith(URPX):
            raise InputError(f"program {name!r} is no {URPX} file")
        self._folder.write(path, data)
        return name


def _name(path: Path) -> str:
    if path.suffix != URPX:
        return path.stem
    try:
        return urpx_content(path.read_bytes())[0]
    except (InputError, OSError):
        return path.stem


def _entry(path: Path) -> dict[str, Any]:
    saved = int(path.stat().st_mtime * 1000)
    return {
        "name": _name(path), "description": "", "createdDate": saved, "lastModifiedDate": saved,
        "lastSavedDate": saved, "programState": "FINAL",
    }  # fmt: skip
