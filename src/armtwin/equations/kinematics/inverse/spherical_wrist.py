r"""Six joints whose last three axes meet in the wrist centre.

With ``G = T_goal T(0)^-1`` and c the wrist centre at q = 0, joints 1 to 3 take c to ``w = G c``,
and joints 4 to 6 give the rest of the rotation. Joints 1 to 3 have a closed form where two
neighbouring axes are parallel or meet (axes 2 and 3, or 1 and 2); other arms lead to a quartic.

Axes 1 and 2 become the second and third axis of the problem read backwards,

    e1 e2 e3 c = w   <=>   e3^-1 e2^-1 e1^-1 w = c,

so that one order of steps serves all four cases. In it ``e1 e2 e3 source = target``, and with the
pair (2, 3) either parallel or meeting in m:

1. ``e1``: parallel, the part of the source along h2 does not change; meeting, its distance from m:

   .. math:: h_2 \cdot R_1^T (target - p_1) = h_2 \cdot (source - p_1), \qquad
             |e_1^{-1} target - m| = |source - m|
2. ``e3``, with ``u = e1^-1 target``: parallel, the distance from axis 2; meeting, the part on h2:

   .. math:: |P (e_3 source - p_2)| = |P (u - p_2)|, \; P = 1 - h_2 h_2^T, \qquad
             h_2 \cdot R_3 (source - m) = h_2 \cdot (u - m)
3. ``e2`` takes ``e3 source`` to ``u``.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    TRIPLE,
    Root,
    Triple,
    Turn,
    at_level,
    onto,
    three_turns,
)
from armtwin.equations.kinematics.pose_error import pose
from armtwin.equations.symbolic import ca

VECTORS = ("centre", "h1", "h2", "h3", "p1", "p2", "p3", "a1", "b3")
FIELDS = {"zero": 16, "meeting": 1, "backwards": 1, **dict.fromkeys(VECTORS, 3), "wrist": TRIPLE}
"""The form: ``zero``, the inverse of the tool pose at q = 0; ``meeting``, 1 where the pair meets
(0: parallel); ``backwards``, 1 where the pair is axes 1 and 2; the wrist centre; axes and points in
the order of the steps; ``a1``: m - p1 or h2; ``b3``: h2 or P (p3 - p2); axes 4, 5 and 6 as a
``Triple``. Where axes meet, p2 = p3 = m."""


def solutions() -> Equation:
    """All eight branches of a tool pose; see ``joint_branches.table``.

    Margins: of step 1 [m], step 2 [m | m2] and of joint 5. Sines: of steps 1, 2, 3 and of joint 5.
    Branch ``4 i + 2 j + k`` has the i-th root of step 1, the j-th of step 2 and the k-th wrist.
    """
    return _table(pose_request(6, sum(FIELDS.values())))


def regular_solutions() -> Equation:
    """Return the same for poses that are not singular; see ``joint_branches.table``."""
    return _table(pose_request(6, sum(FIELDS.values()), regular=True))


def _table(request: PoseRequest) -> Equation:
    rows = _branches(request, fields(request["form"], FIELDS))
    return table(f"spherical_wrist{'_regular' * request.regular}", request, rows)


@dataclass(frozen=True)
class _Problem:
    """``e1 e2 e3 source = target`` in the order of the steps, with preferred angles."""

    form: dict[str, Any]
    source: Any
    target: Any
    preferred: Any

    def first(self, sign: int) -> Root:
        """Return step 1."""
        f, b = self.form, self.target - self.form["p1"]
        apart = ca.sumsqr(self.source - f["p2"])
        level = (ca.sumsqr(f["a1"]) + ca.sumsqr(b) - apart) / 2
        k = ca.if_else(f["meeting"], level, ca.dot(f["a1"], self.source - f["p1"]))
        return at_level((f["h1"], f["a1"], self.preferred[0]), b, k, sign)

    def last(self, u: Any, sign: int) -> Root:
        """Return step 2."""
        f, a, b = self.form, self.source - self.form["p3"], u - self.form["p2"]
        apart = _across(f["h2"], b) - _across(f["h2"], a) - ca.sumsqr(f["b3"])
        k = ca.if_else(f["meeting"], ca.dot(f["h2"], b), apart / 2)
        return at_level((f["h3"], a, self.preferred[2]), f["b3"], k, sign)

    def middle(self, u: Any, last: Root) -> Root:
        """Return step 3."""
        f = self.form
        v = f["p3"] + last.turn @ (self.source - f["p3"])
        return onto(f["h2"], v - f["p2"], u - f["p2"], self.preferred[1])


def _across(h: Any, v: Any) -> Any:
    """Return the squared length of v square to h."""
    return ca.sumsqr(ca.cross(h, v))


def _branches(request: PoseRequest, form: dict[str, Any]) -> list[Branch]:
    G = request.goal @ pose(form["zero"])
    w, rows = G.R @ form["centre"] + G.p, []
    back, seed = form["backwards"], request["seed"]
    hints = ca.vertsplit(ca.if_else(back, -ca.vertcat(seed[2], seed[1], seed[0]), seed[:3]))
    problem = _Problem(
        form,
        ca.if_else(back, w, form["centre"]),
        ca.if_else(back, form["centre"], w),
        [None] * 3 if request.regular else hints,
    )
    for i in (1, -1):
        first = problem.first(i)
        u = form["p1"] + first.turn.inverse @ (problem.target - form["p1"])
        for j in (1, -1):
            last = problem.last(u, j)
            steps = (first, problem.middle(u, last), last)
            rows += _wrists(form, G, steps, request.preferred(5))
    return rows


def _wrists(
    form: dict[str, Any], G: Frame, steps: tuple[Root, Root, Root], preferred: Any
) -> list[Branch]:
    """Return both wrists of a position."""
    back = form["backwards"]
    turns = [_either(back, steps[2 - k].turn.inverse, steps[k].turn) for k in range(3)]
    M = ca.horzcat(*[_undone(turns, G.R[:, k]) for k in range(3)])
    free_first = ca.if_else(back, 3, 1)
    lost = [ca.if_else(step.free, n, 0) for step, n in zip(steps, (free_first, 2), strict=False)]
    rows = []
    for wrist in three_turns(Triple.of(form["wrist"]), M, preferred):
        free = ca.fmax(ca.if_else(wrist.free, 6, 0), ca.fmax(*lost))
        margins = [steps[0].margin, steps[2].margin, wrist.margin]
        sines = [steps[0].sine, steps[2].sine, steps[1].sine, wrist.sine]
        rows.append(Branch([*[t.angle for t in turns], *wrist.angles], margins, sines, free))
    return rows


def _either(condition: Any, yes: Turn, no: Turn) -> Turn:
    return Turn(
        *[ca.if_else(condition, a, b) for a, b in zip(_parts(yes), _parts(no), strict=True)]
    )


def _parts(turn: Turn) -> tuple[Any, Any, Any]:
    return turn.h, turn.c, turn.s


def _undone(turns: list[Turn], v: Any) -> Any:
    for turn in turns:
        v = turn.inverse @ v
    return v
