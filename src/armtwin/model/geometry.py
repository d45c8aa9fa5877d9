"""Shapes of links: primitive solids and meshes, with their place and material."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from armtwin.errors import InputError
from armtwin.model.matrix import IDENTITY, Matrix, as_matrix
from armtwin.spatial import Array

Use = Literal["visual", "collision"]
Triple = tuple[float, float, float]
Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, 0 to 1."""
MAX_SHAPES = 2000
"""Shapes of one arm."""


@dataclass(frozen=True)
class Box:
    """A box about the origin: edge lengths along x, y, z [m]."""

    size: Triple


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about z, centred at the origin [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class CapsuleSolid:
    """A cylinder about z with hemispheres at its ends; ``length`` is that of the cylinder [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """A sphere about the origin [m]."""

    radius: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about the origin: half axes along x, y, z [m]."""

    radii: Triple


@dataclass(frozen=True)
class Mesh:
    """A triangle mesh in a file or in memory; its coordinates times ``scale`` are metres.

    Attributes:
        name: reference as the arm's file gives it, such as ``package://robot/meshes/link1.dae``.
        file: the mesh file where it was found; None where it is missing or in memory.
        data: content of a mesh in memory, in the format of the name's ending.
        scale: factors along x, y, z.
    """

    name: str
    file: Path | None = None
    data: bytes | None = dataclasses.field(default=None, repr=False)
    scale: Triple = (1.0, 1.0, 1.0)

    @property
    def ending(self) -> str:
        """The ending of the name in lower case, such as ``.stl``."""
        return Path(self.name if self.file is None else self.file.name).suffix.lower()

    @property
    def missing(self) -> bool:
        """Whether there is neither a file nor data."""
        return self.file is None and self.data is None


Solid = Box | Cylinder | CapsuleSolid | Sphere | Ellipsoid | Mesh


@dataclass(frozen=True)
class Material:
    """Name, colour and texture file of a surface; None where not given."""

    name: str = ""
    colour: Colour | None = None
    texture: Path | None = None


@dataclass(frozen=True)
class LinkShape:
    """One solid of a link.

    Attributes:
        link: row of the chain whose link carries the solid, from 1; 0 is the base.
        solid: the solid.
        T_link_shape: its pose in the link frame of that row, or in frame 0 for the base, 4x4.
        use: for drawing or for collisions.
        material: its surface; None where not given.
        name: its name in the file, if any.
    """

    link: int
    solid: Solid
    T_link_shape: Matrix = IDENTITY
    use: Use = "visual"
    material: Material | None = None
    name: str = ""

    @property
    def pose(self) -> Array:
        """``T_link_shape`` as an array (4, 4)."""
        return np.array(self.T_link_shape)

    def moved(self, T: Array, link: int | None = None) -> LinkShape:
        """Return the shape seen from a frame in which its link frame has the pose ``T`` (4, 4)."""
        where = as_matrix(T @ self.pose)
        return dataclasses.replace(
            self, T_link_shape=where, link=self.link if link is None else link
        )


def sizes(solid: Solid) -> tuple[float, ...]:
    """Return the lengths [m] or scale factors that define a solid."""
    values = [
        getattr(solid, item.name)
        for item in dataclasses.fields(solid)
        if item.name not in ("name", "file", "data")
    ]
    return tuple(float(x) for value in values for x in np.atleast_1d(value))


def check_shapes(shapes: tuple[LinkShape, ...], rows: int) -> None:
    """Raise InputError for a shape of no link, or with impossible sizes or colours.

    Args:
        shapes: the shapes.
        rows: number of rows of the chain.
    """
    if len(shapes) > MAX_SHAPES:
        raise InputError(f"{len(shapes)} shapes; an arm has at most {MAX_SHAPES}")
    for number, shape in enumerate(shapes, 1):
        where = f"shape {number}"
        if not 0 <= shape.link <= rows:
            raise InputError(f"{where}: link {shape.link} is none of 0 (base) to {rows}")
        found = sizes(shape.solid)
        scaling = isinstance(shape.solid, Mesh)
        if not all(math.isfinite(x) and (x != 0 if scaling else x > 0) for x in found):
            raise InputError(f"{where}: {shape.solid} has an impossible size; sizes are positive")
        colour = shape.material.colour if shape.material else None
        if colour is not None and not all(0 <= part <= 1 for part in colour):
            raise InputError(f"{where}: colour {colour}; its parts are between 0 and 1")
