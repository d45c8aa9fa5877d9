"""Mass, centre of mass and inertia of links, seen from another frame or joined to one body."""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.model.arm import Link
from armtwin.model.frames import without_noise
from armtwin.spatial import Array, skew

Inertia = tuple[float, float, float, float, float, float]


def inertia_matrix(inertia: Inertia) -> Array:
    """Return ``(xx, yy, zz, xy, xz, yz)`` as a symmetric matrix (3, 3)."""
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)


def inertia_entries(matrix: Array) -> Inertia:
    """Return the six entries ``(xx, yy, zz, xy, xz, yz)`` of a symmetric matrix."""
    rows, columns = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    xx, yy, zz, xy, xz, yz = ((matrix + matrix.T) / 2)[rows, columns].tolist()
    return xx, yy, zz, xy, xz, yz


def inertial_parameters(link: Link) -> Array:
    r"""Return the ten numbers (10,) in which joint torques are linear.

    .. math:: \pi = (m,\ m c,\ I_{xx}, I_{xy}, I_{xz}, I_{yy}, I_{yz}, I_{zz}), \quad
              I = I_c + m [c]_\times^T [c]_\times

    The inertia is about the link frame's origin. A link without a mass has zeros.
    """
    if link.mass is None:
        return np.zeros(10)
    c = np.array(link.com or (0, 0, 0), float)
    about_centre = inertia_matrix(link.inertia or (0, 0, 0, 0, 0, 0))
    about_origin = about_centre + link.mass * skew(c).T @ skew(c)
    return np.concatenate([[link.mass], link.mass * c, about_origin[np.triu_indices(3)]])


def seen_from(link: Link, T: Array) -> Link:
    r"""Return a link in the frame in which its own frame stands at ``T`` (4, 4).

    .. math:: c' = R c + p, \quad I' = R I R^T
    """
    R, p = T[:3, :3], T[:3, 3]
    changes: dict[str, object] = {}
    if link.com is not None:
        changes["com"] = tuple(without_noise(R @ np.array(link.com) + p).tolist())
    if link.inertia is not None:
        changes["inertia"] = inertia_entries(R @ inertia_matrix(link.inertia) @ R.T)
    return dataclasses.replace(link, **changes)  # type: ignore[arg-type]


def joined(links: list[Link]) -> Link:
    r"""Return the rigid body made of several links given in one frame; those without mass drop out.

    .. math:: m = \sum m_k, \quad c = \frac{1}{m} \sum m_k c_k, \quad
              I = \sum I_k + m_k [c_k - c]_\times^T [c_k - c]_\times

    A body whose parts all weigh nothing has its centre of mass at the frame's origin.
    """
    parts = [link for link in links if link.mass is not None]
    if len(parts) <= 1:
        return parts[0] if parts else Link()
    masses = np.array([part.mass for part in parts], float)
    centres = np.array([part.com or (0, 0, 0) for part in parts], float)
    m = float(masses.sum())
    c = masses @ centres / m if m > 0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for part, mass, r in zip(parts, masses, centres - c, strict=True):
        inertia += inertia_matrix(part.inertia or (0, 0, 0, 0, 0, 0)) + mass * skew(r).T @ skew(r)
    x, y, z = c.tolist()
    return Link(mass=m, com=(x, y, z), inertia=inertia_entries(inertia))
