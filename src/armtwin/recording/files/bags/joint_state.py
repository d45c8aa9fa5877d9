"""Decoding ``sensor_msgs/msg/JointState`` messages, all at once where they have equal layouts.

A joint state in CDR is a header (stamp, frame), the joints' names, and three arrays of doubles.
In a recording every message has the same names, so the doubles stand at the same places: the
messages are laid under each other and each number is cut out as a column. Messages that differ
are decoded one by one by ``rosbags``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import RecordingError
from armtwin.spatial import Array

JOINT_STATE = "sensor_msgs/msg/JointState"
_PAYLOAD = 4
"""Bytes of the encapsulation header of CDR, from whose end places are aligned."""
_LITTLE_ENDIAN = 1
"""Second byte of that header in a message of little-endian numbers (CDR_LE)."""
SECOND = 1_000_000_000
"""A second [ns]."""
_CHUNK = 4096
"""Messages that are laid under each other at a time: bounds memory."""


@dataclass(frozen=True)
class JointStates:
    """Joint states over time.

    Attributes:
        names: of the joints.
        stamps: (n,) [ns].
        position: (n, joints), or None; as are ``velocity`` and ``effort``.
        rows: which messages these are (n,); None for all.
        others: joints that only came in messages of their own, which are left out.
    """

    names: tuple[str, ...]
    stamps: NDArray[np.int64]
    position: Array | None
    velocity: Array | None
    effort: Array | None
    rows: NDArray[np.intp] | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Layout:
    """Places in a message: where its names and its arrays begin, and how long those are."""

    names: tuple[str, ...]
    names_end: int
    arrays: tuple[tuple[int, int], ...]


def decode(messages: list[bytes], origin: str) -> JointStates:
    """Return the joint states of raw messages, in order.

    Raises:
        RecordingError: a message without names, or one that is cut.
    """
    try:
        layout = _layout(messages[0])
    except (struct.error, UnicodeDecodeError) as error:
        raise RecordingError(f"{origin}: its first joint state is cut short: {error}") from error
    if not layout.names:
        raise RecordingError(f"{origin}: its joint states name no joints")
    states = _decode_alike(messages, layout)
    return states if states is not None else _decode_each(messages, origin)


def _layout(message: bytes) -> _Layout:
    """Return where things stand in a message; places are aligned from after its 4-byte head."""
    order = "<" if message[1] == _LITTLE_ENDIAN else ">"

    def count(offset: int) -> tuple[int, int]:
        offset += -(offset - _PAYLOAD) % 4
        return struct.unpack_from(order + "I", message, offset)[0], offset + 4

    size, offset = count(_PAYLOAD + 8)
    amount, offset = count(offset + size)
    names = []
    for _ in range(amount):
        size, offset = count(offset)
        names.append(message[offset : offset + size - 1].decode())
        offset += size
    names_end, arrays = offset, []
    for _ in range(3):
        amount, offset = count(offset)
        offset += -(offset - _PAYLOAD) % 8 if amount else 0
        arrays.append((offset, amount))
        offset += 8 * amount
    return _Layout(tuple(names), names_end, tuple(arrays))


def _decode_alike(messages: list[bytes], layout: _Layout) -> JointStates | None:
    """Return the states of messages that all have the first one's layout, else None."""
    first, count, joints = messages[0], len(messages), len(layout.names)
    if first[1] != _LITTLE_ENDIAN or any(len(message) != len(first) for message in messages):
        return None
    fixed, model = _fixed_places(layout, len(first)), np.frombuffer(first, np.uint8)
    stamps = np.empty(count, np.int64)
    values = [np.empty((count, joints)) if size == joints else None for _, size in layout.arrays]
    for start in range(0, count, _CHUNK):
        part = messages[start : start + _CHUNK]
        block = np.frombuffer(b"".join(part), np.uint8).reshape(len(part), len(first))
        if (block[:, fixed] != model[fixed]).any():
            return None
        rows = slice(start, start + len(part))
        clock = _cut(block, _PAYLOAD, 8).view("<u4").astype(np.int64)
        stamps[rows] = clock[:, 0] * SECOND + clock[:, 1]
        for array, (offset, size) in zip(values, layout.arrays, strict=True):
            if array is not None:
                array[rows] = _cut(block, offset, 8 * size).view("<f8")
    position, velocity, effort = values
    return JointStates(layout.names, stamps, position, velocity, effort)


def _fixed_places(layout: _Layout, size: int) -> NDArray[np.intp]:
    """Return the places that must agree in all messages: names and lengths, not numbers."""
    fixed = np.ones(size, bool)
    fixed[_PAYLOAD : _PAYLOAD + 8] = False
    for offset, amount in layout.arrays:
        fixed[offset : offset + 8 * amount] = False
    fixed[_padding(layout, size)] = False
    return np.flatnonzero(fixed)


def _padding(layout: _Layout, size: int) -> NDArray[np.intp]:
    """Return the places between arrays whose bytes mean nothing."""
    unused: list[int] = []
    end = layout.names_end
    for offset, amount in layout.arrays:
        count_at = end + (-(end - _PAYLOAD) % 4)
        unused += [*range(end, count_at), *range(count_at + 4, offset)]
        end = offset + 8 * amount
    return np.array([*unused, *range(end, size)], dtype=np.intp)


def _cut(block: NDArray[np.uint8], offset: int, size: int) -> NDArray[Any]:
    return np.ascontiguousarray(block[:, offset : offset + size])


def _decode_each(messages: list[bytes], origin: str) -> JointStates:
    """Return the states of messages that differ in the order or number of their joints."""
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    return decode_with(messages, origin, lambda raw: store.deserialize_cdr(raw, JOINT_STATE))


def decode_with(
    messages: list[bytes], origin: str, deserialize: Callable[[bytes], Any]
) -> JointStates:
    """Return the joint states of raw messages, decoded one by one.

    Where some messages hold other joints than the rest (a gripper on the arm's topic), those of
    the larger set of joints are taken.

    Args:
        messages: as recorded.
        origin: the file's name.
        deserialize: returns a message.

    Raises:
        RecordingError: a message that is cut, or that names no joints.
    """
    try:
        states = [deserialize(message) for message in messages]
    except (ValueError, struct.error, AssertionError, UnicodeDecodeError, IndexError) as error:
        raise RecordingError(f"{origin}: a joint state cannot be decoded: {error}") from error
    every = tuple(dict.fromkeys(name for state in states for name in state.name))
    if not every:
        raise RecordingError(f"{origin}: its joint states name no joints")
    rows = _largest_set([frozenset(state.name) for state in states])
    states = [states[row] for row in rows]
    names = tuple(dict.fromkeys(name for state in states for name in state.name))
    stamps = [state.header.stamp.sec * SECOND + state.header.stamp.nanosec for state in states]
    position, velocity, effort = (
        _fill(states, names, kind) for kind in ("position", "velocity", "effort")
    )
    others = tuple(name for name in every if name not in names)
    clock = np.array(stamps, dtype=np.int64)
    return JointStates(names, clock, position, velocity, effort, rows, others)


def _largest_set(sets: list[frozenset[str]]) -> NDArray[np.intp]:
    """Return the messages (n,) of the largest set of joints that come together, by their joints."""
    together: list[set[str]] = []
    for own in dict.fromkeys(sets):
        overlapping = [group for group in together if group & own]
        together = [group for group in together if not group & own]
        together.append(set(own).union(*overlapping))
    largest = max(
        together, key=lambda group: (len(group), sum(not own.isdisjoint(group) for own in sets))
    )
    return np.flatnonzero([not own.isdisjoint(largest) for own in sets])


def _fill(states: list[Any], names: tuple[str, ...], kind: str) -> Array:
    """Return one quantity (n, joints), NaN where a message leaves a joint out."""
    order = {name: index for index, name in enumerate(names)}
    out = np.full((len(states), len(names)), np.nan)
    for row, state in enumerate(states):
        values = getattr(state, kind)
        if len(values) == len(state.name):
            out[row, [order[name] for name in state.name]] = values
    return out
