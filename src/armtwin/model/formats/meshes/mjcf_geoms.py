"""Writing shapes as ``<geom>`` elements of an MJCF file."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from armtwin.model.formats.meshes.mjcf_assets import PLAIN, MjcfAssets
from armtwin.model.formats.xml import numbers
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
    Use,
)
from armtwin.model.link import without_noise
from armtwin.spatial import Array

VISUAL_GROUP, COLLISION_GROUP = "2", "3"
"""Groups of geoms, as MuJoCo's viewer shows and hides them by default."""


def pose_attributes(T: Array) -> dict[str, str]:
    """Return position and quaternion (w, x, y, z) attributes; the identity needs none."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = without_noise(Rotation.from_matrix(T[:3, :3]).as_quat())
    found = {}
    if np.abs(T[:3, 3]).max() > 0:
        found["pos"] = numbers(*without_noise(T[:3, 3]))
    if np.abs(T[:3, :3] - np.eye(3)).max() > 0:
        found["quat"] = numbers(w, x, y, z)
    return found


def add_geoms(body: ET.Element, shape: LinkShape, T: Array, assets: MjcfAssets) -> None:
    """Add a shape to a body; it has no mass, and collision shapes do not hit one another.

    Args:
        body: the body's element.
        shape: the shape.
        T: pose of its link frame in the body's frame (4, 4).
        assets: meshes and materials of the file.
    """
    common = {"mass": "0", **pose_attributes(T @ shape.pose), **_role(shape.use)}
    solid, material = shape.solid, shape.material
    if isinstance(solid, Mesh):
        for name, colour in assets.mesh(solid):
            look = _look(material, colour, assets)
            label = assets.geom_name(shape.name)
            ET.SubElement(body, "geom", {**label, "type": "mesh", "mesh": name, **common, **look})
        return
    kind, size = _half_sizes(solid)
    look = _look(material, None, assets)
    label = assets.geom_name(shape.name)
    ET.SubElement(body, "geom", {**label, "type": kind, "size": numbers(*size), **common, **look})


def _role(use: Use) -> dict[str, str]:
    if use == "visual":
        return {"group": VISUAL_GROUP}
    return {"group": COLLISION_GROUP, "contype": "1"}


def _look(material: Material | None, colour: Colour | None, assets: MjcfAssets) -> dict[str, str]:
    """Return colour attributes; the colours in a mesh file are more exact than its material's."""
    if colour is not None:
        return {"rgba": numbers(*colour)}
    if material is None:
        return {}
    if material.name:
        return {"material": assets.material(material)}
    return {"rgba": numbers(*(material.colour or PLAIN))}


def _half_sizes(solid: Solid) -> tuple[str, tuple[float, ...]]:
    if isinstance(solid, Box):
        return "box", tuple(edge / 2 for edge in solid.size)
    if isinstance(solid, Sphere):
        return "sphere", (solid.radius,)
    if isinstance(solid, Ellipsoid):
        return "ellipsoid", solid.radii
    assert isinstance(solid, Cylinder | CapsuleSolid)
    kind = "cylinder" if isinstance(solid, Cylinder) else "capsule"
    return kind, (solid.radius, solid.length / 2)
