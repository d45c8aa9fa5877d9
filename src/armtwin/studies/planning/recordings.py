"""Recordings of a folder or of an object store, listed and fetched through ``pyarrow.fs``."""

from __future__ import annotations

import contextlib
import fnmatch
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from armtwin.errors import InputError, RecordingError
from armtwin.recording.files.open_file import ENDINGS
from armtwin.studies.planning.study_file import RecordingsTable


@dataclass(frozen=True)
class StoredRecording:
    """A recording's file.

    Attributes:
        name: relative to the folder; the value of the column ``recording``.
        place: a local path, or a URI.
        version: size and time of the last change, by which a changed file is recognized.
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
    import pyarrow
    from pyarrow import fs

    uri = is_uri(table.folder)
    folder = table.folder if uri else str((root / table.folder).resolve())
    try:
        store, base = fs.FileSystem.from_uri(folder) if uri else (fs.LocalFileSystem(), folder)
        files = store.get_file_info(fs.FileSelector(base, recursive=True))
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(
            f"recordings.folder = {table.folder!r} cannot be listed: {error}"
        ) from error
    found = []
    for file in files:
        name = PurePosixPath(file.path).relative_to(PurePosixPath(base)).as_posix()
        if file.type == fs.FileType.File and _wanted(name, table.pattern):
            place = f"{folder.rstrip('/')}/{name}" if uri else file.path
            found.append(StoredRecording(name, place, f"{file.size} {file.mtime_ns}"))
    if not found:
        raise InputError(
            f"no recording in {table.folder!r} fits pattern {table.pattern!r}; files of recordings "
            f"end in {', '.join(ENDINGS)}"
        )
    return sorted(found, key=lambda one: one.name)


def is_uri(text: str) -> bool:
    """Return whether a text is a URI such as ``s3://bucket/runs`` or ``file:///runs``."""
    return "://" in text


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
        copy = Path(folder) / PurePosixPath(place).name
        try:
            fs.copy_files(place, copy.as_posix())
        except (OSError, pyarrow.ArrowException) as error:
            raise RecordingError(f"{place} cannot be read: {error}") from error
        yield copy


def _wanted(name: str, pattern: str) -> bool:
    fits = fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(Path(name).name, pattern)
    return fits and name.lower().endswith(tuple(ENDINGS))
