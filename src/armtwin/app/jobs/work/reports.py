"""The outcome of a job: its result's page, its files and its reports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from armtwin.app.jobs.outcome import File, Outcome, outcome_of
from armtwin.app.jobs.work.context import JobContext
from armtwin.errors import MissingDataError
from armtwin.report.result import Result


def with_reports(
    job: JobContext[Any], result: Result, files: Iterable[tuple[str, str]] = ()
) -> Outcome:
    """Return a result's page as the job's outcome, with its files and reports.

    The outcome is shown before the PDF is written. A drawing library that is not installed costs
    the PDF, not the result.

    Args:
        job: the job.
        result: what the library function returned.
        files: name in the job's folder and label of every file already written.
    """
    named = tuple(File(name=name, label=label) for name, label in files)
    outcome = outcome_of(result.page()).model_copy(update={"files": named})
    job.report_step("writing the report")
    result.report(job.folder / "report.html")
    outcome = outcome.with_file("report.html", "Report (HTML)")
    job.show(outcome)
    job.report_step("writing the PDF")
    try:
        result.report(job.folder / "report.pdf")
    except MissingDataError as error:
        return outcome.with_note(f"no PDF: {error}")
    return outcome.with_file("report.pdf", "Report (PDF)")
