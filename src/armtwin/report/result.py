"""The protocol of every result: one frozen value, one page, and what is made of the page."""

from __future__ import annotations

import abc
from pathlib import Path
from typing import Any

from armtwin.report.page import Page, Verdict
from armtwin.report.write import write_page


class Result(abc.ABC):
    """What a verb returns.

    ``page()`` is the only description of what is shown of a result. Terminal, JSON, HTML, PDF, the
    app and notebooks render that page, so that they cannot differ.
    """

    @abc.abstractmethod
    def page(self) -> Page:
        """Return the result as a page."""

    @abc.abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""

    @property
    def judgement(self) -> Verdict | None:
        """The page's verdict; None where the result judges nothing."""
        return self.page().verdict

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the page to an .html or .pdf file and return the file's path.

        Raises:
            InputError: the path has another ending, or cannot be written.
            OutputExistsError: the file exists and ``force`` is not set.
            MissingDataError: the drawing library is not installed.
        """
        return write_page(self.page(), path, force=force)

    def _repr_html_(self) -> str:
        """Return the page for a notebook, without its charts."""
        from armtwin.report.renderers.html import fragment

        return fragment(self.page())
