r"""Seven joints whose first three axes meet in the shoulder S, for one value of the redundancy.

With ``G = T_goal T(0)^-1``, W the wrist centre and ``v = e4 W - S`` at q = 0, joint 4 sets the
distance from shoulder to wrist:

.. math:: |p_4 - S + R_4 (W - p_4)| = |w - S|

* Spherical wrist (axes 5, 6 and 7 meet in W): w = G W. The redundancy is the arm angle psi about
  the line from S to w: the angle of joint 4's axis, square to the line, from the direction
  ``h1 x (w - S)`` (0: the elbow lies in the plane of axis 1 and the line). Shoulder and wrist are
  then three rotations each.
* Offset wrist (only axes 5 and 6 meet in W, as in Franka's arms): the redundancy is q7. Then
  ``G' = G e7^-1`` and w = G' W are known, and the shoulder as joint 6 sees it gives joints 6 and 5:

  .. math:: R_5 R_6 (G'^{-1} S - W) = R_4^T (S - p_4) + p_4 - W

  and joints 1 to 3 are the rest of the rotation.
"""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import Frame
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.inverse.joint_branches import (
    Branch,
    PoseRequest,
    fields,
    pose_request,
    table,
)
from armtwin.equations.kinematics.inverse.subproblems import (
    TINY,
    TRIPLE,
    Root,
    Triple,
    Turn,
    at_level,
    three_turns,
    two_turns,
)
from armtwin.equations.kinematics.pose_error import pose
from armtwin.equations.symbolic import ca

AXES = tuple(f"h{i}" for i in range(1, 8))
VECTORS = ("shoulder", "wrist", "p4", "p7", *AXES)
FIELDS = {"zero": 16, **dict.fromkeys(VECTORS, 3), "first": TRIPLE, "last": TRIPLE}
"""The form: ``zero``, the inverse of the tool pose at q = 0; S and W; points of axes 4 and 7; the
axes; axes 1, 2, 3 and axes 5, 6, 7 as ``Triple``."""
STEEP = 1e-6
"""Where the line from S to w is this near to axis 1 (sine), psi is measured from axis 2."""


def spherical_wrist() -> Equation:
    """All eight branches of a tool pose for one arm angle; see ``joint_branches.table``.

    ``redundancy``: an angle [rad] and 1 or 0; with 1 the seed's own arm angle is added.
    Margins and sines: of the elbow, the shoulder and the wrist. Branch ``4 i + 2 j + k`` has the
    i-th elbow, the j-th shoulder and the k-th wrist.
    """
    return _spherical(_request())


def regular_spherical_wrist() -> Equation:
    """Return the same for poses that are not singular; see ``joint_branches.table``."""
    return _spherical(_request(regular=True))


def _request(*, regular: bool = False) -> PoseRequest:
    return pose_request(7, sum(FIELDS.values()), redundant=True, regular=regular)


def _spherical(request: PoseRequest) -> Equation:
    form = fields(request["form"], FIELDS)
    G = request.goal @ pose(form["zero"])
    line = G.R @ form["wrist"] + G.p - form["shoulder"]
    psi, across = _arm_angle(form, request, line)
    rows = []
    for i in (1, -1):
        elbow, v = _elbow(form, line, request.preferred(3), i)
        R = _frame(line, across) @ _frame(v, form["h4"]).T
        rows += _ends(form, request, (elbow, R, G.R))
    return table(f"seven_spherical{'_regular' * request.regular}", request, rows, psi)


def _arm_angle(form: dict[str, Any], request: PoseRequest, line: Any) -> tuple[Any, Any]:
    """Return psi and the direction that it gives to joint 4's axis, square to the line."""
    steep = ca.sumsqr(ca.cross(form["h1"], line)) < STEEP**2 * ca.sumsqr(line)
    zero = _square(ca.if_else(steep, form["h2"], ca.cross(form["h1"], line)), line)
    side = ca.cross(_unit(line), zero)
    axis, seed = form["h4"], request["seed"]
    for k in (2, 1, 0):
        axis = Turn.by(form[f"h{k + 1}"], seed[k]) @ axis
    own = ca.atan2(ca.dot(axis, side), ca.dot(axis, zero))
    psi = request["redundancy"][0] + request["redundancy"][1] * own
    return psi, ca.cos(psi) * zero + ca.sin(psi) * side


def _ends(form: dict[str, Any], request: PoseRequest, known: tuple[Root, Any, Any]) -> list[Branch]:
    """Return shoulders and wrists for an elbow, the shoulder's rotation and the tool's."""
    elbow, R, goal = known
    rows = []
    rest = _turned(elbow.turn.inverse, R.T @ goal)
    wrists = three_turns(Triple.of(form["last"]), rest, request.preferred(6))
    for shoulder in three_turns(Triple.of(form["first"]), R, request.preferred(2)):
        for wrist in wrists:
            free = ca.fmax(ca.if_else(wrist.free, 7, 0), ca.if_else(shoulder.free, 3, 0))
            roots = (elbow, shoulder, wrist)
            rows.append(_branch([*shoulder.angles, elbow.turn.angle, *wrist.angles], roots, free))
    return rows


def offset_wrist() -> Equation:
    """All eight branches of a tool pose for one angle of joint 7; see ``joint_branches.table``.

    ``redundancy``: an angle [rad] and 1 or 0; with 1 the seed's own q7 is added. Margins and
    sines: of joint 4, joint 6, the shoulder; sines also of joint 5. Branch ``4 i + 2 j + k`` has
    the i-th root of joint 4, the j-th of joint 6 and the k-th shoulder.
    """
    return _offset(_request())


def regular_offset_wrist() -> Equation:
    """Return the same for poses that are not singular; see ``joint_branches.table``."""
    return _offset(_request(regular=True))


def _offset(request: PoseRequest) -> Equation:
    form = fields(request["form"], FIELDS)
    q7 = request["redundancy"][0] + request["redundancy"][1] * request["seed"][6]
    back = Turn.by(form["h7"], -q7)
    undone = Frame(_turned(back, ca.SX.eye(3)), form["p7"] - back @ form["p7"])
    G = request.goal @ pose(form["zero"]) @ undone
    line = G.R @ form["wrist"] + G.p - form["shoulder"]
    seen = G.R.T @ (form["shoulder"] - G.p) - form["wrist"]
    rows = []
    for i in (1, -1):
        elbow, _ = _elbow(form, line, request.preferred(3), i)
        v = elbow.turn.inverse @ (form["shoulder"] - form["p4"]) + form["p4"] - form["wrist"]
        for j in (1, -1):
            axes, hints = (form["h5"], form["h6"]), (request.preferred(4), request.preferred(5))
            five, six = two_turns(axes, seen, v, hints, j)
            rows += _shoulders(form, request.preferred(2), (G.R, elbow, five, six), q7)
    return table(f"seven_offset{'_regular' * request.regular}", request, rows, q7)


def _shoulders(
    form: dict[str, Any], preferred: Any, known: tuple[Any, Root, Root, Root], q7: Any
) -> list[Branch]:
    """Return both shoulders for the rotation of joints 1 to 6, joints 4, 5, 6 and q7."""
    R, elbow, five, six = known
    for root in (six, five, elbow):
        R = _turned(root.turn, R.T).T  # R = R123 R4 R5 R6, so R T^-1 = (T R^T)^T
    angles, rows = [root.turn.angle for root in (elbow, five, six)], []
    for shoulder in three_turns(Triple.of(form["first"]), R, preferred):
        lost = [ca.if_else(root.free, n, 0) for root, n in ((shoulder, 3), (five, 5), (six, 6))]
        free = ca.fmax(ca.fmax(lost[0], lost[1]), lost[2])
        row = _branch([*shoulder.angles, *angles, q7], (elbow, six, shoulder), free)
        rows.append(Branch(row.q, row.margins, [*row.sines, five.sine], free))
    return rows


def _branch(q: list[Any], roots: Any, free: Any) -> Branch:
    return Branch(q, [root.margin for root in roots], [root.sine for root in roots], free)


def _elbow(form: dict[str, Any], line: Any, preferred: Any, sign: int) -> tuple[Root, Any]:
    """Return joint 4, and the vector from S to W that it makes."""
    a, b = form["wrist"] - form["p4"], form["p4"] - form["shoulder"]
    k = (ca.sumsqr(line) - ca.sumsqr(a) - ca.sumsqr(b)) / 2
    root = at_level((form["h4"], a, preferred), b, k, sign)
    return root, b + root.turn @ a


def _turned(turn: Turn, R: Any) -> Any:
    """Return the matrix with every column turned."""
    return ca.horzcat(*[turn @ R[:, k] for k in range(3)])


def _unit(v: Any) -> Any:
    return v / ca.fmax(ca.sqrt(ca.sumsqr(v)), TINY)


def _square(v: Any, line: Any) -> Any:
    """Return the unit vector of v less its part along the line; twice, for the digits."""
    along = _unit(line)
    for _ in range(2):
        v = _unit(v - ca.dot(along, v) * along)
    return v


def _frame(line: Any, side: Any) -> Any:
    """Return the rotation (3, 3) with its first column along a line and its second beside it."""
    x, y = _unit(line), _square(side, line)
    return ca.horzcat(x, y, ca.cross(x, y))
