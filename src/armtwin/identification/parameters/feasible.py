r"""The best step of a quadratic model within the physically feasible parameters.

.. math:: \min_\delta \tfrac12 \delta^T H \delta - b^T \delta \quad
          \text{s.t.}\ \Sigma_k(\pi_k + \delta_k) \succeq \epsilon_k, \quad
          p + \delta_p \ge 0

with one pseudo-inertia per rigid body: a semidefinite problem, solved by Clarabel (interior point).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.errors import ArmTwinError
from armtwin.identification.parameters.vector import Indices, ParameterLayout, Prior
from armtwin.model.arm import Link
from armtwin.model.link import inertia_entries, inertia_matrix
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


def is_feasible(pi: Array, floor: Array) -> bool:
    """Return whether a pseudo-inertia exceeds a floor (4,) on its diagonal."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(pi) - np.diag(floor))[0] >= 0)


def to_link(pi: Array, before: Link) -> Link:
    """Return a link with the mass, centre and inertia of ten parameters; the rest as before."""
    m, c = float(pi[0]), pi[1:4] / pi[0]
    about_centre = inertia_about_origin(pi) - m * skew(c).T @ skew(c)
    x, y, z = c.tolist()
    return Link(m, (x, y, z), inertia_entries(about_centre), before.radius)


FLOOR = 1e-5
"""Least eigenvalue of a link's pseudo-inertia, as a share of that in the arm file."""

MIN_PAYLOAD = (1e-8, 1e-8, 1e-8, 1e-5)
"""The same for a payload [kg m2, kg]: a point mass is at this bound. With a smaller one the cone is
so flat that Clarabel fails to find its eigenvalues."""

INWARD = 10.0
"""Factor by which floors are raised where the solver fails near the bound."""
STEP_SHARES = (1.0, 1 - 1e-9, 1 - 1e-7, 1 - 1e-5, 0.999, 0.99, 0.9, 0.5, 0.1)
"""Shares of a step that are tried until the result is feasible: the solver's rounding may leave the
whole step slightly outside."""


@dataclass(frozen=True)
class FeasibleLimits:
    """Bounds of a feasible vector.

    Attributes:
        bodies: entries of the free rigid bodies, each (10,).
        floors: least diagonal of their pseudo-inertias, each (4,).
        lower: lower bounds, -inf where there is none (size,).
        upper: upper bounds, inf where there is none (size,).
    """

    bodies: tuple[slice, ...]
    floors: tuple[Array, ...]
    lower: Array
    upper: Array

    def holds(self, vector: Array) -> bool:
        """Return whether a vector is feasible; half a floor is left for rounding."""
        inside = (vector >= self.lower).all() and (vector <= self.upper).all()
        pairs = zip(self.bodies, self.floors, strict=True)
        return bool(inside) and all(is_feasible(vector[part], floor / 2) for part, floor in pairs)


def limits(layout: ParameterLayout, prior: Prior) -> FeasibleLimits:
    """Return the bounds: positive definite pseudo-inertias, no negative friction or rotors."""
    free = np.zeros(layout.size, dtype=bool)
    free[prior.free] = True
    bodies = [part for part in layout.links_and_payload() if free[part].any()]
    floors = [_floor(prior.file[part]) for part in bodies]
    lower, upper = np.full(layout.size, -np.inf), np.full(layout.size, np.inf)
    lower[layout.not_negative] = 0.0
    held = ~free
    lower[held], upper[held] = -np.inf, np.inf
    return FeasibleLimits(tuple(bodies), tuple(floors), lower, upper)


def _floor(file: Array) -> Array:
    """Return the least diagonal of a pseudo-inertia; a payload may be nearly zero."""
    if file[0] <= 0:
        return np.array(MIN_PAYLOAD)
    second = (file[4] + file[7] + file[9]) / 2
    return FLOOR * np.array([second, second, second, file[0]])


def best_step(H: Array, b: Array, vector: Array, free: Indices, bounds: FeasibleLimits) -> Array:
    """Return the step (k,) of the free entries that minimises the model within the limits.

    Args:
        H: curvature of the model (k, k).
        b: its negative gradient (k,).
        vector: start of the step; feasible (size,).
        free: indices of the free entries (k,).
        bounds: bounds that hold after the step.
    """
    scale = 1 / np.sqrt(np.diag(H))
    plain = scale * np.linalg.solve(H * scale * scale[:, None], b * scale)
    if bounds.holds(_moved(vector, free, plain)):
        return np.asarray(plain)
    step = _solved(H, b, vector, free, bounds, scale)
    room = (bounds.lower - vector)[free], (bounds.upper - vector)[free]
    for share in STEP_SHARES:  # the solver's rounding may leave the step slightly outside
        near = np.clip(share * step, *room)
        if bounds.holds(_moved(vector, free, near)):
            return np.asarray(near)
    raise ArmTwinError(
        "no physically feasible arm fits the data: every step is infeasible; check the units "
        "and order of the signals, and the arm's masses"
    )


def nearest_feasible(vector: Array, prior: Prior, bounds: FeasibleLimits) -> Array:
    """Return the feasible vector nearest to one, in the metric of the prior's precision.

    Args:
        vector: the vector (size,).
        prior: its precision defines the distance.
        bounds: bounds of a feasible vector.
    """
    start = np.clip(vector, bounds.lower, bounds.upper)
    if bounds.holds(start):
        return np.asarray(start)
    free = prior.free
    H = prior.precision[np.ix_(free, free)]
    scale = 1 / np.sqrt(np.diag(H))
    inner = FeasibleLimits(bounds.bodies, tuple(INWARD * f for f in bounds.floors), bounds.lower,
                   bounds.upper)  # fmt: skip
    step = _solved(H, np.zeros(free.size), start, free, inner, scale)
    moved = _moved(start, free, step)
    return np.clip(moved, bounds.lower, bounds.upper)


def _moved(vector: Array, free: Indices, step: Array) -> Array:
    trial = vector.copy()
    trial[free] += step
    return trial


def _solved(
    H: Array, b: Array, vector: Array, free: Indices, bounds: FeasibleLimits, scale: Array
) -> Array:
    """Return the constrained step; floors are raised where the solver fails near the bound."""
    for raised in (1.0, INWARD, INWARD**2):
        floors = tuple(raised * floor for floor in bounds.floors)
        try:
            return _constrained(
                H, b, vector, free, dataclasses.replace(bounds, floors=floors), scale
            )
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # Rust's, not an Exception
                raise
    raise ArmTwinError("the semidefinite solver failed; check the units and order of the signals")


def _constrained(
    H: Array, b: Array, vector: Array, free: Indices, bounds: FeasibleLimits, scale: Array
) -> Array:
    import clarabel
    from scipy import sparse

    P = sparse.triu(sparse.csc_matrix(H * scale * scale[:, None]), format="csc")
    rows, right = _boxes(vector, free, bounds)
    cones = [clarabel.NonnegativeConeT(len(right))]
    parts, rights = [rows], [right]
    for part, floor in zip(bounds.bodies, bounds.floors, strict=True):
        A, rhs = _body_cone(vector[part], floor, part, free)
        parts.append(A)
        rights.append(rhs)
        cones.append(clarabel.PSDTriangleConeT(4))
    A = sparse.csc_matrix(np.vstack(parts) * scale)
    solver_settings = clarabel.DefaultSettings()
    solver_settings.verbose = False
    solver = clarabel.DefaultSolver(
        P, -b * scale, A, np.concatenate(rights), cones, solver_settings
    )
    found = np.array(solver.solve().x)
    if not np.isfinite(found).all():
        raise ArmTwinError("the semidefinite solver found no numbers; check the signals' units")
    return np.asarray(scale * found)


def _boxes(vector: Array, free: Indices, bounds: FeasibleLimits) -> tuple[Array, Array]:
    """Return A and b of ``value - lower >= 0`` and ``upper - value >= 0``, where bounded."""
    low, high = bounds.lower[free], bounds.upper[free]
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    one, value = np.eye(free.size), vector[free]
    rows = np.vstack([-one[has_low], one[has_high]])
    return rows, np.concatenate([(value - low)[has_low], (high - value)[has_high]])


def _body_cone(pi: Array, floor: Array, part: slice, free: Indices) -> tuple[Array, Array]:
    """Return A and b with ``svec(D (Sigma(pi + delta) - floor) D) = b - A delta``.

    D scales the floor to a constant diagonal, so that masses and inertias have similar sizes.
    """
    indices, D = np.arange(part.start, part.stop), np.diag(np.sqrt(FLOOR / floor))
    A = np.zeros((10, free.size))
    for k, direction in enumerate(basis()):
        column = np.flatnonzero(free == indices[k])
        if column.size:
            A[:, column[0]] = -svec(D @ direction @ D)
    return A, svec(D @ (pseudo_inertia(pi) - np.diag(floor)) @ D)


def svec(M: Array) -> Array:
    """Return the upper triangle column by column, off-diagonals times sqrt(2)."""
    rows, columns = np.triu_indices(len(M))
    order = np.lexsort((rows, columns))
    rows, columns = rows[order], columns[order]
    return np.asarray(M[rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0)))
