"""Table cells are written by one function, in every renderer and on the command line."""

import numpy as np
import pytest

from armtwin.cli.output import say_table
from armtwin.report.numbers import format_against, rounded, with_unit
from armtwin.report.renderers.cells import cell, is_numeric
from armtwin.report.renderers.text import table_lines
from armtwin.viewer.results.page_data import table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"), (float("nan"), "–"), (np.inf, "–"), (True, "yes"), (np.False_, "no"),
        (0.0, "0"), (1.23456789, "1.235"), (123456.7, "123457"), (0.00012345678, "0.0001235"),
        (1.5e-5, "15e-6"), (-2.34567e7, "-23.46e6"), (np.float32(0.5), "0.5"), (12, "12"),
        ("a", "a"),
    ],
)  # fmt: skip
def test_cell(value, text):
    """The text has four significant digits, and a dash for no number, when a value is written."""
    assert cell(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123, "m", "12.3 mm"), (5.89e-7, "m", "0.589 um"), (5.89e-10, "m", "< 0.001 um"),
        (0.0, "m", "0 mm"), (-0.25, "rad", "-14.32 deg"), (0.01, "A", "10 mA"),
        (0.004, "N", "4 mN"), (250.0, "Nm", "250 Nm"), (2.5, "kg", "2.5 kg"), (1e-7, "1", "100e-9"),
        (None, "m", "–"), (float("nan"), "m", "–"),
    ],
)  # fmt: skip
def test_number_with_unit(value, unit, text):
    """The unit is the one in which the number is easy to read when a number has a unit."""
    assert with_unit(value, unit) == text


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [(-5.89e-7, 0.012, "0.00000"), (0.5, 0.012, "0.5"), (0.01, 0.012, "0.01"), (None, 1.0, "–")],
)
def test_number_beside_a_limit(value, limit, text):
    """A number far below its limit has the limit's decimals when both stand side by side."""
    assert format_against(value, limit) == text


def test_numeric_columns():
    """A column counts as numeric when it holds numbers, written numbers and gaps only."""
    assert is_numeric([1, 2.5, "3.1", None, "-", np.float64(2)])
    assert not is_numeric([1, "a"])
    assert not is_numeric([True, False])


def test_command_line_prints_the_renderers_table(capsys):
    """The printed lines are the text renderer's, in ASCII, when a verb prints a table."""
    heads, rows = ("name", "value"), [("a", 1.23456789), ("bb", None)]
    say_table(heads, iter(rows), indent="  ")
    printed = capsys.readouterr().out
    assert printed.splitlines() == table_lines(heads, rows, digits=6, indent="  ")
    assert printed == "  name    value\n  a     1.23457\n  bb          -\n"
    assert printed.isascii()


def test_table_without_rows_has_its_heads():
    """The heads are printed when there is no row."""
    assert table_lines(("a", "b"), []) == ["a  b"]


def test_app_tables_keep_integers_and_gaps():
    """Integers and gaps stay plain data, floats become text, when the app's table is made."""
    made = table(("a", "b", "c", "d"), [(3, None, 1.23456789, float("nan"))])
    assert made.rows == ((3, None, "1.235", None),)


def test_two_digits_of_hundreds():
    """No second exponent appears when a small number of hundreds is written with two digits."""
    assert rounded(3.64e-7, 2) == "364e-9"
