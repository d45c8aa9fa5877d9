"""Manipulability, and samples of an arm's workspace: joints, cell, approach direction."""

from __future__ import annotations

from typing import Any

from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.tool_pose import tool_motion
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

AXES_INSIDE = ((-15, 24, 40), (-24, -40, 15), (40, -15, 24))
"""49 times a rotation that moves x, y and z, where tools often point, well inside parts."""


def manipulability(arm: Arm) -> Equation:
    """Yoshikawa's index of the tool's Jacobian."""
    q = ca.SX.sym("q", arm.dof)
    return Equation("manipulability", {"q": q}, {"w": volume(tool_motion(arm, q)[1])})


def volume(J: Any) -> Any:
    r"""Return the product of the singular values of J, by Gram-Schmidt on its shorter side.

    .. math:: w = \prod_i \sigma_i(J) = \prod_i \lVert v_i \rVert, \quad
              v_j \leftarrow v_j - \frac{v_i \cdot v_j}{v_i \cdot v_i} v_i \; (j > i)

    A vector that vanishes (the arm is singular) is not subtracted; the product is zero then.
    """
    rows = J if J.shape[0] <= J.shape[1] else J.T
    vectors = [rows[k, :].T for k in range(rows.shape[0])]
    squares = ca.SX(1)
    for i, v in enumerate(vectors):
        square = ca.sumsqr(v)
        squares *= square
        inverse = ca.if_else(square > 0, 1 / square, 0)
        for j in range(i + 1, len(vectors)):
            vectors[j] -= ca.dot(v, vectors[j]) * inverse * v
    return ca.sqrt(squares)


def workspace_sample(arm: Arm) -> Equation:
    r"""The sample with a given number of a sequence that fills the joint space evenly.

    Inputs: ``number`` (1,), counted from 0; ``shift`` (dof,), the sequence's start, 0 to 1;
    ``low`` and ``span`` (dof,), the range of the joints; ``grid`` (7,): x, y, z of the corner of
    the grid [m], cells per metre, number of cells along x, y and z.

    .. math:: u_k = \operatorname{frac}(s_k + n \phi_d^{-k}), \quad q = low + span \, u, \quad
              \phi_d^{d+1} = \phi_d + 1

    Outputs: ``q``; ``cell``, its number in the grid in row order, -1 outside; ``direction``, 0 to
    23: which of 24 congruent parts of the sphere the tool's z axis points to; and Yoshikawa's index
    ``w``.
    """
    number, grid = ca.SX.sym("number", 1), ca.SX.sym("grid", 7)
    names = ("shift", "low", "span")
    shift, low, span = (ca.SX.sym(name, arm.dof) for name in names)
    x = shift + number * ca.DM(golden_steps(arm.dof))
    q = low + span * (x - ca.floor(x))
    tool, J = tool_motion(arm, q)
    inputs = {"number": number, "shift": shift, "low": low, "span": span, "grid": grid}
    outputs = {
        "q": q,
        "cell": _cell(tool.p, grid),
        "direction": _direction(tool.R[:, 2]),
        "w": volume(J),
    }
    return Equation("workspace_sample", inputs, outputs)


def golden_steps(dimensions: int) -> list[float]:
    """Return the steps of the additive recurrence of Roberts in d dimensions, 0 to 1 each."""
    root = 2.0
    for _ in range(100):
        root = (1 + root) ** (1 / (dimensions + 1))
    return [root ** -(k + 1) for k in range(dimensions)]


def _cell(p: Any, grid: Any) -> Any:
    """Return the number of the cell that a point lies in, -1 outside of the grid."""
    place = ca.floor((p - grid[:3]) * grid[3])
    inside = ca.SX(1)
    for k in range(3):
        inside = ca.logic_and(inside, ca.logic_and(place[k] >= 0, place[k] < grid[4 + k]))
    number = (place[0] * grid[5] + place[1]) * grid[6] + place[2]
    return ca.if_else(inside, number, -1)


def _direction(z: Any) -> Any:
    """Return the number of the part of the sphere that a vector points to, 0 to 23.

    3 times the octant (signs of x, y, z) plus the axis of the largest component, after a rotation.
    """
    z = ca.DM(AXES_INSIDE) @ z
    octant = 4 * (z[0] >= 0) + 2 * (z[1] >= 0) + (z[2] >= 0)
    a, b, c = (ca.fabs(z[k]) for k in range(3))
    axis = ca.if_else(ca.logic_and(a >= b, a >= c), 0, ca.if_else(b >= c, 1, 2))
    return 3 * octant + axis
