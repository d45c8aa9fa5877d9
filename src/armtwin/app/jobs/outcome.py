"""The result of a job as plain data: verdict, figures, tables, notes and files."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from armtwin.report.page import Page
from armtwin.viewer.results.page_data import PageData, page_data


class File(BaseModel):
    """A file for download: its name in the job's folder, and a label."""

    name: str
    label: str


class Outcome(PageData):
    """The result of a job: what its page shows, and the files it wrote."""

    files: tuple[File, ...] = ()

    def with_file(self, name: str, label: str) -> Outcome:
        """Return the outcome with one more file."""
        return self.model_copy(update={"files": (*self.files, File(name=name, label=label))})

    def with_note(self, text: str) -> Outcome:
        """Return the outcome with one more note."""
        return self.model_copy(update={"notes": (*self.notes, text)})


def outcome_of(page: Page) -> Outcome:
    """Return what a page shows: verdict, figures, facts, tables and texts."""
    return Outcome(**dict(page_data(page)))


def files(pairs: Iterable[tuple[str, str]]) -> tuple[File, ...]:
    """Return files from pairs of name and label."""
    return tuple(File(name=name, label=label) for name, label in pairs)
