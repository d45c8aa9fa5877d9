"""Files as they come: ROS 1 bags, folders of signals, tables without a header, LeRobot datasets."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import armtwin as at
from armtwin.errors import InputError, RecordingError
from armtwin.recording.columns.names import listed
from armtwin.recording.read import read_draft

T = np.arange(100) / 100
Q = np.sin(np.outer(T, np.arange(1, 7)))
UR = ("elbow_joint", "shoulder_lift_joint", "shoulder_pan_joint",
      "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")  # fmt: skip
ORDER = [2, 1, 0, 3, 4, 5]
START = 1_600_000_000_000_000_000


def write_bag(path, joints, wrench=True):
    """Write a ROS 1 bag with joint states every 8 ms and wrenches between them."""
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    header, clock, state, stamped, body, vector = (
        store.types[name]
        for name in ("std_msgs/msg/Header", "builtin_interfaces/msg/Time",
                     "sensor_msgs/msg/JointState", "geometry_msgs/msg/WrenchStamped",
                     "geometry_msgs/msg/Wrench", "geometry_msgs/msg/Vector3")
    )  # fmt: skip
    with Writer(path) as bag:
        states = bag.add_connection("/joint_states", state.__msgtype__, typestore=store)
        wrenches = bag.add_connection("/wrench", stamped.__msgtype__, typestore=store)
        for k, q in enumerate(Q):
            ns = START + 8_000_000 * k
            about = header(k, clock(ns // 10**9, ns % 10**9), "")
            message = state(about, list(joints), q[ORDER], 0 * q, 2 * q[ORDER])
            bag.write(states, ns, store.serialize_ros1(message, state.__msgtype__))
            if wrench:
                late = ns + 4_000_000
                about = header(k, clock(late // 10**9, late % 10**9), "")
                force = body(vector(float(k), 2.0, 3.0), vector(4.0, 5.0, 6.0))
                message = stamped(about, force)
                bag.write(wrenches, late, store.serialize_ros1(message, stamped.__msgtype__))


def test_ros1_bag_has_currents_and_wrench(tmp_path):
    """Joints are ordered, efforts are amperes and the wrench is kept when a UR driver wrote it."""
    write_bag(tmp_path / "run.bag", UR)
    run = at.read_recording(tmp_path / "run.bag", "ur5")
    assert np.array_equal(run.q, Q)
    assert np.array_equal(run.current, 2 * Q)
    assert not run.has("tau")
    wrench = run.group("wrench")
    assert np.isnan(wrench[0]).all()
    assert np.allclose(wrench[1:, 0], np.arange(99) + 0.5)
    assert np.array_equal(wrench[5, 1:], [2, 3, 4, 5, 6])
    assert any("ROS 1 drivers of UR arms" in note for note in run.notes)


def test_ros1_bag_of_other_arms_has_torques(tmp_path):
    """Efforts stay torques, and nothing is said of amperes, when the joints are not a UR's."""
    write_bag(tmp_path / "run.bag", [f"joint_{k}" for k in (3, 2, 1, 4, 5, 6)], wrench=False)
    run = at.read_recording(tmp_path / "run.bag")
    assert run.has("tau") and not run.has("current")
    assert not any("ROS 1 drivers" in note for note in run.notes)


def test_cut_ros1_bag_is_refused(tmp_path):
    """A bag that was cut off is refused with the way to mend it."""
    write_bag(tmp_path / "run.bag", UR)
    whole = (tmp_path / "run.bag").read_bytes()
    (tmp_path / "cut.bag").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RecordingError, match="rosbag reindex"):
        at.read_recording(tmp_path / "cut.bag")


def test_folder_of_signals_is_one_recording(tmp_path):
    """Tables without headers are named by their files and put on the clock of the positions."""
    np.savetxt(tmp_path / "q.csv", np.column_stack([T, Q]), delimiter=",")
    np.savetxt(tmp_path / "current.csv", 2 * Q, delimiter=",")
    slow = np.column_stack([T[::4], Q[::4]])
    np.savetxt(tmp_path / "tau.csv", slow, delimiter=",")
    (tmp_path / "readme.txt").write_text("nothing\n")
    run = at.read_recording(tmp_path, "ur5e")
    assert np.array_equal(run.time, T) and np.array_equal(run.q, Q)
    assert np.array_equal(run.current, 2 * Q)
    drawn = np.column_stack([np.interp(T[:97], T[::4], column) for column in Q[::4].T])
    assert np.allclose(run.tau[:97], drawn)
    assert np.isnan(run.tau[97:]).all()
    assert any("readme.txt" in note for note in run.notes)


def test_folder_with_a_file_of_times(tmp_path):
    """A file of times alone is the clock of tables that have none."""
    np.savetxt(tmp_path / "time.txt", T)
    np.savetxt(tmp_path / "positions.txt", Q)
    np.savetxt(tmp_path / "velocities.txt", 3 * Q)
    run = at.read_recordings(tmp_path, "ur5e")[0]
    assert np.array_equal(run.time, T) and np.array_equal(run.qd, 3 * Q)


def test_folders_that_do_not_fit_are_refused(tmp_path):
    """Other row counts without a clock, an empty folder and a draft of a folder are refused."""
    with pytest.raises(RecordingError, match="no table of signals"):
        at.read_recording(tmp_path)
    np.savetxt(tmp_path / "q.csv", np.column_stack([T, Q]), delimiter=",")
    np.savetxt(tmp_path / "tau.csv", Q[:50], delimiter=",")
    with pytest.raises(RecordingError, match=r"tau.csv has no clock and 50 rows"):
        at.read_recording(tmp_path, "ur5e")
    with pytest.raises(RecordingError, match="one by one"):
        read_draft(tmp_path)


def test_one_line_maps_a_table_without_a_header(tmp_path):
    """Places and units of one line are enough when a table has no header."""
    path = tmp_path / "run.csv"
    np.savetxt(path, np.column_stack([1000 * T, np.rad2deg(Q), Q]), delimiter=",")
    line = "time = column 1 ms; q = columns 2-7 deg; tau = columns 8-13"
    run = at.read_recording(path, "ur5e", mapping=line)
    assert np.allclose(run.q, Q, atol=1e-14) and np.allclose(run.time, T)
    assert np.array_equal(run.tau, Q)
    with pytest.raises(RecordingError, match="no 'column 14'"):
        at.read_recording(path, "ur5e", mapping="q = columns 9-14")
    with pytest.raises(RecordingError, match="the first comes first"):
        at.read_recording(path, "ur5e", mapping="q = columns 7-2")
    with pytest.raises(RecordingError, match="position has 3 columns"):
        at.read_recording(path, "ur5e", mapping="position = columns 2-7")


def test_a_mapping_may_hold_one_per_file(tmp_path):
    """Each file takes the part of a mapping that is written for its name."""
    for name in ("a.csv", "motor_1.csv"):
        np.savetxt(tmp_path / name, np.column_stack([T, Q, 2 * Q]), delimiter=",")
    files = {"a.csv": {"columns": {"time": "column 1", "q": "columns 2-7"}},
             "motor*.csv": {"columns": {"time": "column 1", "q": "columns 8-13"}}}  # fmt: skip
    runs = [at.read_recording(tmp_path / name, "ur5e", mapping={"files": files})
            for name in ("a.csv", "motor_1.csv")]  # fmt: skip
    assert np.array_equal(runs[0].q, Q) and np.array_equal(runs[1].q, 2 * Q)


def test_columns_are_listed_in_natural_order():
    """Column 2 comes before column 10 in messages."""
    assert listed([f"column {k}" for k in (10, 2, 1)]) == "column 1, column 2, column 10"


def write_lerobot(folder, unit=None):
    """Write a LeRobot dataset of two episodes with states in degrees."""
    (folder / "meta").mkdir()
    (folder / "data" / "chunk-000").mkdir(parents=True)
    state = pa.array(np.rad2deg(Q).astype("f4").tolist(), pa.list_(pa.float32()))
    count = len(Q) // 2
    table = pa.table({
        "observation.state": state, "action": state,
        "timestamp": np.tile(T[:count], 2).astype("f4"),
        "frame_index": np.tile(np.arange(count), 2), "index": np.arange(2 * count),
        "episode_index": np.repeat([0, 1], count), "task_index": np.zeros(2 * count, int),
    })  # fmt: skip
    parquet.write_table(table, folder / "data" / "chunk-000" / "file-000.parquet")
    feature = {"dtype": "float32", "shape": [6], "names": [f"motor_{k}.pos" for k in range(6)]}
    feature |= {"unit": unit} if unit else {}
    info = {"codebase_version": "v3.0", "fps": 100, "features": {"observation.state": feature}}
    (folder / "meta" / "info.json").write_text(json.dumps(info))


def test_lerobot_asks_for_the_unit(tmp_path):
    """The unit of a LeRobot dataset is asked for, never guessed, when its metadata lack it."""
    write_lerobot(tmp_path)
    with pytest.raises(InputError, match="show the unit of the angles"):
        at.read_recordings(tmp_path)
    runs = at.read_recordings(tmp_path, angles="deg")
    assert len(runs) == 2
    assert np.allclose(np.vstack([run.q for run in runs]), Q, atol=1e-6)
    assert np.allclose(runs[1].group("target_q"), Q[50:], atol=1e-6)
    (again, _) = at.read_recordings(tmp_path, mapping="lerobot-deg")
    assert np.array_equal(again.q, runs[0].q)


def test_lerobot_takes_the_unit_of_its_metadata(tmp_path):
    """A unit in the metadata settles the angles."""
    write_lerobot(tmp_path, unit="degrees")
    assert np.allclose(at.read_recordings(tmp_path)[0].q, Q[:50], atol=1e-6)
