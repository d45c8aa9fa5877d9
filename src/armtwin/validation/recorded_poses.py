"""Recorded and computed tool poses: positions, Euler angles, quaternions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.kinematics.forward import Coordinates, pose_coordinates, tool_coordinates
from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording
from armtwin.spatial import Array
from armtwin.validation.metrics import Rows, Signal

ORIENTATIONS = ("quaternion", "rotation_vector", "rpy")


@dataclass(frozen=True)
class RecordedPoses:
    """The tool's poses in a recording, its complete rows only.

    Attributes:
        rows: row numbers (n,).
        q: joints (n, dof).
        position: (n, 3), or None.
        quaternion: (n, 4), w >= 0, or None where no orientation was recorded.
        rpy: (n, 3), or None.
    """

    rows: Rows
    q: Array
    position: Array | None
    quaternion: Array | None
    rpy: Array | None


def recorded_poses(recording: Recording) -> RecordedPoses | None:
    """Return the tool poses of a recording, or None where it has none."""
    form = next((form for form in ORIENTATIONS if recording.has(form)), None)
    groups = [recording.q]
    groups += [recording.group("position")] if recording.has("position") else []
    groups += [recording.group(form)] if form else []
    if len(groups) == 1:
        return None
    rows = np.flatnonzero(np.isfinite(np.hstack(groups)).all(axis=1))
    position = groups[1][rows] if recording.has("position") else None
    quaternion, rpy = _orientation(form, groups[-1][rows]) if form else (None, None)
    if form != "rpy" and recording.has("rpy"):
        rpy = recording.group("rpy")[rows]
    return RecordedPoses(rows, groups[0][rows], position, quaternion, rpy)


def _orientation(form: str, values: Array) -> tuple[Array, Array | None]:
    """Return quaternions (n, 4) and, where they cost nothing, Euler angles (n, 3)."""
    if form == "quaternion":
        unit = values / np.linalg.norm(values, axis=1, keepdims=True)
        return unit * np.where(unit[:, 3:] < 0, -1.0, 1.0), None
    from armtwin.recording.columns.rotation import to_rotation

    T = np.tile(np.eye(4), (len(values), 1, 1))
    T[:, :3, :3] = to_rotation(form, values).as_matrix()
    seen = pose_coordinates(T)
    return seen.quaternion, values if form == "rpy" else seen.rpy


def pose_signals(poses: RecordedPoses, twin: Coordinates) -> list[Signal]:
    """Return the signals of the pose: per axis, as a distance, as angles."""
    signals: list[Signal] = []
    rows = poses.rows
    if poses.position is not None:
        shift = twin.position - poses.position
        for k, axis in enumerate("xyz"):
            sides = poses.position[:, k], twin.position[:, k]
            signals.append(Signal(axis, "m", "pose", rows, *sides, shift[:, k]))
        distance = np.linalg.norm(shift, axis=1)
        sides = poses.position, twin.position
        signals.append(Signal("position", "m", "pose", rows, *sides, distance, signed=False))
    if poses.rpy is not None:
        signals += _euler_signals(rows, poses.rpy, twin.rpy)
    if poses.quaternion is not None:
        signals += _quaternion_signals(rows, poses.quaternion, twin.quaternion)
    return signals


def twin_coordinates(arm: Arm, q: Array) -> Coordinates:
    """Return the twin's tool poses; recorded joints may exceed the catalogue's limits."""
    return tool_coordinates(arm, q, ignore_limits=True)


def _euler_signals(rows: Rows, real: Array, twin: Array) -> list[Signal]:
    """Return roll, pitch and yaw, unwrapped: differences lie within half a turn."""
    error = np.remainder(twin - real + np.pi, 2 * np.pi) - np.pi
    straight = np.unwrap(real, axis=0)
    return [
        Signal(name, "rad", "pose", rows, straight[:, k], straight[:, k] + error[:, k], error[:, k])
        for k, name in enumerate(("roll", "pitch", "yaw"))
    ]


def _quaternion_signals(rows: Rows, real: Array, twin: Array) -> list[Signal]:
    r"""Return the quaternion distance and the angle of the turn between both orientations.

    .. math:: e_q = 1 - |\langle q_1, q_2 \rangle|, \quad
              \theta = 4 \arcsin\left( \tfrac12 \min(|q_1 - q_2|, |q_1 + q_2|) \right)

    The second form keeps its digits for small angles, where the arc cosine would not; the first is
    ``|q_1 - q_2|^2 / 2``. Both sides are shown without the jumps that ``w >= 0`` makes.
    """
    real = real * continuous_signs(real)[:, None]
    aligned = twin * np.where(np.sum(real * twin, axis=1, keepdims=True) < 0, -1.0, 1.0)
    apart = np.linalg.norm(real - aligned, axis=1)
    distance = apart**2 / 2
    angle = 4 * np.arcsin(np.clip(apart / 2, 0.0, 1.0))
    return [
        Signal("quaternion", "1", "pose", rows, real, aligned, distance, signed=False),
        Signal("angle", "rad", "pose", rows, real, aligned, angle, signed=False),
    ]


def continuous_signs(quaternion: Array) -> Array:
    """Return +1 or -1 per row (n,) so that quaternions times it do not jump from row to row."""
    follows = (quaternion[1:] * quaternion[:-1]).sum(axis=1) >= 0
    return np.cumprod(np.concatenate([[1.0], np.where(follows, 1.0, -1.0)]))
