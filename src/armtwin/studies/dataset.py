"""Results of a study on disk: part files of finished rows, and the final table.

A part file holds the rows of one group. It is written under another name and renamed, so that it
is there as a whole or not at all. A row is known by its content key: a row that is in a part file
is not run again, whatever interrupted the study.
"""

from __future__ import annotations

import io
import json
import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from armtwin.errors import InputError
from armtwin.storage import StoredFolder, native_bytes, reason
from armtwin.studies.planning.study_plan import StudyPlan, StudyRow, input_names
from armtwin.studies.runs.rows import OK

LOG = logging.getLogger("armtwin.studies")
PART = "part-*.parquet"
BEGUN = "armtwin-study"
"""Empty object with which a study begins on an object store."""
FIGURES = b"armtwin.figures"
"""Metadata of a part file: which of its columns are figures."""
MAX_UNSAVED = 10_000
"""Rows that wait in memory while the disk refuses them; then the study ends."""


class Dataset:
    """The folder of a study's part files, on this machine or on an object store.

    Attributes:
        folder: the folder; made where it does not exist.
        finished: outcomes of ``run_row`` by key.
        unsaved: outcomes that could not be written yet.
        trouble: why they could not; "" where everything is written.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = StoredFolder(folder)
        self.trouble = ""
        self.unsaved: list[tuple[StudyRow, dict[str, Any]]] = []
        self.finished: dict[str, dict[str, Any]] = {}
        if not self.folder.remote:
            _prepare(Path(self.folder.place))
        for name in self._names():
            for outcome in _read_part(self.folder, name):
                self._keep(outcome)

    def _names(self) -> list[str]:
        try:
            if self.folder.remote and not self.folder.exists():
                self.folder.write(BEGUN, b"")  # fails now rather than after the first row
                return []
            return [file.name for file in self.folder.files(PART)]
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {reason(error)}") from error

    def add(self, group: Sequence[tuple[StudyRow, dict[str, Any]]]) -> None:
        """Keep outcomes and write them, with those that could not be written before.

        Raises:
            InputError: too many rows wait for a disk that refuses them.
        """
        for _, outcome in group:
            self._keep(outcome)
        self.unsaved += group
        self.write()
        if len(self.unsaved) > MAX_UNSAVED:
            raise InputError(self.complaint())

    def write(self) -> None:
        """Write the pending rows; those that fail are kept for the next time."""
        if not self.unsaved:
            return
        name = f"part-{self.unsaved[0][0].row:08d}-{uuid.uuid4().hex}.parquet"
        try:
            self.folder.write(name, _part(self.unsaved))
        except OSError as error:
            if not self.trouble:
                LOG.warning("%s: cannot be written: %s", self.folder, reason(error))
            self.trouble = reason(error)
            return
        self.unsaved, self.trouble = [], ""

    def complaint(self) -> str:
        """Return what to do about rows that could not be written."""
        return (
            f"{self.folder}: cannot be written: {self.trouble}; {len(self.unsaved)} finished rows "
            f"are not saved, {len(self.finished) - len(self.unsaved)} are; make room and run the "
            "same study again: saved rows are not run again"
        )

    def _keep(self, outcome: dict[str, Any]) -> None:
        """Keep an outcome; one that is ok replaces a failed one, and no other replaces any."""
        old = self.finished.get(outcome["key"])
        if old is None or (old["status"] != OK and outcome["status"] == OK):
            self.finished[outcome["key"]] = outcome


def final_table(plan: StudyPlan, finished: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return the study's table (``pyarrow.Table``), sorted by row.

    Columns are ``row``, the inputs, the figures in the order in which rows bring them up,
    ``status``, ``error`` and ``warnings``. It holds no times, so that its bytes do not depend on
    who computed it.

    Args:
        plan: the rows.
        finished: outcomes by key; rows that have none are left out.
    """
    import pyarrow

    rows = [row for row in plan.rows if row.key in finished]
    outcomes = [finished[row.key] for row in rows]
    figures = list(dict.fromkeys(name for one in outcomes for name in one["figures"]))
    inputs = [row.columns() for row in rows]
    columns = {"row": pyarrow.array([row.row for row in rows], pyarrow.int64())}
    columns |= {name: column(one.get(name) for one in inputs) for name in input_names(plan.rows)}
    for name in figures:
        place = name if name not in columns else f"{plan.study.verb}.{name}"
        columns[place] = column(one["figures"].get(name) for one in outcomes)
    for name in ("status", "error", "warnings"):
        columns[name] = pyarrow.array([one[name] for one in outcomes], pyarrow.string())
    return pyarrow.table(columns)


def column(values: Iterable[Any]) -> Any:
    """Return values as one column: booleans, whole numbers, numbers, or texts."""
    import pyarrow

    given = list(values)
    kinds = {type(value) for value in given if value is not None}
    if kinds == {bool}:
        return pyarrow.array(given, pyarrow.bool_())
    if kinds == {int} and all(abs(value) < 2**63 for value in given if value is not None):
        return pyarrow.array(given, pyarrow.int64())
    if kinds and kinds <= {int, float}:
        numbers = [None if value is None else float(value) for value in given]
        return pyarrow.array(numbers, pyarrow.float64())
    texts = [v if v is None or isinstance(v, str) else json.dumps(v, default=str) for v in given]
    return pyarrow.array(texts, pyarrow.string())


def parquet_bytes(table: Any) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _part(group: Sequence[tuple[StudyRow, Mapping[str, Any]]]) -> bytes:
    """Return the part file of a group of rows."""
    import pyarrow

    rows, outcomes = [row for row, _ in group], [outcome for _, outcome in group]
    figures = list(dict.fromkeys(name for one in outcomes for name in one["figures"]))
    inputs = [row.columns() for row in rows]
    columns = {"key": column(row.key for row in rows), "row": column(row.row for row in rows)}
    columns |= {name: column(one.get(name) for one in inputs) for name in input_names(rows)}
    for name in figures:
        columns[f"figures.{name}"] = column(one["figures"].get(name) for one in outcomes)
    for name in ("status", "error", "warnings", "seconds"):
        columns[name] = column(one[name] for one in outcomes)
    table = pyarrow.table(columns)
    return parquet_bytes(table.replace_schema_metadata({FIGURES: json.dumps(figures)}))


def _prepare(folder: Path) -> None:
    """Make a local folder, without the partial files of a killed study."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in folder.glob(".part-*"):
            leftover.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: no folder can be made: {error.strerror}") from error


def _read_part(folder: StoredFolder, part: str) -> list[dict[str, Any]]:
    """Return the outcomes of a part file; none where it is damaged, so that its rows run again."""
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(native_bytes(folder.read(part)))
        names = json.loads(table.schema.metadata[FIGURES])
        plain = ["key", "status", "error", "warnings", "seconds"]
        found = table.select([*plain, *(f"figures.{name}" for name in names)]).to_pylist()
    except (OSError, pyarrow.ArrowException, KeyError, TypeError, ValueError) as error:
        place = folder.uri(part)
        LOG.warning("%s is no part of a study and is left out: %s", place, error)
        return []
    return [
        {name: one[name] for name in plain} | {"figures": _figures(one, names)} for one in found
    ]


def _figures(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    values = {name: row[f"figures.{name}"] for name in names}
    return {name: value for name, value in values.items() if value is not None}
