"""Programs of the catalogue's arms that come with the wheel, so that these arms need no CasADi.

``requirements/build_programs.py`` writes the archive when the wheel is built; a clone has none.
Its entries have the names of the program cache, which hold a hash of the equations' source and of
the arm's numbers: an archive of another version is never used. Where an arm lacks numbers that an
equation needs, the entry holds that error.
"""

from __future__ import annotations

import functools
import json
import zipfile
import zlib
from pathlib import Path

from armtwin import errors
from armtwin.compile.program import Program
from armtwin.extras import installed

ARCHIVE = Path(__file__).parent / "programs.zip"
REFUSED = "refused"
"""Key of an entry that holds an error: its class and its message."""


def shipped_program(name: str) -> Program | None:
    """Return a program by its name in the cache, or None if none is shipped under it.

    Raises:
        ArmTwinError: the arm lacks what the equation needs, and CasADi is not there to say so.
    """
    text = shipped_text(name)
    if text is None:
        return None
    if text.startswith("{") and not installed("casadi"):
        kind, message = json.loads(text)[REFUSED]
        raise getattr(errors, kind)(message)
    return parsed(text)


def refusal(error: errors.ArmTwinError) -> str:
    """Return the entry of an equation that an arm has no numbers for."""
    return json.dumps({REFUSED: [type(error).__name__, str(error)]})


def parsed(text: str | None) -> Program | None:
    """Return the program of a text; None where there is none or it is damaged."""
    try:
        return None if text is None else Program.from_json(text)
    except (json.JSONDecodeError, ValueError, TypeError, KeyError):
        return None


def shipped_text(name: str) -> str | None:
    """Return an entry's text, or None if there is none or the archive is damaged."""
    archive = _archive(ARCHIVE)
    if archive is None:
        return None
    try:
        return archive.read(name).decode()
    except (KeyError, OSError, zipfile.BadZipFile, zlib.error):
        return None


def shipped_names() -> list[str]:
    """Return the names of all entries; none in a clone."""
    archive = _archive(ARCHIVE)
    return [] if archive is None else archive.namelist()


@functools.cache
def _archive(path: Path) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile):
        return None
