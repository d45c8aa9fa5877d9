"""Bags with grippers and two robots, tables with units below their header, clocks with gaps."""

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import RecordingError

T = np.arange(60) / 125
Q = 0.3 * np.sin(np.outer(T, np.arange(1, 7))) + np.arange(6) / 5
UR = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
      "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")  # fmt: skip
START = 1_600_000_000_000_000_000


def write_bag(path, *streams):
    """Write a ROS 1 bag of streams: topic, and a list of times [s], joints and positions."""
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    header, clock, state = (
        store.types[name]
        for name in ("std_msgs/msg/Header", "builtin_interfaces/msg/Time",
                     "sensor_msgs/msg/JointState")
    )  # fmt: skip
    with Writer(path) as bag:
        for topic, messages in streams:
            out = bag.add_connection(topic, state.__msgtype__, typestore=store)
            for number, (time, joints, q) in enumerate(messages):
                ns = START + round(1e9 * time)
                about = header(number, clock(ns // 10**9, ns % 10**9), "")
                q = np.array(q, float)
                message = state(about, list(joints), q, 2 * q, 3 * q)
                bag.write(out, ns, store.serialize_ros1(message, state.__msgtype__))
    return path


def arm_messages(prefix="", shift=0.0):
    """Return the joint states of an arm."""
    names = [prefix + name for name in UR]
    return [(time, names, q + shift) for time, q in zip(T, Q, strict=True)]


def test_gripper_on_the_arms_topic_is_left_out(tmp_path):
    """Rows are those of the arm when a gripper sends messages of its own on the same topic."""
    gripper = [(time + 0.004, ["finger_joint"], [0.1]) for time in T]
    mixed = sorted([*arm_messages(), *gripper], key=lambda message: message[0])
    run = at.read_recording(write_bag(tmp_path / "a.bag", ("/joint_states", mixed)), "ur5")
    assert np.array_equal(run.q, Q) and np.array_equal(run.current, 3 * Q)
    assert any("left out 60 messages of other joints: finger_joint" in n for n in run.notes)


def test_faster_topic_of_a_gripper_is_not_taken(tmp_path):
    """The arm is read when a gripper's topic has more messages."""
    fast = [(k / 1000, ["finger_joint"], [0.0]) for k in range(300)]
    path = write_bag(tmp_path / "a.bag", ("/gripper/states", fast), ("/arm/states", arm_messages()))
    assert np.array_equal(at.read_recording(path, "ur5").q, Q)


def test_two_robots_are_distinguished(tmp_path):
    """One of two robots must be chosen, by topic or by the prefix of its joints."""
    topics = write_bag(
        tmp_path / "a.bag", ("/left/js", arm_messages()), ("/right/js", arm_messages(shift=1.0))
    )
    with pytest.raises(RecordingError, match=r"several robots: /left/js, /right/js"):
        at.read_recording(topics, "ur5")
    assert np.array_equal(at.read_recording(topics, "ur5", mapping="topic = /right/js").q, Q + 1)
    with pytest.raises(RecordingError, match="no joint states on '/js'"):
        at.read_recording(topics, "ur5", mapping={"topic": "/js"})
    left, right = arm_messages("left_"), arm_messages("right_", 1.0)
    both = [(a[0], a[1] + b[1], np.append(a[2], b[2])) for a, b in zip(left, right, strict=True)]
    one = write_bag(tmp_path / "b.bag", ("/joint_states", both))
    with pytest.raises(RecordingError, match=r"left_shoulder_pan_joint, right_shoulder_pan_joint"):
        at.read_recording(one, "ur5")
    run = at.read_recording(one, "ur5", mapping="prefix = right_")
    assert np.array_equal(run.q, Q + 1) and np.array_equal(run.current, 3 * (Q + 1))
    with pytest.raises(RecordingError, match="no joint begins with 'top_'"):
        at.read_recording(one, "ur5", mapping="prefix = top_")


def table(rows, delimiter=",", decimal="."):
    """Return rows as text."""
    lines = [delimiter.join(f"{v:.17g}".replace(".", decimal) for v in row) for row in rows]
    return "\n".join(lines) + "\n"


def test_units_below_the_header_are_taken(tmp_path):
    """The row of units below a header is read as the columns' units."""
    names = ",".join(["time", *[f"q{k}" for k in range(1, 7)]])
    units = ",".join(["ms", *["deg"] * 6])
    text = table(np.column_stack([1000 * T, np.rad2deg(Q)]))
    (tmp_path / "a.csv").write_text(f"{names}\n{units}\n{text}")
    run = at.read_recording(tmp_path / "a.csv", "ur5")
    assert np.allclose(run.q, Q, atol=1e-14) and np.allclose(run.time, T)


def test_commas_of_two_kinds_are_refused(tmp_path):
    """A table is refused when commas are decimal marks and delimiters at once."""
    names = ",".join(["time", *[f"q{k}" for k in range(1, 7)]])
    rows = np.column_stack([T, Q])[1:] + 0.1
    (tmp_path / "a.csv").write_text(f"{names}\n{table(rows, ',', ',')}")
    with pytest.raises(RecordingError, match="header has 7 columns, its rows 14"):
        at.read_recording(tmp_path / "a.csv", "ur5")


def test_signals_of_a_folder_are_named_and_kept_in_their_gaps(tmp_path):
    """Short headers take their file's name, and a gap of a signal stays a gap."""
    head = "time," + ",".join(f"i{k}" for k in range(1, 7)) + "\n"
    seen = (T < 0.1) | (T > 0.3)
    (tmp_path / "q.csv").write_text(table(np.column_stack([T, Q])))
    (tmp_path / "current.csv").write_text(head + table(np.column_stack([T, 2 * Q])[seen]))
    warm = "timestamp," + ",".join(f"j{k}" for k in range(1, 7)) + "\n"
    (tmp_path / "joint_temperatures.csv").write_text(
        warm + table(np.column_stack([T, 30 + Q])[::10])
    )
    (tmp_path / "extra.csv").write_text(warm + table(np.column_stack([T, Q])))
    run = at.read_recording(tmp_path, "ur5")
    assert np.array_equal(run.current[seen], 2 * Q[seen])
    assert np.isnan(run.current[~seen]).all()
    assert np.allclose(run.group("temperature")[::10], 30 + Q[::10])
    assert np.array_equal(run.q, Q)
    assert any("extra.csv" in note and "nor its name" in note for note in run.notes)


def test_column_too_many_is_no_joint(tmp_path):
    """A table of a folder is left out when its seventh column is no time."""
    (tmp_path / "q.csv").write_text(table(np.column_stack([T, Q])))
    (tmp_path / "tau.csv").write_text(table(np.column_stack([np.zeros_like(T), Q])))
    run = at.read_recording(tmp_path, "ur5")
    assert not run.has("tau")
    assert any("7 columns for 6 joints" in note for note in run.notes)
