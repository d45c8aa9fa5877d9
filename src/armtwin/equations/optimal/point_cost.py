"""Power, torques and distances at one point of a motion, and the curvature of the first two."""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import frame
from armtwin.equations.drives.smooth_power import smooth_power
from armtwin.equations.kinematics.capsules import capsule_ends, segment_distance
from armtwin.equations.optimal.programme import Shape
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm


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
