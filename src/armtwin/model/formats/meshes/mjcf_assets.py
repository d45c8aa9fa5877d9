"""Meshes and materials in the ``<asset>`` part of an MJCF file that is written.

MuJoCo reads binary STL and OBJ, one colour for each geom. A binary STL file is copied as it is;
any other mesh is written as one STL file for each of its colours.
"""

from __future__ import annotations

import struct
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

import numpy as np

from armtwin.errors import ArmTwinError
from armtwin.model.formats.meshes.asset_names import AssetNames, safe_name
from armtwin.model.formats.meshes.read_mesh import (
    Faces,
    MeshPart,
    mesh_bytes,
    mesh_parts,
    texture_colour,
)
from armtwin.model.formats.xml import numbers
from armtwin.model.geometry import Colour, Material, Mesh
from armtwin.spatial import Array

MAX_FACES = 200_000
"""Triangles of an STL file that MuJoCo accepts."""
PLAIN: Colour = (0.75, 0.77, 0.8, 1.0)
"""Colour of a surface that has none."""
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])


class MjcfAssets:
    """Adds meshes and materials to ``<asset>``, each of them once.

    Args:
        element: the ``<asset>`` element.
        names: collects the mesh files; None to leave meshes out.

    Attributes:
        left_out: meshes that could not be read, with the reason.
    """

    def __init__(self, element: ET.Element, names: AssetNames | None) -> None:
        self.element, self.names = element, names
        self.left_out: dict[str, str] = {}
        self._meshes: dict[Mesh, list[tuple[str, Colour | None]]] = {}
        self._materials: dict[Material, str] = {}
        self._geoms: list[str] = []

    def mesh(self, mesh: Mesh) -> list[tuple[str, Colour | None]]:
        """Return the assets of a mesh with the colours from its file; none if it is missing."""
        if mesh not in self._meshes:
            self._meshes[mesh] = self._added(mesh)
        return self._meshes[mesh]

    def material(self, material: Material) -> str:
        """Return the name of the asset of a material."""
        if material not in self._materials:
            name = _free(material.name or "material", list(self._materials.values()))
            colour = numbers(*surface_colour(material))
            ET.SubElement(self.element, "material", name=name, rgba=colour)
            self._materials[material] = name
        return self._materials[material]

    def geom_name(self, name: str) -> dict[str, str]:
        """Return the name attribute of a geom, made different from those before; none for ""."""
        if not name:
            return {}
        self._geoms.append(_free(name, self._geoms))
        return {"name": self._geoms[-1]}

    def _added(self, mesh: Mesh) -> list[tuple[str, Colour | None]]:
        if self.names is None:
            return []
        try:
            files = self._files(mesh, self.names)
        except ArmTwinError as error:
            self.left_out[mesh.name] = str(error)
            return []
        used = [name for parts in self._meshes.values() for name, _ in parts]
        found = []
        for file, colour in files:
            name = _free(PurePosixPath(file).stem, used)
            used.append(name)
            size = {} if mesh.scale == (1.0, 1.0, 1.0) else {"scale": numbers(*mesh.scale)}
            ET.SubElement(
                self.element, "mesh", {"name": name, "file": file, "inertia": "shell", **size}
            )
            found.append((name, colour))
        return found

    def _files(self, mesh: Mesh, names: AssetNames) -> list[tuple[str, Colour | None]]:
        """Return the files of a mesh in its own units, each with its colour."""
        data = mesh_bytes(mesh)
        if mesh.ending == ".stl" and _accepted(data):
            return [(names.file(safe_name(mesh), data), None)]
        stem = PurePosixPath(safe_name(mesh)).stem
        pieces = [
            (piece, part.colour)
            for part in mesh_parts(Mesh(mesh.name, mesh.file, mesh.data))
            for piece in _pieces(part)
        ]
        several = len(pieces) > 1
        return [
            (names.file(f"{stem}_{n}.stl" if several else f"{stem}.stl", piece), colour)
            for n, (piece, colour) in enumerate(pieces, 1)
        ]


def surface_colour(material: Material | None) -> Colour:
    """Return the colour of a surface: its own, its texture's mean, or a plain grey."""
    if material is None:
        return PLAIN
    if material.texture is not None:
        return texture_colour(material.texture) or material.colour or PLAIN
    return material.colour or PLAIN


def _accepted(data: bytes) -> bool:
    """Return whether MuJoCo reads an STL file: a binary one that is not too long."""
    if len(data) < 84:
        return False
    (count,) = struct.unpack_from("<I", data, 80)
    return 0 < count <= MAX_FACES and len(data) == 84 + 50 * count


def _pieces(part: MeshPart) -> list[bytes]:
    count = -(-len(part.faces) // MAX_FACES)
    return [stl_bytes(part.vertices, faces) for faces in np.array_split(part.faces, count)]


def _free(name: str, used: list[str]) -> str:
    free, number = name, 1
    while free in used:
        number += 1
        free = f"{name}_{number}"
    return free


def stl_bytes(vertices: Array, faces: Faces) -> bytes:
    """Return triangles as a binary STL file.

    Args:
        vertices: corners (n, 3).
        faces: corner indices of every triangle (m, 3).
    """
    corners = np.asarray(vertices, float)[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    table = np.zeros(len(faces), TRIANGLE)
    table["normal"] = normals / np.where(sizes > 0, sizes, 1.0)
    table["corners"] = corners
    return b"armtwin".ljust(80, b"\0") + np.uint32(len(faces)).tobytes() + table.tobytes()
