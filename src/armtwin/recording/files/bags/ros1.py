"""ROS 1 bags: their reader, and what the efforts of UR drivers are."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armtwin.recording.columns.guess import UR_JOINTS

ENDING = ".bag"
CURRENT_NOTE = (
    "effort taken for motor current [A]: ROS 1 drivers of UR arms (these joint names) report it "
    "so; if it is a torque, map it: 'tau{joint}' = '{name}/current'"
)


def open_bag(path: Path) -> Any:
    """Return a reader of a ROS 1 bag; it is a context manager, as those of ROS 2 bags."""
    from rosbags.rosbag1 import Reader

    return Reader(path)


@functools.cache
def _store() -> Any:
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS1_NOETIC)


def deserialize(raw: bytes, kind: str) -> Any:
    """Return a ROS 1 message; ``kind`` is its type, as in ``sensor_msgs/msg/JointState``."""
    return _store().deserialize_ros1(raw, kind)


def has_currents(names: Sequence[str]) -> bool:
    """Return whether the joints are those of a UR arm, behind any prefix."""
    return all(any(given.endswith(name) for given in names) for name in UR_JOINTS)
