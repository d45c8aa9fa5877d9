"""ROS 2 bags: the joint states of a .db3 or .mcap file, or of a bag's folder.

``rosbags`` opens them, with or without their metadata.yaml; no ROS is needed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import RecordingError
from armtwin.recording.files.joint_state import JointStates, decode
from armtwin.recording.table import RawTable

JOINT_STATE = "sensor_msgs/msg/JointState"
ENDINGS = (".db3", ".mcap")


@dataclass(frozen=True)
class Topic:
    """The raw messages of one topic, and the bag's own time of each [ns]."""

    name: str
    stamps: NDArray[np.int64]
    messages: list[bytes]


def read_ros2bag(path: Path) -> RawTable:
    """Return the joint states of a bag, one column per joint and quantity.

    Columns are called ``NAME/position``, ``NAME/velocity`` and ``NAME/effort``; ``stamp`` is the
    message's own time, or the bag's where messages carry none.

    Raises:
        RecordingError: no bag, or no joint states in it; the topics that exist are listed.
    """
    topic, notes = _joint_states(path)
    states = decode(topic.messages, path.name)
    table = RawTable(path.name, notes=notes, joints=states.names)
    own = states.stamps
    use_own = bool(own.any())
    table.columns["stamp"] = own if use_own else topic.stamps
    table.nanoseconds.add("stamp")
    if not use_own:
        table.notes.append("messages carry no time: took the time at which the bag received them")
    table.columns |= _columns(states, table)
    return table


def _columns(states: JointStates, table: RawTable) -> dict[str, NDArray[Any]]:
    """Return the columns of every quantity, leaving out those that are not recorded."""
    out: dict[str, NDArray[Any]] = {}
    for kind in ("position", "velocity", "effort"):
        values = getattr(states, kind)
        if values is None or np.isnan(values).all():
            table.notes.append(f"no {kind} in the joint states")
            continue
        for index, name in enumerate(states.names):
            out[f"{name}/{kind}"] = np.ascontiguousarray(values[:, index])
    return out


def _joint_states(path: Path) -> tuple[Topic, list[str]]:
    """Return the topic with the most joint states, and what was left aside."""
    from rosbags.rosbag2 import ReaderError

    try:
        with ExitStack() as stack:
            readers = [stack.enter_context(reader) for reader in _readers(path)]
            topics = {c.topic: c.msgtype for reader in readers for c in reader.connections}
            found = _collect(readers)
    except (ReaderError, OSError, sqlite3.Error, ValueError, AssertionError) as error:
        raise RecordingError(
            f"{path.name} cannot be read as a ROS 2 bag: {error}; where recording was cut off, "
            "repair the file first ('mcap recover', or sqlite3's '.recover')"
        ) from error
    if not found:
        names = ", ".join(f"{name} ({kind})" for name, kind in topics.items()) or "none"
        raise RecordingError(
            f"{path.name} has no joint states ({JOINT_STATE}); its topics are {names}"
        )
    best = max(found, key=lambda topic: len(topic.messages))
    others = sorted(set(topics) - {best.name})
    notes = [f"topic {best.name}: {len(best.messages)} messages"]
    notes += [f"left out topics {', '.join(others[:6])}"] if others else []
    return best, notes


def _readers(path: Path) -> Iterator[Any]:
    """Yield a reader for the bag: the folder as a whole, or each of its files."""
    from rosbags.rosbag2 import Reader

    if path.is_dir() and not (path / "metadata.yaml").exists():
        files = sorted(file for file in path.iterdir() if file.suffix in ENDINGS)
        if not files:
            raise RecordingError(f"folder {path.name} holds no .db3 or .mcap file")
        yield from (Reader(file) for file in files)
    else:
        yield Reader(path)


def _collect(readers: list[Any]) -> list[Topic]:
    """Return every topic of joint states that has messages."""
    stamps: dict[str, list[int]] = {}
    messages: dict[str, list[bytes]] = {}
    for reader in readers:
        wanted = [c for c in reader.connections if c.msgtype == JOINT_STATE]
        for connection, stamp, data in reader.messages(wanted) if wanted else ():
            stamps.setdefault(connection.topic, []).append(stamp)
            messages.setdefault(connection.topic, []).append(data)
    return [Topic(name, np.array(stamps[name]), messages[name]) for name in messages]
