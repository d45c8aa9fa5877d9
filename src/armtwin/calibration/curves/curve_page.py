"""The section of a calibration's page that shows its joint error curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from armtwin.calibration.curves.summary import FittedCurve
from armtwin.report.page import Chart, Curve, Panel, Part, Shade, Table, Text

if TYPE_CHECKING:
    from armtwin.calibration.result import Calibration


def curve_parts(fit: Calibration) -> Iterator[Part]:
    """Yield the picture of the curves, and a table of visited ranges and determined terms."""
    yield Chart(
        "Joint error curves",
        "joint angle [deg]",
        tuple(_panel(curve) for curve in fit.curves),
        "Link angle minus joint reading, with its 95 % interval. Shaded: angles without "
        "measurements, where the curve is that of the prior: zero within its interval.",
    )
    heads = ("joint", "visited [deg]", "RMS there [mrad]", "± there (95 %) [mrad]", "coefficients")
    rows = tuple(_row(curve) for curve in fit.curves)
    yield Table((*heads, "determined"), rows, "Curves of the joints")
    yield Text(
        "A coefficient counts as determined by the share of its prior variance that the "
        "measurements removed. Every coefficient with its interval is in the JSON output.",
        "note",
    )


def _panel(curve: FittedCurve) -> Panel:
    degrees, mrad = np.rad2deg(curve.angle), curve.error * 1e3
    band = curve.half_width * 1e3
    lines = (
        Curve("error", degrees, mrad, colour=0),
        Curve("95 % upper", degrees, mrad + band, colour=2),
        Curve("95 % lower", degrees, mrad - band, colour=2),
    )
    return Panel(f"joint {curve.joint} [mrad]", lines, tuple(_unvisited(curve)))


def _unvisited(curve: FittedCurve) -> Iterator[Shade]:
    """Yield the angles that were not measured [deg]."""
    ends = [-np.pi, *[end for pair in curve.visited for end in pair], np.pi]
    for low, high in zip(ends[::2], ends[1::2], strict=True):
        if high - low > 1e-6:
            yield Shade("not measured", float(np.rad2deg(low)), float(np.rad2deg(high)))


def _row(curve: FittedCurve) -> tuple[object, ...]:
    ranges = [f"{np.rad2deg(low):.0f} to {np.rad2deg(high):.0f}" for low, high in curve.visited]
    inside = np.any([(a <= curve.angle) & (curve.angle <= b) for a, b in curve.visited], axis=0)
    width = float(np.median(curve.half_width[inside])) if inside.any() else 0.0
    count = curve.coefficients
    return curve.joint, ", ".join(ranges), curve.rms * 1e3, width * 1e3, count, curve.determined
