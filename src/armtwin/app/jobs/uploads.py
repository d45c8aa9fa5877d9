"""Files that clients send, kept in a private folder; their content decides their format."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from armtwin.app.control.ownership import NOBODY, Owner, eviction_candidate
from armtwin.errors import InputError, ProgramError, RecordingError
from armtwin.motion.programs.program_folder import file_name
from armtwin.recording.files.archive import entries
from armtwin.recording.files.row_log import MAGIC as ROWS

Kind = Literal["recording", "arm"]
MAX_BYTES = 200_000_000
"""Limit of a file [bytes]; a larger one can be read by the command line."""
MAX_FILES = 20
"""Files that are kept: 4 GB at the most."""
PREFIX = "armtwin-uploads-"
"""Of the folder that holds the files of one app."""
SAMPLE = 1 << 16
"""Start of a file from which its format is inferred [bytes]."""
STARTS = (
    (b"PAR1", ".parquet"),
    (b"SQLite format 3\0", ".db3"),
    (b"\x89MCAP0\r\n", ".mcap"),
    (b"\x1f\x8b", ".csv.gz"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls"),
    (ROWS, ".rows"),
)
"""First bytes of formats, and the suffix that selects their reader."""
ARM_WANTED = "a URDF, a ZIP archive of a URDF with its meshes, or armtwin's TOML"
WANTED = "CSV (also .gz), XLSX, ODS, Parquet, .db3, .mcap"


@dataclass(frozen=True)
class Upload:
    """An uploaded file: id, safe name, kind, size [bytes], path and owner."""

    id: str
    name: str
    kind: Kind
    size: int
    path: Path
    owner: Owner = NOBODY


class Uploads:
    """The files of one running app; beyond 20 the sender's oldest is deleted."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._files: dict[str, Upload] = {}

    async def add(
        self, name: str, chunks: AsyncIterable[bytes], kind: Kind, owner: Owner = NOBODY
    ) -> Upload:
        """Keep a file.

        Args:
            name: as the client gives it.
            chunks: the content.
            kind: what the client sends it as.
            owner: who sends it.

        Raises:
            InputError: more than 200 MB, or nothing.
            RecordingError: content that none of our readers reads.
        """
        key = uuid.uuid4().hex
        place = self._place() / key
        place.mkdir(mode=0o700)
        try:
            size = await _write(place / "sent", chunks)
            clean = await asyncio.to_thread(_clean, name, place / "sent", kind)
            path = (place / "sent").rename(place / clean)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        upload = Upload(key, path.name, kind, size, path, owner)
        if len(self._files) >= MAX_FILES:
            leaving = eviction_candidate(self._files.values(), lambda file: file.owner, owner)
            self.remove("" if leaving is None else leaving.id)
        self._files[key] = upload
        return upload

    async def keep(self, name: str, data: bytes, kind: Kind) -> Upload:
        """Add a file from its bytes.

        Args:
            name: of the file.
            data: its content.
            kind: recording or arm.
        """

        async def chunks() -> AsyncIterator[bytes]:
            yield data

        return await self.add(name, chunks(), kind)

    def reserve(self, name: str) -> Path:
        """Return a path for a file of the app's own, deleted with the others."""
        place = self._place() / uuid.uuid4().hex
        place.mkdir(mode=0o700)
        return place / name

    def get(self, key: str, kind: Kind) -> Upload:
        """Return a file by its id.

        Raises:
            InputError: no such file, or one of another kind.
        """
        found = self.find(key)
        if found.kind != kind:
            raise InputError(f"{found.name} was sent as {found.kind}; a {kind} is needed here")
        return found

    def find(self, key: str) -> Upload:
        """Return a file of either kind by its id.

        Raises:
            InputError: no such file.
        """
        if key not in self._files:
            raise InputError(f"no uploaded file {key[:40]!r}; send the file (again) first")
        return self._files[key]

    def remove(self, key: str) -> None:
        """Delete a file."""
        found = self._files.pop(key, None)
        if found is not None:
            shutil.rmtree(found.path.parent, ignore_errors=True)

    def close(self) -> None:
        """Delete everything."""
        self._files.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        return self._folder


async def _write(path: Path, chunks: AsyncIterable[bytes]) -> int:
    size = 0
    with path.open("xb") as file:
        async for chunk in chunks:
            size += len(chunk)
            if size > MAX_BYTES:
                raise InputError(
                    f"the file has more than {MAX_BYTES // 10**6} MB; use the command line "
                    "(armtwin validate), or a shorter recording"
                )
            file.write(chunk)
    if not size:
        raise InputError("the file is empty (0 bytes); send one with a header and rows")
    return size


def _clean(name: str, path: Path, kind: Kind) -> str:
    """Return a file's name: what is left of its stem, and the ending that its content has."""
    ending = arm_ending(path) if kind == "arm" else recording_ending(path)
    stem = name.replace("\\", "/").rsplit("/", 1)[-1].split(".", 1)[0]
    try:
        return file_name(stem) + ending
    except ProgramError:
        return kind + ending


def recording_ending(path: Path) -> str:
    """Return the ending by which our readers know a recording of this content.

    Raises:
        RecordingError: content of no kind that is read.
    """
    with path.open("rb") as file:
        start = file.read(SAMPLE)
    for magic, ending in STARTS:
        if start.startswith(magic):
            return ending
    if start.startswith(b"PK"):
        return _packed_ending(path)
    if b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RecordingError(f"this is no recording: bytes of an unknown kind; send {WANTED}")
    return ".csv"


def _packed_ending(path: Path) -> str:
    names = {entry.filename for entry in entries(path)}
    if "xl/workbook.xml" in names:
        return ".xlsx"
    if {"mimetype", "content.xml"} <= names:
        return ".ods"
    raise RecordingError(f"this is an archive, not a recording; unpack it and send {WANTED}")


def arm_ending(path: Path) -> str:
    """Return .toml or .urdf by a file's first character, .zip for an archive.

    Raises:
        InputError: no text, or one of another XML kind.
        RecordingError: an archive that is damaged or larger than the limits.
    """
    with path.open("rb") as packed:
        if packed.read(2) == b"PK":
            entries(path)
            return ".zip"
    try:
        with path.open(encoding="utf-8-sig") as file:
            start = file.read(SAMPLE).lstrip()
    except UnicodeDecodeError as error:
        raise InputError(f"this is no arm file; send {ARM_WANTED}") from error
    if not start.startswith("<"):
        return ".toml"
    if "<robot" in start:
        return ".urdf"
    raise InputError(f"this XML is no URDF (no <robot>); send {ARM_WANTED}")
