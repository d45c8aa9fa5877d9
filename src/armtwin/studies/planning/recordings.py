"""Recordings of a folder or of an object store, listed and fetched."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from armtwin.errors import InputError, RecordingError
from armtwin.recording.files.open_file import ENDINGS
from armtwin.storage import StoredFile, StoredFolder, is_uri, reason
from armtwin.studies.planning.study_file import RecordingsTable

WHOLE = 8 << 20
"""Size up to which all of a local file is hashed [bytes]; of larger ones, three blocks."""
BLOCK = 1 << 20
"""Bytes of each of the three blocks."""


@dataclass(frozen=True)
class StoredRecording:
    """A recording's file.

    Attributes:
        name: relative to the folder; the value of the column ``recording``.
        place: a local path, or a URI.
        version: by which a changed file is recognized (``_version``).
    """

    name: str
    place: str
    version: str


def stored_recordings(table: RecordingsTable, root: Path) -> list[StoredRecording]:
    """Return the recordings of a folder in the order of their names.

    Args:
        table: folder and pattern.
        root: folder that a relative one is looked up in.

    Raises:
        InputError: no such folder or store, or no recording in it.
    """
    uri = is_uri(table.folder)
    folder = StoredFolder(table.folder if uri else (root / table.folder).resolve())
    try:
        files = folder.files(table.pattern, recursive=True)
    except OSError as error:
        raise InputError(
            f"recordings.folder = {table.folder!r} cannot be listed: {reason(error)}"
        ) from error
    found = [
        StoredRecording(file.name, folder.uri(file.name), _version(folder, file))
        for file in files
        if file.name.lower().endswith(tuple(ENDINGS))
    ]
    if not found:
        raise InputError(
            f"no recording in {table.folder!r} fits pattern {table.pattern!r}; files of recordings "
            f"end in {', '.join(ENDINGS)}"
        )
    return found


def _version(folder: StoredFolder, file: StoredFile) -> str:
    """Return by what a changed file is recognized.

    The hash of a local file, so that neither a copy that keeps the time nor a change within one
    tick of the clock goes unnoticed. Of files above 8 MiB it covers the first, middle and last
    MiB, with size and time. Objects have size and time only, which stores keep in whole seconds.
    """
    if folder.remote:
        return f"{file.size} {file.changed}"
    state = hashlib.sha256()
    try:
        with Path(folder.uri(file.name)).open("rb") as stream:
            if file.size <= WHOLE:
                state.update(stream.read())
                return f"sha256:{state.hexdigest()}"
            for start in (0, file.size // 2, file.size - BLOCK):
                stream.seek(start)
                state.update(stream.read(BLOCK))
    except OSError as error:  # the row will say so
        return f"unreadable: {error.strerror}"
    return f"{file.size} {file.changed} sha256:{state.hexdigest()}"


@contextlib.contextmanager
def fetched(place: str) -> Iterator[Path]:
    """Yield a local file of a recording: itself, or a copy of an object that is removed again.

    Raises:
        RecordingError: the object cannot be read.
    """
    if not is_uri(place):
        yield Path(place)
        return
    import pyarrow
    from pyarrow import fs

    with tempfile.TemporaryDirectory(prefix="armtwin-study-") as folder:
        copy = Path(folder) / PurePosixPath(place.partition("?")[0]).name
        try:
            fs.copy_files(place, copy.as_posix())
        except (OSError, pyarrow.ArrowException) as error:
            raise RecordingError(f"{place} cannot be read: {reason(error)}") from error
        yield copy
