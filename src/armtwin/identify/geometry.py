"""Geometric calibration: the arm's own numbers from where its tool was measured to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError
from armtwin.identify.calibrated import Calibration
from armtwin.identify.geometry_result import result
from armtwin.identify.measured import Measured, gather, split
from armtwin.identify.selection import attempts, best_of
from armtwin.identify.start import prepared
from armtwin.identify.trials import LADDER
from armtwin.model.arm import Arm
from armtwin.model.catalog import load
from armtwin.model.convert import convert

if TYPE_CHECKING:
    from armtwin.record.reading import MappingLike
    from armtwin.record.recording import Recording

SETS = ("auto", *[name for name, _ in LADDER], "single")
LEAST_POSES = 6


@dataclass(frozen=True)
class Options:
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
    """

    parameters: str = "auto"
    compliance: bool = True
    base: bool = True
    tool: bool = True
    length_tolerance: float = 0.002
    angle_tolerance: float = 0.01
    hold_out: float = 0.0

    def __post_init__(self) -> None:
        """Refuse names that do not exist and tolerances that are not positive."""
        if self.parameters not in SETS:
            raise InputError(
                f"no set of parameters {self.parameters!r}; there are {', '.join(SETS)}"
            )
        sizes = (self.length_tolerance, self.angle_tolerance)
        if not (np.isfinite(sizes).all() and min(sizes) > 0):
            raise InputError(f"tolerances are {sizes}; give positive numbers in metres and radians")

    def shown(self) -> tuple[tuple[str, str], ...]:
        """Return every setting as a name and a text."""
        words = {True: "yes", False: "no"}
        return tuple(
            (name.replace("_", " "), words[value] if isinstance(value, bool) else f"{value}")
            for name, value in vars(self).items()
        )


def calibrate(
    arm: Arm | str | Path,
    recordings: str | Path | Recording | Sequence[str | Path | Recording],
    *,
    test: Sequence[str | Path | Recording] = (),
    mapping: MappingLike | None = None,
    options: Options | None = None,
    told: Callable[[str], None] | None = None,
    **choices: object,
) -> Calibration:
    """Return the arm whose geometry, base and tool fit measured poses best.

    Robust least squares on the exact derivatives of the chain; numbers that the measurements
    cannot tell apart are held and named, all others come with 95 % intervals, and the error is
    given on data that was not fitted to.

    Args:
        arm: the arm as it should be, its name or file; screws are converted to modified DH.
        recordings: files or recordings with joints and the tool's measured position, with or
            without its orientation.
        test: recordings that are only predicted.
        mapping: how the files' columns are named, where the guess is wrong.
        options: how to calibrate; or give its fields as keywords (``hold_out=0.5``).
        told: called with the name of every step as it begins.
        **choices: fields of ``Options``.

    Raises:
        MissingColumnError: joints or positions are missing.
        InputError: too few poses, or another number of joints.
    """
    chosen = options or Options(**choices)  # type: ignore[arg-type]
    tell = told or (lambda step: None)
    tell("reading")
    arm = arm if isinstance(arm, Arm) else load(arm)
    runs, files = _opened(arm, recordings, mapping)
    tests, test_files = _opened(arm, test, mapping)
    everything = gather(arm, runs)
    train, held = split(everything, chosen.hold_out)
    measured = everything.take(train)
    _check_count(measured)
    straight = arm if arm.convention != "screws" else convert(arm, "modified-dh")
    trials = prepared(straight, measured, chosen)
    tried, honest = attempts(trials, chosen, tell)
    best = best_of(tried, chosen.parameters)
    tell("testing")
    apart = [everything.take(held)] if held.size else []
    apart += [gather(arm, tests)] if tests else []
    return result(trials, tried, best, honest, apart, chosen.shown(), (*files, *test_files))


def _opened(
    arm: Arm,
    given: str | Path | Recording | Sequence[str | Path | Recording],
    mapping: MappingLike | None,
) -> tuple[list[Recording], list[Path]]:
    from armtwin.record.reading import read_recording
    from armtwin.record.recording import Recording as Type

    many = [given] if isinstance(given, str | Path | Type) else list(given)
    files = [Path(one) for one in many if not isinstance(one, Type)]
    runs = [one if isinstance(one, Type) else read_recording(one, arm, mapping) for one in many]
    return runs, files


def _check_count(measured: Measured) -> None:
    if len(measured) < LEAST_POSES:
        raise InputError(
            f"{len(measured)} poses are too few to calibrate with; give {LEAST_POSES} at least, "
            "and several times as many as joints for a result that holds elsewhere"
        )
