"""Binary STL: triangles in 32-bit floats."""

from __future__ import annotations

import numpy as np

from armtwin.model.formats.meshes.read_mesh import Faces
from armtwin.spatial import Array

TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])


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
