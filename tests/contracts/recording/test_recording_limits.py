"""Files that unpack to far more than they are, or claim what they are not, are refused."""

import gzip
import re
import struct
import zipfile

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet
import pytest
from benchmarks.stop_attacks import packed_text, zip_of_entries
from table_files import motion, write_table, write_xlsx

import armtwin as at
from armtwin.errors import RecordingError
from armtwin.recording import table
from armtwin.recording.files import archive, csv, text_source

SHEET = "xl/s.xml"
TOO_LARGE = r"reading \w+.xlsx takes more than 2,000,000,000 bytes of memory"
NAMES = ["time", *[f"q{k}" for k in range(1, 7)]]


def columns():
    """Return time and joints."""
    time, q, _ = motion()
    return [time, *q.T]


def spreadsheet(path, **changes):
    """Write a spreadsheet whose sheet's text has some words replaced."""
    write_xlsx(path, NAMES, columns())
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            if name == SHEET:
                for old, new in changes.items():
                    data = data.replace(old.encode(), new.encode(), 1)
            file.writestr(name, data)
    return path


@pytest.mark.parametrize("cut", [0, 5000])
def test_bomb_is_refused(tmp_path, monkeypatch, cut):
    """Limit and way out are named when a small file, whole or cut, unpacks to a huge one."""
    monkeypatch.setattr(text_source, "HARMLESS", 5_000_000)
    path = tmp_path / "bomb.csv.gz"
    data = packed_text(50_000_000)
    path.write_bytes(data[: len(data) - cut])
    assert len(data) < 200_000
    with pytest.raises(RecordingError, match=r"unpacks to more than .*100 times.*gunzip"):
        at.read_recording(path)


def test_honest_gzip_is_read(tmp_path, monkeypatch):
    """Every row is read when a file unpacks to more than the harmless size, not 100-fold."""
    monkeypatch.setattr(text_source, "HARMLESS", 1000)
    path = write_table(tmp_path / "run.csv.gz", NAMES, columns())
    assert len(gzip.decompress(path.read_bytes())) > 4000
    assert len(at.read_recording(path)) == 50


def test_many_entries_are_refused_at_once(tmp_path):
    """Number and limit are named, from the archive's end alone, when it has 20,000 entries."""
    path = tmp_path / "many.xlsx"
    path.write_bytes(zip_of_entries(20_000))
    with pytest.raises(RecordingError, match=r"20,000 entries .* 10,000 entries"):
        archive.entries(path)
    with pytest.raises(RecordingError, match=r"20,000 entries"):
        at.read_recording(path)


def test_forged_number_of_entries_does_not_help(tmp_path):
    """The list's size is bounded as well when the archive's end claims few entries."""
    path = tmp_path / "forged.xlsx"
    data = bytearray(zip_of_entries(100_000))
    place = data.rfind(b"PK\6\6")
    struct.pack_into("<2Q", data, place + 24, 5, 5)
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=r"4,000,000 bytes at most"):
        archive.entries(path)


@pytest.mark.parametrize("claimed", [10, 10_000_000])
def test_forged_size_is_refused(tmp_path, claimed):
    """Entry and both sizes are named when an entry is larger or smaller than it claims."""
    path = spreadsheet(tmp_path / "run.xlsx")
    data = bytearray(path.read_bytes())
    place = data.find(b"PK\1\2")
    while not data[place + 46 :].startswith(SHEET.encode()):
        place = data.index(b"PK\1\2", place + 4)
    struct.pack_into("<I", data, place + 24, claimed)
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=rf"xl/s.xml' claims {claimed:,} bytes"):
        at.read_recording(path)


def test_claimed_sizes_are_bounded(tmp_path, monkeypatch):
    """The sum is named when entries together would be too large."""
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1000)
    with pytest.raises(RecordingError, match=r"unpacked, run.xlsx would have .* 1,000 at most"):
        at.read_recording(spreadsheet(tmp_path / "run.xlsx"))


@pytest.mark.parametrize(
    "far",
    [
        '<c r="XFD1048576"><v>1</v></c></row>',
        "<c  r = 'XFD1048576'><v>1</v></c></row>",
        '<c r="XFD2"><v>1</v></c></row><row r="1048576"><c><v>1</v></c></row>',
        '<c r="xfd1048576"><v>1</v></c></row>',
        '<c r="XFD0001048576"><v>1</v></c></row>',
        f'<c r{"".ljust(99)}= "XFD{"".ljust(99, "0")}1048576"><v>1</v></c></row>',
    ],
)
def test_cells_far_apart_are_refused(tmp_path, far):
    """The limit is named, and this process lives, when two cells span 17 thousand million."""
    path = spreadsheet(tmp_path / "far.xlsx", **{"</row>": far})
    with pytest.raises(RecordingError, match=TOO_LARGE):
        at.read_recording(path)


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_cells_without_places_are_counted(tmp_path, prefix):
    """The limit is named when rows and cells give no place but follow the ones before."""
    row, cell = f"{prefix}row", f"<{prefix}c><v>1</v></{prefix}c>"
    far = f"</row><{row}>{2000 * cell}</{row}>{60_000 * f'<{row}/>'}<{row}>{cell}</{row}>"
    path = spreadsheet(tmp_path / "far.xlsx", **{"</row>": far})
    with pytest.raises(RecordingError, match=TOO_LARGE):
        at.read_recording(path)


def test_sheet_without_places_is_read(tmp_path):
    """Every row is read when no cell gives its place and the sheet is small."""
    path = spreadsheet(tmp_path / "run.xlsx")
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts[SHEET] = re.sub(rb' r="[A-Z]*[0-9]+"', b"", parts[SHEET])
    with zipfile.ZipFile(path, "w") as file:
        for name, data in parts.items():
            file.writestr(name, data)
    assert len(at.read_recording(path)) == 50


def test_text_that_many_cells_share_is_refused(tmp_path):
    """The limit is named when many cells refer to one long text."""
    cells = "".join(f'<row r="{k}"><c r="H{k}" t="s"><v>0</v></c></row>' for k in range(60, 12_000))
    path = spreadsheet(tmp_path / "run.xlsx", **{"</sheetData>": cells + "</sheetData>"})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/sharedStrings.xml", f"<sst><si><t>{'y' * 300_000}</t></si></sst>")
    with pytest.raises(RecordingError, match=TOO_LARGE):
        at.read_recording(path)


def test_spreadsheet_is_read(tmp_path):
    """Every row is read when nothing is forged."""
    assert len(at.read_recording(spreadsheet(tmp_path / "run.xlsx"))) == 50


def test_parquet_cells_are_bounded(tmp_path, monkeypatch):
    """Number and limit are named before anything is read when a Parquet file has too many."""
    path = tmp_path / "run.parquet"
    pa.parquet.write_table(pa.table(dict(zip(NAMES, columns(), strict=True))), path)
    assert len(at.read_recording(path)) == 50
    monkeypatch.setattr(table, "MAX_CELLS", 349)
    with pytest.raises(RecordingError, match=r"350 numbers; 349 are read"):
        at.read_recording(path)


def test_half_an_hour_with_170_columns_is_allowed():
    """The limits leave room when a recording has 900,000 rows of 170 columns."""
    rows, width = 30 * 60 * 500, 170
    assert rows * width < table.MAX_CELLS
    text = rows * width * 12
    assert text_source.unpacked_limit(text // 3) >= text


@pytest.mark.parametrize("kind", ["plain", "gzip", "large gzip", "UTF-16"])
def test_arrow_reads_without_python(tmp_path, monkeypatch, kind):
    """Arrow's threads hold no Python object, which could abort the end of a process."""
    text = "time,q1\n" + "".join(f"{k},{k * 0.25}\n" for k in range(2000))
    path = tmp_path / ("run.csv" if kind in ("plain", "UTF-16") else "run.csv.gz")
    data = text.encode("utf-16" if kind == "UTF-16" else "utf-8")
    path.write_bytes(gzip.compress(data) if "gzip" in kind else data)
    if kind == "large gzip":
        monkeypatch.setattr(text_source, "HARMLESS", 1000)
    streams, read = [], arrow_csv.read_csv
    monkeypatch.setattr(
        arrow_csv,
        "read_csv",
        lambda stream, **given: streams.append(stream) or read(stream, **given),
    )
    read_back = csv.read_csv(path).columns["q1"]
    assert len(read_back) == 2000 and read_back[-1] == 1999 * 0.25
    assert streams and all(isinstance(s, pa.NativeFile) for s in streams)
    assert not any(isinstance(s, pa.PythonFile) for s in streams)
