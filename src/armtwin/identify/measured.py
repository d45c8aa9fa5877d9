"""What a calibration is given: joint vectors and where the tool was measured to be."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, MissingColumnError
from armtwin.model.arm import Arm
from armtwin.record.columns import listed
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.record.recording import Recording

Rows = NDArray[np.intp]

MOST_ROWS = 4000
BLOCKS = 20
"""A timed run is cut into this many stretches: neighbours in time are not independent."""
ORIENTATIONS = ("quaternion", "rotation_vector", "rpy")
SEED = 20240408


@dataclass(frozen=True)
class Measured:
    """Poses of the tool beside the joints.

    Attributes:
        q: joint vectors (n, dof) [rad | m].
        position: (n, 3) [m].
        rotation: (n, 3, 3), or None where only positions were measured.
        block: (n,) number of the stretch each row belongs to; rows of one stretch stay together
            when errors are estimated. Poses without a clock are a stretch each.
        notes: what was left out on the way.
    """

    q: Array
    position: Array
    rotation: Array | None
    block: Rows
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of poses."""
        return len(self.q)

    @property
    def per_pose(self) -> int:
        """Numbers that one pose gives: 3 or 6."""
        return 3 if self.rotation is None else 6

    def take(self, rows: Rows) -> Measured:
        """Return some of the poses."""
        rotation = None if self.rotation is None else self.rotation[rows]
        return dataclasses.replace(
            self,
            q=self.q[rows],
            position=self.position[rows],
            rotation=rotation,
            block=self.block[rows],
        )


def gather(arm: Arm, recordings: Sequence[Recording]) -> Measured:
    """Return the measured poses of all recordings together.

    Raises:
        MissingColumnError: no joints or no positions; what exists is listed.
        InputError: another number of joints than the arm has, or no complete row.
    """
    parts = [_measured(arm, recording) for recording in recordings]
    if not parts:
        raise InputError("no recording was given; give at least one with q and x, y, z")
    with_rotation = all(part.rotation is not None for part in parts)
    shift = np.cumsum([0, *[int(part.block.max()) + 1 for part in parts]])
    rotations = [part.rotation for part in parts if part.rotation is not None]
    return Measured(
        q=np.concatenate([part.q for part in parts]),
        position=np.concatenate([part.position for part in parts]),
        rotation=np.concatenate(rotations) if with_rotation else None,
        block=np.concatenate([p.block + s for p, s in zip(parts, shift[:-1], strict=True)]),
        notes=tuple(note for part in parts for note in part.notes),
    )


def _measured(arm: Arm, recording: Recording) -> Measured:
    name = recording.origin or "the recording"
    if not recording.has("q") or not recording.has("position"):
        raise MissingColumnError(
            f"{name}: calibration needs the joints q1..q{arm.dof} and the measured x, y, z; "
            f"it has {listed(recording.columns)}; name them with a mapping file"
        )
    if recording.dof != arm.dof:
        raise InputError(f"{name} has {recording.dof} joints, arm {arm.name!r} has {arm.dof}")
    form = next((form for form in ORIENTATIONS if recording.has(form)), None)
    groups = [recording.q, recording.group("position")]
    groups += [recording.group(form)] if form else []
    whole = np.flatnonzero(np.isfinite(np.hstack(groups)).all(axis=1))
    if not whole.size:
        raise InputError(f"{name}: no row has a value for every joint and coordinate")
    rows = whole[np.linspace(0, whole.size - 1, min(whole.size, MOST_ROWS)).astype(int)]
    return Measured(
        q=groups[0][rows],
        position=groups[1][rows],
        rotation=_rotation(form, groups[2][rows]) if form else None,
        block=_blocks(rows.size, timed=recording.timed),
        notes=tuple(_notes(name, len(recording), whole.size, rows.size)),
    )


def _rotation(form: str, values: Array) -> Array:
    from armtwin.record.rotation import to_rotation

    return np.asarray(to_rotation(form, values).as_matrix())


def _blocks(rows: int, *, timed: bool) -> Rows:
    if not timed or rows <= BLOCKS:
        return np.arange(rows)
    return np.arange(rows) * BLOCKS // rows


def _notes(name: str, given: int, whole: int, used: int) -> list[str]:
    notes = []
    if whole < given:
        notes.append(f"{name}: {given - whole} of {given} rows without every value left out")
    if used < whole:
        notes.append(f"{name}: every {whole / used:.3g}th of {whole} rows used")
    return notes


def split(measured: Measured, share: float) -> tuple[Rows, Rows]:
    """Return the rows to fit on and the rows held out, about ``share`` of all.

    Poses without a clock are drawn at random (always the same ones); a timed run gives every
    second stretch, or as the share demands.

    Raises:
        InputError: a share outside 0 to 0.9.
    """
    if not 0 <= share <= 0.9:
        raise InputError(f"the share to hold out is {share:g}; give 0 (none) to 0.9, such as 0.5")
    blocks = np.unique(measured.block)
    if blocks.size == len(measured):
        order = np.random.default_rng(SEED).permutation(blocks.size)
        held = order[: round(share * blocks.size)]
    else:
        count = np.floor((np.arange(blocks.size) + 1) * share + 1e-9)
        held = blocks[np.diff(count, prepend=0) > 0]
    inside = np.isin(measured.block, held)
    return np.flatnonzero(~inside), np.flatnonzero(inside)
