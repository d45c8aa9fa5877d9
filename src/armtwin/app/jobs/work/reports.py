"""Reports of a job: the page first, so that results are seen while the PDF is being written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.request import JobRequest
from armtwin.errors import MissingDataError


def with_reports(
    request: JobRequest[Any], outcome: Outcome, write: Callable[[Path], object]
) -> Outcome:
    """Return the outcome with its reports; ``write`` takes a path that ends in .html or .pdf.

    A drawing library that is not installed costs the PDF, not the result.
    """
    request.tell("writing the report")
    write(request.folder / "report.html")
    outcome = outcome.with_file("report.html", "Report (HTML)")
    request.show(outcome)
    request.tell("writing the PDF")
    try:
        write(request.folder / "report.pdf")
    except MissingDataError as error:
        return outcome.with_note(f"no PDF: {error}")
    return outcome.with_file("report.pdf", "Report (PDF)")
