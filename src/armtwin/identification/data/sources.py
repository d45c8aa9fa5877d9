"""Reading the recordings of an identification, and checks that they belong together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from armtwin.calibration.data.frames import aligned
from armtwin.calibration.data.measurements import gather as measured_poses
from armtwin.errors import InputError
from armtwin.identification.parameters.prior import arm_length
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.recording.read import MappingLike, RecordingLike, read_recordings
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

MAX_SHARED = 0.5
"""Share of repeated rows above which a test recording counts as training data."""
MAX_POSES, MIN_MOTION = 200, 0.3
"""Poses that are checked, and the range of a joint [rad] below which they are not conclusive."""
POSE_SHARE = 0.008
"""Share of an arm's length by which its tool may be off before it counts as another arm."""


def gather(
    sources: RecordingLike | Sequence[RecordingLike], arm: Arm, mapping: MappingLike | None = None
) -> list[Recording]:
    """Return every recording of some files or recordings; a file may hold several runs.

    Args:
        sources: files or recordings.
        arm: the recorded arm.
        mapping: names of the files' columns, as in ``read_recording``.
    """
    return [one for file in gather_each(sources, arm, mapping) for one in file]


def gather_each(
    sources: RecordingLike | Sequence[RecordingLike], arm: Arm, mapping: MappingLike | None = None
) -> list[list[Recording]]:
    """Return the recordings of every file; a recording counts as a file of its own.

    Args:
        sources: files or recordings.
        arm: the recorded arm.
        mapping: names of the files' columns, as in ``read_recording``.
    """
    return [
        [source] if isinstance(source, Recording) else read_recordings(source, arm, mapping=mapping)
        for source in _listed(sources)
    ]


def numbered_days(days: str | None, counts: Sequence[int]) -> list[int] | None:
    """Return the day of every recording by number; None where no days are given.

    Args:
        days: "each" where every file is of another day, or a name per file, separated by commas.
        counts: recordings in every file.

    Raises:
        InputError: another number of names than files.
    """
    if days is None:
        return None
    names = [str(k) for k in range(len(counts))] if days == "each" else days.split(",")
    names = [name.strip() for name in names]
    if len(names) != len(counts) or not all(names):
        raise InputError(
            f"days={days!r} names {len(names)} days for {len(counts)} files; give one name per "
            "file, separated by commas, or 'each' where every file is of another day"
        )
    order = {name: k for k, name in enumerate(dict.fromkeys(names))}
    pairs = zip(names, counts, strict=True)
    return [order[name] for name, count in pairs for _ in range(count)]


def files(sources: RecordingLike | Sequence[RecordingLike]) -> tuple[Path, ...]:
    """Return the files among some sources."""
    return tuple(Path(one) for one in _listed(sources) if not isinstance(one, Recording))


def split_runs(runs: list[Recording], share: float) -> tuple[list[Recording], list[Recording]]:
    """Return the first share of several runs and the rest; one run is cut in time.

    Raises:
        InputError: a share that leaves one part empty.
    """
    if not 0 < share < 1:
        raise InputError(f"a share of the data lies between 0 and 1, not {share:g}")
    if len(runs) > 1:
        count = round(share * len(runs))
        if not 0 < count < len(runs):
            raise InputError(f"a share of {share:g} of {len(runs)} runs leaves one part empty")
        return runs[:count], runs[count:]
    run = runs[0]
    time = run.require_clock()
    cut = float(time[0] + share * (time[-1] - time[0]))
    after = float(np.nextafter(time[time <= cut][-1], np.inf))
    return [run.slice(time[0], cut)], [run.slice(after, time[-1])]


def refuse_foreign_poses(arm: Arm, recordings: Sequence[Recording]) -> None:
    """Raise InputError where recorded tool poses do not fit this arm with any base and tool.

    Base and tool are fitted first; the remaining error is a few millimetres for the right arm and
    centimetres for another one.
    """
    for recording in recordings:
        if not recording.has("q", "position") or recording.q.shape[1] != arm.dof:
            continue
        measured = measured_poses(arm, [recording])
        thinned = measured.take(np.arange(0, len(measured), max(1, len(measured) // MAX_POSES)))
        if np.ptp(thinned.q, axis=0).max() < MIN_MOTION or len(thinned) < 3:
            continue
        fitted = aligned(arm, thinned)
        off = fk(fitted, thinned.q, ignore_limits=True)[:, :3, 3] - thinned.position
        size = float(np.sqrt(np.mean((off**2).sum(axis=1))))
        if size > POSE_SHARE * arm_length(arm):
            raise InputError(
                f"{recording.origin or 'a recording'}: its tool poses are {1e3 * size:.0f} mm from "
                f"those of {arm.name!r} with any tool: it seems to be of another arm"
            )


def refuse_shared_rows(train: Sequence[Recording], test: Sequence[Recording]) -> None:
    """Raise InputError where a test recording repeats rows of the training data.

    Rows are compared exactly in positions and signals.
    """
    seen = {row for recording in train for row in _rows(recording)}
    for recording in test:
        rows = _rows(recording)
        share = sum(row in seen for row in rows) / len(rows)
        if share > MAX_SHARED:
            raise InputError(
                f"test data {recording.origin or 'recording'} repeats {100 * share:.0f} % of the "
                "training data: a test on data that were fitted to proves nothing; give another "
                "recording, or split one (split)"
            )


def _listed(sources: RecordingLike | Sequence[RecordingLike]) -> list[RecordingLike]:
    return [sources] if isinstance(sources, str | Path | Recording) else list(sources)


def _rows(recording: Recording) -> list[bytes]:
    names = [g for g in ("q", "current", "tau", "target_tau") if recording.has(g)]
    table: Array = np.hstack([recording.group(name) for name in names])
    packed = np.ascontiguousarray(np.nan_to_num(table, nan=-1e300))
    return [row.tobytes() for row in packed]
