"""Programs of the catalogue's arms that come with the wheel, so that these arms need no CasADi.

``requirements/build_programs.py`` writes the archive when the wheel is built; a clone has none.
Its entries have the names of the program cache, which hold a hash of the equations' source and of
the arm's numbers: an archive of another version is never used.
"""

from __future__ import annotations

import functools
import zipfile
import zlib
from pathlib import Path

ARCHIVE = Path(__file__).parent / "programs.zip"


def shipped_text(name: str) -> str | None:
    """Return a program's text by its name in the cache, or None if none is shipped under it."""
    archive = _archive(ARCHIVE)
    if archive is None:
        return None
    try:
        return archive.read(name).decode()
    except (KeyError, OSError, zipfile.BadZipFile, zlib.error):
        return None


def shipped_names() -> list[str]:
    """Return the names of all shipped programs; empty in a clone."""
    archive = _archive(ARCHIVE)
    return [] if archive is None else archive.namelist()


@functools.cache
def _archive(path: Path) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile):
        return None
