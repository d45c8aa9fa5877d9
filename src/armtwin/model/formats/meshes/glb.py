"""The shapes of an arm as one GLB file: a node for the base and for every row of the chain.

Node ``link_0`` is in frame 0, node ``link_i`` in the link frame of row i, as ``link_poses`` gives
it. Coordinates are metres with z up, as everywhere in armtwin; glTF itself has no z up, so a viewer
poses the nodes itself. The file has no textures: surfaces have one colour each.
"""

from __future__ import annotations

import json
import struct
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armtwin.errors import ArmTwinError, ModelWarning
from armtwin.model.formats.meshes.mjcf_assets import surface_colour
from armtwin.model.formats.meshes.read_mesh import Faces
from armtwin.model.formats.meshes.solids import solid_parts
from armtwin.model.geometry import Colour, LinkShape
from armtwin.spatial import Array

CREASE = 0.77
"""Cosine of the angle between faces above which an edge stays sharp: 40 degrees."""
FLOAT, UNSIGNED = 5126, 5125
"""Component types of glTF 2.0: 32-bit float, 32-bit unsigned integer."""


def coloured_parts(
    shapes: Sequence[LinkShape], rows: int
) -> list[dict[Colour, list[tuple[Array, Faces]]]]:
    """Return for the base and every row the triangles of each colour, in the link frame.

    Shapes that cannot be read are left out, with a warning.

    Args:
        shapes: the shapes.
        rows: number of rows of the chain.
    """
    found: list[dict[Colour, list[tuple[Array, Faces]]]] = [{} for _ in range(rows + 1)]
    for shape in shapes:
        T = shape.pose
        try:
            parts = solid_parts(shape.solid)
        except ArmTwinError as error:
            warnings.warn(f"a shape is not drawn: {error}", ModelWarning, stacklevel=2)
            continue
        for part in parts:
            colour = part.colour or surface_colour(shape.material)
            vertices = part.vertices @ T[:3, :3].T + T[:3, 3]
            found[shape.link].setdefault(colour, []).append((vertices, part.faces))
    return found


@dataclass
class _Buffer:
    """The binary part and the tables that refer to it."""

    data: bytearray = field(default_factory=bytearray)
    views: list[dict[str, int]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, array: Any, kind: str, component: int) -> int:
        """Return the number of a new accessor.

        Args:
            array: the values, one row for each element.
            kind: glTF's type: VEC3 or SCALAR.
            component: glTF's component type.
        """
        raw = array.tobytes()
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw)})
        self.data += raw
        accessor = {
            "bufferView": len(self.views) - 1,
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        if kind == "VEC3":
            accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def glb_bytes(shapes: Sequence[LinkShape], rows: int) -> bytes:
    """Return the shapes as a GLB file.

    Args:
        shapes: the shapes.
        rows: number of rows of the chain.
    """
    return glb_of_parts(coloured_parts(shapes, rows))


def glb_of_parts(parts: Sequence[dict[Colour, list[tuple[Array, Faces]]]]) -> bytes:
    """Return triangles as a GLB file; ``parts`` is what ``coloured_parts`` returns."""
    buffer = _Buffer()
    colours = list(dict.fromkeys(colour for link in parts for colour in link))
    meshes: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    for number, link in enumerate(parts):
        node: dict[str, Any] = {"name": f"link_{number}"}
        primitives = [
            _primitive(pieces, colours.index(colour), buffer)
            for colour, pieces in link.items()
            if any(len(faces) for _, faces in pieces)
        ]
        if primitives:
            node["mesh"] = len(meshes)
            meshes.append({"name": f"link_{number}", "primitives": primitives})
        nodes.append(node)
    tree: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "armtwin"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes,
    }
    if meshes:
        tree |= {
            "meshes": meshes,
            "materials": [_material(colour) for colour in colours],
            "accessors": buffer.accessors,
            "bufferViews": buffer.views,
            "buffers": [{"byteLength": len(buffer.data)}],
        }
    return _packed(tree, bytes(buffer.data))


def _primitive(pieces: list[tuple[Array, Faces]], material: int, buffer: _Buffer) -> dict[str, Any]:
    corners = np.concatenate([vertices[faces] for vertices, faces in pieces])
    positions, normals, indices = _smooth(corners)
    return {
        "attributes": {
            "POSITION": buffer.add(positions, "VEC3", FLOAT),
            "NORMAL": buffer.add(normals, "VEC3", FLOAT),
        },
        "indices": buffer.add(indices, "SCALAR", UNSIGNED),
        "material": material,
    }


def _smooth(corners: Array) -> tuple[Any, Any, Any]:
    """Return vertices, their normals and the triangles' indices; edges above 40 deg stay sharp.

    A corner takes the mean normal of the faces at its place, or its own face's where they differ.
    """
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    places = corners.reshape(-1, 3).astype(np.float32)
    _, place = np.unique(places.round(6), axis=0, return_inverse=True)
    place = place.reshape(-1)
    weighted = np.repeat(flat, 3, axis=0)
    sums = np.column_stack([np.bincount(place, weighted[:, k]) for k in range(3)])
    own, mean = _unit(weighted), _unit(sums.astype(float)[place])
    close = (own * mean).sum(axis=1, keepdims=True) > CREASE
    normals = np.where(close, mean, own).astype(np.float32)
    rows, indices = np.unique(np.hstack([places, normals.round(3)]), axis=0, return_inverse=True)
    whole = _unit(rows[:, 3:]).astype(np.float32)
    return np.ascontiguousarray(rows[:, :3]), whole, indices.reshape(-1).astype(np.uint32)


def _unit(vectors: Array) -> Array:
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    upward = np.array([[0.0, 0.0, 1.0]])
    return np.where(sizes > 0, vectors / np.where(sizes > 0, sizes, 1.0), upward)


def _material(colour: Colour) -> dict[str, Any]:
    linear = [part**2.2 for part in colour[:3]]  # glTF has linear colours, arm files sRGB
    found: dict[str, Any] = {
        "pbrMetallicRoughness": {
            "baseColorFactor": [*linear, colour[3]],
            "metallicFactor": 0.1,
            "roughnessFactor": 0.6,
        },
        "doubleSided": True,
    }
    return found if colour[3] == 1 else {**found, "alphaMode": "BLEND"}


def _packed(tree: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(tree, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if data:
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
