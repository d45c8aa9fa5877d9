"""Reading the shapes of an MJCF file: ``<geom>`` elements and their assets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armtwin.errors import ArmFileError
from armtwin.model.appearance.generated import GENERATED
from armtwin.model.formats.meshes.locate import TEXTURES, locate
from armtwin.model.formats.meshes.urdf_shapes import colour_of, found_mesh
from armtwin.model.formats.mjcf_settings import MAIN, MjcfSettings
from armtwin.model.formats.xml import Node, numbers
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
    sizes,
)
from armtwin.model.matrix import as_matrix
from armtwin.spatial import Array, from_parts, inverse, screw_frame

HIDDEN_GROUP = 3
"""MuJoCo's viewer hides geoms of this group and above by default."""


class MjcfShapes:
    """Reads the geoms of bodies.

    A geom that collides with nothing is visual; one of group 3 or above that collides is a
    collision shape; any other geom is both.

    Args:
        root: the file's root element, with its assets.
        settings: default classes and units.
        confined: accept only meshes beside the file.

    Attributes:
        notes: shapes that were left out, and why.
    """

    def __init__(self, root: Node, settings: MjcfSettings, *, confined: bool = False) -> None:
        self._path, self._settings, self._confined = root.path, settings, confined
        self.notes: list[str] = []
        folders: dict[str, str] = {}
        for node in root.all("compiler"):
            folders |= node.attributes
        self._meshdir = folders.get("meshdir", folders.get("assetdir", ""))
        self._texturedir = folders.get("texturedir", folders.get("assetdir", ""))
        assets = [node for asset in root.all("asset") for node in asset.children]
        filled = [settings.filled(node, MAIN) for node in assets]
        self._meshes = {_name(node): node for node in filled if node.tag == "mesh"}
        self._textures = {_name(node): node for node in filled if node.tag == "texture"}
        self._materials = {_name(node): node for node in filled if node.tag == "material"}

    def of(self, given: Node, childclass: str) -> list[LinkShape]:
        """Return the shapes of a geom in its body's frame."""
        node = self._settings.filled(given, childclass)
        name = node.attributes.get("name", "")
        if name.startswith(GENERATED) or node.attributes.get("type") in ("plane", "hfield"):
            return []
        try:
            solid, T = self._solid(node)
            if not all(sizes(solid)):
                raise given.fault("has no size above 0")
            material = self._material(node)
        except ArmFileError as error:
            if self._confined:
                raise
            self.notes.append(f"a shape is left out: {error}")
            return []
        place = as_matrix(T)
        return [LinkShape(0, solid, place, use, material, name) for use in _uses(node)]

    def _solid(self, node: Node) -> tuple[Solid, Array]:
        kind = node.attributes.get("type", "sphere")
        if kind == "mesh":
            return self._mesh(node)
        if "mesh" in node.attributes:
            raise node.fault("a solid fitted to a mesh is not read")
        if "fromto" in node.attributes:
            T, half = _between(node)
            return _primitive(kind, np.append(node.numbers("size", _count(node)), 0), half, node), T
        size = node.numbers("size", _count(node))
        return _primitive(kind, np.append(size, [0, 0]), None, node), self._settings.pose(node)

    def _mesh(self, geom: Node) -> tuple[Mesh, Array]:
        name = geom.text("mesh")
        if name not in self._meshes:
            raise geom.fault(f"no mesh {name!r} among the assets")
        asset, T = self._meshes[name], self._settings.pose(geom)
        if {"refpos", "refquat"} & set(asset.attributes):
            T = T @ inverse(self._reference(asset))
        x, y, z = asset.numbers("scale", 3, (1, 1, 1)).tolist()
        if "vertex" in asset.attributes:
            return Mesh(f"{name}.obj", data=_inline(asset), scale=(x, y, z)), T
        file = (Path(self._meshdir) / asset.text("file")).as_posix()
        return found_mesh(file, self._path, (x, y, z), self._confined), T

    def _reference(self, asset: Node) -> Array:
        if asset.numbers("scale", 3, (1, 1, 1)).tolist() != [1, 1, 1]:
            raise asset.fault("refpos and refquat together with scale are not read")
        found = {"pos": asset.attributes.get("refpos", "0 0 0")}
        found["quat"] = asset.attributes.get("refquat", "1 0 0 0")
        return self._settings.pose(Node(asset.tag, found, asset.path, asset.line))

    def _material(self, geom: Node) -> Material | None:
        colour: Colour | None = colour_of(geom, "rgba") if "rgba" in geom.attributes else None
        name = geom.attributes.get("material", "")
        if not name:
            return None if colour is None else Material("", colour)
        asset = self._materials.get(name)
        if asset is None:
            raise geom.fault(f"no material {name!r} among the assets")
        if colour is None and "rgba" in asset.attributes:
            colour = colour_of(asset, "rgba")
        return Material(name, colour, self._texture(asset.attributes.get("texture", "")))

    def _texture(self, name: str) -> Path | None:
        asset = self._textures.get(name)
        if asset is None or "file" not in asset.attributes:
            return None
        reference = (Path(self._texturedir) / asset.text("file")).as_posix()
        file = locate(reference, self._path, confined=self._confined)
        return file if file is not None and file.suffix.lower() in TEXTURES else None


def _name(node: Node) -> str:
    return node.attributes.get("name") or Path(node.attributes.get("file", "")).stem


def _uses(node: Node) -> tuple[Use, ...]:
    collides = node.number("contype", 1.0) or node.number("conaffinity", 1.0)
    if not collides:
        return ("visual",)
    return ("collision",) if node.number("group", 0.0) >= HIDDEN_GROUP else ("visual", "collision")


def _count(node: Node) -> int:
    return len(node.text("size").split())


def _between(node: Node) -> tuple[Array, float]:
    """Return the pose with z along ``fromto`` at half length, and half of the length."""
    start, end = np.split(node.numbers("fromto", 6), 2)
    length = float(np.linalg.norm(end - start))
    if length < 1e-12:
        raise node.fault("fromto has no length")
    turn = screw_frame(np.concatenate([np.zeros(3), (end - start) / length]))
    return from_parts(turn[:3, :3], (start + end) / 2), length / 2


def _primitive(kind: str, size: Array, half: float | None, node: Node) -> Solid:
    """Return a primitive of MuJoCo's half sizes.

    Args:
        kind: MuJoCo's type.
        size: its sizes, padded with zeros.
        half: half length along z where ``fromto`` gives it.
        node: for messages.
    """
    r, s, t = (float(x) for x in size[:3])
    if kind == "sphere":
        return Sphere(r)
    if kind in ("capsule", "cylinder"):
        length = 2 * (s if half is None else half)
        return CapsuleSolid(r, length) if kind == "capsule" else Cylinder(r, length)
    if kind in ("box", "ellipsoid"):
        half_sizes = (r, s, t) if half is None else (r, s or r, half)
        x, y, z = half_sizes
        return Box((2 * x, 2 * y, 2 * z)) if kind == "box" else Ellipsoid(half_sizes)
    raise node.fault(f"type={kind!r} is not read")


def _inline(asset: Node) -> bytes:
    """Return a mesh given by its vertices as OBJ text; without faces it is their convex hull."""
    vertices = asset.numbers("vertex", len(asset.text("vertex").split())).reshape(-1, 3)
    if "face" in asset.attributes:
        corners = asset.numbers("face", len(asset.text("face").split()))
        faces = corners.astype(int).reshape(-1, 3)
    else:
        from scipy.spatial import ConvexHull

        faces = ConvexHull(vertices).simplices
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise asset.fault("face names a vertex that is not there")
    lines = [f"v {numbers(*vertex)}" for vertex in vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
    return ("\n".join(lines) + "\n").encode()
