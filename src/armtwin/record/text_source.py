"""Text files as streams of bytes: plain, gzip (also one that is cut), UTF-16."""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.errors import RecordingError

if TYPE_CHECKING:
    import pyarrow as pa

Source = Path | bytes

SAMPLE = 1 << 16
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def find_source(path: Path) -> Source:
    """Return what to read of a file: itself, or its text where it is UTF-16.

    Raises:
        RecordingError: the file is empty, or claims to be compressed and is not.
    """
    with path.open("rb") as file:
        start = file.read(len(_GZIP))
    if not start:
        raise RecordingError(f"{path.name} is empty (0 bytes); give a file with a header and rows")
    if path.suffix.lower() == ".gz" and start != _GZIP:
        raise RecordingError(f"{path.name} ends in .gz but is not compressed; rename it to .csv")
    return path.read_bytes().decode("utf-16").encode() if start in _UTF16 else path


def is_gzip(path: Path) -> bool:
    """Return whether a file is compressed, whatever its name."""
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


@contextlib.contextmanager
def opened(source: Source) -> Iterator[pa.NativeFile]:
    """Open a source as a stream of plain bytes, unpacked on the way where it is compressed."""
    import pyarrow as pa

    if isinstance(source, bytes):
        yield pa.BufferReader(source)
        return
    packing = "gzip" if is_gzip(source) else None
    with pa.input_stream(str(source), compression=packing) as stream:
        yield stream


def all_bytes(source: Source) -> bytes:
    """Return the whole of a source."""
    with opened(source) as stream:
        return bytes(stream.read())


def unpacked(path: Path, notes: list[str]) -> bytes:
    """Return what a gzip file holds as far as it goes, noting where it is cut.

    Raises:
        RecordingError: nothing can be unpacked.
    """
    raw, parts = path.read_bytes(), list[bytes]()
    stream = zlib.decompressobj(wbits=31)
    try:
        while raw.startswith(_GZIP):
            stream = zlib.decompressobj(wbits=31)
            parts.append(stream.decompress(raw))
            raw = stream.unused_data
    except zlib.error as error:
        raise RecordingError(
            f"{path.name} cannot be unpacked ({error}); fetch or compress the file again"
        ) from error
    if not any(parts):
        raise RecordingError(f"{path.name} holds nothing that can be unpacked; fetch it again")
    if not stream.eof:
        notes.append("the compressed file is cut short: read what was there")
    return b"".join(parts)


def sample(source: Source, origin: str) -> str:
    """Return the first whole lines of a source."""
    with opened(source) as stream:
        data = bytes(stream.read(SAMPLE))
    if len(data) == SAMPLE and b"\n" in data:
        data = data[: data.rindex(b"\n")]
    if not data.strip(b" \t\r\n\0"):
        raise RecordingError(f"{origin} holds only blanks; give a file with a header and rows")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def single_blanks(source: Source) -> bytes:
    """Return a source with one blank where several stand, and none at the ends of lines."""
    data = re.sub(rb"[ \t]+", b" ", all_bytes(source))
    return re.sub(rb"(?m)^ | (?=\r?$)", b"", data)


def without_last_line(source: Source) -> bytes:
    """Return a source up to the beginning of its last line."""
    data = all_bytes(source)
    return data[: data.rstrip(b"\r\n").rfind(b"\n") + 1]
