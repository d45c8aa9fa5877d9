"""CSV files in blocks: the numbers of the whole reader, and every fault named by its line."""

import gzip

import numpy as np
import pytest

from armtwin.errors import InputError, RecordingError
from armtwin.recording.files.csv_blocks import blocks
from armtwin.recording.files.open_file import read_table

VALUES = np.random.default_rng(0).normal(size=(500, 3))
NAMES = ["time", "q1", "q2"]


def text(delimiter=",", decimal=".", start=""):
    """Return the values as text, exact to the last bit."""
    rows = [delimiter.join(repr(x).replace(".", decimal) for x in row) for row in VALUES.tolist()]
    return "\n".join([start + delimiter.join(NAMES), *rows]) + "\n"


FORMS = {
    "comma": text().encode(),
    "semicolon and decimal comma": text(";", ",").encode(),
    "tab": text("\t").encode(),
    "blanks": text("   ").encode(),
    "byte order mark": text().encode("utf-8-sig"),
    "UTF-16": text().encode("utf-16"),
    "comment first": text(start="# a log\n").encode(),
    "line ends of Windows": text().replace("\n", "\r\n").encode(),
    "gzip": gzip.compress(text().encode()),
}


def by_blocks(path, rows):
    """Return all numbers, the number of rows in each block, and the shares read."""
    parts = list(blocks(path, rows=rows))
    columns = [parts[0].column(name) for name in NAMES]
    values = np.concatenate([part.values(columns) for part in parts])
    return values, [part.count for part in parts], [part.done for part in parts]


@pytest.mark.parametrize("form", FORMS)
def test_blocks_are_the_whole_table(form, tmp_path):
    """Every number is the same when a file is read whole and in blocks, whatever its form."""
    path = tmp_path / ("q.csv.gz" if form == "gzip" else "q.csv")
    path.write_bytes(FORMS[form])
    values, counts, shares = by_blocks(path, 64)
    assert np.array_equal(values, VALUES)
    assert max(counts) <= 64
    assert sum(counts) == len(VALUES)
    assert all(0 < a <= b <= 1 for a, b in zip(shares, shares[1:], strict=False))
    whole = read_table(path).columns
    assert np.array_equal(np.column_stack([whole[name] for name in NAMES]), VALUES)


@pytest.mark.parametrize("row", [0, 1, 30_000, 59_999])
def test_a_fault_far_in_the_file_has_its_line(row, tmp_path):
    """The line is right when a fault comes after several blocks of Arrow's reader."""
    lines = ["0.123456789012345,0.123456789012345,0.123456789012345"] * 60_000
    path = tmp_path / "q.csv"
    for fault, words in (("1,x,3", "column q1: 'x' is not a number"), ("1,2", "has 2 fields")):
        path.write_text("\n".join([",".join(NAMES), *lines[:row], fault, *lines[row + 1 :]]))
        with pytest.raises(InputError, match=rf"line {row + 2}\b.* ?{words}"):
            for part in blocks(path):
                part.values([0, 1, 2])


def test_a_file_of_one_column_is_read(tmp_path):
    """The numbers come back when an arm of one joint has a file of one column."""
    path = tmp_path / "q.csv"
    path.write_text("q1\n1.5\n-2e-3\n")
    (part,) = blocks(path)
    assert part.values([part.column("q1")]).tolist() == [[1.5], [-0.002]]


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"", "is empty"), (b"\n\n", "only blanks"), (b"q1,q2\n", "a header but no rows")],
)
def test_files_without_rows_are_refused(data, words, tmp_path):
    """The error is that of the whole reader when a file has no rows."""
    path = tmp_path / "q.csv"
    path.write_bytes(data)
    for read in (read_table, lambda path: list(blocks(path))):
        with pytest.raises(RecordingError, match=words):
            read(path)
