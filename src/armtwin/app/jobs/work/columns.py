"""The job "columns": what a file's columns are taken for, and its first rows."""

from __future__ import annotations

import itertools

from armtwin.app.jobs.job_parameters import ColumnsJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.server.plain_text import for_clients
from armtwin.errors import ArmTwinError
from armtwin.recording.columns.names import unit_of
from armtwin.recording.files.open_file import read_table
from armtwin.recording.read import guess_mapping
from armtwin.viewer.results.page_data import OutcomeTable

PREVIEW = 10
"""Rows that are shown."""
MAX_COLUMNS = 400
"""Columns that are shown."""
HEADS = ("file column", "column", "unit", "factor to SI", "SI unit")


def work(job: JobContext[ColumnsJob]) -> Outcome:
    """List the columns; a file whose units cannot be guessed is listed without a guess."""
    path = job.recording(job.parameters.recording)
    table = read_table(path)
    names = list(itertools.islice(table.columns, MAX_COLUMNS))
    rows = zip(*(table.columns[name][:PREVIEW].tolist() for name in names), strict=True)
    preview = OutcomeTable(
        title="First rows",
        heads=tuple(names),
        rows=tuple(tuple(None if v != v else v for v in row) for row in rows),  # noqa: PLR0124
    )
    notes: list[str] = []
    rules: tuple[tuple[str | float, ...], ...] = ()
    try:
        found = guess_mapping(path, job.arm(), mapping=job.mapping())
        rules = tuple(
            (rule.source, rule.target, rule.unit, rule.factor, unit_of(rule.target) or "")
            for rule in found.rules
        )
    except ArmTwinError as error:
        notes.append(for_clients(str(error)))
    guess = OutcomeTable(title="Taken for", heads=HEADS, rows=rules)
    return Outcome(verdict=table.origin, tables=(preview, guess), notes=tuple(notes))
