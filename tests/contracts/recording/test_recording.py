"""What holding a ``Recording`` guarantees."""

import json

import numpy as np
import pytest
from table_files import motion

import armtwin as at
from armtwin.errors import ClockError, InputError, MissingColumnError, OutputExistsError

T, Q, QD = motion()


def recording(**more):
    """Return a recording of the motion with some more groups."""
    return at.Recording.of(T, {"q": Q, "qd": QD, **more}, arm="ur10e", origin="simulated")


def test_columns_groups_and_units_are_known():
    """Groups come back as given and units follow from names when arrays are recorded."""
    made = recording(position=Q[:, :3], power=T)
    assert made.columns == (*(f"q{k}" for k in range(1, 7)), *(f"qd{k}" for k in range(1, 7)),
                            "x", "y", "z", "power")  # fmt: skip
    assert np.array_equal(made.q, Q)
    assert np.array_equal(made.group("position"), Q[:, :3])
    assert np.array_equal(made["q3"], Q[:, 2])
    assert (made.units["qd2"], made.units["x"], made.units["power"]) == ("rad/s", "m", "W")
    assert made.has("q", "qd", "position") and not made.has("tau")
    assert (made.dof, len(made), made.arm, made.origin) == (6, len(T), "ur10e", "simulated")
    assert made.rate == pytest.approx(125)
    assert made.duration == pytest.approx(T[-1])
    assert "ur10e: 50 rows" in repr(made)


def test_nothing_can_be_changed():
    """Writing fails when a column, a group, a mapping or a field is written to."""
    made = recording()
    for array in (made.time, made.q, made["q1"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(TypeError):
        made.data["q1"] = T
    with pytest.raises(TypeError):
        made.units["q1"] = "deg"
    with pytest.raises(AttributeError):
        made.arm = "ur5"


def test_the_givers_arrays_stay_his_own():
    """The recording keeps its values when the arrays it was made of are changed later."""
    time, column = T.copy(), Q[:, 0].copy()
    made = at.Recording(time, {"q1": column})
    time[3], column[0] = 99.0, 99.0
    assert made.time[3] == T[3]
    assert made["q1"][0] == Q[0, 0]


@pytest.mark.parametrize(
    ("time", "where"),
    [
        ([0.0, 0.1, 0.1, 0.2], "1 repeated at row 3"),
        ([0.0, 0.2, 0.1, 0.3], "1 back in time at row 3"),
        ([0.0, np.nan, 0.1, 0.2], "1 without a time at row 2"),
    ],
)
def test_time_must_increase(time, where):
    """The rows are named when time repeats, runs backwards or is missing."""
    with pytest.raises(ClockError, match=f"{where}.*armtwin prepare"):
        at.Recording(np.array(time), {"q1": np.zeros(4)})


@pytest.mark.parametrize(
    ("time", "groups", "complaint"),
    [
        ([], {"q1": []}, "at least one row"),
        ([0, 1], {"q1": [1, 2, 3]}, "has 3 rows but time has 2"),
        ([0, 1], {"q1": [1, np.inf]}, "infinity at row 2"),
        ([0, 1], {"q": np.zeros((2, 3, 4))}, "no group of columns"),
        ([0, 1], {"banana": np.zeros((2, 3))}, "no group of columns"),
        ([0, 1], {"position": np.zeros((2, 2))}, "3 parts, got 2"),
    ],
)
def test_impossible_columns_are_refused(time, groups, complaint):
    """The fault is named when arrays do not make a recording."""
    with pytest.raises(InputError, match=complaint):
        at.Recording.of(time, groups)


def test_missing_columns_are_listed_with_what_exists():
    """What exists is reported when a group, a column or a part of a group is not there."""
    made = recording()
    with pytest.raises(MissingColumnError, match=r"no column tau1 .*it has q1\.\.q6, qd1\.\.qd6"):
        made.group("tau")
    with pytest.raises(MissingColumnError, match="no column banana"):
        made["banana"]
    with pytest.raises(MissingColumnError, match="no column q2"):
        at.Recording(T, {"q1": T, "q3": T}).group("q")
    with pytest.raises(MissingColumnError, match="is a group"):
        made["q"]
    with pytest.raises(MissingColumnError, match="neither qx qy qz qw"):
        recording(position=Q[:, :3]).poses()


def test_slices_selections_and_additions_make_new_recordings():
    """The old recording stays as it is when a new one is made of it."""
    made = recording()
    part = made.slice(0.1, 0.2)
    assert part.time[0] >= 0.1 and part.time[-1] <= 0.2
    assert np.array_equal(part.q, Q[(T >= 0.1) & (T <= 0.2)])
    assert made.select("qd").columns == tuple(f"qd{k}" for k in range(1, 7))
    more = made.with_columns({"tau": Q * 2, "oil": T}, units={"oil": "l"})
    assert np.array_equal(more.tau, 2 * Q) and more.units["oil"] == "l"
    assert not made.has("tau")
    assert made.with_notes("done").notes == ("done",)
    with pytest.raises(InputError, match="no row lies between 5 and 6"):
        made.slice(5, 6)


@pytest.mark.parametrize("form", ["quaternion", "rotation_vector", "rpy"])
def test_poses_are_the_same_from_every_form(form):
    """The tool's poses agree with forward kinematics when any form of orientation is kept."""
    from scipy.spatial.transform import Rotation

    poses = at.fk(at.load("ur10e"), Q)
    turn = Rotation.from_matrix(poses[:, :3, :3])
    values = {"quaternion": turn.as_quat(canonical=True), "rotation_vector": turn.as_rotvec(),
              "rpy": turn.as_euler("xyz")}[form]  # fmt: skip
    made = recording(position=poses[:, :3, 3], **{form: values})
    assert np.allclose(made.poses(), poses, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_saved_recordings_come_back_whole(ending, tmp_path):
    """Every number, unit and note comes back when a recording is saved and read."""
    gappy = Q[:, 0].copy()
    gappy[7] = np.nan
    made = recording(tau=Q / 3).with_columns({"oil": gappy}, units={"oil": "l"})
    made = made.with_notes("made for a test")
    again = at.read_recording(made.save(tmp_path / f"run{ending}"))
    assert again.columns == made.columns
    assert np.array_equal(again.time, made.time)
    assert all(np.array_equal(again[name], made[name], equal_nan=True) for name in made.columns)
    assert (again.arm, again.units["oil"], again.units["tau1"]) == ("ur10e", "l", "Nm")
    assert again.origin == "simulated"
    assert again.notes[0] == "made for a test"


def test_poses_without_a_clock_come_back_without_one(tmp_path):
    """Rows stay numbered when a recording without a clock is saved and read."""
    made = at.Recording(np.arange(5.0), {"q1": np.arange(5.0)}, timed=False)
    again = at.read_recording(made.save(tmp_path / "poses.csv"))
    assert not again.timed
    assert again.columns == ("q1",)
    with pytest.raises(ClockError, match="no time column"):
        _ = again.rate


def test_large_angles_are_not_taken_for_degrees_once_saved(tmp_path):
    """Radians stay radians when a saved recording has turned far."""
    made = at.Recording.of(T, {"q": Q * 100})
    for ending in (".csv", ".parquet"):
        again = at.read_recording(made.save(tmp_path / f"run{ending}"))
        assert np.array_equal(again.q, Q * 100)


def test_metadata_of_an_overwritten_file_is_not_believed(tmp_path):
    """The file beside a CSV is ignored when the CSV is no longer the one it was written for."""
    path = recording().save(tmp_path / "run.csv")
    path.write_text("time,q1\n0,1\n1,2\n")
    assert json.loads((tmp_path / "run.csv.json").read_text())["arm"] == "ur10e"
    assert at.read_recording(path).arm is None


def test_files_are_overwritten_only_on_demand(tmp_path):
    """An existing file is kept when nobody allowed to overwrite it."""
    path = recording().save(tmp_path / "run.parquet")
    with pytest.raises(OutputExistsError, match="force"):
        recording().save(path)
    recording().save(path, force=True)
    with pytest.raises(InputError, match=r"end it in \.parquet or \.csv"):
        recording().save(tmp_path / "run.xlsx")


def test_csv_is_plain(tmp_path):
    """The header is time,q1,... and every line numbers alone when a CSV is saved."""
    path = recording().select("q").save(tmp_path / "run.csv")
    lines = path.read_text().splitlines()
    assert lines[0] == "time,q1,q2,q3,q4,q5,q6"
    assert len(lines) == 1 + len(T)
    assert [float(cell) for cell in lines[2].split(",")] == [T[1], *Q[1]]
