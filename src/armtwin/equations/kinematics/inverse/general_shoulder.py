r"""Six joints with a spherical wrist, whose axes 1 and 2 neither meet nor are parallel: a quartic.

With ``G = T_goal T(0)^-1`` and c the wrist centre at q = 0, ``e1 e2 e3 c = w = G c``. Joint 3 moves
the wrist centre to ``g``, from axis 2: ``g - p_2 = G_0 + G_c c_3 + G_s s_3``. Joint 1 changes
neither the height of w along its axis nor its distance from p1. With p1 and p2 the feet of the
common normal ``p_2 - p_1 = a m`` and n, m, h2 a right-handed frame, these two fix the place of
``x = R_2 (g - p_2)`` across axis 2:

.. math:: n \cdot x = \frac{h_1 \cdot (w - p_1) - c_\alpha y}{s_\alpha}, \quad
          m \cdot x = \frac{|w - p_1|^2 - a^2 - |g - p_2|^2}{2 a}, \quad y = h_2 \cdot (g - p_2)

Both are linear in ``(c_3, s_3, 1)``, and so is ``|g - p_2|^2``. That joint 2 does not change the
length of x is the conic

.. math:: (n \cdot x)^2 + (m \cdot x)^2 + y^2 - |g - p_2|^2 = v^T M v = 0, \quad v = (c_3, s_3, 1)

It meets the unit circle in up to four points: a quartic. Where ``M + \lambda D``,
``D = diag(1, 1, -1)``, is singular it is a pair of lines through these points; lambda is a root of
a cubic (Newton's method from a bound, on the side of the inflection where it converges), the lines
meet the circle in two points each, and two Newton steps on the conic remove rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    onto,
    three_turns,
)
from armtwin.equations.kinematics.pose_error import pose
from armtwin.equations.symbolic import ca

VECTORS = ("centre", "h1", "h2", "h3", "p1", "p2", "n", "m", "g0", "gc", "gs", "square")
NUMBERS = ("c_alpha", "s_alpha", "normal")
FIELDS = {"zero": 16, **dict.fromkeys(VECTORS, 3), **dict.fromkeys(NUMBERS, 1), "wrist": TRIPLE}
"""The form: ``zero``, the inverse of the tool pose at q = 0; ``square``: the coefficients of
``|g - p2|^2`` by ``(c3, s3, 1)``; ``normal``: a; axes 4, 5 and 6 as a ``Triple``."""
STEPS = 32
"""Newton steps for lambda; each takes at least a third off its distance."""
UNSURE = 1e-9
"""A point further off the conic than this, relative to M, is not taken for a solution as it is."""


def solutions() -> Equation:
    """All eight branches of a tool pose; see ``joint_branches.table``.

    Margins: of joint 3 [m] and of joint 5. Sines: of joints 3, 2, 1 and 5. Branch ``4 i + 2 j + k``
    has the i-th line, the j-th of its points and the k-th wrist.
    """
    return _table(pose_request(6, sum(FIELDS.values())))


def regular_solutions() -> Equation:
    """Return the same for poses that are not singular; see ``joint_branches.table``."""
    return _table(pose_request(6, sum(FIELDS.values()), regular=True))


def _table(request: PoseRequest) -> Equation:
    form, rows = fields(request["form"], FIELDS), []
    G = request.goal @ pose(form["zero"])
    w = G.R @ form["centre"] + G.p - form["p1"]
    conic = _conic(form, w)
    for line in conic.lines():
        for sign in (1, -1):
            third = conic.point(line, sign, ca.sqrt(ca.sumsqr(form["gc"])))
            roots = _first_two(form, conic, w, third, request)
            rows += _wrists(form, G.R, roots, request.preferred(5))
    return table(f"general_shoulder{'_regular' * request.regular}", request, rows)


@dataclass(frozen=True)
class _Conic:
    """The matrix M (3, 3), and the rows of ``n . x`` and ``m . x`` by ``(c3, s3, 1)``."""

    M: Any
    across: tuple[Any, Any]

    @property
    def size(self) -> Any:
        """Size of M."""
        return ca.fmax(ca.sqrt(ca.sumsqr(ca.vec(self.M))), TINY)

    def lines(self) -> list[Any]:
        """Return two lines ``l . v = 0`` that hold the conic's points on the circle."""
        N = self.M + self._root() * ca.diag(ca.SX([1, 1, -1]))
        B = _adjugate(N)
        p, least = B[:, 0], B[0, 0]
        for k in (1, 2):
            p = ca.if_else(B[k, k] < least, B[:, k], p)
            least = ca.fmin(B[k, k], least)
        R = N + ca.skew(p / ca.fmax(ca.sqrt(ca.fmax(-least, 0)), TINY))
        return [_longest([R[k, :].T for k in range(3)]), _longest([R[:, k] for k in range(3)])]

    def _root(self) -> Any:
        """Return a real root of ``det(M + lambda D)``, the outermost on its side."""
        M, A = self.M, _adjugate(self.M)
        c2, c1 = M[0, 0] + M[1, 1] - M[2, 2], A[2, 2] - A[0, 0] - A[1, 1]
        bend = -c2 / 3
        p, q = c1 - c2**2 / 3, bend**3 + c2 * bend**2 + c1 * bend - ca.dot(M[0, :].T, A[:, 0])
        t = ca.if_else(q > 0, -2, 2) * self.size
        for _ in range(STEPS):
            t = (2 * t**3 - q) / ca.fmax(3 * t**2 + p, TINY)
        return bend + t

    def point(self, line: Any, sign: int, lever: Any) -> Root:
        """Return one of a line's points on the circle, as the rotation of joint 3.

        Args:
            line: coefficients (3,) of ``(c3, s3, 1)``.
            sign: which of its two points.
            lever: length that turns with joint 3 [m].
        """
        N = ca.fmax(ca.sqrt(line[0] ** 2 + line[1] ** 2), TINY)
        A, B, C = line[0] / N, line[1] / N, -line[2] / N
        S = ca.sqrt(ca.fmax((1 - C) * (1 + C), 0))
        C = ca.fmax(ca.fmin(C, 1), -1)
        c, s = A * C - sign * B * S, B * C + sign * A * S
        for _ in range(2):
            value, slope = self._value(c, s)
            step = -value / ca.if_else(ca.fabs(slope) < TINY, TINY, slope)
            step = step * (ca.fabs(step) < 0.1)
            c, s = c - s * step, s + c * step
            size = ca.sqrt(c**2 + s**2)
            c, s = c / size, s / size
        value, slope = self._value(c, s)
        margin = lever * (1 - ca.fabs(line[2]) / N)
        unsure = ca.fabs(value) > UNSURE * self.size
        margin = ca.if_else(unsure, ca.fmin(margin, -UNSURE), margin)
        return Root(Turn(None, c, s), margin, ca.fmin(ca.fabs(slope) / self.size, 1), 0)

    def _value(self, c: Any, s: Any) -> tuple[Any, Any]:
        """Return the conic's value and its derivative by the angle."""
        v = self.M @ ca.vertcat(c, s, 1)
        return c * v[0] + s * v[1] + v[2], 2 * (c * v[1] - s * v[0])


def _conic(form: dict[str, Any], w: Any) -> _Conic:
    parts = ca.horzcat(form["gc"], form["gs"], form["g0"])
    y, last = parts.T @ form["h2"], ca.vertcat(0, 0, 1)
    high = (ca.dot(form["h1"], w) * last - form["c_alpha"] * y) / form["s_alpha"]
    square = form["square"]
    far = (ca.sumsqr(w) - form["normal"] ** 2) * last
    aside = (far - square) / (2 * form["normal"])
    M = high @ high.T + aside @ aside.T + y @ y.T - (square @ last.T + last @ square.T) / 2
    return _Conic(M, (high, aside))


def _first_two(
    form: dict[str, Any], conic: _Conic, w: Any, third: Root, request: PoseRequest
) -> tuple[Root, Root, Root]:
    """Return joints 1, 2 and 3 for a rotation of joint 3."""
    v = ca.vertcat(third.turn.c, third.turn.s, 1)
    g = ca.horzcat(form["gc"], form["gs"], form["g0"]) @ v
    x = [ca.dot(row, v) for row in conic.across]
    place = form["n"] * x[0] + form["m"] * x[1] + form["h2"] * ca.dot(form["h2"], g)
    second = onto(form["h2"], g, place, request.preferred(1))
    first = onto(form["h1"], form["p2"] - form["p1"] + place, w, request.preferred(0))
    turn = Turn(form["h3"], third.turn.c, third.turn.s)
    return first, second, Root(turn, third.margin, third.sine, 0)


def _wrists(
    form: dict[str, Any], R: Any, roots: tuple[Root, Root, Root], preferred: Any
) -> list[Branch]:
    """Return both wrists of a position."""
    columns, rows = [R[:, k] for k in range(3)], []
    for root in roots:
        columns = [root.turn.inverse @ column for column in columns]
    for wrist in three_turns(Triple.of(form["wrist"]), ca.horzcat(*columns), preferred):
        lost = [(roots[0].free, 1), (roots[1].free, 2), (wrist.free, 6)]
        one, two, six = [ca.if_else(condition, number, 0) for condition, number in lost]
        sines = [roots[2].sine, roots[1].sine, roots[0].sine, wrist.sine]
        q = [*[root.turn.angle for root in roots], *wrist.angles]
        margins = [roots[2].margin, wrist.margin]
        rows.append(Branch(q, margins, sines, ca.fmax(ca.fmax(one, two), six)))
    return rows


def _adjugate(N: Any) -> Any:
    """Return the adjugate of a symmetric matrix (3, 3)."""
    return ca.horzcat(
        ca.cross(N[:, 1], N[:, 2]), ca.cross(N[:, 2], N[:, 0]), ca.cross(N[:, 0], N[:, 1])
    )


def _longest(vectors: list[Any]) -> Any:
    """Return the longest of some vectors."""
    best, size = vectors[0], ca.sumsqr(vectors[0])
    for other in vectors[1:]:
        longer = ca.sumsqr(other) > size
        best, size = ca.if_else(longer, other, best), ca.fmax(ca.sumsqr(other), size)
    return best
