"""Joint states and wrenches of a bag: ROS 1 (.bag), ROS 2 (.db3, .mcap), or a bag's folder.

``rosbags`` opens them, ROS 2 bags with or without their metadata.yaml; no ROS is needed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import RecordingError
from armtwin.extras import require
from armtwin.recording.files.bags import ros1
from armtwin.recording.files.bags.choice import BagChoice
from armtwin.recording.files.bags.joint_state import (
    JOINT_STATE,
    JointStates,
    decode,
    decode_with,
)
from armtwin.recording.files.bags.wrench import (
    PARTS,
    WRENCH,
    at_stamps,
    decode_wrenches,
    preferred,
)
from armtwin.recording.table import RawTable

ENDINGS = (".db3", ".mcap")
FIRST = 50
"""Messages of a topic that show which joints it has."""


@dataclass(frozen=True)
class Topic:
    """The raw messages of one topic, and the bag's own time of each [ns]."""

    name: str
    kind: str
    stamps: NDArray[np.int64]
    messages: list[bytes]


def read_ros_bag(path: Path, choice: BagChoice | None = None) -> RawTable:
    """Return the joint states of a bag, one column per joint and quantity, and its wrench.

    Columns are called ``NAME/position``, ``NAME/velocity`` and ``NAME/effort`` (``NAME/current``
    where a ROS 1 driver of a UR arm wrote it); ``stamp`` is the message's own time, or the bag's
    where messages carry none. ``wrench/force_x``.. are at these times.

    Args:
        path: the bag.
        choice: which robot, where the bag holds several; None: not given.

    Raises:
        RecordingError: no bag, or no joint states in it; the topics that exist are listed.
    """
    require("reading a ROS bag", "rosbags")
    old, choice = path.suffix == ros1.ENDING, choice or BagChoice()
    topic, wrench, notes = _topics(path, choice)
    states = _decoded(topic, path.name, old=old)
    places = choice.joints_of(states.names, path.name)
    table = RawTable(path.name, notes=notes, joints=tuple(states.names[k] for k in places))
    own = states.stamps
    use_own = bool(own.any())
    received = topic.stamps if states.rows is None else topic.stamps[states.rows]
    table.columns["stamp"] = own if use_own else received
    table.nanoseconds.add("stamp")
    if states.others:
        table.notes.append(
            f"left out {len(topic.messages) - len(own)} messages of other joints: "
            f"{', '.join(states.others[:6])}"
        )
    if not use_own:
        table.notes.append("messages carry no time: took the time at which the bag received them")
    table.columns |= _columns(states, places, table, old=old)
    if wrench is not None:
        _add_wrench(table, wrench, old=old)
    return table


def _decoded(topic: Topic, origin: str, *, old: bool) -> JointStates:
    """Return the joint states of a topic."""
    if old:
        return decode_with(topic.messages, origin, _deserializer(JOINT_STATE, old=old))
    return decode(topic.messages, origin)


def _columns(
    states: JointStates, places: list[int], table: RawTable, *, old: bool
) -> dict[str, NDArray[Any]]:
    """Return the columns of some joints, leaving out quantities that are not recorded."""
    out: dict[str, NDArray[Any]] = {}
    for kind in ("position", "velocity", "effort"):
        values, called = getattr(states, kind), kind
        if values is None or np.isnan(values).all():
            table.notes.append(f"no {kind} in the joint states")
            continue
        if kind == "effort" and old and ros1.has_currents(states.names):
            called = "current"
            table.notes.append(ros1.CURRENT_NOTE)
        for index in places:
            out[f"{states.names[index]}/{called}"] = np.ascontiguousarray(values[:, index])
    return out


def _add_wrench(table: RawTable, topic: Topic, *, old: bool) -> None:
    """Add a wrench's columns at the times of the joint states."""
    deserialize = _deserializer(WRENCH, old=old)
    try:
        own, values = decode_wrenches(topic.messages, topic.stamps, deserialize)
    except (ValueError, AssertionError, IndexError) as error:
        table.notes.append(f"left out {topic.name}: a message cannot be decoded ({error})")
        return
    found = at_stamps(table.columns["stamp"], own, values)
    table.columns |= dict(zip(PARTS, np.ascontiguousarray(found.T), strict=True))
    table.notes.append(
        f"wrench of {topic.name} ({len(own)} messages): on lines between its times, at those of "
        "the joint states"
    )


def _deserializer(kind: str, *, old: bool) -> Callable[[bytes], Any]:
    if old:
        return lambda raw: ros1.deserialize(raw, kind)
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    return lambda raw: store.deserialize_cdr(raw, kind)


def _topics(path: Path, choice: BagChoice) -> tuple[Topic, Topic | None, list[str]]:
    """Return the topic with the robot's joint states, the wrench, and what was left aside."""
    from rosbags.rosbag1 import ReaderError as OldReaderError
    from rosbags.rosbag2 import ReaderError

    try:
        with ExitStack() as stack:
            readers = [stack.enter_context(reader) for reader in _readers(path)]
            topics = {c.topic: c.msgtype for reader in readers for c in reader.connections}
            found = _collect(readers)
    except (ReaderError, OldReaderError, OSError, sqlite3.Error, ValueError, AssertionError,
            IndexError, KeyError) as error:  # fmt: skip
        raise RecordingError(
            f"{path.name} cannot be read as a ROS bag: {error}; where recording was cut off, "
            "repair the file first ('rosbag reindex', 'mcap recover', or sqlite3's '.recover')"
        ) from error
    states = [topic for topic in found if topic.kind == JOINT_STATE]
    if not states:
        names = ", ".join(f"{name} ({kind})" for name, kind in topics.items()) or "none"
        raise RecordingError(
            f"{path.name} has no joint states ({JOINT_STATE}); its topics are {names}"
        )
    best = _chosen(states, choice, path)
    wrenches = {topic.name: topic for topic in found if topic.kind == WRENCH}
    wrench = wrenches[preferred(list(wrenches))] if wrenches else None
    others = sorted(set(topics) - {best.name} - ({wrench.name} if wrench else set()))
    notes = [f"topic {best.name}: {len(best.messages)} messages"]
    notes += [f"left out topics {', '.join(others[:6])}"] if others else []
    return best, wrench, notes


def _chosen(states: list[Topic], choice: BagChoice, path: Path) -> Topic:
    """Return the topic to read; their first messages say how many joints each has."""
    if len(states) == 1 and choice.topic is None:
        return states[0]
    old = path.suffix == ros1.ENDING
    first = [Topic(t.name, t.kind, t.stamps[:FIRST], t.messages[:FIRST]) for t in states]
    joints = {t.name: len(_decoded(t, path.name, old=old).names) for t in first}
    messages = {t.name: len(t.messages) for t in states}
    name = choice.topic_of(joints, messages, path.name)
    return next(topic for topic in states if topic.name == name)


def _readers(path: Path) -> Iterator[Any]:
    """Yield a reader for the bag: the folder as a whole, or each of its files."""
    from rosbags.rosbag2 import Reader

    if path.suffix == ros1.ENDING:
        yield ros1.open_bag(path)
    elif path.is_dir() and not (path / "metadata.yaml").exists():
        yield from (Reader(file) for file in bag_files(path))
    else:
        yield Reader(path)


def bag_files(folder: Path) -> list[Path]:
    """Return the files of a ROS 2 bag in a folder; none where it is no bag."""
    return sorted(file for file in folder.iterdir() if file.suffix in ENDINGS)


def _collect(readers: list[Any]) -> list[Topic]:
    """Return every topic of joint states and wrenches that has messages."""
    stamps: dict[tuple[str, str], list[int]] = {}
    messages: dict[tuple[str, str], list[bytes]] = {}
    for reader in readers:
        wanted = [c for c in reader.connections if c.msgtype in (JOINT_STATE, WRENCH)]
        for connection, stamp, data in reader.messages(wanted) if wanted else ():
            key = (connection.topic, connection.msgtype)
            stamps.setdefault(key, []).append(stamp)
            messages.setdefault(key, []).append(bytes(data))
    return [Topic(*key, np.array(stamps[key]), messages[key]) for key in messages]
