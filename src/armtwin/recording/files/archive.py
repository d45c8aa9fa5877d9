"""Spreadsheets are ZIP archives: these checks refuse one that is not what it claims to be.

An archive of a few megabytes can claim or hide gigabytes. What is checked here is what the readers
trust: the number of entries and their sizes.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from armtwin.errors import RecordingError

MAX_ENTRIES = 10_000
"""Entries of an archive; a spreadsheet has 10 to 100."""
MAX_DIRECTORY = 4_000_000
"""Size of an archive's list of entries [bytes]."""
MAX_UNPACKED = 1_000_000_000
"""Size of all entries together when unpacked [bytes]."""
BLOCK = 1 << 20
"""Bytes that are read or unpacked at a time: bounds memory."""
STORED, DEFLATED = 0, 8
"""Compression methods of ZIP that readers of spreadsheets know."""


def entries(path: Path) -> list[zipfile.ZipInfo]:
    """Return an archive's entries after checking their number and the sizes that they claim.

    Raises:
        RecordingError: no archive, a damaged one, or more than the limits.
    """
    try:
        count, size = _directory(path)
        if count > MAX_ENTRIES or size > MAX_DIRECTORY:
            raise RecordingError(
                f"{path.name} has {count:,} entries in a list of {size:,} bytes; a spreadsheet has "
                f"{MAX_ENTRIES:,} entries and {MAX_DIRECTORY:,} bytes at most: save it again"
            )
        with zipfile.ZipFile(path) as file:
            found = file.infolist()
    except (zipfile.BadZipFile, OSError, struct.error) as error:
        raise RecordingError(f"this spreadsheet or archive is damaged: {error}") from error
    claimed = sum(entry.file_size for entry in found)
    if claimed > MAX_UNPACKED:
        raise _too_large(path, claimed)
    return found


def verify_spreadsheet(path: Path) -> None:
    """Return if entries are as large as they claim.

    Everything is unpacked once, a block at a time.

    Raises:
        RecordingError: a forged size, an unknown compression, or a damaged entry.
    """
    with path.open("rb") as file:
        for entry in entries(path):
            try:
                _verify(file, entry, path)
            except (zlib.error, struct.error, OSError) as error:
                raise RecordingError(f"this spreadsheet is damaged: {error}") from error


def _verify(file: IO[bytes], entry: zipfile.ZipInfo, path: Path) -> None:
    size = 0
    for part in _unpacked(file, entry, path):
        size += len(part)
        if size > entry.file_size:
            raise RecordingError(
                f"{path.name}: {entry.filename!r} claims {entry.file_size:,} bytes and unpacks to "
                "more; the size is forged or the file damaged: save it again"
            )
    if size < entry.file_size:
        raise RecordingError(
            f"{path.name}: {entry.filename!r} claims {entry.file_size:,} bytes and has {size:,}; "
            "the file is damaged: save it again"
        )


def _unpacked(file: IO[bytes], entry: zipfile.ZipInfo, path: Path) -> Iterator[bytes]:
    """Yield an entry's bytes as a reader of spreadsheets unpacks them, whatever size it claims."""
    if entry.compress_type not in (STORED, DEFLATED):
        raise RecordingError(
            f"{path.name}: {entry.filename!r} is packed by method {entry.compress_type}; "
            "spreadsheets use deflate: save it again"
        )
    file.seek(entry.header_offset)
    head = struct.unpack("<4s5H3I2H", file.read(30))
    file.seek(entry.header_offset + 30 + head[9] + head[10])
    left, packer = entry.compress_size, zlib.decompressobj(-15)
    while left:
        raw = file.read(min(left, BLOCK))
        if not raw:
            raise RecordingError(f"{path.name} is cut short; fetch or save it again")
        left -= len(raw)
        if entry.compress_type == STORED:
            yield raw
            continue
        while raw and not packer.eof:
            yield packer.decompress(raw, BLOCK)
            raw = packer.unconsumed_tail
    yield packer.flush()


def _directory(path: Path) -> tuple[int, int]:
    """Return number of entries and size of the list of entries, as the archive's end says."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - 65_557 - 20, 0))
        end = file.read()
        offset = end.rfind(b"PK\5\6")
        if offset < 0 or len(end) - offset < 22:
            raise zipfile.BadZipFile("its end is missing; fetch it again")
        _, _, _, count, length, _, _ = struct.unpack("<4H2IH", end[offset + 4 : offset + 22])
        locator = end[offset - 20 : offset] if offset >= 20 else b""
        if locator.startswith(b"PK\6\7"):
            file.seek(struct.unpack("<4xIQI", locator)[1])
            record = file.read(56)
            if record.startswith(b"PK\6\6"):
                count, length = struct.unpack("<2Q", record[32:48])
    return count, length


def _too_large(path: Path, claimed: int) -> RecordingError:
    return RecordingError(
        f"unpacked, {path.name} would have {claimed:,} bytes; {MAX_UNPACKED:,} at most: save the "
        "table as CSV or Parquet, or a shorter one"
    )
