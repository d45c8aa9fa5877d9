"""Text files as streams of bytes: plain, gzip (also one that is cut), UTF-16."""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from armtwin.errors import RecordingError
from armtwin.storage import native_bytes

if TYPE_CHECKING:
    import pyarrow as pa

Source = Path | bytes

SAMPLE = 1 << 16
"""Text at a file's start from which its layout is inferred [bytes]."""
BLOCK = 1 << 20
"""Bytes that are unpacked at a time, so that the limits below act before memory is taken."""
MAX_RATIO = 100
HARMLESS = 256_000_000
MAX_UNPACKED = 4_000_000_000
"""Limits of an unpacked gzip file: times its own size, any file, and at most [bytes]. Half an hour
at 500 Hz with 170 columns has 1.8 GB as text."""
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
def opened(source: Source) -> Iterator[Any]:
    """Open a source as a binary stream of plain bytes, unpacked where it is compressed."""
    if isinstance(source, bytes):
        yield io.BytesIO(source)
        return
    with source.open("rb") as file:
        if not is_gzip(source):
            yield file
            return
        with gzip.GzipFile(fileobj=file) as stream:
            yield LimitedReader(stream, file, source.name)


def unpacked_limit(packed: int) -> int:
    """Return how many bytes a gzip file of ``packed`` bytes may unpack to.

    Recordings shrink to a third up to a fiftieth. A file that grows a hundredfold was made to fill
    the memory; small ones may, since 256 MB do no harm.
    """
    return min(max(MAX_RATIO * packed, HARMLESS), MAX_UNPACKED)


class LimitedReader:
    """The plain bytes of a gzip file, up to a limit; readers take it for a file.

    Args:
        stream: where the bytes come from.
        packed: the compressed file below it; how far it was read sets the limit.
        origin: the file's name, for the error.
    """

    def __init__(self, stream: gzip.GzipFile, packed: BinaryIO, origin: str) -> None:
        self._stream, self._packed, self._origin = stream, packed, origin
        self._read, self.closed = 0, False

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes.

        Raises:
            RecordingError: more came than the limit.
        """
        parts: list[bytes] = []
        while size and (part := self._next(BLOCK if size < 0 else min(size, BLOCK))):
            parts.append(part)
            size -= len(part) if size > 0 else 0
            self._read += len(part)
            limit = unpacked_limit(self._packed.tell())
            if self._read > limit:
                raise _too_large(self._origin, limit)
        return b"".join(parts)

    def _next(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except (EOFError, zlib.error) as error:
            raise OSError(f"the compressed file is damaged: {error}") from error

    def tell(self) -> int:
        """Return how far the compressed file was read [bytes], for progress."""
        return int(self._packed.tell())

    def readable(self) -> bool:
        """Return True."""
        return True

    def writable(self) -> bool:
        """Return False."""
        return False

    def seekable(self) -> bool:
        """Return False."""
        return False

    def flush(self) -> None:
        """Do nothing, as files open for reading do."""

    def close(self) -> None:
        """Do not close the stream; its opener does."""
        self.closed = True


def _too_large(origin: str, limit: int) -> RecordingError:
    return RecordingError(
        f"{origin} unpacks to more than {limit:,} bytes; a compressed recording may unpack to "
        f"{MAX_RATIO} times its size (or {HARMLESS:,} bytes) and to {MAX_UNPACKED:,} bytes at "
        "most: unpack it yourself (gunzip) if it is genuine, or cut it into parts"
    )


def arrow_stream(source: Source, offset: int = 0) -> pa.NativeFile:
    """Return a source as a stream of plain bytes that Arrow's threads read without Python.

    See ``native_bytes`` for the reason. A gzip file that unpacks to more than 256 MB is unpacked
    twice: first to see that it keeps its limit.

    Args:
        source: a file, or its bytes.
        offset: where to begin in the plain bytes.

    Raises:
        RecordingError: a gzip file that unpacks to more than its limit.
        OSError: a file that cannot be read, or a damaged gzip file.
    """
    import pyarrow as pa

    if isinstance(source, bytes):
        stream = native_bytes(source)
    elif is_gzip(source):
        stream = _unpacked_stream(source)
    else:
        stream = pa.OSFile(str(source))
    stream.read(offset)
    return stream


def _unpacked_stream(path: Path) -> pa.NativeFile:
    import pyarrow as pa

    sink, size = pa.BufferOutputStream(), 0
    with opened(path) as stream:
        while part := stream.read(BLOCK):
            size += len(part)
            if size <= HARMLESS:
                sink.write(part)
    if size <= HARMLESS:
        return pa.BufferReader(sink.getvalue())
    return pa.CompressedInputStream(pa.OSFile(str(path)), "gzip")


def all_bytes(source: Source) -> bytes:
    """Return the whole of a source."""
    with opened(source) as stream:
        return bytes(stream.read())


def unpacked(path: Path, notes: list[str]) -> bytes:
    """Return the readable content of a gzip file, noting where it is cut.

    Raises:
        RecordingError: nothing can be unpacked.
    """
    raw, parts = path.read_bytes(), list[bytes]()
    stream = zlib.decompressobj(wbits=31)
    left = limit = unpacked_limit(len(raw))
    try:
        while raw.startswith(_GZIP):
            stream = zlib.decompressobj(wbits=31)
            parts.append(stream.decompress(raw, left + 1))
            left -= len(parts[-1])
            if left < 0:
                raise _too_large(path.name, limit)
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
