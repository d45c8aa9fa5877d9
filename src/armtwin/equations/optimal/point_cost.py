"""Power, torques and distances at one point of a motion, and Hessians of sums over points."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.equations.chain import frame
from armtwin.equations.drives.smooth_power import smooth_power
from armtwin.equations.kinematics.capsules import capsule_ends, segment_distance
from armtwin.equations.optimal.programme import Shape
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm
from armtwin.spatial import Array


def point_functions(arm: Arm, shape: Shape) -> tuple[Any, Any]:
    """Return two functions: values at a point, and the Hessian of power and torques there.

    ``point(x, extra)`` gives (1 + dof + distances,) for ``x = (q, qd, qdd)``, with the height of
    the floor and the obstacles in ``extra``; ``curvature(x, w, multipliers)`` gives the Hessian
    (3 dof, 3 dof) of ``w power + multipliers . torques``.
    """
    n = arm.dof
    x, extra = ca.SX.sym("x", 3 * n), ca.SX.sym("extra", 1 + 7 * shape.obstacles)
    parts = x[:n], x[n : 2 * n], x[2 * n :]
    power, torques = smooth_power(arm, *parts, shape.conversion, shape.sink)
    values = ca.cse(ca.vertcat(power, torques, _distances(arm, shape, parts[0], extra)))
    weight, multipliers = ca.SX.sym("w"), ca.SX.sym("multipliers", n)
    H = ca.hessian(weight * power + ca.dot(multipliers, torques), x)[0]
    curvature = ca.Function("curvature", [x, weight, multipliers], [ca.cse(ca.densify(H))])
    return ca.Function("point", [x, extra], [values]), curvature


def _distances(arm: Arm, shape: Shape, q: Any, extra: Any) -> Any:
    at, base = capsule_ends(arm, q), frame(arm.base)
    found = [segment_distance(*at[i][:2], *at[j][:2]) - at[i][2] - at[j][2] for i, j in shape.pairs]
    for i in shape.low:
        ends = [ca.dot(base.R[:, 2], p - base.p) for p in at[i][:2]]
        found.append(ca.fmin(*ends) - at[i][2] - extra[0])
    for number, i in shape.near:
        o = extra[1 + 7 * number : 8 + 7 * number]
        found.append(segment_distance(*at[i][:2], o[:3], o[3:6]) - at[i][2] - o[6])
    return ca.vertcat(ca.SX(0, 1), *found)


def leg_hessian(H: Any, B: list[Array], T: Any, n: int) -> Any:
    r"""Return the upper triangle of :math:`\sum_k \Phi_k^T H_k \Phi_k`.

    :math:`\Phi_k` maps control points to ``(q, qd, qdd)`` at point k, the rows of
    ``B[order] / T^order`` times the identity over the joints. So block (i, j) of the result is

    .. math:: \sum_{ab} T^{-a-b} \sum_k B_a[k, i] B_b[k, j] H_k^{ab}

    Args:
        H: Hessians at the points side by side (3 n, 3 n points).
        B: values, first and second derivatives of the free splines at the points (points, free).
        T: time of the leg [s].
        n: number of joints.
    """
    points, free = B[0].shape
    total: Any = 0
    for a in range(3):
        for b in range(3):
            blocks = [
                ca.vec(H[a * n : (a + 1) * n, (3 * k + b) * n : (3 * k + b + 1) * n])
                for k in range(points)
            ]
            products = np.einsum("ki,kj->kji", B[a], B[b]).reshape(points, free * free)
            part = ca.horzcat(*blocks) @ ca.sparsify(ca.DM(products))
            total = total + part / T ** (a + b)
    return _arranged(total, B, n)


def _arranged(total: Any, B: list[Array], n: int) -> Any:
    """Return entry (r + n s, i + free j) of ``total`` at row ``i n + r``, column ``j n + s``."""
    free = B[0].shape[1]
    meet = (np.abs(B[0]).T @ np.abs(B[0])) > 0
    full = np.kron(meet, np.ones((n, n)))
    pattern = ca.sparsify(ca.DM(np.triu(full))).sparsity()
    rows, columns = (np.array(x) for x in pattern.get_triplet())
    i, r, j, s = rows // n, rows % n, columns // n, columns % n
    places = (r + n * s) + n * n * (i + free * j)
    return ca.MX(pattern, ca.vec(ca.densify(total))[places.tolist()])
