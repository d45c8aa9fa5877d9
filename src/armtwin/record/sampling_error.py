"""What resampling costs: back at the old rows, and at rows left out on purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.record.columns import TARGET, VECTORS, group_of, unit_of
from armtwin.record.recording import Recording
from armtwin.record.rotation import to_rotation
from armtwin.record.sampling import TURNING, WRAPPING, interpolated
from armtwin.spatial import Array


@dataclass(frozen=True)
class SamplingError:
    """How far values are off in one group of columns, in its unit."""

    group: str
    unit: str
    rms: float
    worst: float

    def __str__(self) -> str:
        """Return it as people read it."""
        return f"{self.group} {self.rms:.2g} {self.unit} RMS, {self.worst:.2g} at worst".strip()


def leave_out_errors(recording: Recording, *, method: str = "auto") -> tuple[SamplingError, ...]:
    """Return how well every second row is told by the others: a bound for what lies between rows.

    The gap is twice as wide as in real use, so that the true error is smaller.
    """
    if len(recording) < 6:
        return ()
    time, inner = recording.require_clock(), np.arange(1, len(recording) - 1, 2)
    kept = np.setdiff1d(np.arange(len(recording)), inner)
    rest = {name: values[kept] for name, values in recording.data.items()}
    told = interpolated(time[kept], rest, time[inner], method)
    return _errors(told, {name: values[inner] for name, values in recording.data.items()})


def back_errors(
    recording: Recording, resampled: Recording, *, method: str = "auto"
) -> tuple[SamplingError, ...]:
    """Return how far the resampled recording is off at the times of the original rows."""
    inside = recording.time <= resampled.time[-1]
    told = interpolated(resampled.time, resampled.data, recording.time[inside], method)
    return _errors(told, {name: values[inside] for name, values in recording.data.items()})


def _errors(told: dict[str, Array], true: dict[str, Array]) -> tuple[SamplingError, ...]:
    """Return the errors of every group of named columns; orientations by the angle between."""
    groups: dict[str, list[str]] = {}
    for name in told:
        if unit_of(name) is not None:
            groups.setdefault(group_of(name), []).append(name)
    return tuple(_error(group, names, told, true) for group, names in groups.items())


def _error(
    group: str, names: list[str], told: dict[str, Array], true: dict[str, Array]
) -> SamplingError:
    form, unit = group.removeprefix(TARGET), unit_of(names[0]) or ""
    ours, theirs = (np.stack([one[name] for name in names], axis=1) for one in (told, true))
    if form in TURNING and len(names) == len(VECTORS[form]):
        turn = to_rotation(form, ours).inv() * to_rotation(form, theirs)
        off, unit = np.asarray(turn.magnitude()), "rad"
    else:
        off = ours - theirs
    if form in WRAPPING:
        off = (off + np.pi) % (2 * np.pi) - np.pi
    return SamplingError(group, unit, float(np.sqrt(np.mean(off**2))), float(np.abs(off).max()))
