"""Output files of a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from armtwin.errors import InputError
from armtwin.files import replacing, write_output

ENDINGS = (".csv", ".parquet")


def check_output(path: Path, *, force: bool) -> None:
    """Check the ending and the folder, and that no file exists unless ``force``."""
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: results go to a file ending in {' or '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent}: no such folder; make it first")
    if path.exists() and not force:
        write_output(path, b"", force=False)


def write_parts(path: Path, parts: Iterable[bytes | memoryview], *, force: bool) -> None:
    """Write a file part by part beside its place, then rename it there.

    Args:
        path: the file.
        parts: its content, part by part.
        force: overwrite an existing file.
    """
    check_output(path, force=force)
    with replacing(path) as temporary, temporary.open("xb") as file:
        for part in parts:
            file.write(part)
