"""The files of a history: Parquet parts in a folder, read with DuckDB.

``FOLDER/armtwin-history.json`` says that a folder is a history, ``FOLDER/rows/part-*.parquet`` hold
the rows. An addition writes a new part under a name of its own, whole or not at all, so that
several processes may add at once without a lock. A recording may stand in several parts (two
processes added it, or a result was added to it later): the row that was added last counts.
``compact`` writes many small parts as one and deletes them afterwards; if it is cut short, rows
stand twice and are still read once.

Folders on object stores (``s3://bucket/fleet``) are read and written by DuckDB itself.
"""

from __future__ import annotations

import contextlib
import json
import uuid
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.errors import HistoryWarning, InputError
from armtwin.extras import require
from armtwin.files import replace_file
from armtwin.history.row import KEY, NAMES, VERSION, HistoryRow, schema, to_arrow

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

MARKER = "armtwin-history.json"
SMALL = 4 << 20
"""Parts below this size [bytes] are merged by a compaction."""
MOST_SMALL = 64
"""Small parts from which on an addition compacts."""
TRIES = 3
"""Reads, where a compaction deletes parts in between."""


class Store:
    """The rows of a history on disk or on an object store.

    Args:
        folder: the folder, or its URI (``s3://...``).
        create: make the folder a history if it is none and is empty or does not exist.
    """

    def __init__(self, folder: str | Path, *, create: bool) -> None:
        require("a history", "duckdb")
        self.remote = "://" in str(folder)
        self.folder = str(folder).rstrip("/") if self.remote else str(Path(folder))
        self._bad: set[str] = set()
        self._distinct: tuple[list[str], bool] = ([], True)
        if not self.remote:
            self._check(Path(folder), create)

    def _check(self, folder: Path, create: bool) -> None:
        marker = folder / MARKER
        if marker.is_file():
            _require_version(marker)
            return
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(
                f"{folder} is no history: it has no {MARKER}; give the folder of a history, or an "
                "empty one to begin with"
            )
        if not create:
            raise InputError(
                f"{folder}: there is no history yet; begin one with 'armtwin history add {folder} "
                "RECORDING'"
            )
        text = json.dumps({"format": "armtwin history", "version": VERSION})
        try:
            replace_file(marker, text.encode())
        except OSError as error:
            raise InputError(f"{folder}: cannot be written: {error.strerror}") from error

    @property
    def _rows(self) -> Path:
        return Path(self.folder) / "rows"

    def parts(self) -> list[str]:
        """Return the part files, in the order of their names, without those that are corrupt."""
        if self.remote:
            found = self._run(
                f"SELECT file FROM glob('{_quoted(self.folder)}/rows/part-*.parquet')"
            )
            names = [str(name) for name in found.column("file").to_pylist()]
        else:
            names = [str(path) for path in self._rows.glob("part-*.parquet")]
        return sorted(set(names) - self._bad)

    def append(self, rows: Sequence[HistoryRow]) -> None:
        """Write rows as a new part, whole or not at all; compact where there are many parts.

        Raises:
            InputError: the folder cannot be written.
        """
        self.write(to_arrow(rows))
        if not self.remote and len(self._small()) > MOST_SMALL:
            self.compact()

    def write(self, table: pa.Table) -> None:
        """Write a table of rows as a new part, whole or not at all."""
        import pyarrow as pa
        import pyarrow.parquet as arrow_parquet

        name = f"part-{uuid.uuid4().hex}.parquet"
        if self.remote:
            target = f"{_quoted(self.folder)}/rows/{name}"
            self._run(f"COPY part TO '{target}' (FORMAT parquet, COMPRESSION zstd)", part=table)
            return
        sink = pa.BufferOutputStream()
        arrow_parquet.write_table(table, sink, compression="zstd")
        try:
            replace_file(self._rows / name, sink.getvalue().to_pybytes())
        except OSError as error:
            raise InputError(
                f"{self._rows / name}: cannot be written: {error.strerror}; nothing was added"
            ) from error

    def _small(self) -> list[str]:
        sizes = []
        for name in self.parts():
            with contextlib.suppress(FileNotFoundError):  # compacted by another process meanwhile
                sizes.append((name, Path(name).stat().st_size))
        return [name for name, size in sizes if size < SMALL]

    def compact(self) -> int:
        """Write the small parts as one, delete them, and return how many there were.

        Raises:
            InputError: a history on an object store, or a folder that cannot be written.
        """
        import duckdb

        if self.remote:
            raise InputError(f"{self.folder}: compact a copy on a disk, not on an object store")
        self._leave_out_corrupt()
        parts = self._small()
        if len(parts) < 2:
            return 0
        source = _latest(_files(parts))
        try:
            table = self._run(f"SELECT * FROM ({source}) ORDER BY serial, recorded")
        except duckdb.IOException:
            if self._gone(parts):  # another process compacts them
                return 0
            raise
        self.write(table.select(list(NAMES)).cast(schema()))
        for name in parts:
            Path(name).unlink(missing_ok=True)
        return len(parts)

    def query(self, sql: str, values: Sequence[Any] = ()) -> pa.Table:
        """Return the answer to a query of ``rows``, one row a recording.

        Args:
            sql: DuckDB's SQL over the table ``rows`` (columns as in ``row.HistoryRow``).
            values: values of the query's ``?``.

        Raises:
            InputError: the query cannot be answered.
        """
        import duckdb

        for attempt in range(TRIES):
            parts = self.parts()
            empty = None if parts else schema().empty_table()
            try:
                source = self._source(parts) if parts else "SELECT * FROM part"
                return self._run(f"WITH rows AS ({source}) {sql}", values, empty)
            except duckdb.Error as error:
                if attempt == TRIES - 1 or not (self._leave_out_corrupt() or self._gone(parts)):
                    raise InputError(f"{self.folder}: {str(error).splitlines()[0]}") from error
        raise AssertionError("unreachable")

    def _source(self, parts: list[str]) -> str:
        """Return the query of the rows of some parts, each recording once.

        Sorting out older rows of a recording takes longer than most queries, so it is left out
        where there are none. Parts never change, so that this holds for a list of parts.
        """
        if self._distinct[0] != parts:
            counts = "count(*) AS n, count(DISTINCT hash(key)) AS keys"
            found = self._run(f"SELECT {counts} FROM {_files(parts)}").to_pylist()[0]
            self._distinct = (parts, found["n"] == found["keys"])
        return f"SELECT * FROM {_files(parts)}" if self._distinct[1] else _latest(_files(parts))

    def _gone(self, parts: list[str]) -> bool:
        return not self.remote and any(not Path(name).exists() for name in parts)

    def _leave_out_corrupt(self) -> bool:
        """Warn of parts that cannot be read, leave them out, and return whether there are any."""
        found = False
        for name in self.parts():
            reason = "" if self.remote else _fault(name)
            if reason:
                self._bad.add(name)
                found = True
                text = f"{name} is left out: {reason}; restore it from a backup, or delete it"
                warnings.warn(text, HistoryWarning, stacklevel=4)
        return found

    def _run(self, sql: str, values: Sequence[Any] = (), part: pa.Table | None = None) -> pa.Table:
        connection = self._connection()
        try:
            if part is not None:
                connection.register("part", part)
            answer = connection.sql(sql, params=list(values))
            return None if answer is None else answer.to_arrow_table()
        finally:
            connection.close()

    def _connection(self) -> duckdb.DuckDBPyConnection:
        import duckdb

        connection = duckdb.connect(":memory:")
        if self.folder.startswith("s3://"):
            connection.execute("CREATE OR REPLACE SECRET (TYPE s3, PROVIDER credential_chain)")
        return connection


def _require_version(marker: Path) -> None:
    try:
        about = json.loads(marker.read_text(encoding="utf-8"))
        version = int(about["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{marker} is damaged; it should say {{'version': 1}}") from error
    if version > VERSION:
        raise InputError(f"{marker}: version {version} is of a newer armtwin; update armtwin")


def _fault(name: str) -> str:
    """Return why a part cannot be read; empty where it can, or is gone."""
    import pyarrow as pa
    import pyarrow.parquet as arrow_parquet

    try:
        table = arrow_parquet.read_table(name)
    except FileNotFoundError:
        return ""
    except (pa.ArrowException, OSError) as error:
        return f"it is corrupt ({str(error).splitlines()[0][:120]})"
    if KEY not in (table.schema.metadata or {}):
        return "armtwin did not write it"
    return ""


def _latest(source: str) -> str:
    """Return the query of the newest row of every recording."""
    return (
        f"SELECT * FROM {source} WHERE key IS NOT NULL QUALIFY "
        "row_number() OVER (PARTITION BY key ORDER BY added DESC) = 1"
    )


def _files(parts: Sequence[str]) -> str:
    listed = ", ".join(f"'{_quoted(name)}'" for name in parts)
    return f"read_parquet([{listed}], union_by_name = true)"


def _quoted(text: str) -> str:
    return text.replace("'", "''")
