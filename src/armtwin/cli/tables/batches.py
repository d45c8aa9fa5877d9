"""Batches of joint vectors and of poses from CSV files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armtwin.cli.options import Units
from armtwin.recording.files.csv_blocks import ROWS, blocks

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.spatial import Array


@dataclass(frozen=True)
class JointBatch:
    """Joint vectors (rows, dof) [rad | m], their times where given, the share of the file read."""

    q: Array
    time: Array | None
    done: float


def joint_batches(path: Path, arm: Arm, units: Units) -> Iterator[JointBatch]:
    """Yield the joint vectors of a CSV file.

    The header names the columns: ``q1 ... qn`` or the joints' own names, in any order; a column
    ``time`` is carried along; others are left out.

    Args:
        path: the CSV file.
        arm: the arm.
        units: of the file's angles and lengths.
    """
    for block in blocks(path):
        columns = [block.column(f"q{n}", joint.name) for n, joint in enumerate(arm.driven, 1)]
        q = block.values(columns) * units.joints(arm)
        time = block.values([block.column("time")])[:, 0] if block.has("time") else None
        yield JointBatch(q, time, block.done)


@dataclass(frozen=True)
class PoseBatch:
    """Poses (rows, 4, 4) in metres, and the share of the file read."""

    T: Array
    done: float


def pose_batches(path: Path, units: Units, *, rows: int = ROWS) -> Iterator[PoseBatch]:
    """Yield the poses of a CSV file: ``x y z`` with ``qx qy qz qw`` or ``roll pitch yaw``.

    Args:
        path: the CSV file.
        units: of lengths and angles in the file.
        rows: poses per batch.
    """
    from scipy.spatial.transform import Rotation

    for block in blocks(path, rows=rows):
        T = np.tile(np.eye(4), (block.count, 1, 1))
        T[:, :3, 3] = block.values([block.column(name) for name in "xyz"]) * units.length
        if block.has("qx", "qy", "qz", "qw"):
            quaternion = block.values([block.column(name) for name in ("qx", "qy", "qz", "qw")])
            T[:, :3, :3] = Rotation.from_quat(quaternion).as_matrix()
        else:
            rpy = block.values([block.column(name) for name in ("roll", "pitch", "yaw")])
            T[:, :3, :3] = Rotation.from_euler("xyz", rpy * units.angle).as_matrix()
        yield PoseBatch(T, block.done)
