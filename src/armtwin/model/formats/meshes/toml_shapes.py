"""Shapes in arm files of armtwin: the ``[[shapes]]`` tables, read and written."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, model_validator

from armtwin.errors import ArmFileError
from armtwin.model.formats.arm_file.angles import Angle
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.meshes.content_checks import MAX_BYTES
from armtwin.model.formats.meshes.locate import ENDINGS, TEXTURES, locate
from armtwin.model.formats.meshes.urdf_shapes import found_mesh, reference_of
from armtwin.model.geometry import (
    Box,
    CapsuleSolid,
    Colour,
    Cylinder,
    Ellipsoid,
    LinkShape,
    Material,
    Mesh,
    Solid,
    Sphere,
    Triple,
    Use,
)
from armtwin.model.matrix import as_matrix
from armtwin.spatial import as_pose, pose

FIELDS: dict[str, tuple[str, ...]] = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "ellipsoid": ("radii",),
    "mesh": ("file",),
}
"""Sizes that each kind of solid needs."""
KINDS: dict[type, str] = {
    Box: "box",
    Cylinder: "cylinder",
    CapsuleSolid: "capsule",
    Sphere: "sphere",
    Ellipsoid: "ellipsoid",
    Mesh: "mesh",
}


class ShapeTable(BaseModel):
    """[[shapes]]: one solid of a link, in the link's frame; lengths in metres.

    ``link`` is the row of the chain, 0 the base. ``file`` is relative to the arm file; ``data`` is
    the content of a mesh in base64, and ``file`` is then only its name.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    link: int
    solid: Literal["box", "cylinder", "capsule", "sphere", "ellipsoid", "mesh"]
    use: Use = "visual"
    name: str = ""
    size: Triple | None = None
    radius: float | None = None
    length: float | None = None
    radii: Triple | None = None
    file: str | None = None
    data: str | None = None
    scale: Triple = (1.0, 1.0, 1.0)
    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: tuple[Angle, Angle, Angle] = (0.0, 0.0, 0.0)
    matrix: list[list[float]] | None = None
    material: str | None = None
    colour: Colour | None = None
    texture: str | None = None

    @model_validator(mode="after")
    def _has_its_sizes(self) -> ShapeTable:
        missing = [name for name in FIELDS[self.solid] if getattr(self, name) is None]
        if missing:
            raise ValueError(f"a {self.solid} needs {' and '.join(missing)}")
        return self

    def value(self, arm_file: Path, *, confined: bool = False) -> LinkShape:
        """Return the shape.

        Args:
            arm_file: the arm file, which mesh files are relative to.
            confined: accept only meshes beside the arm file and in installed packages.
        """
        T = pose(self.xyz, self.rpy) if self.matrix is None else as_pose(self.matrix, "[[shapes]]")
        return LinkShape(
            self.link,
            self._solid(arm_file, confined),
            as_matrix(T),
            self.use,
            self._material(arm_file, confined),
            self.name,
        )

    def _solid(self, arm_file: Path, confined: bool) -> Solid:
        if self.solid == "mesh":
            name = self.file or ""
            if self.data is not None:
                return Mesh(name, data=_decoded(self.data, name), scale=self.scale)
            return found_mesh(name, arm_file, self.scale, confined)
        kind = next(kind for kind, name in KINDS.items() if name == self.solid)
        found: Solid = kind(*[getattr(self, name) for name in FIELDS[self.solid]])
        return found

    def _material(self, arm_file: Path, confined: bool) -> Material | None:
        if self.material is None and self.colour is None and self.texture is None:
            return None
        file = locate(self.texture or "", arm_file, confined=confined)
        known = file is not None and file.suffix.lower() in TEXTURES
        return Material(self.material or "", self.colour, file if known else None)


def _decoded(text: str, name: str) -> bytes:
    if not name.lower().endswith(ENDINGS):
        raise ArmFileError(f"mesh {name!r}: its name must end in {', '.join(ENDINGS)}")
    if len(text) > 2 * MAX_BYTES:
        raise ArmFileError(f"mesh {name!r}: more than {MAX_BYTES // 10**6} MB")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ArmFileError(f"mesh {name!r}: data is not base64: {error}") from error


def shape_fields(shape: LinkShape, names: AssetNames | None) -> dict[str, Any]:
    """Return the keys of a shape's table.

    Args:
        shape: the shape.
        names: collects mesh files that are to be copied; None to refer to them where they are, and
            to write meshes in memory into the table.
    """
    solid, kind = shape.solid, KINDS[type(shape.solid)]
    found: dict[str, Any] = {"link": shape.link, "use": shape.use, "solid": kind}
    if shape.name:
        found["name"] = shape.name
    if isinstance(solid, Mesh):
        found["file"] = reference_of(solid, names)
        if solid.data is not None and names is None:
            found["data"] = base64.b64encode(solid.data).decode()
        if solid.scale != (1.0, 1.0, 1.0):
            found["scale"] = solid.scale
    else:
        found |= {name: getattr(solid, name) for name in FIELDS[kind]}
    if not np.array_equal(shape.pose, np.eye(4)):
        found["matrix"] = shape.T_link_shape
    if shape.material is not None:
        found |= _surface(shape.material, names)
    return found


def _surface(material: Material, names: AssetNames | None) -> dict[str, Any]:
    found: dict[str, Any] = {"material": material.name}
    if material.colour is not None:
        found["colour"] = material.colour
    if material.texture is not None:
        file = material.texture
        found["texture"] = str(file) if names is None else names.texture(file)
    return found
