"""Limits on a comparison's figures: those of the source documents, or a user's own.

A limit is written ``SIGNAL[.FIGURE]=NUMBER[UNIT]``: ``position=1mm``, ``position.max=5mm``,
``angle=0.2deg``, ``tau.r2=0.95`` (of every joint), ``tau2=4Nm``, ``lag=0.5`` (samples) or
``lag=2ms``. Without a figure it holds the RMSE.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from armtwin.errors import InputError
from armtwin.units import shown, si_factor, unit_names
from armtwin.validation.lags.signal_lag import Lag
from armtwin.validation.metrics import Metrics

FIGURES = ("rmse", "mae", "max", "p50", "p95", "p99", "bias", "r2")
REPORT = "S. Kahraman, UR10e FK FMU report (2025), Table 5"
_FORM = re.compile(r"([a-z_]+\d*)(?:\.([a-z0-9]+))?\s*(?:<|<=|=|>=|>)\s*([-+0-9.eE]+)\s*(\S*)")
_SIGNALS = {
    "x": "m", "y": "m", "z": "m", "position": "m", "roll": "rad", "pitch": "rad", "yaw": "rad",
    "quaternion": "1", "angle": "rad", "tau": "Nm", "target_tau": "Nm", "current": "A",
    "power": "W", "lag": "samples",
}  # fmt: skip


@dataclass(frozen=True)
class Limit:
    """Upper limit on a figure of a signal; lower limit on R2. Values in SI units.

    ``signal`` without a number holds for every joint: ``tau`` for tau1, tau2, ...
    """

    signal: str
    figure: str
    value: float
    unit: str
    source: str = "given"

    def matches(self, signal: str) -> bool:
        """Return whether the limit applies to a signal."""
        return signal == self.signal or signal.rstrip("0123456789") == self.signal

    def __str__(self) -> str:
        """Return the limit as it is written."""
        sign = ">=" if self.figure == "r2" else "<="
        unit = "" if self.unit == "1" or self.figure == "r2" else f" {self.unit}"
        return f"{self.signal} {self.figure} {sign} {self.value:.4g}{unit}"


DEFAULTS = tuple(
    Limit(signal, figure, value, unit, REPORT)
    for signal, unit, values in (
        ("position", "m", {"mae": 0.0045, "rmse": 0.0062, "max": 0.013}),
        ("quaternion", "1", {"mae": 0.012, "rmse": 0.019, "max": 0.042}),
    )
    for figure, value in values.items()
)
"""Errors that the forward-kinematics report found for its own model."""


@dataclass(frozen=True)
class LimitCheck:
    """A limit beside the figure it is about."""

    limit: Limit
    signal: str
    value: float | None

    @property
    def kept(self) -> bool:
        """Whether the limit is kept; False where the figure does not exist."""
        if self.value is None:
            return False
        if self.limit.figure == "r2":
            return self.value >= self.limit.value
        return abs(self.value) <= self.limit.value

    def __str__(self) -> str:
        """Return the figure and its limit, in the units that people read."""
        name, size = ("", 1.0) if self.limit.figure == "r2" else shown(self.limit.unit)
        what = self.signal if self.limit.figure == "lag" else f"{self.signal} {self.limit.figure}"
        found = "no figure" if self.value is None else f"{self.value * size:.4g} {name}".rstrip()
        sign = "at least" if self.limit.figure == "r2" else "at most"
        return f"{what} is {found}, {sign} {self.limit.value * size:.4g} {name}".rstrip()


def parse_limit(text: str) -> Limit:
    """Return the limit that a text such as ``position.max=5mm`` states.

    Raises:
        InputError: no such signal, figure or unit; those that exist are listed.
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise InputError(f"limit {text!r}: write SIGNAL=NUMBER UNIT, such as position=1mm")
    signal, figure, number, unit = form.groups()
    base = _SIGNALS.get(signal) or _SIGNALS.get(signal.rstrip("0123456789"))
    if base is None:
        raise InputError(f"limit {text!r}: no signal {signal!r}; there are {', '.join(_SIGNALS)}")
    if figure is not None and figure not in FIGURES:
        raise InputError(f"limit {text!r}: no figure {figure!r}; there are {', '.join(FIGURES)}")
    if signal == "lag":
        base, figure = "samples" if unit in ("", "sample", "samples") else "s", "lag"
    figure = figure or "rmse"
    try:
        value = float(number)
    except ValueError as error:
        raise InputError(f"limit {text!r}: {number!r} is not a number") from error
    if not math.isfinite(value):
        raise InputError(f"limit {text!r}: {number!r} is infinite, and everything would pass")
    return Limit(signal, figure, value * _size(text, figure, base, unit), base)


def _size(text: str, figure: str, base: str, unit: str) -> float:
    has_unit = figure != "r2" and base != "1"
    if base == "samples" or not (unit or has_unit):
        return 1.0
    size = si_factor(unit, base) if has_unit else None
    if size is None:
        names = ", ".join(unit_names(base)) if has_unit else "no unit"
        raise InputError(f"limit {text!r}: give {names} behind the number, not {unit!r}")
    return size


def with_default_limits(given: Sequence[str | Limit]) -> tuple[Limit, ...]:
    """Return the given limits, with the defaults of all signals that they do not name."""
    own = [limit if isinstance(limit, Limit) else parse_limit(limit) for limit in given]
    named = {limit.signal for limit in own}
    return (*own, *[limit for limit in DEFAULTS if limit.signal not in named])


def judge(
    limits: Sequence[Limit], table: Sequence[Metrics], lag: Lag | None
) -> tuple[list[LimitCheck], list[str]]:
    """Return every limit that applies with its figure, and given limits that apply to nothing.

    Defaults about signals that were not compared are left out; a given limit that
    cannot be judged counts as not kept.

    Args:
        limits: the limits in force.
        table: figures of every signal.
        lag: the lag; None where it could not be estimated.
    """
    judged: list[LimitCheck] = []
    idle: list[str] = []
    for limit in limits:
        if limit.figure == "lag":
            value = None if lag is None else lag.samples if limit.unit == "samples" else lag.seconds
            judged.append(LimitCheck(limit, "lag", value))
            continue
        rows = [row for row in table if limit.matches(row.signal)]
        judged += [LimitCheck(limit, row.signal, getattr(row, limit.figure)) for row in rows]
        if not rows and limit not in DEFAULTS:
            idle.append(f"{limit.signal} was not compared, so {limit} cannot be judged")
    return judged, idle
