"""Numbers in CSV files of the compiled reader and writer, bit by bit."""

import struct
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from armtwin.fmu.run.csv_grid import csv_parts, read_csv_grid

ANY = st.floats(allow_nan=False, allow_infinity=False)


def bits(values):
    """Return the bits of numbers."""
    return [struct.pack("<d", x) for x in values]


def written(values):
    """Return the texts of numbers as the writer gives them."""
    time = array("d", range(len(values)))
    parts = csv_parts(["x"], time, array("d", values), [0])
    lines = b"".join(bytes(part) for part in parts).decode().splitlines()
    return [line.split(",")[1] for line in lines[1:]]


@settings(max_examples=300, deadline=None)
@given(st.lists(ANY, min_size=1, max_size=50))
def test_written_numbers_read_back(values):
    """A number is the same to the last bit when Python reads what was written."""
    assert bits(map(float, written(values))) == bits(values)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(ANY, st.sampled_from(["{!r}", "{:.17g}", "{:.18e}", "{:.6f}", "{:g}"])).filter(
            lambda pair: abs(pair[0]) < 1e300
        ),
        min_size=1,
        max_size=40,
    )
)
def test_read_numbers_are_exact(tmp_path_factory, cells):
    """A number is that of Python's reader when it is written in any common form."""
    texts = [form.format(x) for x, form in cells]
    file = tmp_path_factory.getbasetemp() / "cells.csv"
    rows = "\n".join(f"{k},{text}" for k, text in enumerate(texts))
    file.write_text(f"time,x\n{rows}\n", encoding="utf-8")
    grid = read_csv_grid(file)
    assert bits(grid.data) == bits(map(float, texts))


def test_short_numbers_stay_short():
    """A number has no needless digits when a short form says it exactly."""
    values = [0.1, 0.002, 58.1, 1e-5, 123456.0, -0.3, 1e22, 5e-324, 0.0, -0.0]
    expected = [
        "0.1",
        "0.002",
        "58.1",
        "0.00001",
        "123456",
        "-0.3",
        "1e22",
        "4.9406564584124654e-324",
    ]
    assert written(values)[:8] == expected
    assert written(values)[8:] == ["0", "-0"]


def test_not_a_plain_table(tmp_path):
    """The general reader is left to it when a table is anything but plain numbers."""
    for text in ("time,q\n0,a\n", "time,q\n0,1,2\n", "time,q\n0,\n", "a,b\n1,2\n", "time,q", "",
                 "time,q,q\n0,1,2\n", "time,q\n0,nan\n", "time,q\n0,1\r1,2\r2,3\r3,4"):  # fmt: skip
        file = tmp_path / "odd.csv"
        file.write_text(text, encoding="utf-8", newline="")
        assert read_csv_grid(file) is None, text
