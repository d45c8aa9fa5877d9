"""Values between rows: resampling on an even grid, and the error that it causes.

PCHIP (piecewise cubic, shape preserving) is the default: it never goes beyond its neighbours, so
that an arm at rest stays at rest. On measured joints it is as exact as cubic splines (the noise
decides), on smooth plans nearly so; ``cubic`` and ``linear`` may be chosen. Orientations turn
about a fixed axis between rows, angles that jump by a turn are unwrapped first, and whole numbers
under a file's own name (modes, flags) are held.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.record.columns import TARGET, VECTORS, group_of, unit_of
from armtwin.record.recording import Recording
from armtwin.record.rotation import from_rotation, to_rotation
from armtwin.spatial import Array

METHODS = ("pchip", "cubic", "linear")
_TURNING = ("quaternion", "rotation_vector")
_WRAPPING = {"q", "rpy"}


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


def even_grid(start: float, stop: float, rate: float) -> Array:
    """Return the times ``start + k / rate`` up to ``stop``, with a last one within 1e-6 steps."""
    count = int(np.floor((stop - start) * rate + 1e-6)) + 1
    return np.asarray(start + np.arange(count) / rate)


def resample(recording: Recording, rate: float, *, method: str = "pchip") -> Recording:
    """Return the recording on an even grid of ``rate`` rows per second from its first row on."""
    time = recording.require_clock()
    if not np.isfinite(rate) or rate <= 0:
        raise InputError(f"a rate is a positive number of rows per second, got {rate}")
    if len(recording) < 2:
        raise InputError("a recording of one row cannot be resampled; it needs two or more")
    return at_times(recording, even_grid(time[0], time[-1], rate), method=method)


def at_times(recording: Recording, times: Array, *, method: str = "pchip") -> Recording:
    """Return the recording at other times, all within its own.

    Raises:
        InputError: an unknown method, times outside the recording, or columns with gaps.
    """
    if method not in METHODS:
        raise InputError(f"no method {method!r}; choose one of {', '.join(METHODS)}")
    time = recording.require_clock()
    slack = 1e-6 / recording.rate
    if times.size and (times[0] < time[0] - slack or times[-1] > time[-1] + slack):
        raise InputError(
            f"times from {times[0]:g} to {times[-1]:g} s leave the recording "
            f"({time[0]:g} to {time[-1]:g} s); nothing is known there"
        )
    gappy = [name for name, values in recording.data.items() if np.isnan(values).any()]
    if gappy:
        raise InputError(f"{', '.join(gappy[:5])}: no value in some rows; close the gaps first")
    data = interpolated(time, recording.data, np.clip(times, time[0], time[-1]), method)
    return dataclasses.replace(recording, time=times, data=data)


def interpolated(
    time: Array, data: Mapping[str, Array], times: Array, method: str = "pchip"
) -> dict[str, Array]:
    """Return columns at other times; orientations as a whole, the others one by one."""
    out: dict[str, Array] = {}
    for prefix in ("", TARGET):
        for form in _TURNING:
            names = [prefix + part for part in VECTORS[form]]
            if all(name in data for name in names):
                stacked = np.stack([data[name] for name in names], axis=1)
                turned = _turned(form, time, stacked, times)
                out |= dict(zip(names, turned.T.copy(), strict=True))
    for name, values in data.items():
        if name not in out:
            out[name] = _column(name, time, values, times, method)
    return {name: out[name] for name in data}


def _turned(form: str, time: Array, values: Array, times: Array) -> Array:
    from scipy.spatial.transform import Slerp

    return from_rotation(form, Slerp(time, to_rotation(form, values))(times))


def _column(name: str, time: Array, values: Array, times: Array, method: str) -> Array:
    if unit_of(name) is None and (values == np.round(values)).all():
        return values[np.searchsorted(time, times, "right") - 1]
    bare = group_of(name).removeprefix(TARGET)
    if bare in _WRAPPING and (np.abs(np.diff(values)) > np.pi).any():
        smooth = _curve(time, np.unwrap(values), times, method)
        return np.asarray((smooth + np.pi) % (2 * np.pi) - np.pi)
    return _curve(time, values, times, method)


def _curve(time: Array, values: Array, times: Array, method: str) -> Array:
    if method == "linear" or time.size < 3:
        return np.interp(times, time, values)
    from scipy.interpolate import CubicSpline, PchipInterpolator

    kind = PchipInterpolator if method == "pchip" else CubicSpline
    return np.asarray(kind(time, values)(times))


def leave_out_errors(recording: Recording, *, method: str = "pchip") -> tuple[SamplingError, ...]:
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
    recording: Recording, resampled: Recording, *, method: str = "pchip"
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
    if form in _TURNING and len(names) == len(VECTORS[form]):
        turn = to_rotation(form, ours).inv() * to_rotation(form, theirs)
        off, unit = np.asarray(turn.magnitude()), "rad"
    else:
        off = ours - theirs
    if form in _WRAPPING:
        off = (off + np.pi) % (2 * np.pi) - np.pi
    return SamplingError(group, unit, float(np.sqrt(np.mean(off**2))), float(np.abs(off).max()))
