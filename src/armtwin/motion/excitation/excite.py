"""A motion that tells the most about an arm, in one call."""

from __future__ import annotations

from typing import Any

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.motion.excitation.excitation import Excitation, ExcitationProblem
from armtwin.motion.excitation.fourier import excite_fourier
from armtwin.motion.excitation.trapezoids import excite_waypoints

KINDS = ("fourier", "waypoints")


def excite(
    arm: Arm,
    kind: str = "fourier",
    *,
    period: float = 10.0,
    harmonics: int = 5,
    points: int = 6,
    **request: Any,
) -> Excitation:
    """Return a D-optimised excitation of an arm.

    Args:
        arm: an arm with masses.
        kind: "fourier", a series of harmonics; or "waypoints", trapezoids through random points.
        period: of the series [s].
        harmonics: of the series.
        points: how many waypoints.
        request: ``limits``, ``around``, ``box``, ``rate``, ``seed`` of ``plan.excitation.Request``.

    Raises:
        InputError: an unknown kind, or numbers that make no sense.
        PlanError: no motion keeps to the limits.
        MissingDataError: the arm has no masses.
    """
    wanted = ExcitationProblem(arm, **request)
    if kind == "fourier":
        return excite_fourier(wanted, period, harmonics)
    if kind == "waypoints":
        return excite_waypoints(wanted, points)
    raise InputError(f"no kind {kind!r}; there are {' and '.join(KINDS)}")
