"""Shapes in URDF: ``<visual>`` and ``<collision>`` elements, read and written."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from armtwin.errors import ArmFileError
from armtwin.model.appearance.generated import GENERATED
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.meshes.locate import ENDINGS, TEXTURES, locate
from armtwin.model.formats.xml import Node, numbers
from armtwin.model.geometry import (
    Box,
    CapsuleSolid,
    Colour,
    Cylinder,
    LinkShape,
    Material,
    Mesh,
    Solid,
    Sphere,
    Use,
    sizes,
)
from armtwin.model.link import without_noise
from armtwin.model.matrix import as_matrix
from armtwin.spatial import Array, from_parts, pose, rpy_from_rotation

USES: tuple[Use, Use] = ("visual", "collision")


def origin_of(node: Node) -> Array:
    """Return the pose (4, 4) of a URDF element's ``<origin>``."""
    origin = node.first("origin")
    if origin is None:
        return np.eye(4)
    return pose(origin.numbers("xyz", 3, (0, 0, 0)), origin.numbers("rpy", 3, (0, 0, 0)))


def add_origin(node: ET.Element, T: Array) -> None:
    """Add an ``<origin>`` to a URDF element."""
    rpy = without_noise(rpy_from_rotation(T[:3, :3]))
    ET.SubElement(node, "origin", xyz=numbers(*without_noise(T[:3, 3])), rpy=numbers(*rpy))


class UrdfShapes:
    """Reads the shapes of links.

    Args:
        robot: the root element, whose materials links may refer to.
        confined: accept only meshes beside the file and in installed packages.

    Attributes:
        notes: shapes that were left out, and why.
    """

    def __init__(self, robot: Node, *, confined: bool = False) -> None:
        self._path, self._confined = robot.path, confined
        self.notes: list[str] = []
        self._materials: dict[str, Material] = {}
        inside = [n for link in robot.all("link") for n in link.all("visual")]
        for node in [*robot.all("material"), *(m for v in inside for m in v.all("material"))]:
            found = self._material(node)
            if found.colour or found.texture:
                self._materials.setdefault(found.name, found)

    def of(self, link: Node) -> tuple[LinkShape, ...]:
        """Return the shapes of a link in its own frame."""
        nodes = [(use, node) for use in USES for node in link.all(use)]
        found = [
            self._shape(node, use)
            for use, node in nodes
            if not node.attributes.get("name", "").startswith(GENERATED)
        ]
        return tuple(shape for shape in found if shape is not None)

    def _shape(self, node: Node, use: Use) -> LinkShape | None:
        """Return a shape; one that cannot be drawn is left out with a note, as in other tools."""
        try:
            solid = self._solid(node.required_child("geometry"))
            if solid is None or not all(sizes(solid)):
                raise node.fault("has no solid of a size above 0")
            return self._placed(node, use, solid)
        except ArmFileError as error:
            if self._confined:
                raise
            self.notes.append(f"a shape is left out: {error}")
            return None

    def _placed(self, node: Node, use: Use, solid: Solid) -> LinkShape:
        """Return a solid with its place and material.

        Args:
            node: the ``<visual>`` or ``<collision>`` element.
            use: which of the two.
            solid: its solid.
        """
        given = node.first("material")
        material = None if given is None else self._material(given)
        if material is not None and not (material.colour or material.texture):
            material = self._materials.get(material.name, material)
        name = node.attributes.get("name", "")
        return LinkShape(0, solid, as_matrix(origin_of(node)), use, material, name)

    def _solid(self, geometry: Node) -> Solid | None:
        for node in geometry.children:
            if node.tag == "box":
                x, y, z = node.numbers("size", 3).tolist()
                return Box((x, y, z))
            if node.tag in ("cylinder", "capsule"):
                kind = Cylinder if node.tag == "cylinder" else CapsuleSolid
                return kind(node.number("radius"), node.number("length"))
            if node.tag == "sphere":
                return Sphere(node.number("radius"))
            if node.tag == "mesh":
                x, y, z = node.numbers("scale", 3, (1, 1, 1)).tolist()
                return found_mesh(node.text("filename"), self._path, (x, y, z), self._confined)
        return None

    def _material(self, node: Node) -> Material:
        colour, texture = node.first("color"), node.first("texture")
        file = None
        if texture is not None and "filename" in texture.attributes:
            file = locate(texture.text("filename"), self._path, confined=self._confined)
        return Material(
            node.attributes.get("name", ""),
            None if colour is None else colour_of(colour, "rgba"),
            file if file is not None and file.suffix.lower() in TEXTURES else None,
        )


def colour_of(node: Node, name: str) -> Colour:
    """Return a colour attribute, its parts brought between 0 and 1."""
    r, g, b, a = np.clip(node.numbers(name, 4), 0.0, 1.0).tolist()
    return r, g, b, a


def found_mesh(
    reference: str, arm_file: Path, scale: tuple[float, float, float], confined: bool
) -> Mesh:
    """Return the mesh that a reference names; its ``file`` is None where it is not found.

    Args:
        reference: as the arm file gives it.
        arm_file: the arm file.
        scale: factors along x, y, z.
        confined: accept only files beside the arm file and in installed packages.
    """
    file = locate(reference, arm_file, confined=confined)
    readable = file is not None and file.suffix.lower() in ENDINGS
    return Mesh(reference, file if readable else None, scale=scale)


def add_shape(link: ET.Element, shape: LinkShape, T: Array, names: AssetNames | None) -> None:
    """Add a shape to a URDF link; a solid that URDF does not have is left out.

    Args:
        link: the link's element.
        shape: the shape.
        T: pose of its link frame in the frame of the URDF link (4, 4).
        names: files that are copied; None to refer to meshes where they are.
    """
    for offset, attributes in _elements(shape.solid, names):
        node = ET.SubElement(link, shape.use)
        if shape.name:
            node.set("name", shape.name)
        add_origin(node, T @ shape.pose @ from_parts(np.eye(3), (0, 0, offset)))
        geometry = ET.SubElement(node, "geometry")
        tag = attributes.pop("tag")
        ET.SubElement(geometry, tag, attributes)
        if shape.material is not None and shape.use == "visual":
            _add_material(node, shape.material, names)


def _elements(solid: Solid, names: AssetNames | None) -> list[tuple[float, dict[str, str]]]:
    """Return the URDF elements of a solid, each with its place along z."""
    if isinstance(solid, Box):
        return [(0.0, {"tag": "box", "size": numbers(*solid.size)})]
    if isinstance(solid, Sphere):
        return [(0.0, {"tag": "sphere", "radius": numbers(solid.radius)})]
    if isinstance(solid, Mesh):
        element = {"tag": "mesh", "filename": reference_of(solid, names)}
        if solid.scale != (1.0, 1.0, 1.0):
            element["scale"] = numbers(*solid.scale)
        return [(0.0, element)]
    if isinstance(solid, Cylinder | CapsuleSolid):
        radius = numbers(solid.radius)
        bar = {"tag": "cylinder", "radius": radius, "length": numbers(solid.length)}
        if isinstance(solid, Cylinder):
            return [(0.0, bar)]
        ball, half = {"tag": "sphere", "radius": radius}, solid.length / 2
        return [(0.0, bar), (-half, dict(ball)), (half, dict(ball))]
    return []


def reference_of(mesh: Mesh, names: AssetNames | None) -> str:
    """Return how a file refers to a mesh: its copy, the file where it is, or its missing name."""
    if mesh.missing:
        return mesh.name
    if names is not None:
        return names.mesh(mesh)
    return mesh.name if mesh.file is None else str(mesh.file)


def _add_material(node: ET.Element, material: Material, names: AssetNames | None) -> None:
    element = ET.SubElement(node, "material", name=material.name)
    if material.colour is not None:
        ET.SubElement(element, "color", rgba=numbers(*material.colour))
    if material.texture is not None:
        file = str(material.texture) if names is None else names.texture(material.texture)
        ET.SubElement(element, "texture", filename=file)
