"""Every result prints usefully: one line in a console, its page in a notebook."""

from dataclasses import dataclass

import numpy as np
import pytest

from armtwin.errors import MissingDataError
from armtwin.report.page import Chart, Curve, Page, Panel, Section, Table, Verdict
from armtwin.report.renderers.text import text
from armtwin.report.result import Result


@dataclass(frozen=True)
class Measured(Result):
    """A result with many samples; ``verdict`` None judges nothing."""

    values: np.ndarray
    verdict: Verdict | None = None

    def page(self):
        """Return a page with a table, a chart and a detail."""
        curve = Curve("x", np.arange(self.values.size), self.values)
        return Page(
            title="Measured <twice>",
            verdict=self.verdict,
            sections=(
                Section("Numbers", (Table(("mean",), ((self.values.mean(),),)),)),
                Section("Curves", (Chart("c", "n", (Panel("x", (curve,)),)),)),
                Section("More", (Table(("hidden",), ((1,),)),), detail=True),
            ),
        )

    def to_dict(self):
        """Return the values."""
        return {"values": self.values.tolist()}


@dataclass(frozen=True, slots=True)
class Unreadable(Result):
    """A result whose page cannot be made."""

    error: Exception

    def page(self):
        """Raise the error."""
        raise self.error

    def to_dict(self):
        """Return nothing."""
        return {}


def test_repr_is_the_title():
    """The repr is one line with the title when a dataclass judges nothing."""
    assert repr(Measured(np.ones(1000))) == "<Measured Measured <twice>>"


@pytest.mark.parametrize(
    ("passed", "word"), [(True, "PASSED"), (False, "NOT PASSED"), (None, "NOT JUDGED")]
)
def test_repr_is_the_verdict(passed, word):
    """The repr is one line with the verdict when there is one, also over several lines."""
    result = Measured(np.ones(3), Verdict(passed, "position\n  within 1 mm"))
    assert repr(result) == f"<Measured {word}: position within 1 mm>"
    assert result.judgement.passed is passed


@pytest.mark.parametrize("error", [MissingDataError("no data"), FileNotFoundError("run.csv")])
def test_repr_survives_a_missing_input(error):
    """The repr is the class's name when the page cannot be made any more."""
    assert repr(Unreadable(error)) == "<Unreadable>"


def test_notebook_view_has_tables_without_charts():
    """The notebook shows escaped title, verdict and tables, no chart or detail, when displayed."""
    view = Measured(np.full(3, 2.5), Verdict(True, "a < b"))._repr_html_()
    for needle in ("Measured &lt;twice&gt;", "a &lt; b", "<td", "2.5"):
        assert needle in view
    assert "<script" not in view
    assert "hidden" not in view


def test_text_has_tables_and_verdict():
    """The terminal shows title, tables and verdict, no detail, when a page is rendered as text."""
    shown = text(Measured(np.full(3, 2.5), Verdict(False, "too large")).page())
    assert shown.startswith("Measured <twice>\n")
    assert "mean\n 2.5" in shown
    assert shown.endswith("NOT PASSED: too large\n")
    assert "hidden" not in shown


def test_report_is_written(tmp_path):
    """The HTML file is the page when a result writes its report."""
    path = Measured(np.ones(3)).report(tmp_path / "r.html")
    assert "Measured &lt;twice&gt;" in path.read_text(encoding="utf-8")
