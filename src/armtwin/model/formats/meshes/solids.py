"""Solids as triangles, in their own frame."""

from __future__ import annotations

import numpy as np

from armtwin.model.formats.meshes.read_mesh import Faces, MeshPart, mesh_parts
from armtwin.model.geometry import (
    Box,
    CapsuleSolid,
    Cylinder,
    Ellipsoid,
    Mesh,
    Solid,
    Sphere,
)
from armtwin.spatial import Array

SIDES = 32
"""Facets around a solid: the polygon is within 0.5 % of the radius of its circle."""
RINGS = 8
"""Rings of vertices of a half sphere."""


def solid_parts(solid: Solid) -> tuple[MeshPart, ...]:
    """Return the triangles of a solid [m]; normals point outwards.

    Raises:
        ArmFileError: a mesh whose file is missing or broken.
        MissingDataError: a mesh, and trimesh is not installed.
    """
    if isinstance(solid, Mesh):
        return mesh_parts(solid)
    return (MeshPart(*_triangles(solid)),)


def _triangles(solid: Box | Cylinder | CapsuleSolid | Sphere | Ellipsoid) -> tuple[Array, Faces]:
    if isinstance(solid, Box):
        return _box(np.array(solid.size))
    if isinstance(solid, Cylinder):
        half = solid.length / 2
        return _revolved(
            np.array([[0, -half], [solid.radius, -half], [solid.radius, half], [0, half]])
        )
    if isinstance(solid, CapsuleSolid):
        return _revolved(_round_profile(solid.radius, solid.length / 2))
    if isinstance(solid, Sphere):
        return _revolved(_round_profile(solid.radius, 0.0))
    vertices, faces = _revolved(_round_profile(1.0, 0.0))
    return vertices * np.array(solid.radii), faces


def _box(size: Array) -> tuple[Array, Faces]:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [tri for a, b, c, d in quads for tri in ((a, b, c), (a, c, d))]
    return signs * size / 2, np.array(faces, np.int64)


def _round_profile(radius: float, half: float) -> Array:
    """Return (r, z) of a half sphere below ``-half`` and one above ``half``."""
    angles = np.linspace(-np.pi / 2, 0, RINGS + 1)
    low = np.column_stack([radius * np.cos(angles), radius * np.sin(angles) - half])
    high = low[::-1] * [1, -1]
    return np.concatenate([low, high if half > 0 else high[1:]])


def _revolved(profile: Array) -> tuple[Array, Faces]:
    """Return the surface that a profile (r, z), from bottom to top, makes about z."""
    angles = np.linspace(0, 2 * np.pi, SIDES, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = [np.column_stack([r * circle, np.full(SIDES, z)]) for r, z in profile]
    faces = []
    here = np.arange(SIDES)
    beside = (here + 1) % SIDES
    for n, (lower, upper) in enumerate(zip(profile, profile[1:], strict=False)):
        a, b = n * SIDES + here, n * SIDES + beside
        c, d = a + SIDES, b + SIDES
        if lower[0] > 1e-12:
            faces.append(np.column_stack([a, b, d]))
        if upper[0] > 1e-12:
            faces.append(np.column_stack([a, d, c]))
    return np.concatenate(rings), np.concatenate(faces).astype(np.int64)
