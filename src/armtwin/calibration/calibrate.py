"""Geometric calibration: the arm's own numbers from where its tool was measured to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armtwin.calibration.build_result import Fit, result
from armtwin.calibration.data.measurements import PoseMeasurements, gather, split
from armtwin.calibration.data.placements import Placed, Sources, opened
from armtwin.calibration.fit.parameter_sets import LADDER, attempts, best_of, compared
from armtwin.calibration.fit.start import prepared
from armtwin.calibration.result import Calibration
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.model.convert import convert

if TYPE_CHECKING:
    from armtwin.recording.read import MappingLike

SETS = ("auto", *[name for name, _ in LADDER], "single")
LEAST_POSES = 6


@dataclass(frozen=True)
class CalibrateOptions:
    """How to calibrate.

    Attributes:
        parameters: "auto" for the set that predicts left-out data best, or one by name: "frames"
            (base and tool), "offsets", "lengths", "geometry" (all of these and the twists),
            "compliance" (geometry and joint compliances), "single" (one by one).
        compliance: whether "auto" may take joint compliances; the arm needs masses for them.
        base: whether the base may move.
        tool: whether the tool may.
        length_tolerance: how far lengths are off by the maker's word or a guess [m].
        angle_tolerance: the same for angles [rad].
        hold_out: share of the rows that is not fitted to, for a test.
        largest_error: mean error on left-out or held-out poses above which the result does not
            pass [m]; None for 2 % of the arm's reach.
    """

    parameters: str = "auto"
    compliance: bool = True
    base: bool = True
    tool: bool = True
    length_tolerance: float = 0.002
    angle_tolerance: float = 0.01
    hold_out: float = 0.0
    largest_error: float | None = None

    def __post_init__(self) -> None:
        """Refuse names that do not exist and tolerances that are not positive."""
        if self.parameters not in SETS:
            raise InputError(
                f"no set of parameters {self.parameters!r}; there are {', '.join(SETS)}"
            )
        sizes = (self.length_tolerance, self.angle_tolerance)
        if not (np.isfinite(sizes).all() and min(sizes) > 0):
            raise InputError(f"tolerances are {sizes}; give positive numbers in metres and radians")
        if self.largest_error is not None and not 0 < self.largest_error < np.inf:
            raise InputError(f"the largest error is {self.largest_error}; give metres above zero")

    def shown(self) -> tuple[tuple[str, str], ...]:
        """Return every setting as a name and a text."""
        return tuple((name.replace("_", " "), _shown(value)) for name, value in vars(self).items())


def _shown(value: object) -> str:
    """Return a setting as a text."""
    if value is None:
        return "by the arm's reach"
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value}"


def calibrate(
    arm: Arm | str | Path,
    recordings: Sources,
    *,
    test: Sources = (),
    mapping: MappingLike | None = None,
    options: CalibrateOptions | None = None,
    told: Callable[[str], None] | None = None,
    **choices: object,
) -> Calibration:
    """Return the arm whose geometry, base and tool fit measured poses best.

    Robust least squares on the exact derivatives of the chain; numbers that the measurements
    cannot tell apart are held and named, all others come with 95 % intervals, and the error is
    given on data that was not fitted to. Every recording has a base and a tool of its own, unless
    recordings are given by the name of a placement that they share: ``{"cell": [first, second]}``.

    Args:
        arm: the arm as it should be, its name or file; screws are converted to modified DH.
        recordings: files or recordings with joints and the tool's measured position, with or
            without its orientation; or such by the name of their placement.
        test: recordings that are only predicted: in the base and tool of a fitted placement of the
            same name, or in their own, fitted to a fifth of their poses (10 at least).
        mapping: how the files' columns are named, where the guess is wrong.
        options: how to calibrate; or give its fields as keywords (``hold_out=0.5``).
        told: called with the name of every step as it begins.
        **choices: fields of ``CalibrateOptions``.

    Raises:
        MissingColumnError: joints or positions are missing.
        InputError: too few poses in a placement, or another number of joints.
    """
    chosen = options or CalibrateOptions(**choices)  # type: ignore[arg-type]
    tell = told or (lambda step: None)
    tell("reading")
    arm = arm if isinstance(arm, Arm) else load(arm)
    fitted = opened(arm, recordings, mapping)
    tests = opened(arm, test, mapping, prefix="test ")
    numbers = [fitted.placements.index(name) for name in fitted.names]
    everything = gather(arm, fitted.recordings, numbers)
    train, held = split(everything, chosen.hold_out)
    measured = everything.take(train)
    _check_count(measured, fitted)
    straight = arm if arm.convention != "screws" else convert(arm, "modified-dh")
    trials = prepared(straight, measured, chosen, fitted.placements)
    tried, honest = attempts(trials, chosen, tell)
    behind = compared(tried, measured)
    best = best_of(tried, behind, chosen.parameters)
    tell("testing")
    apart = everything.take(held) if held.size else None
    return result(Fit(trials, tried, behind, best, honest), fitted, apart, tests, chosen)


def _check_count(measured: PoseMeasurements, fitted: Placed) -> None:
    for name, rows in zip(fitted.placements, measured.placement_rows(), strict=True):
        if rows.size < LEAST_POSES:
            which = ", ".join(recording.origin for recording in fitted.of(name))
            raise InputError(
                f"{which}: {rows.size} poses are too few to calibrate with; give {LEAST_POSES} at "
                "least, and several times as many as joints for a result that holds elsewhere; "
                "recordings that share a base and a tool can be grouped"
            )
