"""The protocol of every result: a frozen value with one page that all renderers show."""

from __future__ import annotations

import abc
import dataclasses
import os
from pathlib import Path
from typing import Any

from armtwin.errors import ArmTwinError
from armtwin.progress import OnProgress
from armtwin.report import viewing
from armtwin.report.page import Page, Verdict
from armtwin.report.write import write_page


class Result(abc.ABC):
    """Base class of what a verb returns.

    ``page()`` is the only description of what is shown of a result. Terminal, HTML, PDF, the app
    and notebooks render that page, so that they cannot differ. Subclasses are frozen dataclasses;
    they keep this class's ``repr`` of one line.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep the one-line ``repr``: a dataclass makes its own only where there is none."""
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

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

    def report(
        self, path: str | Path, *, view: str | Path | None = None, force: bool = False
    ) -> Path:
        """Write the page to an .html or .pdf file and return the file's path.

        Args:
            path: where to; its ending chooses the form.
            view: a saved interactive page (``armtwin.view``) that an HTML report links.
            force: replace an existing file.

        Raises:
            InputError: the path has another ending, or cannot be written.
            OutputExistsError: the file exists and ``force`` is not set.
            MissingDataError: the drawing library is not installed.
        """
        page = self.page()
        if view is not None:
            page = dataclasses.replace(page, view=os.path.relpath(view, Path(path).parent))
        return write_page(page, path, force=force)

    def view(self, recording: Any = None, *, on_progress: OnProgress | None = None) -> Any:
        """Return the result in the viewer: what it plays, with its ghost, contacts and page.

        The view saves itself (``.save("run.html")``), opens in the browser (``.open()``) and shows
        itself in a notebook, as that of ``armtwin.view`` does.

        Args:
            recording: what is played with the result's arm, in place of its own recording.
            on_progress: called before each step; raise from it to cancel.

        Raises:
            InputError: the result has no motion; its page shows itself, and ``report`` writes it.
        """
        return viewing.make_view(self, recording, on_progress)

    def __repr__(self) -> str:
        """Return the class's name with the verdict, or with the title where nothing is judged.

        A page that cannot be made now (an input file was deleted) leaves the name alone, because
        a debugger must be able to show every object.
        """
        name = type(self).__name__
        try:
            page = self.page()
        except (ArmTwinError, OSError):
            return f"<{name}>"
        verdict = page.verdict
        line = page.title if verdict is None else f"{verdict.word}: {verdict.text}"
        return f"<{name} {' '.join(line.split())}>"

    def _repr_html_(self) -> str:
        """Return the page for a notebook, without its curves."""
        from armtwin.report.renderers.html import fragment

        return fragment(self.page())
