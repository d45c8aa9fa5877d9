"""Write a page to a self-contained HTML file or a PDF, atomically."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.report.page import Page


def write_page(page: Page, path: str | Path, *, force: bool = False) -> Path:
    """Write a page as .html (self-contained, interactive) or .pdf and return its path.

    The file appears under its name only when it is complete; where writing fails (a full disk),
    an older report of that name is left as it was.

    Args:
        page: the report.
        path: where to; its ending chooses the form.
        force: replace an existing file.

    Raises:
        InputError: another ending, or a place that cannot be written.
        OutputExistsError: the file exists and ``force`` is not set.
        MissingDataError: a drawing library is not installed.
    """
    path = Path(path)
    data = _renderer(path)(page)
    write_output(path, data, force=force)
    return path


def _renderer(path: Path) -> Callable[[Page], bytes]:
    ending = path.suffix.lower()
    if ending in (".html", ".htm"):
        from armtwin.report.renderers.html import html

        return html
    if ending == ".pdf":
        from armtwin.report.renderers.pdf import pdf

        return pdf
    raise InputError(f"{path}: a report is written to .html or .pdf, not {ending!r}")
