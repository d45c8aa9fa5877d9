"""Folders of files on this machine or on an object store (``s3://bucket/runs``), by ``pyarrow.fs``.

Credentials and region of an object store come from the environment, as its own tools take them
(``AWS_ACCESS_KEY_ID``, ``AWS_PROFILE``, ``AWS_ENDPOINT_URL``), or from the URI
(``s3://bucket/runs?endpoint_override=host:9000&scheme=http``).
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from armtwin.errors import InputError
from armtwin.extras import require
from armtwin.files import replace_file

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import fs


@dataclass(frozen=True)
class StoredFile:
    """A file of a folder.

    Attributes:
        name: relative to the folder, with slashes.
        size: [bytes].
        changed: time of the last change, ns since 1970; object stores keep whole seconds.
    """

    name: str
    size: int
    changed: int


def is_uri(place: str | Path) -> bool:
    """Return whether a place is a URI such as ``s3://bucket/runs`` or ``file:///runs``."""
    return "://" in str(place)


class StoredFolder:
    """A folder of files, each written whole or not at all.

    Args:
        place: a local folder, or a URI.

    Raises:
        InputError: no store of this kind.
    """

    def __init__(self, place: str | Path) -> None:
        self.remote = is_uri(place)
        self.place = str(place).rstrip("/") if self.remote else str(Path(place))

    def __str__(self) -> str:
        """Return the place as it was given."""
        return self.place

    def uri(self, name: str) -> str:
        """Return the place of a file: a path, or a URI that keeps the folder's query."""
        if not self.remote:
            return str(Path(self.place) / name)
        base, mark, query = self.place.partition("?")
        return f"{base.rstrip('/')}/{name}{mark}{query}"

    def files(self, pattern: str = "*", *, recursive: bool = False) -> list[StoredFile]:
        """Return the files whose name or path fits a pattern, sorted by name.

        Args:
            pattern: as ``fnmatch`` has it.
            recursive: also those of folders within.

        Raises:
            OSError: the folder does not exist or the store does not answer.
        """
        store, base = self._opened()
        from pyarrow import fs

        found = []
        for file in store.get_file_info(fs.FileSelector(base, recursive=recursive)):
            name = PurePosixPath(file.path).relative_to(PurePosixPath(base)).as_posix()
            if file.type == fs.FileType.File and _fits(name, pattern):
                found.append(StoredFile(name, file.size, file.mtime_ns))
        return sorted(found, key=lambda one: one.name)

    def exists(self) -> bool:
        """Return whether there is such a folder; on object stores, with anything in it."""
        store, base = self._opened()
        from pyarrow import fs

        return bool(store.get_file_info(base).type == fs.FileType.Directory)

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            OSError: it cannot be read.
        """
        store, base = self._opened()
        with store.open_input_stream(f"{base}/{name}") as file:
            return bytes(file.read())

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all; an object appears when all of it is there.

        Raises:
            OSError: it cannot be written.
        """
        if not self.remote:
            replace_file(Path(self.place) / name, data)
            return
        store, base = self._opened()
        with store.open_output_stream(f"{base}/{name}") as file:
            file.write(data)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        if not self.remote:
            (Path(self.place) / name).unlink(missing_ok=True)
            return
        store, base = self._opened()
        store.delete_file(f"{base}/{name}")

    def opened(self) -> tuple[fs.FileSystem, str]:
        """Return ``pyarrow``'s file system and the folder's path within it."""
        return self._opened()

    def _opened(self) -> tuple[Any, str]:
        require("reading a folder of a study or a history", "pyarrow")
        import pyarrow
        from pyarrow import fs

        if not self.remote:
            return fs.LocalFileSystem(), str(Path(self.place).resolve())
        try:
            store, base = fs.FileSystem.from_uri(self.place)
        except pyarrow.ArrowInvalid as error:
            raise InputError(f"{self.place!r} is no folder of a store: {reason(error)}") from error
        return store, base.rstrip("/")


def reason(error: Exception) -> str:
    """Return what went wrong, in one line."""
    text = getattr(error, "strerror", None) or str(error)
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__


def _fits(name: str, pattern: str) -> bool:
    last = PurePosixPath(name).name
    return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(last, pattern)


def native_bytes(data: bytes) -> pa.NativeFile:
    """Return bytes as a stream in Arrow's own memory.

    A thread of Arrow that lets go of a Python object needs the interpreter's lock. While the
    process ends there is none, and the thread aborts the process ("terminate called without an
    active exception", apache/arrow issues 34314 and 50482), after all work was done.
    """
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    sink.write(data)
    return pa.BufferReader(sink.getvalue())
