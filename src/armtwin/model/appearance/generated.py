"""Solids that draw an arm without meshes: joint housings, tubes between them, lids and a foot."""

from __future__ import annotations

import numpy as np

from armtwin.model.appearance.axes import LinkPath, link_paths
from armtwin.model.arm import Arm
from armtwin.model.geometry import Box, Colour, Cylinder, LinkShape, Material, Solid, Sphere
from armtwin.model.link import frames_at
from armtwin.model.matrix import as_matrix
from armtwin.model.shapes import SLENDERNESS, SMALLEST_RADIUS
from armtwin.spatial import Array, from_parts, inverse, screw_frame

GENERATED = "armtwin_"
"""Beginning of the names of shapes that a writer made up; readers leave them out."""
TUBE = 0.82
"""Radius of a tube in radii of its link."""
LID = 0.9
"""Radius of a housing's lid in radii of the housing; it stands out by a tenth of that radius."""
SHORTEST = 1e-4
"""Shorter segments are not drawn [m]."""
HOUSING: Colour = (0.72, 0.74, 0.77, 1.0)
PIPE: Colour = (0.85, 0.86, 0.88, 1.0)
LIDS: Colour = (0.24, 0.48, 0.68, 1.0)
FOOT: Colour = (0.45, 0.47, 0.5, 1.0)
"""Colours: red, green, blue and opacity, 0 to 1."""


def generated_shapes(arm: Arm) -> tuple[LinkShape, ...]:
    """Return solids along the kinematic chain that show where an arm's links and joints are.

    Every joint has a cylinder about its axis, from where the link before arrives to where its own
    leaves; tubes connect the housings. Radii are those of the links, or 4 % of the stretched
    length.
    """
    maker = _Maker(arm)
    paths = link_paths(arm)
    moving = [(row, path) for row, path in enumerate(paths, 1) if path is not None]
    maker.foot(moving[0][1])
    for place, (row, path) in enumerate(moving):
        before = moving[place - 1] if place else None
        after = moving[place + 1] if place + 1 < len(moving) else None
        maker.joint(row, path, before, after)
        maker.tube(row, path.leave, path.end)
    return tuple(maker.shapes)


class _Maker:
    """Collects solids given in base at q = 0 as shapes in link frames."""

    def __init__(self, arm: Arm) -> None:
        at_zero = frames_at(arm, np.zeros(arm.dof))
        self.frames = [np.array(arm.base), *at_zero.links]
        self.radii = _radii(arm)
        self.shapes: list[LinkShape] = []

    def add(self, row: int, solid: Solid, T: Array, colour: Colour) -> None:
        """Add a solid whose pose in base is ``T``.

        Args:
            row: of the link, 0 for the base.
            solid: the solid.
            T: its pose in base (4, 4).
            colour: of its surface.
        """
        place = as_matrix(inverse(self.frames[row]) @ T)
        name = f"{GENERATED}{len(self.shapes) + 1}"
        self.shapes.append(LinkShape(row, solid, place, "visual", Material("", colour), name))

    def cylinder(self, row: int, ends: tuple[Array, Array], radius: float, colour: Colour) -> None:
        """Add a cylinder between two points in base; nothing where they coincide.

        Args:
            row: of the link.
            ends: the points [m].
            radius: [m].
            colour: of its surface.
        """
        start, end = ends
        length = float(np.linalg.norm(end - start))
        if length > SHORTEST:
            T = _along(start, end)
            self.add(row, Cylinder(radius, length), T, colour)

    def foot(self, path: LinkPath) -> None:
        """Add the support of the first joint: a plate, and a tube where the axis is offset."""
        start, radius = self.frames[0][:3, 3], self.radii[0]
        self.tube(0, start, path.enter)
        up = self.frames[0][:3, 2]
        self.cylinder(0, (start, start + 0.35 * radius * up), 1.25 * radius, FOOT)

    def tube(self, row: int, start: Array, end: Array) -> None:
        """Add a tube between two points in base.

        Args:
            row: of the link.
            start: one end.
            end: the other.
        """
        self.cylinder(row, (start, end), TUBE * self.radii[row], PIPE)

    def joint(
        self,
        row: int,
        path: LinkPath,
        before: tuple[int, LinkPath] | None,
        after: tuple[int, LinkPath] | None,
    ) -> None:
        """Add the housing of a joint with its lids.

        Args:
            row: of the link.
            path: how the link runs.
            before: the row before and how its link runs; None for the first.
            after: the row after, likewise; None for the last.
        """
        radius = self.housing(row, before)
        z = path.z if (path.leave - path.enter) @ path.z >= 0 else -path.z
        low = 0.0 if before is None else self.width(before[0], before[1], row)
        high = 0.0 if after is None else self.width(row, path, after[0])
        if path.prismatic:
            middle = _along(path.enter - z, path.enter + z)
            self.add(row, Box((2 * radius, 2 * radius, 3 * radius)), middle, HOUSING)
            return
        start, end = path.enter - low * z, path.leave + high * z
        self.cylinder(row, (start, end), radius, HOUSING)
        lid = LID * radius
        if high:
            self.cylinder(row, (end, end + 0.12 * radius * z), lid, LIDS)
        if low:
            self.cylinder(row, (start - 0.12 * radius * z, start), lid, LIDS)
        if not (low or high) and np.linalg.norm(end - start) <= SHORTEST:
            self.add(row, Sphere(radius), from_parts(np.eye(3), start), HOUSING)

    def housing(self, row: int, before: tuple[int, LinkPath] | None) -> float:
        """Return the radius of a joint's housing: that of the thicker of the links it joins."""
        return self.radii[row] if before is None else max(self.radii[row], self.radii[before[0]])

    def width(self, row: int, path: LinkPath, after: int) -> float:
        """Return how far a housing reaches beyond where a link arrives or leaves [m].

        Args:
            row: the link.
            path: how it runs.
            after: the row that it leads to.
        """
        if np.linalg.norm(path.end - path.leave) > SHORTEST:
            return 1.05 * max(self.radii[row], self.radii[after])
        return max(self.radii[row], self.radii[after])


def _radii(arm: Arm) -> list[float]:
    """Return the radius of the base and of every row's link [m]."""
    paths = [path for path in link_paths(arm) if path is not None]
    points = [point for path in paths for point in (path.enter, path.leave, path.end)][1:]
    whole = sum(float(np.linalg.norm(b - a)) for a, b in zip(points, points[1:], strict=False))
    plain = max(SLENDERNESS * whole, SMALLEST_RADIUS)
    found = [joint.link.radius or plain for joint in arm.joints]
    return [found[0], *found]


def _along(start: Array, end: Array) -> Array:
    """Return the pose (4, 4) midway with z along the line."""
    z = (end - start) / np.linalg.norm(end - start)
    turn = screw_frame(np.concatenate([np.zeros(3), z]))
    return from_parts(turn[:3, :3], (start + end) / 2)
