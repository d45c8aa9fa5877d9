"""Text tables without PyArrow: the same columns, faults and notes as with it."""

import gzip

import numpy as np
import pytest

import armtwin as at
import armtwin.recording.files.csv as csv_reader
import armtwin.recording.files.saved as saved_files
from armtwin.errors import MissingDataError, RecordingError
from armtwin.recording.files.open_file import read_table

NUMBERS = np.random.default_rng(3).normal(size=(40, 3))
ROWS = [",".join(map(repr, row)) for row in NUMBERS.tolist()]
HEAD = "time,q1,q2\n"
LATE = ["0.5,1.5,2.5"] * 25_000


def lines(*rows, head=HEAD):
    """Return a table as bytes."""
    return (head + "\n".join(rows) + "\n").encode()


TABLES = {
    "numbers": lines(*ROWS),
    "line ends of Windows": lines(*ROWS).replace(b"\n", b"\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + lines(*ROWS),
    "UTF-16": lines(*ROWS).decode().encode("utf-16"),
    "gzip": gzip.compress(lines(*ROWS)),
    "gzip, cut": gzip.compress(lines(*LATE[:5000], *ROWS))[:-40],
    "decimal comma": lines(*(row.replace(",", ";").replace(".", ",") for row in ROWS)).replace(
        b"time,q1,q2", b"time;q1;q2"
    ),
    "padded blanks": lines(*(row.replace(",", "   ") for row in ROWS), head=" time  q1 q2\n"),
    "no header": lines(*ROWS, head=""),
    "units below the header": lines("s,rad,rad", *ROWS),
    "comments": lines(*ROWS, head="# a log\n" + HEAD),
    "empty cells": lines("0,1,", "1,NaN,2", "2,,3", *ROWS),
    "a misprint": lines(*ROWS[:5], "7,O.5,1", *ROWS[5:]),
    "a misprint after many rows": lines(*LATE, "0.5,1_000,2.5", *LATE[:3]),
    "a ragged line": lines(*ROWS[:5], "7,8", *ROWS[5:], "8,9,10,11"),
    "a cut last line": lines(*ROWS)[:-9],
    "cut inside a number": lines(*ROWS, "3.5,1,-")[:-1],
    "lists": lines(*(f'{t},"[{t}, 2, {-t}]"' for t in range(9)), head="time,q\n"),
    "a list too short": lines(*(f'{t},"[{t} 2]"' for t in range(9)), '9,"[1]"', head="time,q\n"),
    "large whole numbers": lines(
        *(f"{1_700_000_000_000_000_001 + k},{k}" for k in range(9)), head="stamp,q1\n"
    ),
    "dates": lines(*(f"2024-01-01 00:00:0{k}.125,{k}" for k in range(9)), head="at,q1\n"),
    "dates with Z": lines(*(f"2024-01-01T00:00:0{k}Z,{k}" for k in range(9)), head="at,q1\n"),
    "truth values": lines(*(f"{k},{str(k > 4).lower()}" for k in range(9)), head="t,on\n"),
    "text beside numbers": lines(*(f"{k},idle,{k}" for k in range(9)), head="t,mode,q1\n"),
    "names twice": lines(*ROWS, head="time,q1,q1\n"),
    "latin-1": lines(*(f"{k},größe,1" for k in range(9))).decode().encode("latin-1"),
    "header alone": lines(head=HEAD),
    "prose": b"This, is no table.\nIt has, some, commas\nin it\nand more,\n, lines,,,\n",
}


@pytest.fixture
def plain(monkeypatch):
    """Return a function that hides PyArrow from the readers and writers of CSV files."""

    def hide():
        for module in (csv_reader, saved_files):
            monkeypatch.setattr(module, "installed", lambda *names: False)

    return hide


def outcome(path):
    """Return everything that is read from a file, or the error."""
    try:
        table = read_table(path)
    except RecordingError as error:
        return str(error)
    columns = {name: (x.dtype.kind, x.tobytes()) for name, x in table.columns.items()}
    bad = sorted((cell.column, cell.row, cell.text) for cell in table.bad)
    return columns, table.nanoseconds, bad, table.notes, table.text


@pytest.mark.parametrize("name", TABLES)
def test_the_same_is_read_without_pyarrow(name, tmp_path, plain):
    """Columns, faulty cells and notes are equal to the bit when PyArrow is not installed."""
    path = tmp_path / "run.csv"
    path.write_bytes(TABLES[name])
    expected = outcome(path)
    plain()
    assert outcome(path) == expected


def test_saved_recording_comes_back_without_pyarrow(tmp_path, plain):
    """A recording is bit for bit the same when it is saved and read without PyArrow."""
    q = np.random.default_rng(0).normal(size=(30, 2))
    q[3, 1] = np.nan
    made = at.Recording.of(np.arange(30) / 7, {"q": q}, arm="ur10e")
    by_arrow = made.save(tmp_path / "arrow.csv").read_bytes()
    plain()
    path = made.save(tmp_path / "plain.csv")
    back = at.read_recording(path)
    assert back.arm == "ur10e"
    assert np.array_equal(back.group("q"), q, equal_nan=True)
    assert np.array_equal(back.time, made.time)
    assert path.read_bytes().split(b"\n")[0] == by_arrow.split(b"\n")[0]


def test_parquet_names_the_extra_without_pyarrow(tmp_path, monkeypatch):
    """The error names the extra when a Parquet file is written or read without PyArrow."""
    made = at.Recording.of([0, 1], {"q": np.zeros((2, 1))})
    path = made.save(tmp_path / "run.parquet")
    monkeypatch.setattr("armtwin.extras._installed", lambda name: name != "pyarrow")
    with pytest.raises(MissingDataError, match=r"pip install 'armtwin\[recordings\]'"):
        made.save(tmp_path / "other.parquet")
    with pytest.raises(MissingDataError, match=r"pip install 'armtwin\[recordings\]'"):
        at.read_recording(path)
