r"""Six joints: axes 2 and 3 parallel, axes 4, 5 and 6 meeting at right angles (KUKA KR, ABB IRB).

A special case of ``spherical_wrist``, in frames with z along the axes: rotations are plane ones,
and the angles of the wrist need no slanted axes.

Frame 1 has z along axis 1, frame 2 z along axis 2, and ``F_1^T F_2 = R_y(alpha)``. The wrist
centre is at ``b`` in frame 1. Its coordinate along axis 2 is not changed by joints 2 and 3:

.. math:: c_1 b_x + s_1 b_y = C, \quad C = k - b_z \cot\alpha, \quad
          S = \pm\sqrt{b_x^2 + b_y^2 - C^2}

which gives joint 1, and the wrist centre in the plane of joints 2 and 3, from axis 2:
``v = (c_alpha C - s_alpha b_z, -S) - m``. Links of lengths L and r reach it with the angle psi
between them,

.. math:: \cos\psi = \frac{|v|^2 - L^2 - r^2}{2 L r}, \quad
          \theta_2 + \arg L = \arg v - \arg (L + r \cos\psi, r \sin\psi)

The wrist's rotation is ``M = R_z(theta_4) R_x(omega) R_z(theta_6)``. Joint 4 follows from the
joint 6 that was found, so that their errors cancel near a singularity:

.. math:: (M_{31}, M_{32}) = \sin\omega \, (\sin\theta_6, \cos\theta_6), \quad
          M_{33} = \cos\omega, \quad
          (\cos\theta_4, \sin\theta_4) \propto \cos\theta_6 (M_{11}, M_{21})
          - \sin\theta_6 (M_{12}, M_{22})
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
from armtwin.equations.kinematics.inverse.subproblems import FREE, TINY
from armtwin.equations.kinematics.pose_error import pose
from armtwin.equations.symbolic import ca

NUMBERS = (
    "c_alpha", "s_alpha", "level", "cot_alpha", "m_x", "m_y", "upper", "fore",
    "c_fore", "s_fore", "c_beta", "s_beta", *(f"zero{i}" for i in range(2, 6)), "sign3",
)  # fmt: skip
FIELDS = {"base": 16, "tool": 16, **dict.fromkeys(NUMBERS, 1)}
"""The form. ``base``: the inverse of frame 1; ``tool``: the inverse of the tool pose at q = 0 times
the frame of the wrist (origin in its centre, axes h5, h6 x h5, h6); ``level``: k; ``upper`` and
``fore``: L and r; ``c_fore``, ``s_fore``: the angle from the link r to the plane of axes 3 and 4;
``c_beta``, ``s_beta``: the angle between axes 3 and 4; ``zero2`` to ``zero5``: the angles at q = 0
of L, of psi, of theta_4 and of omega (q = angle - zero); ``sign3``: -1 where axis 3 points against
axis 2, else 1."""


def solutions() -> Equation:
    """All eight branches of a tool pose; see ``joint_branches.table``.

    Margins: of joint 1 and of joint 3 [m]. Sines: of joints 1, 3, 2 and 5. Branch
    ``4 i + 2 j + k`` has the i-th root of joint 1, the j-th of joint 3 and the k-th wrist.
    """
    return _table(pose_request(6, sum(FIELDS.values())))


def regular_solutions() -> Equation:
    """Return the same for poses that are not singular; see ``joint_branches.table``."""
    return _table(pose_request(6, sum(FIELDS.values()), regular=True))


def _table(request: PoseRequest) -> Equation:
    form = fields(request["form"], FIELDS)
    G = pose(form["base"]) @ request.goal @ pose(form["tool"])
    rows = []
    for i in (1, -1):
        turret = _turret(form, G.p, request.preferred(0), i)
        columns = [turret.seen(form, G.R[:, k]) for k in range(3)]
        for j in (1, -1):
            elbow = _elbow(form, turret.v, request.preferred(1), j)
            rows += _wrists(form, (turret, elbow), columns, request.preferred(5))
    return table(f"parallel_elbow{'_regular' * request.regular}", request, rows)


@dataclass(frozen=True)
class _Turret:
    """A root of joint 1, and the wrist centre ``v`` in the plane of joints 2 and 3."""

    c: Any
    s: Any
    v: tuple[Any, Any]
    margin: Any
    sine: Any
    free: Any

    def seen(self, form: dict[str, Any], a: Any) -> tuple[Any, Any, Any]:
        """Return a direction of frame 1 in frame 2, with joint 1 undone."""
        x, y = self.c * a[0] + self.s * a[1], self.c * a[1] - self.s * a[0]
        c, s = form["c_alpha"], form["s_alpha"]
        return c * x - s * a[2], y, s * x + c * a[2]


@dataclass(frozen=True)
class _Elbow:
    """A root of joints 2 and 3, and cosine and sine of the turn to the plane of axes 3 and 4."""

    angles: tuple[Any, Any]
    c: Any
    s: Any
    margin: Any
    sine: Any
    sine2: Any
    free: Any


def _turret(form: dict[str, Any], b: Any, preferred: Any, sign: int) -> _Turret:
    level = form["level"] - form["cot_alpha"] * b[2]
    radius = ca.sqrt(b[0] ** 2 + b[1] ** 2)
    size = ca.fmax(radius, TINY)
    cosine = ca.fmax(ca.fmin(level / size, 1), -1)
    sine = ca.fmin(ca.sqrt(ca.fmax((radius - level) * (radius + level), 0)) / size, 1)
    x, y = b[0] / size, b[1] / size
    c, s = x * cosine - sign * y * sine, y * cosine + sign * x * sine
    free = radius < FREE
    if preferred is not None:
        c = ca.if_else(free, sign * ca.cos(preferred), c)
        s = ca.if_else(free, sign * ca.sin(preferred), s)
    v = (
        form["c_alpha"] * radius * cosine - form["s_alpha"] * b[2] - form["m_x"],
        -sign * radius * sine - form["m_y"],
    )
    return _Turret(c, s, v, radius - ca.fabs(level), ca.if_else(free, 0, sine), free)


def _elbow(form: dict[str, Any], v: tuple[Any, Any], preferred: Any, sign: int) -> _Elbow:
    L, r = form["upper"], form["fore"]
    square = v[0] ** 2 + v[1] ** 2
    length = ca.sqrt(square)
    inner, outer = ca.fabs(L - r), L + r
    heron = (outer - length) * (outer + length) * (length - inner) * (length + inner)
    sine = ca.fmin(ca.sqrt(ca.fmax(heron, 0)) / (2 * L * r), 1)
    cosine = ca.fmax(ca.fmin((square - L**2 - r**2) / (2 * L * r), 1), -1)
    along, aside = L + r * cosine, sign * r * sine
    c, s = v[0] * along + v[1] * aside, v[1] * along - v[0] * aside
    size = ca.fmax(ca.sqrt(c**2 + s**2), TINY)
    c, s, free = c / size, s / size, length < FREE * outer
    if preferred is not None:
        upright = preferred + form["zero2"]
        c, s = ca.if_else(free, ca.cos(upright), c), ca.if_else(free, ca.sin(upright), s)
    theta2 = ca.atan2(s, c) - form["zero2"]
    theta3 = form["sign3"] * (sign * ca.atan2(sine, cosine) - form["zero3"])
    turned = c * cosine - sign * s * sine, s * cosine + sign * c * sine
    c, s = (
        turned[0] * form["c_fore"] - turned[1] * form["s_fore"],
        turned[1] * form["c_fore"] + turned[0] * form["s_fore"],
    )
    margin = ca.fmin(outer - length, length - inner)
    sine2 = ca.if_else(free, 0, ca.fmin(length / outer, 1))
    return _Elbow((theta2, theta3), c, s, margin, sine, sine2, free)


def _wrists(
    form: dict[str, Any], known: tuple[_Turret, _Elbow], columns: list[Any], preferred: Any
) -> list[Branch]:
    """Return both wrists; the tool's axes are given in frame 2, with joint 1 undone."""
    turret, elbow = known
    M = [_in_wrist(form, elbow, column) for column in columns]
    c, s = M[1][2], M[0][2]
    sine = ca.sqrt(c**2 + s**2)
    omega, theta6, free = ca.atan2(sine, M[2][2]), ca.atan2(s, c), sine < FREE
    if preferred is not None:
        c, s = ca.if_else(free, ca.cos(preferred), c), ca.if_else(free, ca.sin(preferred), s)
        theta6 = ca.if_else(free, preferred, theta6)
    theta4 = ca.atan2(c * M[0][1] - s * M[1][1], c * M[0][0] - s * M[1][0])
    half = ca.pi if preferred is None else ca.if_else(free, 0, ca.pi)
    rows = []
    for k in (1, -1):
        ends = [theta4, theta6] if k > 0 else [theta4 + half, theta6 + half]
        q5 = k * omega - form["zero5"]
        q = [ca.atan2(turret.s, turret.c), *elbow.angles, ends[0] - form["zero4"], q5, ends[1]]
        sines = [turret.sine, elbow.sine, elbow.sine2, ca.if_else(free, 0, sine)]
        lost = [ca.if_else(f, n, 0) for f, n in ((turret.free, 1), (elbow.free, 2), (free, 6))]
        margins = [turret.margin, elbow.margin]
        rows.append(Branch(q, margins, sines, ca.fmax(ca.fmax(lost[0], lost[1]), lost[2])))
    return rows


def _in_wrist(form: dict[str, Any], elbow: _Elbow, a: Any) -> tuple[Any, Any, Any]:
    """Return a column of M: a direction of frame 2, with joints 2 and 3 undone."""
    x, y = elbow.c * a[0] + elbow.s * a[1], elbow.c * a[1] - elbow.s * a[0]
    c, s = form["c_beta"], form["s_beta"]
    return c * x - s * a[2], y, s * x + c * a[2]
