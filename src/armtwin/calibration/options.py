"""Options of a calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.spatial import as_number

PARAMETER_SETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("frames", ()),
    ("offsets", ("offsets",)),
    ("lengths", ("offsets", "lengths")),
    ("geometry", ("offsets", "lengths", "twists")),
    ("compliance", ("offsets", "lengths", "twists", "compliance")),
)
"""Names of the nested parameter sets, each with the groups that it adds to base and tool."""

SWITCHES = ("compliance", "curves", "base", "tool")
"""Options that are on or off."""

CHOICES = ("auto", *[name for name, _ in PARAMETER_SETS], "curves", "single")


@dataclass(frozen=True)
class CalibrateOptions:
    """Options of ``calibrate``.

    Attributes:
        parameters: "auto" for the set that predicts left-out data best, or one by name: "frames"
            (base and tool), "offsets", "lengths", "geometry" (all of these and the twists),
            "compliance" (geometry and joint compliances), "curves" (all of these and joint error
            curves), "single" (forward selection).
        compliance: whether "auto" and "curves" may fit compliances; the arm needs masses for them.
        curves: whether "auto" may choose joint error curves.
        base: whether the base frame is fitted.
        tool: whether the tool frame is fitted.
        length_tolerance: prior standard deviation of lengths [m].
        angle_tolerance: prior standard deviation of angles [rad].
        hold_out: share of the rows that is not fitted but tested on, 0 to 0.9.
        largest_error: mean error on left-out or held-out poses above which the result does not
            pass [m]; None for 2 % of the arm's reach.
    """

    parameters: str = "auto"
    compliance: bool = True
    curves: bool = True
    base: bool = True
    tool: bool = True
    length_tolerance: float = 0.002
    angle_tolerance: float = 0.01
    hold_out: float = 0.0
    largest_error: float | None = None

    def __post_init__(self) -> None:
        """Reject names that do not exist, switches that are none and numbers out of range."""
        if self.parameters not in CHOICES:
            raise InputError(
                f"no set of parameters {self.parameters!r}; there are {', '.join(CHOICES)}"
            )
        for name in SWITCHES:
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InputError(f"{name} is {getattr(self, name)!r}; give True or False")
        given = (self.length_tolerance, self.angle_tolerance)
        sizes = [as_number(size, "a tolerance") for size in given]
        if not (np.isfinite(sizes).all() and min(sizes) > 0):
            raise InputError(f"tolerances are {given}; give positive numbers in metres and radians")
        share = as_number(self.hold_out, "the share to hold out")
        if not 0 <= share <= 0.9:
            raise InputError(
                f"the share to hold out is {share:g}; give 0 (none) to 0.9, such as 0.5"
            )
        bound = self.largest_error
        if bound is not None and not 0 < as_number(bound, "the largest error") < np.inf:
            raise InputError(f"the largest error is {bound}; give metres above zero")

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the fitted frames, "base" and "tool" at most."""
        return tuple(name for name in ("base", "tool") if getattr(self, name))

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Return the options as names with values, for reports."""
        return tuple((name.replace("_", " "), _text(value)) for name, value in vars(self).items())


def _text(value: object) -> str:
    if value is None:
        return "2 % of the reach"
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value}"
