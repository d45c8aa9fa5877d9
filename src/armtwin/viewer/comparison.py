"""What a page needs to compare the twin with a recording again: recorded signals and motions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from armtwin.spatial import Array
from armtwin.validation.efforts import recorded_motion
from armtwin.validation.metrics import Metrics, Rows, Signal
from armtwin.validation.result import Check
from armtwin.viewer.arrays import packed_arrays

MAX_BYTES = 460_000
"""Size of the packed recording; rows are left out until it is kept. The page has 1.5 MB."""
FULL = 0.7
"""Share of that size below which more rows are taken."""
PROBE = 1500
"""Rows of the first trial."""
FEWEST = 50
"""Rows that are kept in any case."""
GROUPS = {
    "position": ("position",),
    "rpy": ("roll", "pitch", "yaw"),
    "quaternion": ("quaternion",),
}
"""Recorded arrays of the pose, with the signals that they are made of."""
EFFORTS = ("tau", "target_tau", "current", "power")


@dataclass(frozen=True, eq=False)
class KeptRows:
    """The rows of a recording that a file holds.

    Attributes:
        rows: their numbers, ascending.
        stride: every such row of the recording was taken, and the worst row of every signal.
    """

    rows: Rows
    stride: int


def kept_rows(check: Check, stride: int) -> KeptRows:
    """Return every ``stride``-th row, and the row of every signal's largest error."""
    even = np.arange(0, len(check.recording), stride)
    worst = [s.rows[int(np.abs(s.error).argmax())] for s in check.signals if s.rows.size]
    return KeptRows(np.union1d(even, np.array(worst, np.intp)).astype(np.intp), stride)


def recorded_arrays(check: Check) -> dict[str, Array]:
    """Return time, joints, recorded signals and motions of all rows; NaN where there is no value.

    ``real.NAME`` is what was recorded, ``motion.q``, ``motion.qd``, ``motion.qdd`` (and those of
    targets, ``motion.target_q`` ...) what torques are computed from.
    """
    run = check.recording
    time = run.time if run.timed else np.arange(float(len(run)))
    found = {"time": time - time[0], "q": run.q}
    signals = {signal.name: signal for signal in check.signals}
    for group, names in GROUPS.items():
        if names[0] in signals:
            found[f"real.{group}"] = np.hstack([_placed(signals[n], len(run)) for n in names])
    for name in EFFORTS:
        own = [s for s in check.signals if s.name.rstrip("0123456789") == name]
        if own:
            found[f"real.{name}"] = np.hstack([_placed(signal, len(run)) for signal in own])
            found |= _motion(check, "target_" if name.startswith("target_") else "")
    if run.has("qd") and "motion.qd" not in found:
        found["motion.qd"] = run.group("qd")
    return found


def _placed(signal: Signal, count: int) -> Array:
    """Return a signal's recorded values (count, k) by row; NaN where it has none."""
    return _at(signal.rows, signal.real.reshape(len(signal.rows), -1), count)


def _at(rows: Rows, values: Array, count: int) -> Array:
    found = np.full((count, values.shape[1]), np.nan)
    found[rows] = values
    return found


def _motion(check: Check, prefix: str) -> dict[str, Array]:
    motion = recorded_motion(check.recording, prefix)
    if isinstance(motion, str):
        return {}
    values, rows = motion
    parts = {"q": values.q, "qd": values.qd, "qdd": values.qdd}
    count = len(check.recording)
    return {f"motion.{prefix}{name}": _at(rows, x, count) for name, x in parts.items()}


def figures(check: Check, kept: KeptRows) -> list[Metrics]:
    """Return the figures of every signal over the kept rows alone."""
    return [_part(signal, kept).metrics for signal in check.signals]


def _part(signal: Signal, kept: KeptRows) -> Signal:
    inside = np.isin(signal.rows, kept.rows)
    parts = {name: getattr(signal, name)[inside] for name in ("rows", "real", "twin", "error")}
    return dataclasses.replace(signal, **parts)


def comparison(
    check: Check, max_bytes: int = MAX_BYTES, more: Mapping[str, Array] | None = None
) -> dict[str, Any]:
    """Return the recording, its figures and limits as plain data for a page.

    Args:
        check: the comparison with all rows.
        max_bytes: size of the packed recording; rows are left out evenly until it is kept.
        more: further arrays over the recording's rows, by name.
    """
    arrays = recorded_arrays(check) | dict(more or {})
    total = len(check.recording)
    stride, too_small = max(1, total // PROBE), 0
    while True:
        kept = kept_rows(check, stride)
        packed = packed_arrays({name: values[kept.rows] for name, values in arrays.items()})
        size = len(packed["data"])
        if size > max_bytes and len(kept.rows) > FEWEST:
            too_small = stride
            stride = max(stride + 1, int(stride * size / max_bytes))
        elif stride > too_small + 1 and size < FULL * max_bytes:
            guess = -int(-stride * size // (FULL * max_bytes))
            stride = max(too_small + 1, min(stride - 1, guess))
        else:
            break
    return {
        "name": check.recording.origin or "recording",
        "timed": check.recording.timed,
        "rows": len(check.recording),
        "kept": len(kept.rows),
        "stride": kept.stride,
        "packed": packed,
        "figures": [asdict(row) for row in figures(check, kept)],
        "all_rows": [asdict(row) for row in check.table],
        "limits": [
            {**asdict(judged.limit), "signal": judged.signal, "value": judged.limit.value}
            for judged in check.limits
            if judged.limit.figure != "lag"
        ],
        "failures": _lasting(check),
        "verdict": check.verdict,
        "passed": check.passed,
        "judged": check.is_judged,
        "causes": [cause.text for cause in check.causes],
        "notes": list(check.notes),
    }


def _lasting(check: Check) -> list[str]:
    """Return the failures that no change of the twin's numbers removes."""
    changing = {str(judged) for judged in check.limits if judged.limit.figure != "lag"}
    return [text for text in check.failures if text not in changing]
