r"""Rotations about known axes that take one vector to another, in closed form.

The axes of an arm are directions ``h`` (unit) and points at q = 0, all in base. With these few
functions every structure is solved in base axes, whatever convention its arm is described in
(Paden and Kahan's subproblems). Angles come from ``atan2`` of exact sines and cosines; a root of
a number that rounding made negative is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin.equations.symbolic import ca

FREE = 1e-10
"""A vector shorter than this beside an axis [m | sine] leaves the angle about the axis free."""
TINY = 1e-150
"""Keeps divisions finite; its square is still a normal number."""


@dataclass(frozen=True)
class Turn:
    """A rotation about the unit vector ``h`` by the angle with cosine ``c`` and sine ``s``."""

    h: Any
    c: Any
    s: Any

    @classmethod
    def by(cls, h: Any, angle: Any) -> Turn:
        """Return the rotation by an angle [rad]."""
        return cls(h, ca.cos(angle), ca.sin(angle))

    def __matmul__(self, v: Any) -> Any:
        r"""Return the rotated vector ``c v + s h x v + (1 - c) (h . v) h``."""
        along = ca.dot(self.h, v)
        return self.c * v + self.s * ca.cross(self.h, v) + ((1 - self.c) * along) * self.h

    @property
    def inverse(self) -> Turn:
        """The rotation back."""
        return Turn(self.h, self.c, -self.s)

    @property
    def angle(self) -> Any:
        """The angle [rad] in [-pi, pi]."""
        return ca.atan2(self.s, self.c)


@dataclass(frozen=True)
class Root:
    """A rotation that solves a subproblem.

    Attributes:
        turn: the rotation; beyond the border of what can be solved, the one at the border.
        margin: distance from that border, in the unit of the target vector; negative beyond it.
        sine: 0 where two roots meet or the angle is free, else up to 1.
        free: whether the angle is free, and therefore the preferred one.
    """

    turn: Turn
    margin: Any
    sine: Any
    free: Any


def at_level(turn: tuple[Any, Any, Any], b: Any, k: Any, sign: int, *, square: Any = None) -> Root:
    r"""Return the rotation with ``b . R(h, angle) a = k``.

    .. math:: A \cos\theta + B \sin\theta = C, \quad
              A = a_\perp \cdot b_\perp, \; B = b \cdot (h \times a), \;
              C = k - (h \cdot a)(h \cdot b), \quad N = \sqrt{A^2 + B^2}, \\
              (\cos\theta, \sin\theta) = (A C \mp B S, \; B C \pm A S) / N^2,
              \quad S = \sqrt{N^2 - C^2}

    Args:
        turn: h, a and a preferred angle [rad], or None to leave free angles undefined.
        b: vector (3,).
        k: level.
        sign: which of the two roots.
        square: S^2, where the caller has it with more digits than the difference holds.

    Where b lies on the axis, N = 0 and the angle is free: the preferred one, or half a turn on.
    """
    h, a, preferred = turn
    A, B = _components(h, a, b)
    C = k - ca.dot(h, a) * ca.dot(h, b)
    N = ca.sqrt(A**2 + B**2)
    lever = ca.fmax(ca.sqrt(ca.sumsqr(ca.cross(h, a))), TINY)
    free = FREE * lever > N
    size = ca.fmax(N, TINY)
    cosine = ca.fmax(ca.fmin(C / size, 1), -1)
    difference = (N - C) * (N + C) if square is None else square
    sine = ca.fmin(ca.sqrt(ca.fmax(difference, 0)) / size, 1)
    c, s = (A * cosine - sign * B * sine) / size, (B * cosine + sign * A * sine) / size
    if preferred is not None:
        c = ca.if_else(free, sign * ca.cos(preferred), c)
        s = ca.if_else(free, sign * ca.sin(preferred), s)
    margin = (N - ca.fabs(C)) / lever
    return Root(Turn(h, c, s), margin, ca.if_else(free, 0, sine), free)


def two_turns(
    axes: tuple[Any, Any], a: Any, v: Any, preferred: tuple[Any, Any], sign: int
) -> tuple[Root, Root]:
    r"""Return the rotations with ``R(h1) R(h2) a = v`` for vectors of equal length.

    The second solves ``h1 . R(h2) a = h1 . v``. Where v lies along h1 the first is free; so that
    no digits are lost there,

    .. math:: S^2 = (1 - x^2) |h_1 \times v|^2 - (h_2 \cdot a - x \, h_1 \cdot v)^2,
              \quad x = h_1 \cdot h_2

    Args:
        axes: h1 and h2.
        a: vector (3,) before.
        v: vector (3,) after.
        preferred: angles [rad] where one is free, or None each.
        sign: which of the two roots.
    """
    h1, h2 = axes
    x, k = ca.dot(h1, h2), ca.dot(h1, v)
    lever, m = ca.sqrt((1 - x**2) * ca.sumsqr(ca.cross(h1, v))), ca.dot(h2, a) - x * k
    second = at_level((h2, a, preferred[1]), h1, k, sign, square=(lever - m) * (lever + m))
    return onto(h1, second.turn @ a, v, preferred[0]), second


def onto(h: Any, a: Any, b: Any, preferred: Any) -> Root:
    r"""Return the rotation about h that takes ``a`` to ``b``, as near as their lengths allow.

    .. math:: \theta = atan2(h \cdot (a \times b), \; a_\perp \cdot b_\perp)

    Where a or b lies on the axis the angle is free.

    Args:
        h: axis.
        a: vector (3,) before.
        b: vector (3,) after.
        preferred: angle [rad] where it is free; None to leave it undefined.
    """
    c, s = _components(h, a, b)
    size = ca.sqrt(c**2 + s**2)
    scale = ca.fmax(ca.sqrt(ca.sumsqr(a)), ca.sqrt(ca.sumsqr(b)))
    free = size < (FREE * scale) ** 2
    unit = ca.fmax(size, TINY)
    c, s = c / unit, s / unit
    if preferred is not None:
        c = ca.if_else(free, ca.cos(preferred), c)
        s = ca.if_else(free, ca.sin(preferred), s)
    turn = Turn(h, c, s)
    sine = ca.sqrt(size) / ca.fmax(scale, TINY)
    return Root(turn, 0, ca.if_else(free, 0, ca.fmin(sine, 1)), free)


def _components(h: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return cosine and sine of the angle from a to b about h, times their parts square to h.

    From these parts alone: what lies along h is never subtracted.
    """
    a, b = ca.cross(h, a), ca.cross(h, b)
    return ca.dot(a, b), ca.dot(h, ca.cross(a, b))


TRIPLE = 21
"""Numbers of a ``Triple``: left (9, row by row), right (9), x, y, middle."""


@dataclass(frozen=True)
class Triple:
    """Three axes h1, h2, h3 through one point.

    Attributes:
        left: rotation (3, 3) with the columns h2 less its part along h1, their cross product, h1.
        right: rotation (3, 3) with the columns h2 less its part along h3, their cross product, h3.
        x: ``h1 . h2``.
        y: ``h2 . h3``.
        middle: the angle of joint 2 [rad] where h1, h2 and h3 lie in one plane, h1 and h3 nearest.
    """

    left: Any
    right: Any
    x: Any
    y: Any
    middle: Any

    @classmethod
    def of(cls, numbers: Any) -> Triple:
        """Return the triple of ``TRIPLE`` numbers."""
        left, right = (ca.reshape(numbers[k : k + 9], 3, 3).T for k in (0, 9))
        return cls(left, right, *ca.vertsplit(numbers[18:]))


@dataclass(frozen=True)
class Angles:
    """Three angles about axes that meet, with margin, sine and free as in ``Root``."""

    angles: list[Any]
    margin: Any
    sine: Any
    free: Any


def three_turns(axes: Triple, R: Any, preferred: Any) -> list[Angles]:
    r"""Return both sets of angles with ``R(h1) R(h2) R(h3) = R``.

    In the triple's bases, ``M = left^T R right``, the axes h1 and h3 are z: with
    ``k = M_33 = h1 . R(h2) h3`` joint 2 is at ``middle +- atan2(S, k - x y)``. S is the root of a
    Gram determinant, written so that no digits are lost where h1 and h3 line up
    (for right angles ``S = l``):

    .. math:: l^2 = M_{31}^2 + M_{32}^2, \quad
              S^2 = l^2 - (x \mp y)^2 \mp 2 x y \frac{l^2}{1 \pm k},
              \quad \text{upper signs for } k \ge 0

    Joint 3 turns ``(x - y k, +-S)`` into ``l (M_31, M_32)``; where h1 and h3 line up it is free and
    becomes the preferred angle. Joint 1 follows from h2, which joint 2 does not move:
    ``R(h1) h2 = R R(h3)^T h2``.

    Args:
        axes: the three axes.
        R: rotation (3, 3).
        preferred: angle of joint 3 [rad] where it is free; None to leave it undefined.
    """
    M = axes.left.T @ R @ axes.right
    x, y, k = axes.x, axes.y, M[2, 2]
    square = M[2, 0] ** 2 + M[2, 1] ** 2
    ahead = ca.if_else(k < 0, -1, 1)
    gram = square - (x - ahead * y) ** 2 - 2 * ahead * x * y * square / (1 + ca.fabs(k))
    S, C = ca.sqrt(ca.fmax(gram, 0)), k - x * y
    N, slant = ca.sqrt((1 - x**2) * (1 - y**2)), ca.sqrt(1 - y**2)
    free, bend = square < FREE**2, ca.atan2(S, C)
    sine = ca.if_else(free, 0, S / N)
    found = []
    for sign in (1, -1):
        across = x - y * k
        c, s = across * M[2, 0] + sign * S * M[2, 1], sign * S * M[2, 0] - across * M[2, 1]
        size = ca.fmax(ca.sqrt(c**2 + s**2), TINY)
        c, s = c / size, s / size
        third = ca.atan2(s, c)
        if preferred is not None:
            c = ca.if_else(free, ca.cos(preferred), c)
            s = ca.if_else(free, ca.sin(preferred), s)
            third = ca.if_else(free, preferred, third)
        h2 = M @ ca.vertcat(slant * c, -slant * s, y)
        angles = [ca.atan2(h2[1], h2[0]), axes.middle + sign * bend, third]
        found.append(Angles(angles, N - ca.fabs(C), sine, free))
    return found
