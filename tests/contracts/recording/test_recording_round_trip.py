"""A recording that armtwin saved comes back as it was, whatever its columns are called."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as arrow_parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import armtwin as at
from armtwin.errors import InputError, RecordingError

NAMES_OF_OTHERS = [
    "speed 1", "run", "trial", "trajectory", "timestamp", "actual_q_0", "t", "clock", "Time [ms]",
    "Joint 1 [deg]", "theta_1", "q_des_3", "qd1", "q7", "tau1", "target_q1", "elbow_joint",
    "stamp.sec", "stamp.nanosec", "qx", "qy", "qz", "qw", "rx", "ry", "rz", "x", "roll",
    "position [mm]", "voltage", "supply_current", "power", "column 1", "q1 (file)", "a,b", 'a"b',
    " lead", "trail ", "# note", "two\nlines", "back\rslash", "nan", "1.5", "\ufeffbom", "\x00",
]  # fmt: skip
"""Names that other files use for times, runs, joints, units and rotations, and awkward ones."""

NAMES = st.sampled_from(NAMES_OF_OTHERS) | st.text(min_size=1, max_size=8)
COLUMN_NAMES = st.lists(NAMES.filter(lambda n: n != "time"), max_size=8, unique=True)
NUMBERS = st.floats(allow_infinity=False, width=64)
TEXTS = st.text(max_size=12)


@st.composite
def recordings(draw):
    """Draw a recording: any names, numbers, gaps, units, notes; with or without a clock."""
    names = draw(COLUMN_NAMES)
    rows = draw(st.integers(1, 5))
    stamps = st.floats(-1e12, 1e12, allow_nan=False)
    time = sorted(draw(st.lists(stamps, min_size=rows, max_size=rows, unique=True)))
    data = {name: draw(arrays(np.float64, rows, elements=NUMBERS)) for name in names}
    units = draw(st.dictionaries(st.sampled_from(names), TEXTS)) if names else {}
    return at.Recording(
        np.array(time), data, units, draw(st.none() | TEXTS.filter(bool)), draw(TEXTS.filter(bool)),
        tuple(draw(st.lists(TEXTS, max_size=3))), draw(st.booleans()),
    )  # fmt: skip


def bits(values):
    """Return a column's bit patterns; every NaN means the same: no value."""
    return np.where(np.isnan(values), np.nan, values).view(np.uint64).tolist()


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(made=recordings())
def test_any_recording_comes_back_bit_for_bit(ending, tmp_path, made):
    """Values, names, units, arm and notes are the same when any recording is saved and read."""
    path = made.save(tmp_path / f"saved{ending}", force=True)
    for again in (at.read_recording(path), *at.read_recordings(path)):
        assert again.columns == made.columns
        assert bits(again.time) == bits(made.time)
        assert all(bits(again[name]) == bits(made[name]) for name in made.columns)
        assert dict(again.units) == dict(made.units)
        assert (again.arm, again.origin, again.timed) == (made.arm, made.origin, made.timed)
        assert again.notes == made.notes


@pytest.mark.parametrize("name", ["", "time", "\ud800", 3])
def test_impossible_names_are_refused(name):
    """The name is refused when no file could give it back."""
    with pytest.raises(InputError, match="column"):
        at.Recording(np.arange(2.0), {name: np.zeros(2)})


def test_a_mapping_goes_before_the_files_own_names(tmp_path):
    """Named columns are renamed and converted when a mapping is given, others stay exactly."""
    made = at.Recording(np.arange(3.0), {"angle": np.full(3, 90.0), "speed 1": np.ones(3)})
    path = made.save(tmp_path / "run.parquet")
    again = at.read_recording(path, mapping={"columns": {"q1": {"from": "angle", "unit": "deg"}}})
    assert again.columns == ("q1", "speed 1")
    assert np.allclose(again["q1"], np.pi / 2)


def test_what_contradicts_the_file_is_refused(tmp_path):
    """Degrees and run numbers are refused when the file says radians and one recording."""
    path = at.Recording(np.arange(3.0), {"q1": np.ones(3)}).save(tmp_path / "run.csv")
    with pytest.raises(InputError, match="says that its angles are radians"):
        at.read_recording(path, angles="deg")
    with pytest.raises(RecordingError, match="as one recording"):
        at.read_recording(path, run=2)
    assert "saved by armtwin" in str(at.guess_mapping(path))


def test_a_misprinted_cell_is_named(tmp_path):
    """Column and row are named when a saved CSV was edited without changing its length."""
    path = at.Recording.of([0, 1, 2], {"q": np.full((3, 2), 0.25)}).save(tmp_path / "run.csv")
    path.write_text(path.read_text().replace("1,0.25", "1,O.25"))
    with pytest.raises(RecordingError, match=r"'O\.25' in column 'q1', row 2"):
        at.read_recording(path)


def test_files_without_a_list_of_columns_keep_their_names(tmp_path):
    """Nothing is renamed, and power is added, when metadata names units but no columns."""
    about = {"units": {"speed 1": "l", "voltage": "V"}, "timed": True, "notes": ["kept"]}
    values = pa.array([0.0, 1.0, 3.0])
    names = ("time", "speed 1", "run", "voltage", "supply_current")
    table = pa.table(dict.fromkeys(names, values))
    table = table.replace_schema_metadata({b"armtwin": json.dumps(about).encode()})
    arrow_parquet.write_table(table, tmp_path / "old.parquet")
    again = at.read_recording(tmp_path / "old.parquet")
    assert set(again.columns) == {"speed 1", "run", "voltage", "supply_current", "power"}
    assert (again.units["speed 1"], again.notes[0]) == ("l", "kept")
