"""Atomic writes, and the folders of the user: cache and data."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

from armtwin.errors import InputError, OutputExistsError


def cache_folder() -> Path:
    """Return the folder of cached kernels: ``ARMTWIN_CACHE``, or the platform's cache folder."""
    if sys.platform == "win32":
        return _folder("ARMTWIN_CACHE", "LOCALAPPDATA", "AppData/Local")
    if sys.platform == "darwin":
        return _folder("ARMTWIN_CACHE", None, "Library/Caches")
    return _folder("ARMTWIN_CACHE", "XDG_CACHE_HOME", ".cache")


def data_folder() -> Path:
    """Return the folder of the user's files: ``ARMTWIN_HOME``, or the platform's data folder."""
    if sys.platform == "win32":
        return _folder("ARMTWIN_HOME", "APPDATA", "AppData/Roaming")
    if sys.platform == "darwin":
        return _folder("ARMTWIN_HOME", None, "Library/Application Support")
    return _folder("ARMTWIN_HOME", "XDG_DATA_HOME", ".local/share")


def _folder(own: str, platform: str | None, default: str) -> Path:
    """Return the folder that the variable ``own`` names, or ``armtwin`` in the platform's folder.

    Args:
        own: environment variable of armtwin that names the folder itself.
        platform: environment variable that names the platform's folder, if there is one.
        default: the platform's folder within the home folder, where that is not set.
    """
    if chosen := os.environ.get(own):
        return Path(chosen)
    root = os.environ.get(platform) if platform else None
    return (Path(root) if root else Path.home() / default) / "armtwin"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; rename it there at the end, remove it on error."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield temporary
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def replace_file(path: Path, data: bytes) -> None:
    """Write a file atomically; its folder is made where it does not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary, temporary.open("xb") as file:
        file.write(data)


def write_output(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write an output file; overwrite an existing one only with ``force``.

    Args:
        path: the file; its folder must exist.
        data: the whole content.
        force: overwrite an existing file.

    Raises:
        OutputExistsError: the file exists and ``force`` is not set.
        InputError: the path cannot be written.
    """
    if path.exists() and not force:
        raise OutputExistsError(
            f"{path} exists; give another name, or allow overwriting (force=True, --force)"
        )
    try:
        replace_file(path, data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
