r"""Base parameters: the combinations of link and rotor parameters that torques depend on.

Columns of the regressor over many random states, ``[Y, diag(qdd)]``, are taken in turn; one that
is a combination of those before it is merged into them:

.. math:: \beta_k = \pi_k + \sum_{d} X_{kd}\, \pi_d, \qquad Y_d = \sum_k Y_k X_{kd}

(Gautier 1991). A UR5e has 60 link parameters and 36 base parameters, 40 with its rotors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.dynamics import sensitivity as sensitivity_equations
from armtwin.identification.parameters.prior import geometry_only
from armtwin.identification.parameters.vector import INERTIAL, INERTIAL_UNITS
from armtwin.model.arm import Arm
from armtwin.spatial import Array

STATES = 400
"""Random states; 2400 rows for the 66 columns of a six-axis arm."""
DEPENDENT = 1e-9
"""Relative size below which a column is zero; its root, for dependence on others."""
MAX_TERMS = 4
"""Terms of a combination that its name lists."""
INERTIAS_FIRST = (4, 5, 6, 7, 8, 9, 1, 2, 3, 0)
"""Order of a link's parameters: inertias are kept, first moments and the mass merged into them."""


@dataclass(frozen=True)
class BaseParameters:
    """Combinations of parameters that torques depend on.

    Attributes:
        names: of the combinations, their first few terms.
        units: of the combinations.
        matrix: (count, 10 rows + dof): combinations of link parameters and rotor inertias.
        indices: index of the first term of each.
        without_effect: parameters that no torque depends on.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    matrix: Array
    indices: tuple[int, ...]
    without_effect: tuple[str, ...]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.names)


def base_parameters(
    arm: Arm, *, rotors: bool = True, gravity: Array | None = None
) -> BaseParameters:
    """Return the base parameters of an arm's geometry.

    Args:
        arm: the arm; its geometry and, unless given, its gravity are used.
        rotors: whether rotor inertias are among the parameters.
        gravity: gravity in the base frame (3,) [m/s2].
    """
    A = _effects(arm, np.array(arm.gravity) if gravity is None else gravity)
    names = [f"{name}{row + 1}" for row in range(len(arm.joints)) for name in INERTIAL]
    names += [f"J{j + 1}" for j in range(arm.dof)]
    units = [*INERTIAL_UNITS * len(arm.joints), *["kg m2"] * arm.dof]
    links = 10 * len(arm.joints)
    order = [10 * row + k for row in range(len(arm.joints)) for k in INERTIAS_FIRST]
    order += range(links, links + arm.dof) if rotors else ()
    scale = np.linalg.norm(A, axis=0)
    silent = tuple(names[k] for k in order if scale[k] <= DEPENDENT * scale.max())
    free, held = _independent(A, [k for k in order if names[k] not in silent], scale)
    matrix = np.zeros((len(free), A.shape[1]))
    matrix[np.arange(len(free)), free] = 1.0
    if held:
        matrix[:, held] = np.linalg.lstsq(A[:, free], A[:, held], rcond=None)[0]
    matrix[np.abs(matrix) < 1e-9] = 0.0
    ordered = np.argsort(free)
    matrix, free = matrix[ordered], [free[k] for k in ordered]
    texts = tuple(_name(row, names, k) for row, k in zip(matrix, free, strict=True))
    return BaseParameters(texts, tuple(units[k] for k in free), matrix, tuple(free), silent)


def _effects(arm: Arm, gravity: Array) -> Array:
    """Return ``[Y, diag(qdd)]`` over random states, (states dof, 10 rows + dof)."""
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-np.pi, np.pi, (STATES, arm.dof)) for _ in range(3))
    Y = kernel(geometry_only(arm), sensitivity_equations.regressor)(q, qd, qdd, gravity)[0]
    rotors = np.einsum("nj,jk->njk", qdd, np.eye(arm.dof))
    return np.concatenate([Y, rotors], axis=2).reshape(STATES * arm.dof, -1)


def _independent(A: Array, order: list[int], scale: Array) -> tuple[list[int], list[int]]:
    """Return the linearly independent columns, and the others."""
    free: list[int] = []
    held: list[int] = []
    Q = np.empty((len(A), 0))
    for k in order:
        column = A[:, k] / scale[k]
        rest = column - Q @ (Q.T @ column)
        rest -= Q @ (Q.T @ rest)
        size = float(np.linalg.norm(rest))
        if size < DEPENDENT**0.5:
            held.append(k)
        else:
            free.append(k)
            Q = np.column_stack([Q, rest / size])
    return free, held


def _name(row: Array, names: list[str], own: int) -> str:
    parts = [names[own]]
    others = [k for k in np.argsort(-np.abs(row)) if k != own and row[k] != 0]
    for k in others[:MAX_TERMS]:
        sign, size = ("+" if row[k] > 0 else "-"), abs(row[k])
        parts.append(
            f"{sign} {names[k]}" if abs(size - 1) < 1e-9 else f"{sign} {size:.4g} {names[k]}"
        )
    return " ".join(parts) + (" + ..." if len(others) > MAX_TERMS else "")
