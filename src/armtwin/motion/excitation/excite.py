"""Excitation of an arm, in one call."""

from __future__ import annotations

from typing import Any

from armtwin.errors import InputError
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.motion.excitation.excitation import Excitation, ExcitationProblem
from armtwin.motion.excitation.fourier import excite_fourier
from armtwin.motion.excitation.trapezoids import excite_waypoints
from armtwin.progress import OnProgress

KINDS = ("fourier", "waypoints")


def excite(
    arm: ArmLike,
    kind: str = "fourier",
    *,
    period: float = 10.0,
    harmonics: int = 5,
    points: int = 6,
    on_progress: OnProgress | None = None,
    **request: Any,
) -> Excitation:
    """Return a D-optimised excitation of an arm.

    Args:
        arm: an arm with masses, its catalogue name or its file.
        kind: "fourier", a series of harmonics; or "waypoints", trapezoids through random points.
        period: of the series [s].
        harmonics: of the series.
        points: how many waypoints.
        on_progress: called as the search goes on; raise from it to cancel.
        request: ``limits``, ``around``, ``box``, ``rate``, ``seed`` of ``ExcitationProblem``.

    Raises:
        InputError: an unknown kind, or numbers that make no sense.
        PlanError: no motion keeps to the limits.
        MissingDataError: the arm has no masses.
    """
    wanted = ExcitationProblem(as_arm(arm), on_progress=on_progress, **request)
    if kind == "fourier":
        return excite_fourier(wanted, period, harmonics)
    if kind == "waypoints":
        return excite_waypoints(wanted, points)
    raise InputError(f"no kind {kind!r}; there are {' and '.join(KINDS)}")
