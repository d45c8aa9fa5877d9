"""Bars along an arm's geometry: for clearance, collisions and inertias of cylinders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.model.arm import Arm
from armtwin.model.link import motion, rows, tail
from armtwin.spatial import Array, from_parts, inverse, screw_frame

SLENDERNESS = 0.04
"""Radius of a link without one, as a fraction of the arm's stretched length."""
SHORTEST = 1e-6
"""Shorter segments are not drawn [m]."""
SMALLEST_RADIUS = 0.01
"""[m]"""


@dataclass(frozen=True)
class Bar:
    """A cylinder between two points of a frame [m]; a sphere if the points coincide."""

    start: Array
    end: Array
    radius: float

    @property
    def length(self) -> float:
        """Distance between the ends [m]."""
        return float(np.linalg.norm(self.end - self.start))

    @property
    def middle(self) -> Array:
        """Pose (4, 4) at half length with z along the bar."""
        z = (self.end - self.start) / self.length
        along_z = screw_frame(np.concatenate([np.zeros(3), z]))
        return from_parts(along_z[:3, :3], (self.start + self.end) / 2)


def bars(arm: Arm) -> list[list[Bar]]:
    """Return the bars of the base, in base, then those of every row, in its joint frame.

    A row's bars run from where its axis begins, along the axis to the joint frame, on to the link
    frame and to the next axis (the tool after the last). Radii are those of the links, or 4 % of
    the arm's stretched length.
    """
    lines = _lines(arm)
    whole = sum(float(np.linalg.norm(b - a)) for line in lines for a, b in _pairs(line))
    default = max(SLENDERNESS * whole, SMALLEST_RADIUS)
    given = [None, *[joint.link.radius for joint in arm.joints]]
    radii = [radius or default for radius in given]
    return [_bars_along(line, radius) for line, radius in zip(lines, radii, strict=True)]


def _lines(arm: Arm) -> list[list[Array]]:
    """Return for the base and every row the points its bars run through."""
    chain = rows(arm)
    first = np.array(arm.base) @ chain[0].before
    lines = [[np.zeros(3), np.array(arm.base)[:3, 3], first[:3, 3]]]
    ends = [*[row.before for row in chain[1:]], tail(arm)]
    for row, end in zip(chain, ends, strict=True):
        s = 0.0 if row.joint.kind == "fixed" else row.joint.offset
        begin = inverse(motion(row.joint, s))[:3, 3]
        lines.append([begin, np.zeros(3), row.after[:3, 3], (row.after @ end)[:3, 3]])
    return lines


def _pairs(line: list[Array]) -> list[tuple[Array, Array]]:
    return list(zip(line, line[1:], strict=False))


def _bars_along(line: list[Array], radius: float) -> list[Bar]:
    found = [Bar(a, b, radius) for a, b in _pairs(line)]
    return [bar for bar in found if bar.length > SHORTEST] or [Bar(line[0], line[0], radius)]
