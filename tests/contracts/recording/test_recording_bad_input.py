"""Files that are broken are refused in words that help, or read as far as they are whole."""

import gzip
import sqlite3

import numpy as np
import pytest
from table_files import ROWS, UR, motion, write_bag, write_table

import armtwin as at
from armtwin.errors import ClockError, MissingColumnError, RecordingError

T, Q, QD = motion()
HEADER = "time,q1,q2\n"
NAMES = ["time", *(f"q{k}" for k in range(1, 7))]


def text_file(folder, text, name="run.csv"):
    """Write a text and return its path."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def body(rows=20):
    """Return lines of time and two joints."""
    return [f"{k / 10},{k / 100},{-k / 100}" for k in range(rows)]


FATAL = {
    "empty": (b"", "run.csv", r"is empty \(0 bytes\)"),
    "empty gzip": (b"", "run.csv.gz", r"is empty \(0 bytes\)"),
    "blank": ("\n\n  \n", "run.csv", "holds only blanks"),
    "header alone": (HEADER, "run.csv", r"header but no rows.*time, q1, q2"),
    "header without line end": (HEADER.strip(), "run.csv", r"header but no rows"),
    "one column": ("time\n1\n2\n", "run.csv", "no columns that comma"),
    "prose": ("A dark night.\nA sleepy robot.\n", "run.txt", "no column of numbers"),
    "not gzip": ("time,q1\n1,2\n", "run.csv.gz", "not compressed"),
    "broken gzip": (b"\x1f\x8b" + bytes(range(60)), "run.csv.gz", "unpacked"),
    "ending": ("time,q1\n1,2\n", "run.docx", r"cannot read run\.docx: files end in \.csv"),
    "no parquet": (b"PAR1 but not really", "run.parquet", "cannot be read as a Parquet"),
    "no spreadsheet": (b"PK but not really", "run.xlsx", "cannot be read as a spreadsheet"),
    "empty spreadsheet": (b"", "run.xlsx", r"is empty \(0 bytes\)"),
    "no database": (b"SQLite but not really", "run.db3", "cannot be read as a ROS bag"),
    "no mcap": (b"MCAP but not really", "run.mcap", "cannot be read as a ROS bag"),
    "ragged": (
        HEADER + "1,2,3\n1,2\n" * 20,
        "run.csv",
        r"20 of 40 lines .*; the first, line 3, has 2",
    ),
}


@pytest.mark.parametrize(("content", "name", "complaint"), FATAL.values(), ids=FATAL)
def test_unreadable_files_are_refused(content, name, complaint, tmp_path):
    """The reason is reported when a file cannot be read."""
    with pytest.raises(RecordingError, match=complaint):
        at.read_recording(text_file(tmp_path, content, name))


def test_missing_file_is_reported_with_its_neighbours(tmp_path):
    """Near names are listed when the file does not exist."""
    text_file(tmp_path, "x", "raw_data.csv")
    with pytest.raises(RecordingError, match=r"no such file: .*raw_dat\.csv; near it: raw_data"):
        at.read_recording(tmp_path / "raw_dat.csv")


def test_unknown_columns_are_listed(tmp_path):
    """What exists and what to do is reported when no column is recognised."""
    path = text_file(tmp_path, "alpha,beta,gamma\n1,2,3\n2,3,4\n")
    with pytest.raises(MissingColumnError, match=r"it has alpha, beta, gamma; .*mapping file"):
        at.read_recording(path)


def test_file_without_header_can_be_mapped(tmp_path):
    """Columns are numbered when there is no header, and a mapping can name them."""
    path = text_file(tmp_path, "\n".join(body()) + "\n")
    with pytest.raises(MissingColumnError, match="column 1, column 2, column 3"):
        at.read_recording(path)
    names = {"time": "column 1", "q1": "column 2", "q2": "column 3"}
    assert np.allclose(at.read_recording(path, mapping={"columns": names})["q2"][3], -0.03)


def test_too_few_joints_for_the_arm_are_named(tmp_path):
    """The missing joints are named when the arm has more than the file."""
    path = text_file(tmp_path, HEADER + "\n".join(body()))
    with pytest.raises(MissingColumnError, match="has 6 joints, but the file lacks q3, q4, q5, q6"):
        at.read_recording(path, "ur10e")


def test_joint_column_of_text_is_named(tmp_path):
    """The message says that a column holds no numbers when a joint lacks them."""
    path = text_file(tmp_path, "time,q1,q2\n0,0.1,x\n1,0.2,y\n")
    with pytest.raises(MissingColumnError, match="1 column without numbers: q2"):
        at.read_recording(path, "ur10e")


CUT = {
    "inside a number": "2.0,0.2,-0.",
    "after a sign": "2.0,0.2,-",
    "inside an exponent": "2.0,0.2,1e-",
    "before a field": "2.0,0.2",
    "after the time": "2.0",
    "inside quotes": '2.0,"0.2',
    "in the void": "2.0,0.2,\0\0\0\0",
}


@pytest.mark.parametrize("last", CUT.values(), ids=CUT)
def test_cut_last_line_is_never_fatal(last, tmp_path):
    """All whole rows are read when writing stopped in the middle of the last one."""
    lines = body()
    recording = at.read_recording(text_file(tmp_path, HEADER + "\n".join([*lines, last])))
    assert len(recording) in (20, 21)
    assert np.allclose(recording["q2"][:20], -np.arange(20) / 100)
    if len(recording) == 20:
        assert any("left out" in line for line in recording.notes)
    else:
        assert last in ("2.0,0.2,-0.", "2.0,0.2,-", "2.0,0.2,\0\0\0\0")


def test_cut_line_in_a_list_is_left_out(tmp_path):
    """Whole rows are read and the cut one counted when a bracketed list breaks off."""
    rows = [f'S,{k}000,"[{k / 10}, 1.0]"' for k in range(30)]
    text = "type,timestamp,positions\n" + "\n".join(rows) + '\nS,30000,"[3.0, 1'
    recording = at.read_recording(text_file(tmp_path, text))
    assert len(recording) == 30
    assert any("left out" in line for line in recording.notes)


def test_list_of_another_length_is_named(tmp_path):
    """The cell is named as written, and the others are good, when one list is too long."""
    rows = [f'S,{k}000,"[{k / 10}, 1.0]"' for k in range(30)]
    rows[7] = 'S,7000,"[0.7, 1.0, 9]"'
    text = "type,timestamp,positions\n" + "\n".join(rows) + "\n"
    with pytest.raises(
        RecordingError, match=r"csv: '\[0.7, 1.0, 9\]' in column 'positions', row 8:"
    ):
        at.read_recording(text_file(tmp_path, text))


def test_bytes_that_are_no_text_are_named(tmp_path):
    """The cell is named when a number holds a byte that is no character."""
    data = (HEADER + "\n".join(body())).encode().replace(b"0.07", b"0.\xff7")
    with pytest.raises(RecordingError, match="in column 'q1', row 8"):
        at.read_recording(text_file(tmp_path, data))


@pytest.mark.parametrize("position", range(14, 300, 13))
def test_every_cut_leaves_the_whole_lines(position, tmp_path):
    """All whole lines are read when the file ends at any byte."""
    text = HEADER + "\n".join(body()) + "\n"
    whole = text[:position].count("\n") - 1
    path = text_file(tmp_path, text[:position])
    if whole == 0 and text[len(HEADER) : position].count(",") != 2:
        with pytest.raises(RecordingError):
            at.read_recording(path)
    else:
        assert len(at.read_recording(path)) in (whole, whole + 1)


def test_cut_gzip_is_read_as_far_as_it_goes(tmp_path):
    """Thousands of rows are read when the end of a compressed file is missing."""
    lines = [f"{k / 500},{np.sin(k)},{np.cos(k)}" for k in range(20_000)]
    whole = gzip.compress((HEADER + "\n".join(lines) + "\n").encode())
    recording = at.read_recording(text_file(tmp_path, whole[: len(whole) // 2], "run.csv.gz"))
    assert 5_000 < len(recording) < 15_000
    assert "cut short" in recording.notes[0]


def test_few_ragged_lines_are_left_out_and_counted(tmp_path):
    """The other rows are read when two lines in the middle are cut."""
    lines = body(100)
    lines[30], lines[60] = "3.0", "6.0,1,2,3,4"
    recording = at.read_recording(text_file(tmp_path, HEADER + "\n".join(lines) + "\n"))
    assert len(recording) == 98
    assert "left out 2 lines cut short or ragged" in recording.notes


def test_text_among_numbers_is_named(tmp_path):
    """Cell and row are named when a number is misprinted, and prepare makes it a gap."""
    lines = body()
    lines[7] = "0.7,0.07,-0.s7"
    path = text_file(tmp_path, HEADER + "\n".join(lines) + "\n")
    with pytest.raises(RecordingError, match=r"'-0\.s7' in column 'q2', row 8.*armtwin prepare"):
        at.read_recording(path)
    prepared = at.prepare(path, rate=10)
    assert np.allclose(prepared.recording["q2"][7], -0.07)
    assert any("1 cell" in str(step) for step in prepared.steps)


def test_late_text_in_a_long_file_is_named(tmp_path):
    """Cell and row are named when the misprint comes long after the first lines."""
    lines = [f"{k / 500},{k / 1e5},{k / 1e5}" for k in range(100_000)]
    lines[90_000] = "180.0,oops,1"
    path = text_file(tmp_path, HEADER + "\n".join(lines) + "\n")
    with pytest.raises(RecordingError, match=r"'oops' in column 'q1', row 90001"):
        at.read_recording(path)


def test_empty_cells_and_nan_are_kept_and_counted(tmp_path):
    """Rows stay and gaps are counted when cells are empty, NaN or infinite."""
    lines = body()
    lines[3], lines[5], lines[9] = "0.3,,-0.03", "0.5,NaN,-0.05", "0.9,inf,-0.09"
    recording = at.read_recording(text_file(tmp_path, HEADER + "\n".join(lines) + "\n"))
    assert np.flatnonzero(np.isnan(recording["q1"])).tolist() == [3, 5, 9]
    assert any("q1 (3)" in line for line in recording.notes)


@pytest.mark.parametrize(
    ("stamp", "where"),
    [("0.4", "1 repeated at row 6"), ("0.35", "1 back in time at row 6"),
     ("", "1 without a time at row 6")],
)  # fmt: skip
def test_faulty_clocks_are_refused_with_the_row(stamp, where, tmp_path):
    """The row and the remedy are named when time stamps do not increase."""
    lines = body()
    lines[5] = f"{stamp},0.05,-0.05"
    path = text_file(tmp_path, HEADER + "\n".join(lines) + "\n")
    with pytest.raises(ClockError, match=f"{where}; repair it with 'armtwin prepare'"):
        at.read_recording(path)


def test_constant_columns_are_allowed_and_noted(tmp_path):
    """The column is kept and noted when it never changes."""
    path = write_table(tmp_path / "run.csv", NAMES, [T, *Q[:, :5].T, np.full(ROWS, 0.3)])
    recording = at.read_recording(path)
    assert (recording["q6"] == 0.3).all()
    assert "constant: 1 column, among them q6" in recording.notes


def test_columns_with_the_same_name_are_distinguished(tmp_path):
    """The second gets another name and a note when two columns have the same name."""
    path = text_file(tmp_path, "time,q1,note,note\n0,1,2,3\n1,2,3,4\n")
    recording = at.read_recording(path)
    assert recording.columns == ("q1", "note", "note_2")


def test_bag_without_joint_states_lists_its_topics(tmp_path):
    """The topics are listed when a bag has no joint states."""
    bag = write_bag(tmp_path / "bag", UR, T, Q, QD)
    (bag / "metadata.yaml").unlink()
    file = next(bag.glob("*.db3"))
    base = sqlite3.connect(file)
    base.execute("update topics set name = '/odom', type = 'nav_msgs/msg/Odometry'")
    base.commit()
    base.close()
    with pytest.raises(RecordingError, match=r"no joint states .*/odom \(nav_msgs/msg/Odometry\)"):
        at.read_recording(file)


def test_folder_without_a_bag_is_refused(tmp_path):
    """The folder is named when it holds no bag."""
    with pytest.raises(RecordingError, match=r"holds no \.db3 or \.mcap"):
        at.read_recording(tmp_path)


def test_quaternions_that_are_none_are_refused(tmp_path):
    """Row and length are named when qx qy qz qw is no unit quaternion."""
    path = text_file(tmp_path, "time,qx,qy,qz,qw\n0,0,0,0,1\n1,0,0,3,1\n")
    with pytest.raises(at.ArmTwinError, match="row 2 has length 3.16"):
        at.read_recording(path)


def test_wrong_word_for_angles_is_refused(tmp_path):
    """The two words are reported when angles are given in another."""
    path = write_table(tmp_path / "run.csv", NAMES, [T, *Q.T])
    with pytest.raises(at.ArmTwinError, match="'deg' or 'rad', not 'degrees'"):
        at.read_recording(path, angles="degrees")
