"""The UR closed form in an arm's own joints, base, tool and limits."""

from __future__ import annotations

from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.inverse.joint_branches import (
    Branch,
    PoseRequest,
    pose_request,
    table,
)
from armtwin.equations.kinematics.inverse.ur_inverse import Target, branches
from armtwin.equations.kinematics.pose_error import pose
from armtwin.equations.symbolic import ca


def solutions() -> Equation:
    """All eight branches of a tool pose, in the arm's joints; see ``joint_branches.table``.

    ``form`` (50) is the arm as a UR table ``T_base_tool(q) = base . T_UR(signs q + constants) .
    tool``: dimensions (6), signs (6), constants (6), then the inverses of base and tool (16 each).
    A free joint 6 keeps the seed's angle. ``margins`` (8, 2) and ``sines`` (8, 3) as in
    ``ur_inverse``.
    """
    return _table(pose_request(6, 50))


def regular_solutions() -> Equation:
    """Return the same for poses that are not singular; see ``joint_branches.table``."""
    return _table(pose_request(6, 50, regular=True))


def _table(request: PoseRequest) -> Equation:
    form, hint = request["form"], request.preferred(5)
    sizes, signs, constants = form[:6], form[6:12], form[12:18]
    flange = pose(form[18:34]) @ request.goal @ pose(form[34:])
    theta6 = None if hint is None else signs[5] * hint + constants[5]
    rows = []
    for theta, margins, sines in branches(Target(flange.R, flange.p, sizes, theta6)):
        angles = signs * (ca.vertcat(*theta) - constants)
        free = ca.if_else(sines[2] <= 0, 6, 0)
        rows.append(Branch(ca.vertsplit(angles), [margins], [sines], free))
    return table(f"ur_joints{'_regular' * request.regular}", request, rows)
