"""The wrench of a bag (``geometry_msgs/WrenchStamped``) at the times of its joint states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.recording.files.bags.joint_state import SECOND
from armtwin.recording.preparation.clock import on_lines
from armtwin.spatial import Array

WRENCH = "geometry_msgs/msg/WrenchStamped"
PARTS = tuple(f"wrench/{kind}_{axis}" for kind in ("force", "torque") for axis in "xyz")
"""Columns of a wrench, with the names of ``columns.headers``."""


def preferred(names: Sequence[str]) -> str:
    """Return the topic to take: ``/wrench`` where it exists, else the shortest name."""
    return min(names, key=lambda name: (name != "/wrench", len(name), name))


def decode_wrenches(
    messages: Sequence[bytes], stamps: NDArray[np.int64], deserialize: Callable[[bytes], Any]
) -> tuple[NDArray[np.int64], Array]:
    """Return the times (n,) [ns] and wrenches (n, 6) [N, Nm] of raw messages.

    Args:
        messages: as recorded.
        stamps: the bag's own time of each [ns], for messages without a time.
        deserialize: returns a message.
    """
    values, own = np.empty((len(messages), 6)), np.empty(len(messages), np.int64)
    for row, raw in enumerate(messages):
        message = deserialize(raw)
        force, torque = message.wrench.force, message.wrench.torque
        values[row] = force.x, force.y, force.z, torque.x, torque.y, torque.z
        own[row] = message.header.stamp.sec * SECOND + message.header.stamp.nanosec
    return (own if own.any() else stamps), values


def at_stamps(stamps: NDArray[np.int64], own: NDArray[np.int64], values: Array) -> Array:
    """Return wrenches at other times, on lines between theirs; NaN before, after and in gaps.

    Args:
        stamps: the times wanted (m,) [ns].
        own: times of the wrenches (n,) [ns].
        values: wrenches (n, 6).
    """
    first = int(stamps[0])
    x, at = (own - first) / SECOND, (stamps - first) / SECOND
    order = np.argsort(x, kind="stable")
    columns = [on_lines(at, x[order], column[order]) for column in values.T]
    return np.column_stack(columns)
