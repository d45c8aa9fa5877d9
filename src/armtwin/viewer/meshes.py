"""Meshes of an arm for one file: simplified until they keep to a size."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from armtwin.model.formats.meshes.glb import coloured_parts, glb_of_parts
from armtwin.model.formats.meshes.read_mesh import Faces
from armtwin.model.geometry import LinkShape
from armtwin.spatial import Array

MAX_BYTES = 740_000
"""Compressed size of an arm's meshes; base64 makes 1 MB of it."""
BYTES_A_TRIANGLE = 18
"""Compressed size of a triangle, measured on catalogue arms; larger counts are not tried."""
FINEST = 1 / 4000
"""Grid of the first simplification, as a share of the arm's size."""


def compact_glb(
    shapes: Sequence[LinkShape], rows: int, size: float, most: int = MAX_BYTES
) -> bytes:
    """Return the shapes as a GLB file whose compressed size is at most ``most`` bytes.

    Vertices are rounded to a grid, and triangles that thereby lose their area are left out; the
    grid gets coarser until the size is kept.

    Args:
        shapes: the shapes.
        rows: number of rows of the chain.
        size: of the arm, such as its reach [m].
        most: bytes after compression.
    """
    parts = coloured_parts(shapes, rows)
    grid = FINEST * size
    while True:
        coarse = [
            {colour: [_clustered(v, f, grid) for v, f in pieces] for colour, pieces in link.items()}
            for link in parts
        ]
        count = sum(len(f) for link in coarse for pieces in link.values() for _, f in pieces)
        if count <= most / BYTES_A_TRIANGLE:
            data = glb_of_parts(coarse)
            if len(zlib.compress(data, 6)) <= most:
                return data
        grid *= 1.4


def _clustered(vertices: Array, faces: Faces, grid: float) -> tuple[Array, Faces]:
    """Return a mesh whose vertices are those of a grid [m], without triangles of no area."""
    cells, number = np.unique(
        np.round(vertices / grid).astype(np.int64), axis=0, return_inverse=True
    )
    corners = number.reshape(-1)[faces]
    distinct = (
        (corners[:, 0] != corners[:, 1])
        & (corners[:, 1] != corners[:, 2])
        & (corners[:, 2] != corners[:, 0])
    )
    return np.asarray(cells * grid, np.float64), np.asarray(corners[distinct], faces.dtype)
