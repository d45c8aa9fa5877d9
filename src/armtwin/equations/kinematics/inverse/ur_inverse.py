"""Closed-form inverse kinematics of the UR structure, every branch at once.

The chain is the manufacturer's standard DH table with

    alpha = (pi/2, 0, 0, pi/2, -pi/2, 0),   a = (0, a2, a3, 0, 0, 0),   d = (d1, 0, 0, d4, d5, d6)

so axes 2, 3 and 4 are parallel to z1, axis 1 meets axis 2, axis 4 meets axis 5 and axis 5 meets
axis 6 at right angles. Given the flange pose ``R = [n o a]``, ``p`` in frame 0, the joints follow
in the order 1, 5, 6, 3, 2, 4; every angle comes from ``atan2`` of exact sines and cosines, so that
no digits are lost at any pose. Square roots of numbers that rounding made negative are zero: on the
workspace boundary the two roots coincide, beyond it the nearest pose is returned and the margin is
its distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.turns import wrapped
from armtwin.equations.symbolic import ca

FREE_WRIST_SINE = 1e-10
"""Below this |sin(theta5)| theta6 is free: the pose determines it no better than rounding."""


@dataclass(frozen=True)
class Target:
    """Flange pose in frame 0, dimensions ``(d1, a2, a3, d4, d5, d6)`` and a preferred theta6.

    Without a preferred angle (None), poses that leave theta6 free are not solved.
    """

    R: Any
    p: Any
    dimensions: Any
    theta6: Any


def solutions() -> Equation:
    """All eight branches of a flange pose.

    Inputs: ``R`` (9, row by row) and ``p`` (3) of the flange in frame 0, ``dimensions``
    ``(d1, a2, a3, d4, d5, d6)`` with d5 >= 0 [m], and ``theta6`` [rad], which is used where
    theta6 is free.

    Outputs: ``theta`` (8, 6) [rad] in [-pi, pi]; ``margins`` (8, 2): distance of the wrist
    centre from the shoulder's inner cylinder and distance of wrist 1 from the limits of the reach
    of links 2 and 3 [m], negative where out of reach; ``sines`` (8, 3): how far shoulder,
    elbow and wrist are from singular, the last 0 where theta6 is free. Branch ``4 i + 2 j + k``
    has the i-th shoulder, j-th wrist and k-th elbow root.
    """
    r, p = ca.SX.sym("R", 9), ca.SX.sym("p", 3)
    sizes, hint = ca.SX.sym("dimensions", 6), ca.SX.sym("theta6", 1)
    rows = branches(Target(ca.reshape(r, 3, 3).T, p, sizes, hint))
    inputs = {"R": r, "p": p, "dimensions": sizes, "theta6": hint}
    outputs = {
        "theta": ca.vertcat(*[ca.horzcat(*theta) for theta, _, _ in rows]),
        "margins": ca.vertcat(*[margins for _, margins, _ in rows]),
        "sines": ca.vertcat(*[sines for _, _, sines in rows]),
    }
    return Equation("ur_inverse", inputs, outputs)


def branches(target: Target) -> list[tuple[list[Any], Any, Any]]:
    """Return angles, margins and sines of the eight branches (see ``solutions``)."""
    rows = []
    for shoulder in (1, -1):
        root = _shoulder(target, shoulder)
        free = None if target.theta6 is None else _free_wrist(target, root)
        for wrist in (1, -1):
            bend = _wrist(target, root, free, wrist)
            for elbow in (1, -1):
                theta, margin, sine = _elbow(target, root, bend, elbow)
                margins = ca.horzcat(root.margin, margin)
                rows.append((theta, margins, ca.horzcat(root.sine, sine, bend.sine)))
    return rows


@dataclass(frozen=True)
class _Shoulder:
    """One root of joint 1 and the plane that it turns the arm into, with axes x1 and z0.

    ``wrist`` holds the wrist centre's coordinates in that plane, from the shoulder.
    """

    theta: Any
    c: Any
    s: Any
    wrist: tuple[Any, Any]
    margin: Any
    sine: Any

    def in_plane(self, v: Any) -> tuple[Any, Any]:
        """Return the components of ``v`` along x1 and z0."""
        return self.c * v[0] + self.s * v[1], v[2]

    def across(self, v: Any) -> Any:
        """Return the component of ``v`` along ``z1 = (s1, -c1, 0)``."""
        return self.s * v[0] - self.c * v[1]


@dataclass(frozen=True)
class _Wrist:
    """One root of joints 5 and 6; ``sine`` is |sin(theta5)|, or 0 where theta6 is free."""

    theta5: Any
    theta6: Any
    c6: Any
    s6: Any
    sine: Any


def _shoulder(target: Target, sign: int) -> _Shoulder:
    r"""Joint 1 from the wrist centre ``w = p - d6 a``, which stays d4 away from axis 1 along z1.

    .. math:: s_1 w_x - c_1 w_y = d_4, \quad m = \pm\sqrt{w_x^2 + w_y^2 - d_4^2}, \quad
              (c_1, s_1) \propto (w_x m - w_y d_4, \; w_y m + w_x d_4)

    On axis 1 itself (only where d4 = 0) theta1 is free and taken as 0.
    """
    d1, _, _, d4, _, d6 = ca.vertsplit(target.dimensions)
    w = target.p - d6 * target.R[:, 2]
    radius = ca.sqrt(w[0] ** 2 + w[1] ** 2)
    margin = radius - ca.fabs(d4)
    m = sign * _root(margin * (radius + ca.fabs(d4)))
    x, y = w[0] * m - w[1] * d4, w[1] * m + w[0] * d4
    size = ca.sqrt(x**2 + y**2)
    lost = size < 1e-150
    c, s = ca.if_else(lost, 1, x / size), ca.if_else(lost, 0, y / size)
    sine = ca.fabs(m) / ca.fmax(radius, 1e-150)
    return _Shoulder(ca.atan2(s, c), c, s, (c * w[0] + s * w[1], w[2] - d1), margin, sine)


def _wrist(target: Target, root: _Shoulder, free: tuple[Any, Any, Any] | None, sign: int) -> _Wrist:
    r"""Joints 5 and 6 from the components of z1 in the flange.

    .. math:: n \cdot z_1 = s_5 c_6, \quad o \cdot z_1 = -s_5 s_6, \quad a \cdot z_1 = c_5
    """
    n, o, a = (root.across(target.R[:, k]) for k in range(3))
    sine = ca.sqrt(n**2 + o**2)
    is_free, s5 = sine < FREE_WRIST_SINE, sign * sine
    c6, s6 = n / s5, -o / s5
    theta6 = ca.atan2(s6, c6)
    if free is not None:
        c6, s6 = ca.if_else(is_free, free[1], c6), ca.if_else(is_free, free[2], s6)
        theta6 = ca.if_else(is_free, free[0], ca.atan2(s6, c6))
    return _Wrist(sign * ca.atan2(sine, a), theta6, c6, s6, ca.if_else(is_free, 0, sine))


def _free_wrist(target: Target, root: _Shoulder) -> tuple[Any, Any, Any]:
    r"""Return theta6, its cosine and sine if sin(theta5) = 0: nearest to the given, in reach.

    z4 then turns in the arm's plane, at ``psi = nu - sign(c5) (pi/2 + theta6)`` with nu the angle
    of n. The distance L of wrist 1 from the shoulder depends on gamma, the angle between z4 and
    the wrist centre (at distance rho), and grows with ``|gamma|``, which is therefore clamped:

    .. math:: L^2 = \rho^2 + d_5^2 - 2 \rho d_5 \cos\gamma, \quad
              | |a_2| - |a_3| | \le L \le |a_2| + |a_3|
    """
    (u, v), (nu_x, nu_y) = root.wrist, root.in_plane(target.R[:, 0])
    turn = ca.if_else(root.across(target.R[:, 2]) < 0, -1, 1)
    nu, beta = ca.atan2(nu_y, nu_x), ca.atan2(v, u)
    gamma = wrapped(nu - turn * (ca.pi / 2 + target.theta6) - beta)
    least, most = _gamma_range(target.dimensions, ca.sqrt(u**2 + v**2))
    clamped = ca.fmin(ca.fmax(ca.fabs(gamma), least), most)
    psi = beta + ca.if_else(gamma < 0, -clamped, clamped)
    theta6 = wrapped(turn * (nu - psi) - ca.pi / 2)
    return theta6, ca.cos(theta6), ca.sin(theta6)


def _gamma_range(dimensions: Any, rho: Any) -> tuple[Any, Any]:
    """Return the least and most ``|gamma|`` that links 2 and 3 reach."""
    d5 = dimensions[4]
    bounds = []
    for reach in _reach(dimensions):
        cosine = (rho**2 + d5**2 - reach**2) / ca.fmax(2 * rho * d5, 1e-150)
        bounds.append(ca.acos(ca.fmax(ca.fmin(cosine, 1), -1)))
    return bounds[0], bounds[1]


def _elbow(target: Target, root: _Shoulder, bend: _Wrist, sign: int) -> tuple[list[Any], Any, Any]:
    r"""Joints 3, 2, 4 of the plane arm: ``(u, v) = a2 e(theta2) + a3 e(theta2 + theta3)``.

    With ``z4 = -(s6 n + c6 o)``, wrist 1 lies at ``w - d5 z4`` and theta2 + theta3 + theta4 is
    the angle of ``x4 = z1 x z4``:

    .. math:: c_3 = \frac{L^2 - a_2^2 - a_3^2}{2 a_2 a_3}, \quad
              \theta_2 = atan2(v, u) - atan2(a_3 s_3, a_2 + a_3 c_3), \quad
              \theta_{234} = atan2(z_4 \cdot x_1, -z_4 \cdot z_0)
    """
    _, a2, a3, _, d5, _ = ca.vertsplit(target.dimensions)
    z4 = root.in_plane(-(bend.s6 * target.R[:, 0] + bend.c6 * target.R[:, 1]))
    u, v = root.wrist[0] - d5 * z4[0], root.wrist[1] - d5 * z4[1]
    L = ca.sqrt(u**2 + v**2)
    inner, outer = _reach(target.dimensions)
    heron = (outer - L) * (outer + L) * (L - inner) * (L + inner)
    sine = _root(heron) / (2 * ca.fabs(a2 * a3))
    c3 = ca.fmax(ca.fmin((L**2 - a2**2 - a3**2) / (2 * a2 * a3), 1), -1)
    along, aside = a2 + a3 * c3, sign * a3 * sine
    theta2 = ca.atan2(v * along - u * aside, u * along + v * aside)
    theta3 = sign * ca.atan2(sine, c3)
    theta4 = wrapped(ca.atan2(z4[0], -z4[1]) - theta2 - theta3)
    theta = [root.theta, theta2, theta3, theta4, bend.theta5, bend.theta6]
    return theta, ca.fmin(outer - L, L - inner), sine


def _reach(dimensions: Any) -> tuple[Any, Any]:
    """Return the least and most distance that links 2 and 3 span."""
    a2, a3 = ca.fabs(dimensions[1]), ca.fabs(dimensions[2])
    return ca.fabs(a2 - a3), a2 + a3


def _root(x: Any) -> Any:
    return ca.sqrt(ca.fmax(x, 0))
