"""The folder of a robot: its programs and installations, and the files that it writes."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from armtwin.errors import InputError, MissingDataError
from armtwin.files import replace_file
from armtwin.robots.ur_controller.programs.urp import LARGEST, urp_script

ROOTS = ("/programs", "/ursim/programs")
"""Program folders of controllers and of UR's simulator; a path below them means this folder."""
PROGRAMS = (".urp", ".script", ".urpx")
INSTALLATION = ".installation"
DEFAULT_INSTALLATION = "default.installation"
"""Every robot has this one, whether a file of that name exists or not."""


@dataclass(frozen=True)
class ProgramFile:
    """A program of the folder.

    Attributes:
        path: as clients are shown it, such as ``/programs/pick.urp``.
        script: its URScript.
    """

    path: str
    script: str

    @property
    def name(self) -> str:
        """Name of the file."""
        return PurePosixPath(self.path).name


class RobotFolder:
    """A folder that no path leads out of.

    Args:
        path: an existing folder; if not given a temporary one, made when it is first used.

    Raises:
        InputError: there is no such folder.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self._path = None if path is None else Path(path)
        if self._path is not None and not self._path.is_dir():
            raise InputError(f"{path} is no folder of programs; make it, or name another one")

    @property
    def path(self) -> Path:
        """The folder."""
        if self._path is None:
            self._path = Path(tempfile.mkdtemp(prefix="armtwin-programs-"))
            weakref.finalize(self, shutil.rmtree, self._path, ignore_errors=True)
        return self._path

    def shown(self, name: str) -> str:
        """Return a name as clients are shown it."""
        return name if name.startswith("/") else f"{ROOTS[0]}/{name}"

    def find(self, name: str) -> Path:
        """Return an existing file or folder.

        Raises:
            MissingDataError: it does not exist, or is not within the folder.
        """
        inside = name
        for root in ROOTS:
            if name == root or name.startswith(root + "/"):
                inside = name[len(root) :].lstrip("/") or "."
        try:
            found = (self.path / inside).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            found = None
        if found is None or not found.is_relative_to(self.path.resolve()):
            raise MissingDataError(f"File not found: {name}")
        return found

    def read(self, name: str) -> ProgramFile:
        """Return a program.

        Raises:
            MissingDataError: there is no such file.
            InputError: it is no program, or cannot be read; says why.
        """
        path = self.find(name)
        if not path.is_file() or path.suffix not in PROGRAMS:
            raise InputError(f"{name}: a program ends with {', '.join(PROGRAMS)}")
        try:
            script = _script(path)
        except (InputError, UnicodeDecodeError, OSError) as error:
            raise InputError(f"{name}: {error}") from error
        return ProgramFile(self.shown(name), script)

    def installation(self, name: str) -> str:
        """Return an installation's path as clients are shown it.

        Raises:
            MissingDataError: there is no such file.
            InputError: the name does not end with ``.installation``.
        """
        if PurePosixPath(name).name != DEFAULT_INSTALLATION:
            self.find(name)
        if not name.endswith(INSTALLATION):
            raise InputError(f"{name}: an installation ends with {INSTALLATION}")
        return self.shown(name)

    def programs(self) -> list[Path]:
        """Return the programs, also those in folders below, by name."""
        found = (Path(top) / file for top, _, files in os.walk(self.path) for file in files)
        return sorted(path for path in found if path.suffix in PROGRAMS)

    def write(self, name: str, data: bytes) -> Path:
        """Write a file of the folder, whole or not at all; return its path.

        Raises:
            InputError: it cannot be written.
        """
        parent, _, file = name.rpartition("/")
        folder = self.find(parent or ".")
        path = folder / file
        try:
            replace_file(path, data)
        except OSError as error:
            raise InputError(f"{name}: cannot be written: {error.strerror or error}") from error
        return path


def _script(path: Path) -> str:
    """Return the URScript of a file."""
    data = path.read_bytes() if path.stat().st_size <= LARGEST else b""
    if not data:
        raise InputError(f"empty, or larger than {LARGEST >> 20} MiB")
    if path.suffix == ".urp":
        return urp_script(data, path.stem)
    if path.suffix == ".urpx":
        return urpx_content(data)[1]
    return data.decode("utf-8")


def urpx_content(data: bytes) -> tuple[str, str]:
    """Return name and URScript of a PolyScope X program, which is JSON.

    Raises:
        InputError: it is no such program.
    """
    try:
        program = json.loads(data)["program"]
        name, script = program["programInformation"]["name"], program["urscript"]["script"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError("no PolyScope X program: it has no name or no script") from error
    if not isinstance(name, str) or not isinstance(script, str) or not name.strip():
        raise InputError("no PolyScope X program: name and script are texts")
    return name, script
