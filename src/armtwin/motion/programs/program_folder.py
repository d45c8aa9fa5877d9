"""Saved programs: one JSON file each in the user's data folder."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from armtwin.errors import OutputExistsError, ProgramError
from armtwin.files import data_folder, replace_file
from armtwin.motion.programs.program import MAX_BYTES, TaughtProgram, read_program

ENDING = ".json"
LONGEST = 60
"""Characters of a file's name; file systems take 255 bytes, and a letter may have four."""
RESERVED = {"con", "prn", "aux", "nul", *(f"{n}{k}" for n in ("com", "lpt") for k in range(1, 10))}


def file_name(name: str) -> str:
    """Return a name as the stem of a file: letters, digits, ``-``, ``_`` and single blanks.

    The result is no path, no hidden file and no device name.

    Raises:
        ProgramError: nothing is left of the name.
    """
    text = unicodedata.normalize("NFKC", name)
    text = re.sub(r"[^\w \-]+", "_", text)
    text = re.sub(r"\s+", " ", text)[:LONGEST].strip(" _-")
    if not text:
        raise ProgramError(f"{name[:80]!r} is no name for a file; use letters and digits")
    return f"{text}_" if text.lower() in RESERVED else text


@dataclass(frozen=True)
class FolderEntry:
    """A program in the folder: its file's stem, its name, its arm and its number of positions."""

    file: str
    name: str
    arm: str
    positions: int

    @classmethod
    def of(cls, stem: str, program: TaughtProgram) -> FolderEntry:
        """Return the entry of a program in the file of a stem."""
        return cls(stem, program.name, program.arm, len(program.positions))


class ProgramFolder:
    """The programs of one user."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = data_folder() / "programs" if folder is None else folder

    def kept(self) -> list[FolderEntry]:
        """Return the programs that can be read, by name; other files are ignored."""
        found = []
        for path in sorted(self.folder.glob(f"*{ENDING}")):
            try:
                program = self._read(path)
            except (ProgramError, OSError):
                continue
            found.append(FolderEntry.of(path.stem, program))
        return sorted(found, key=lambda kept: kept.name.lower())

    def load(self, file: str) -> TaughtProgram:
        """Return a program by its file's stem.

        Raises:
            ProgramError: no such program, or its file is damaged.
        """
        return self._read(self._place(file))

    def save(self, program: TaughtProgram, *, overwrite: bool = False) -> str:
        """Write a program under its name and return its file's stem.

        Raises:
            OutputExistsError: there is one and ``overwrite`` is not set.
            ProgramError: a name that no file can have, or a folder that cannot be written.
        """
        stem = file_name(program.name)
        path = self.folder / f"{stem}{ENDING}"
        if path.exists() and not overwrite:
            raise OutputExistsError(
                f"there is a program {stem!r}; choose another name, or allow overwriting it"
            )
        try:
            replace_file(path, program.to_bytes())
        except OSError as error:
            raise ProgramError(f"{stem!r} cannot be saved: {error.strerror}") from error
        return stem

    def remove(self, file: str) -> None:
        """Delete a program."""
        self._place(file).unlink(missing_ok=True)

    def _place(self, file: str) -> Path:
        path = self.folder / f"{file}{ENDING}"
        if file != file_name(file) or not path.is_file():
            stems = sorted(path.stem for path in self.folder.glob(f"*{ENDING}"))
            names = ", ".join(stems[:12]) or "none"
            raise ProgramError(f"no program {file[:80]!r}; there are: {names}")
        return path

    def _read(self, path: Path) -> TaughtProgram:
        with path.open("rb") as file:
            return read_program(file.read(MAX_BYTES + 1), path.stem)
