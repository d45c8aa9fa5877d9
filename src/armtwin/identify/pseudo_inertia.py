r"""Bodies as ten numbers, and when a rigid body can have them.

With ``m``, ``h = m c`` and the inertia ``I`` about the link frame's origin, a body exists if and
only if its pseudo-inertia is positive definite (Wensing, Kim, Slotine, 2018):

.. math:: \Sigma = \begin{pmatrix} \tfrac12 \mathrm{tr}(I)\, 1 - I & h \\ h^T & m \end{pmatrix}
"""

from __future__ import annotations

import numpy as np

from armtwin.model.arm import Link
from armtwin.model.bodies import inertia_entries, inertia_matrix
from armtwin.spatial import Array, skew


def pseudo_inertia(pi: Array) -> Array:
    """Return the pseudo-inertia (4, 4) of ten parameters m, h (3), Ixx Ixy Ixz Iyy Iyz Izz."""
    I = inertia_about_origin(pi)  # noqa: E741
    sigma = np.empty((4, 4))
    sigma[:3, :3] = 0.5 * np.trace(I) * np.eye(3) - I
    sigma[:3, 3] = sigma[3, :3] = pi[1:4]
    sigma[3, 3] = pi[0]
    return sigma


def inertia_about_origin(pi: Array) -> Array:
    """Return the inertia matrix (3, 3) of ten parameters."""
    xx, xy, xz, yy, yz, zz = pi[4:10].tolist()
    return inertia_matrix((xx, yy, zz, xy, xz, yz))


def basis() -> Array:
    """Return the derivatives of the pseudo-inertia by the ten parameters, (10, 4, 4)."""
    return np.stack([pseudo_inertia(row) for row in np.eye(10)])


def is_body(pi: Array, floor: Array) -> bool:
    """Return whether a pseudo-inertia lies above a floor (4,) on its diagonal."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(pi) - np.diag(floor))[0] >= 0)


def to_link(pi: Array, before: Link) -> Link:
    """Return a link with the mass, centre and inertia of ten parameters; the rest as before."""
    m, c = float(pi[0]), pi[1:4] / pi[0]
    about_centre = inertia_about_origin(pi) - m * skew(c).T @ skew(c)
    x, y, z = c.tolist()
    return Link(m, (x, y, z), inertia_entries(about_centre), before.radius)
