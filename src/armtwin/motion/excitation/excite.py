"""Excitation of an arm, in one call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.motion.clearance.clearance import Environment
from armtwin.motion.excitation.excitation import Excitation, ExcitationProblem
from armtwin.motion.excitation.fourier import excite_fourier
from armtwin.motion.excitation.trapezoids import excite_waypoints
from armtwin.motion.limits import MotionLimits
from armtwin.motion.motion import RATE
from armtwin.options import choose_options
from armtwin.progress import OnProgress
from armtwin.spatial import as_number, as_seed, is_whole

KINDS = ("fourier", "waypoints")
MAX_PERIOD, MAX_RATE, MAX_HARMONICS, MAX_POINTS = 600.0, 10_000.0, 50, 100
"""Longest period [s], highest rate [Hz], most harmonics and waypoints: the search takes seconds
with the defaults, and grows with each of them."""


@dataclass(frozen=True, eq=False)
class ExciteOptions:
    """Options of ``excite``.

    Attributes:
        kind: "fourier", a series of harmonics; or "waypoints", trapezoids through random points.
        period: of the series [s].
        harmonics: of the series.
        points: how many waypoints.
        limits: on speed and acceleration; None: 3 rad/s and 6 rad/s2, less where a joint's own
            limit is lower.
        around: floor, obstacles, margin.
        box: lowest and highest tool positions in base (2, 3) [m]; None for anywhere.
        rate: samples per second of the motion.
        seed: of the random starts; the same seed gives the same motion.
    """

    kind: str = "fourier"
    period: float = 10.0
    harmonics: int = 5
    points: int = 6
    limits: MotionLimits | None = None
    around: Environment = Environment()
    box: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    rate: float = RATE
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse an unknown kind and numbers that make no sense."""
        if self.kind not in KINDS:
            raise InputError(f"no kind {self.kind!r}; there are {' and '.join(KINDS)}")
        for name, most in (("period", MAX_PERIOD), ("rate", MAX_RATE)):
            value = as_number(getattr(self, name), name)
            if not 0 < value <= most:
                raise InputError(f"{name} is {value:g}; give a number above 0, at most {most:g}")
        for name, largest in (("harmonics", MAX_HARMONICS), ("points", MAX_POINTS)):
            count = getattr(self, name)
            if not is_whole(count) or not 2 <= count <= largest:
                raise InputError(f"{name} is {count!r}; give a whole number, 2 to {largest}")
        if self.box is not None and np.shape(self.box) != (2, 3):
            raise InputError(f"box is {self.box!r}; give two corners of three numbers [m]")
        as_seed(self.seed)


def excite(
    arm: ArmLike,
    kind: str | None = None,
    *,
    options: ExciteOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: object,
) -> Excitation:
    """Return a D-optimised excitation of an arm.

    Args:
        arm: an arm with masses, its catalogue name or its file.
        kind: "fourier" or "waypoints"; None: that of the options.
        options: how to excite; or give its fields as keywords (``period=20.0``).
        on_progress: called as the search goes on; raise from it to cancel.
        **choices: fields of ``ExciteOptions``.

    Raises:
        InputError: an unknown kind, or numbers that make no sense.
        PlanError: no motion keeps to the limits.
        MissingDataError: the arm has no masses.
    """
    if kind is not None:
        choices["kind"] = kind
    chosen = choose_options(ExciteOptions, options, choices)
    wanted = ExcitationProblem(
        as_arm(arm),
        limits=chosen.limits,  # type: ignore[arg-type]  # None: the problem fills them in
        around=chosen.around,
        box=chosen.box,
        rate=chosen.rate,
        seed=chosen.seed,
        on_progress=on_progress,
    )
    if chosen.kind == "fourier":
        return excite_fourier(wanted, chosen.period, chosen.harmonics)
    return excite_waypoints(wanted, chosen.points)
