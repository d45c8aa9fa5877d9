"""Files are written whole or not at all."""

from __future__ import annotations

import contextlib
import uuid
from pathlib import Path

from armtwin.errors import InputError, OutputExistsError


def replace_file(path: Path, data: bytes) -> None:
    """Write a whole file beside its place, then rename it there: readers never see a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_output(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write a file that a person asked for; an existing one only with ``force``.

    Raises:
        OutputExistsError: the file exists and ``force`` is not set.
        InputError: the place cannot be written.
    """
    if path.exists() and not force:
        raise OutputExistsError(
            f"{path} exists; give another name, or allow overwriting (force=True, --force)"
        )
    try:
        replace_file(path, data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
