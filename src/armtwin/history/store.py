"""The files of a history: Parquet parts in a folder, read with DuckDB.

``FOLDER/armtwin-history.json`` says that a folder is a history, ``FOLDER/rows/part-*.parquet`` hold
the rows. An addition writes a new part under a name of its own, whole or not at all, so that
several processes may add at once without a lock. A recording may stand in several parts (two
processes added it, or a result was added to it later): the row that was added last counts.
``compact`` writes many small parts as one and deletes them afterwards; if it is cut short, rows
stand twice and are still read once.

Folders on object stores (``s3://bucket/fleet``) have the same files. There, DuckDB reads them as a
``pyarrow`` dataset, which fetches the columns and rows that a query needs.
"""

from __future__ import annotations

import io
import json
import uuid
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.errors import HistoryWarning, InputError
from armtwin.extras import require
from armtwin.history.row import KEY, NAMES, VERSION, HistoryRow, schema, to_arrow
from armtwin.storage import StoredFolder, native_bytes, reason

if TYPE_CHECKING:
    import pyarrow as pa

MARKER = "armtwin-history.json"
ROWS = "rows"
SMALL = 4 << 20
"""Parts below this size [bytes] are merged by a compaction."""
MAX_SMALL = 64
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
        require("a history", "duckdb", "pyarrow")
        self._place = StoredFolder(folder)
        self.folder = self._place.place
        self._bad: set[str] = set()
        self._distinct: tuple[list[str], bool] = ([], True)
        try:
            self._check(create)
        except OSError as error:
            raise InputError(f"{folder}: cannot be opened: {reason(error)}") from error

    def _check(self, create: bool) -> None:
        place, path = self._place, Path(self.folder)
        there = path.exists() if not place.remote else place.exists()
        if there and (place.remote or path.is_dir()):
            if place.files(MARKER):
                _require_version(place.uri(MARKER), place.read(MARKER))
                return
            there = bool(place.files(recursive=True))
        if there:
            raise InputError(
                f"{place} is no history: it has no {MARKER}; give the folder of a history, or an "
                "empty one to begin with"
            )
        if not create:
            raise InputError(
                f"{place}: there is no history yet; begin one with 'armtwin history add {place} "
                "RECORDING'"
            )
        text = json.dumps({"format": "armtwin history", "version": VERSION})
        try:
            place.write(MARKER, text.encode())
        except OSError as error:
            raise InputError(f"{place}: cannot be written: {reason(error)}") from error

    def _sizes(self) -> dict[str, int]:
        """Return the sizes of the part files by name, without those that are corrupt."""
        try:
            files = self._place.files(f"{ROWS}/part-*.parquet", recursive=True)
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be listed: {reason(error)}") from error
        return {one.name: one.size for one in files if one.name not in self._bad}

    def parts(self) -> list[str]:
        """Return the part files in the order of their names, without those that are corrupt."""
        return sorted(self._sizes())

    def append(self, rows: Sequence[HistoryRow]) -> None:
        """Write rows as a new part, whole or not at all; compact where there are many parts.

        Raises:
            InputError: the folder cannot be written.
        """
        self.write(to_arrow(rows))
        if len(self._small()) > MAX_SMALL:
            self.compact()

    def write(self, table: pa.Table) -> None:
        """Write a table of rows as a new part, whole or not at all."""
        import pyarrow.parquet as arrow_parquet

        name, sink = f"{ROWS}/part-{uuid.uuid4().hex}.parquet", io.BytesIO()
        arrow_parquet.write_table(table, sink, compression="zstd")
        try:
            self._place.write(name, sink.getvalue())
        except OSError as error:
            raise InputError(
                f"{self._place.uri(name)}: cannot be written: {reason(error)}; nothing was added"
            ) from error

    def _small(self) -> list[str]:
        return sorted(name for name, size in self._sizes().items() if size < SMALL)

    def compact(self) -> int:
        """Write the small parts as one, delete them, and return how many there were.

        Raises:
            InputError: a folder that cannot be written.
        """
        import duckdb

        self._leave_out_corrupt()
        parts = self._small()
        if len(parts) < 2:
            return 0
        files = self._files(parts)
        try:
            table = self._run(f"SELECT * FROM ({_latest(files)}) ORDER BY serial, recorded", parts)
        except duckdb.Error:
            if self._gone(parts):  # another process compacts them
                return 0
            raise
        self.write(table.select(list(NAMES)).cast(schema()))
        for name in parts:
            self._place.remove(name)
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
            try:
                source = self._source(parts) if parts else "SELECT * FROM files"
                return self._run(f"WITH rows AS ({source}) {sql}", parts, values)
            except duckdb.Error as error:
                if attempt == TRIES - 1 or not (self._leave_out_corrupt() or self._gone(parts)):
                    raise InputError(f"{self.folder}: {str(error).splitlines()[0]}") from error
        raise AssertionError("unreachable")

    def _source(self, parts: list[str]) -> str:
        """Return the query of the rows of some parts, each recording once.

        Sorting out older rows of a recording takes longer than most queries, so it is left out
        where there are none. Parts never change, so that this holds for a list of parts.
        """
        files = self._files(parts)
        if self._distinct[0] != parts:
            counts = "count(*) AS n, count(DISTINCT hash(key)) AS keys"
            found = self._run(f"SELECT {counts} FROM {files}", parts).to_pylist()[0]
            self._distinct = (parts, found["n"] == found["keys"])
        return f"SELECT * FROM {files}" if self._distinct[1] else _latest(files)

    def _files(self, parts: Sequence[str]) -> str:
        """Return DuckDB's name of the rows of some parts."""
        if self._place.remote:
            return "files"
        listed = ", ".join(f"'{_quoted(self._place.uri(name))}'" for name in parts)
        read = f"SELECT * FROM read_parquet([{listed}], union_by_name = true)"
        return f"({read} UNION ALL BY NAME SELECT * FROM blank)"  # columns that old parts lack

    def _gone(self, parts: list[str]) -> bool:
        return not set(parts) <= set(self.parts())

    def _leave_out_corrupt(self) -> bool:
        """Warn of parts that cannot be read, leave them out, and return whether there are any."""
        found = False
        for name in self.parts():
            fault = self._fault(name)
            if fault:
                self._bad.add(name)
                found = True
                place = self._place.uri(name)
                text = f"{place} is left out: {fault}; restore it from a backup, or delete it"
                warnings.warn(text, HistoryWarning, stacklevel=4)
        return found

    def _fault(self, name: str) -> str:
        """Return why a part cannot be read; empty where it can, or is gone."""
        import pyarrow as pa
        import pyarrow.parquet as arrow_parquet

        try:
            table = arrow_parquet.read_table(native_bytes(self._place.read(name)))
        except FileNotFoundError:
            return ""
        except (pa.ArrowException, OSError) as error:
            return f"it is corrupt ({reason(error)[:120]})"
        return "" if KEY in (table.schema.metadata or {}) else "armtwin did not write it"

    def _run(self, sql: str, parts: Sequence[str], values: Sequence[Any] = ()) -> pa.Table:
        """Return the answer to a query of ``_files(parts)``, or of an empty table ``files``.

        Args:
            sql: the query.
            parts: the parts that it reads.
            values: values of the query's ``?``.
        """
        import duckdb

        connection = duckdb.connect(":memory:")
        try:
            connection.execute("SET enable_progress_bar = false")  # it would print
            connection.register("blank" if parts else "files", schema().empty_table())
            if parts and self._place.remote:
                connection.register("files", self._dataset(parts))
            return connection.sql(sql, params=list(values)).to_arrow_table()
        finally:
            connection.close()

    def _dataset(self, parts: Sequence[str]) -> Any:
        from pyarrow import dataset

        store, base = self._place.opened()
        places = [f"{base}/{name}" for name in parts]
        return dataset.dataset(places, schema(), format="parquet", filesystem=store)


def _require_version(marker: str, content: bytes) -> None:
    try:
        version = int(json.loads(content)["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{marker} is damaged; it should say {{'version': 1}}") from error
    if version > VERSION:
        raise InputError(f"{marker}: version {version} is of a newer armtwin; update armtwin")


def _latest(source: str) -> str:
    """Return the query of the newest row of every recording."""
    return (
        f"SELECT * FROM {source} WHERE key IS NOT NULL QUALIFY "
        "row_number() OVER (PARTITION BY key ORDER BY added DESC) = 1"
    )


def _quoted(text: str) -> str:
    return text.replace("'", "''")
