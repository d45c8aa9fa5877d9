"""Atomic writes, TOML, and the folders of the user: cache and data."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tomllib
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from armtwin.errors import InputError, OutputExistsError

DEEPEST = 50
"""Levels of tables and arrays of a TOML file; those of armtwin have fewer than ten."""


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


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of a TOML text.

    Raises:
        TOMLDecodeError: no TOML, or arrays and tables nested more than ``DEEPEST`` levels deep.
    """
    with contextlib.suppress(RecursionError):
        content = tomllib.loads(text)
        if not _is_deep(content):
            return content
    raise tomllib.TOMLDecodeError(f"arrays or tables are nested more than {DEEPEST} levels deep")


def _is_deep(content: dict[str, Any]) -> bool:
    """Return whether tables or arrays are nested too deeply; found level by level."""
    level: list[dict[str, Any] | list[Any]] = [content]
    for _ in range(DEEPEST):
        parts = (part.values() if isinstance(part, dict) else part for part in level)
        level = [child for part in parts for child in part if isinstance(child, dict | list)]
        if not level:
            return False
    return True


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


def write_output_with_folder(
    path: Path, data: bytes, files: Mapping[str, bytes], *, force: bool = False
) -> None:
    """Write an output file and the folder beside it that it refers to, both or neither.

    Args:
        path: the file; its folder must exist.
        data: its whole content.
        files: content by path relative to the file's folder, all below one folder there, which is
            replaced as a whole; none for the file alone.
        force: overwrite an existing file and folder.

    Raises:
        OutputExistsError: the file or the folder exists and ``force`` is not set.
        InputError: the path cannot be written.
    """
    names = {name.split("/", 1)[0] for name in files}
    if not names:
        return write_output(path, data, force=force)
    (name,) = names
    folder = path.parent / name
    for place in (path, folder):
        if place.exists() and not force:
            raise OutputExistsError(
                f"{place} exists; give another name, or allow overwriting (force=True, --force)"
            )
    try:
        with replacing(path) as beside, _replacing_folder(folder) as temporary:
            beside.write_bytes(data)
            for file, content in files.items():
                target = temporary / file.split("/", 1)[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def write_folder(folder: Path, files: Mapping[str, bytes], *, force: bool = False) -> None:
    """Write files into a folder: a new one appears as a whole, in an old one each file does.

    Args:
        folder: the folder; the one above it must exist.
        files: content by file name.
        force: overwrite existing files of these names; other files of the folder stay.

    Raises:
        OutputExistsError: a file exists and ``force`` is not set.
        InputError: the folder cannot be written, or is a file.
    """
    for name in files:
        if (folder / name).exists() and not force:
            raise OutputExistsError(
                f"{folder / name} exists; give another folder, or allow overwriting "
                "(force=True, --force)"
            )
    try:
        if folder.exists():
            for name, data in files.items():
                replace_file(folder / name, data)
            return
        with _replacing_folder(folder) as temporary:
            for name, data in files.items():
                (temporary / name).write_bytes(data)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from error


@contextlib.contextmanager
def _replacing_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to fill; it replaces ``folder`` at the end, and is removed on error."""
    temporary, old = (folder.with_name(f".{folder.name}.{uuid.uuid4().hex}") for _ in range(2))
    temporary.mkdir()
    moved = False
    try:
        yield temporary
        if folder.exists():
            folder.rename(old)
            moved = True
        temporary.rename(folder)
    except BaseException:
        if moved and not folder.exists():
            old.rename(folder)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
