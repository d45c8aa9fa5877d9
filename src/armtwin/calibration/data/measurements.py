"""Measured tool poses with their joint vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, MissingColumnError
from armtwin.model.arm import Arm
from armtwin.recording.columns.names import listed
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.recording.recording import Recording

Rows = NDArray[np.intp]

MAX_ROWS = 4000
"""Rows used of one recording at most, and half of those of all recordings, to bound the time."""
BLOCKS = 20
"""Blocks of a timed run: neighbours in time are not independent."""
SAME_POSE = 1e-3
"""Joint vectors this near [rad | m] are one pose measured again: errors of gears are the same."""
ORIENTATIONS = ("quaternion", "rotation_vector", "rpy")
SEED = 20240408
"""Seed of the rows that are held out, so that a result can be repeated."""


@dataclass(frozen=True)
class PoseMeasurements:
    """Measured tool poses with their joint vectors.

    Attributes:
        q: joint vectors (n, dof) [rad | m].
        position: (n, 3) [m].
        rotation: (n, 3, 3), or None where only positions were measured.
        block: (n,) number of the block of each row; rows of one block stay together when errors
            are estimated. Poses without a clock are a block each, repeated ones share theirs.
        notes: rows and orientations that are not used, with count and reason.
        placement: (n,) number of the placement (base and tool) of each row, from 0; None where
            all rows share one.
    """

    q: Array
    position: Array
    rotation: Array | None
    block: Rows
    notes: tuple[str, ...] = ()
    placement: Rows | None = None

    def __len__(self) -> int:
        """Return the number of poses."""
        return len(self.q)

    @property
    def per_pose(self) -> int:
        """Measured numbers per pose: 3 or 6."""
        return 3 if self.rotation is None else 6

    @property
    def placement_of_row(self) -> Rows:
        """Number of the placement of each row (n,), zeros where all rows share one."""
        return np.zeros(len(self), np.intp) if self.placement is None else self.placement

    def placement_rows(self) -> list[Rows]:
        """Return the rows of every placement, in order."""
        number = self.placement_of_row
        return [np.flatnonzero(number == p) for p in range(int(number.max(initial=0)) + 1)]

    def take(self, rows: Rows | slice) -> PoseMeasurements:
        """Return some of the poses."""
        rotation = None if self.rotation is None else self.rotation[rows]
        return dataclasses.replace(
            self,
            q=self.q[rows],
            position=self.position[rows],
            rotation=rotation,
            block=self.block[rows],
            placement=None if self.placement is None else self.placement[rows],
        )


def gather(
    arm: Arm, recordings: Sequence[Recording], placements: Sequence[int] | None = None
) -> PoseMeasurements:
    """Return the measured poses of all recordings together.

    Args:
        arm: the arm that was measured.
        recordings: joints with positions, and orientations where all recordings have them.
        placements: number of the placement of each recording, from 0; None where all recordings
            share one base and tool.

    Raises:
        MissingColumnError: no joints or no positions; what exists is listed.
        InputError: another number of joints than the arm has, or no complete row.
    """
    if not recordings:
        raise InputError("no recording was given; give at least one with q and x, y, z")
    most = min(MAX_ROWS, 2 * MAX_ROWS // len(recordings))
    parts = [_measured(arm, recording, most) for recording in recordings]
    with_rotation = all(part.rotation is not None for part in parts)
    number = None
    if placements is not None:
        number = np.repeat(np.array(placements, np.intp), [len(part) for part in parts])
    shift = np.cumsum([0, *[int(part.block.max()) + 1 for part in parts]])
    rotations = [part.rotation for part in parts if part.rotation is not None]
    return PoseMeasurements(
        q=np.concatenate([part.q for part in parts]),
        position=np.concatenate([part.position for part in parts]),
        rotation=np.concatenate(rotations) if with_rotation else None,
        block=np.concatenate([p.block + s for p, s in zip(parts, shift[:-1], strict=True)]),
        notes=(
            *[note for part in parts for note in part.notes],
            *_unused_orientations(recordings, parts),
        ),
        placement=number,
    )


def _unused_orientations(
    recordings: Sequence[Recording], parts: Sequence[PoseMeasurements]
) -> list[str]:
    """Return a note per recording whose orientations are not used, as others have none."""
    without = [r.origin for r, part in zip(recordings, parts, strict=True) if part.rotation is None]
    if not without:
        return []
    return [
        f"{r.origin}: orientations of {len(part)} rows not used, because {without[0]} has none"
        for r, part in zip(recordings, parts, strict=True)
        if part.rotation is not None
    ]


def _measured(arm: Arm, recording: Recording, most: int) -> PoseMeasurements:
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
    rows = whole[np.linspace(0, whole.size - 1, min(whole.size, most)).astype(int)]
    return PoseMeasurements(
        q=groups[0][rows],
        position=groups[1][rows],
        rotation=_rotation(form, groups[2][rows]) if form else None,
        block=_blocks(groups[0][rows], timed=recording.timed),
        notes=tuple(_notes(name, _gaps(arm, groups, form), whole.size, rows.size)),
    )


def _rotation(form: str, values: Array) -> Array:
    from armtwin.recording.columns.rotation import to_rotation

    return np.asarray(to_rotation(form, values).as_matrix())


def _blocks(q: Array, *, timed: bool) -> Rows:
    """Return the block of each row: stretches of a timed run, else equal joint vectors."""
    if not timed:
        return _equal_vectors(q)
    if len(q) <= BLOCKS:
        return np.arange(len(q))
    return np.arange(len(q)) * BLOCKS // len(q)


def _equal_vectors(q: Array) -> Rows:
    """Return a number per row (n,), the same for joint vectors that are one pose measured again."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    pairs = KDTree(q).query_pairs(SAME_POSE, output_type="ndarray")
    links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(q), len(q)))
    return np.asarray(connected_components(links, directed=False)[1], np.intp)


def _gaps(arm: Arm, groups: Sequence[Array], form: str | None) -> dict[str, NDArray[np.bool_]]:
    """Return for each group of columns the rows (n,) in which it has no value."""
    names = (f"q1..q{arm.dof}", "the position", f"the orientation ({form})")
    return {
        name: np.asarray(~np.isfinite(values).all(axis=1))
        for name, values in zip(names[: len(groups)], groups, strict=True)
    }


def _notes(
    name: str, gaps: Mapping[str, NDArray[np.bool_]], whole: int, used: int
) -> Iterator[str]:
    """Yield how many rows were dropped, and why."""
    given = next(iter(gaps.values())).size
    if whole < given:
        reasons = ", ".join(f"{what} in {int(e.sum())}" for what, e in gaps.items() if e.any())
        yield f"{name}: {given - whole} of {given} rows dropped, a value is missing: {reasons}"
    if used < whole:
        yield (
            f"{name}: {whole - used} of {whole} complete rows dropped, to keep the fit small: "
            f"every {whole / used:.3g}th row is used"
        )


def split(measured: PoseMeasurements, share: float) -> tuple[Rows, Rows]:
    """Return the rows to fit and the rows to hold out, about ``share`` of all.

    Poses without a clock are drawn at random with a fixed seed, repeated ones together; of a timed
    run every second block is held out, or as the share demands. Every placement is split by itself,
    so that its rows are the same whether it is given alone or with others.
    """
    held = [rows[_held(measured.block[rows], share)] for rows in measured.placement_rows()]
    inside = np.isin(np.arange(len(measured)), np.concatenate(held))
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def _held(block: Rows, share: float) -> NDArray[np.bool_]:
    """Return for every row of one placement whether it is held out."""
    blocks = np.unique(block)
    if 2 * blocks.size > block.size:  # single poses, some of them repeated
        order = np.random.default_rng(SEED).permutation(blocks.size)
        held = blocks[order[: round(share * blocks.size)]]
    else:
        count = np.floor((np.arange(blocks.size) + 1) * share + 1e-9)
        held = blocks[np.diff(count, prepend=0) > 0]
    return np.isin(block, held)
